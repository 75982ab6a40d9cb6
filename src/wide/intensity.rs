//! How far covariances of wide data should move toward a target, as the data suggest: from products of rows.

use std::ops::Range;

use ndarray::{Array1, Array2, Axis};

use super::WideMoments;
use super::basis::gram;
use super::common::{Diagonal, DiagonalPlusRows};
use super::linear::WideLinearFit;
use super::model::WideModel;
use crate::covariance::{Mixing, intensity_of, lw_scale, oracle_intensity, wolf_intensity};
use crate::error::{Error, InputError, Owner, Result, ShapeError};
use crate::model::log_shares;
use crate::moments::{Structure, check_priors, check_resolved, quartics_about};
use crate::parallel::Parallel;
use crate::rows::Rows;

/// Covariances of classes on the scale of correlations, as Ledoit and Wolf's shrinkage sees them.
#[derive(Debug, Clone)]
pub struct Standardized {
    /// The intensity of each class.
    pub intensities: Vec<f64>,
    /// δ of each class before its intensity: the mean diagonal times the variances, K × d.
    pub diagonals: Array2<f64>,
}

impl WideMoments {
    /// Ledoit and Wolf's intensity of each class on standardized data, and what it moves toward. The rows must be those
    /// behind the moments.
    ///
    /// # Errors
    /// As [`crate::core::covariance::ledoit_wolf`].
    pub fn standardized(
        &self,
        rows: &Rows<'_>,
        labels: &[u32],
        weights: Option<&[f64]>,
        parallel: Parallel<'_>,
    ) -> Result<Standardized> {
        self.check_no_class_empty()?;
        if self.structure != Structure::Full {
            return Err(Error::Shape(ShapeError::Incompatible("structures")));
        }
        let (squares, means, d) = (self.squares(), self.means.sum(), self.n_features());
        let mut scales = Array2::zeros(squares.raw_dim());
        for class in 0..self.n_classes() {
            let weight = self.weights[class];
            let variances = &squares.row(class) / weight;
            check_resolved(&variances, Owner::Class(class))?;
            let scale = variances.iter().zip(means.row(class)).map(|(&v, &mean)| lw_scale(v, mean, weight));
            scales.row_mut(class).assign(&scale.collect::<Array1<_>>());
        }
        let quartics =
            quartics_about(&self.means, &scales.mapv(f64::recip), rows, labels, weights, parallel)?;
        let mut found = Standardized { intensities: vec![], diagonals: scales.mapv(|scale| scale * scale) };
        for (class, &quartic) in quartics.iter().enumerate() {
            let weight = self.weights[class];
            let standardized = &self.factor_of(class) / &scales.row(class).insert_axis(Axis(0));
            let products = gram(standardized.view()) / weight;
            let square: f64 = products.iter().map(|entry| entry * entry).sum();
            let mean_variance = products.diag().sum() / d as f64;
            found.intensities.push(intensity_of((d, square, mean_variance), quartic, weight));
            found.diagonals.row_mut(class).map_inplace(|variance| *variance *= mean_variance);
        }
        Ok(found)
    }

    /// The common covariance that weighs those of classes, each shrunk by its own intensity, by the priors.
    ///
    /// # Errors
    /// Bad priors, a column without variance in all classes.
    pub fn linear_standardized(
        &self,
        found: &Standardized,
        priors: &[f64],
        unbiased: bool,
    ) -> Result<WideLinearFit> {
        check_priors(priors, self.n_classes())?;
        let (total, correction) = (priors.iter().sum::<f64>(), self.correction(unbiased)?);
        let share = |class: usize| correction * priors[class] / total;
        let mut diagonal = Array1::zeros(self.n_features());
        for (class, variances) in found.diagonals.outer_iter().enumerate() {
            diagonal.scaled_add(share(class) * found.intensities[class], &variances);
        }
        let rows =
            self.rows_of(|class| share(class) * (1.0 - found.intensities[class]) / self.weights[class]);
        self.linear_of(DiagonalPlusRows { rows, diagonal: Diagonal::Columns(diagonal) }, priors, true)
    }

    /// One covariance for each class, each shrunk by its own intensity.
    ///
    /// # Errors
    /// Bad priors, a class of one row with unbiased divisors, a column without variance.
    pub fn quadratic_standardized(
        &self,
        found: &Standardized,
        priors: &[f64],
        unbiased: bool,
        parallel: Parallel<'_>,
    ) -> Result<WideModel> {
        check_priors(priors, self.n_classes())?;
        let center = self.means.mean(priors);
        let divisors = Mixing { alpha: 0.0, pooling: crate::covariance::Pooling::Covariance, unbiased };
        let made = parallel.map(self.n_classes(), |class, _| {
            let own = divisors.shares(&self.weights, class)?.own;
            let (intensity, correction) = (found.intensities[class], own * self.weights[class]);
            let rows = self.rows_of(|scatter| if scatter == class { own * (1.0 - intensity) } else { 0.0 });
            let diagonal = &found.diagonals.row(class) * (correction * intensity);
            self.in_own_units(class, rows, diagonal, &center)
        })?;
        WideModel::from_parts(self.of_own_spaces(made, center), log_shares(priors))
    }

    /// Ledoit and Wolf's intensity for each class's mixed covariance. The rows must be those behind the moments.
    ///
    /// # Errors
    /// As [`crate::core::covariance::ledoit_wolf_intensities`].
    pub fn ledoit_wolf_intensities(
        &self,
        mixing: Mixing,
        rows: &Rows<'_>,
        labels: &[u32],
        weights: Option<&[f64]>,
        parallel: Parallel<'_>,
    ) -> Result<Vec<f64>> {
        let units = Array2::ones((self.n_classes(), self.n_features()));
        let quartics = quartics_about(&self.means, &units, rows, labels, weights, parallel)?;
        self.for_each_class(mixing, |mixed, row_weights| {
            let errors = (0..self.n_classes()).map(|class| {
                let error =
                    quartics[class] - 2.0 * mixed.with_scatter(class) + self.weights[class] * mixed.square;
                row_weights[class].powi(2) * error
            });
            wolf_intensity(errors.sum(), mixed.square, mixed.trace, self.n_features())
        })
    }

    /// The oracle-approximating intensity for each class's mixed covariance.
    ///
    /// # Errors
    /// As [`crate::core::covariance::oracle_intensities`].
    pub fn oracle_intensities(&self, mixing: Mixing) -> Result<Vec<f64>> {
        self.for_each_class(mixing, |mixed, row_weights| {
            let n = 1.0 / (row_weights * row_weights * &self.weights).sum();
            oracle_intensity(n, mixed.square, mixed.trace, self.n_features())
        })
    }

    /// The intensity of each class from products of its mixed covariance, and the weight that a row of each class has.
    fn for_each_class(
        &self,
        mixing: Mixing,
        intensity: impl Fn(&MixedProducts<'_>, &Array1<f64>) -> f64,
    ) -> Result<Vec<f64>> {
        mixing.check()?;
        self.check_no_class_empty()?;
        if self.structure != Structure::Full {
            return Err(Error::Shape(ShapeError::Incompatible("structures")));
        }
        let mixing = Mixing { unbiased: false, ..mixing };
        let products = gram(self.factor.view());
        // Squared products of the rows of two scatters: ⟨S_a, S_b⟩.
        let range = |scatter: usize| self.bounds[scatter]..self.bounds[scatter + 1];
        let inner = |a: Range<usize>, b: Range<usize>| -> f64 {
            products.slice(ndarray::s![a, b]).iter().map(|entry| entry * entry).sum()
        };
        let classes = self.n_classes();
        let scatters = Array2::from_shape_fn((classes, classes), |(a, b)| inner(range(a), range(b)));
        let traces: Array1<f64> =
            (0..classes).map(|class| products.diag().slice(ndarray::s![range(class)]).sum()).collect();
        let of_class = |class: usize| {
            let shares = mixing.shares(&self.weights, class)?;
            let mut row_weights = Array1::from_elem(classes, shares.pooled);
            row_weights[class] += shares.own;
            let along = scatters.dot(&row_weights);
            let square = row_weights.dot(&along);
            let trace = row_weights.dot(&traces);
            let found = intensity(&MixedProducts { along: &along, square, trace }, &row_weights);
            if square.is_finite() && found.is_finite() { Ok(found) } else { Err(self.too_large(class)) }
        };
        (0..classes).map(of_class).collect()
    }
}

impl WideMoments {
    /// Squares of variances overflow: of the column that varies most.
    fn too_large(&self, class: usize) -> Error {
        let squares = self.squares().sum_axis(Axis(0));
        let column = (0..squares.len()).max_by(|&a, &b| squares[a].total_cmp(&squares[b])).unwrap_or(0);
        Error::Input(InputError::Overflow { what: Owner::Class(class), column })
    }
}

/// Products of a mixed covariance B.
struct MixedProducts<'a> {
    /// ⟨B, S_k⟩.
    along: &'a Array1<f64>,
    /// ‖B‖².
    square: f64,
    trace: f64,
}

impl MixedProducts<'_> {
    fn with_scatter(&self, class: usize) -> f64 {
        self.along[class]
    }
}
