//! One covariance for each class of wide data: mixed with the pooled one, and moved toward a target.

use ndarray::{Array1, Array2, ArrayView1, Axis, s};

use super::WideMoments;
use super::basis::{gram_of_coordinates, refine, spanning};
use super::common::{Common, Diagonal, DiagonalPlusRows, SQUARED, factor_with_level, longest_square};
use super::linear::WideLinearFit;
use super::model::{Space, WideModel, WideParts};
use super::packed::FAR;
use crate::covariance::{Mixing, Shares, Target};
use crate::error::{Error, Owner, RankError, Result, ShapeError, check_share, check_tolerance, same_size};
use crate::linalg::Deficiency;
use crate::model::log_shares;
use crate::moments::{Structure, check_priors};
use crate::parallel::Parallel;
use crate::rows::Rows;

impl WideMoments {
    /// The model whose covariances are (1 − γ) B_k + γ T(B_k), as [`crate::core::covariance::regularized`] has them.
    ///
    /// # Errors
    /// As there; moments that are not full; a covariance that is singular: without a share of the target, or with so small a
    /// one that an eigenvalue on the correlation scale is at most `tol`².
    pub fn regularized(
        &self,
        mixing: Mixing,
        target: Target,
        gammas: &[f64],
        priors: &[f64],
        tol: f64,
        parallel: Parallel<'_>,
    ) -> Result<WideModel> {
        let shares = self.shares(mixing, gammas)?;
        check_priors(priors, self.n_classes())?;
        check_tolerance(tol)?;
        let center = self.means.mean(priors);
        let parts = match target {
            Target::Diagonal => self.toward_diagonals(&shares, gammas, center, parallel)?,
            Target::Spherical | Target::Identity => {
                self.toward_levels(&shares, target, gammas, center, tol, parallel)?
            }
        };
        WideModel::from_parts(parts, log_shares(priors))
    }

    /// The same where all classes have the pooled covariance.
    ///
    /// # Errors
    /// As [`Self::regularized`].
    pub fn regularized_common(
        &self,
        mixing: Mixing,
        target: Target,
        gamma: f64,
        priors: &[f64],
    ) -> Result<WideLinearFit> {
        let shares = self.shares(mixing, &vec![gamma; self.n_classes()])?;
        let share = shares[0].pooled;
        let variances = self.squares().sum_axis(Axis(0)) * share;
        let d = self.n_features() as f64;
        let diagonal = match target {
            Target::Spherical => Diagonal::Level(gamma * variances.sum() / d),
            Target::Identity => Diagonal::Level(gamma),
            Target::Diagonal => Diagonal::Columns(variances * gamma),
        };
        if matches!(diagonal, Diagonal::Level(level) if level == 0.0) {
            return Err(self.no_variance());
        }
        let rows = match gamma < 1.0 {
            true => &self.factor * (share * (1.0 - gamma)).sqrt(),
            false => Array2::zeros((0, self.n_features())),
        };
        self.linear_of(DiagonalPlusRows { rows, diagonal }, priors, false)
    }

    /// Rows of these moments in an orthonormal basis of the directions that rows and means span, n × p. Distances between
    /// rows are what they were. None if classes are so far apart, or one row from those of its class, that coordinates about
    /// one point would lose digits.
    ///
    /// # Errors
    /// Labels that do not fit, NaN in a row.
    pub fn turn(&self, rows: &Rows<'_>, labels: &[u32]) -> Result<Option<Array2<f64>>> {
        crate::moments::check_labels(labels, rows.n_rows(), self.n_classes())?;
        same_size("number of columns", rows.n_features(), self.n_features())?;
        rows.check_finite(0..rows.n_rows())?;
        let Some(center) = self.center_of_all() else { return Ok(None) };
        let (basis, _) = spanning(self.factor.view(), &self.means, None);
        let means = self.means.about(&center).dot(&basis.t());
        // About the mean of its class a row keeps its digits where others are far away.
        let mut about = Array2::zeros((rows.n_rows(), self.n_features()));
        for (row, mut about) in about.outer_iter_mut().enumerate() {
            let class = labels[row] as usize;
            rows.read_row(row, about.as_slice_mut().expect("rows of a C-ordered array"));
            about -= &self.means.shift.row(class);
            about -= &self.means.offset.row(class);
        }
        if (0..self.n_classes()).any(|class| has_row_far_away(&about, labels, class)) {
            return Ok(None);
        }
        let mut turned = about.dot(&basis.t());
        for (mut turned, &label) in turned.outer_iter_mut().zip(labels) {
            turned += &means.row(label as usize);
        }
        Ok(Some(turned))
    }

    /// The class mean from which no class is too far away in units of its own size, if there is one.
    fn center_of_all(&self) -> Option<Vec<f64>> {
        let totals = self.squares().sum_axis(Axis(1));
        let pooled = totals.sum() / self.total_weight();
        let square_size = |class: usize| match self.structure {
            Structure::Full if totals[class] > 0.0 => totals[class] / self.weights[class],
            _ => pooled,
        };
        let means = self.means.sum();
        let farthest = |center: &[f64]| {
            let away = self.means.about(center);
            let squares = away.outer_iter().enumerate().map(|(k, away)| away.dot(&away) / square_size(k));
            squares.filter(|square| !square.is_nan()).fold(0.0, f64::max)
        };
        let centers = means.outer_iter().map(|mean| mean.to_vec());
        let candidates = centers.map(|center| (farthest(&center), center));
        let (square, center) = candidates.min_by(|a, b| a.0.total_cmp(&b.0))?;
        (square <= FAR * FAR).then_some(center)
    }

    /// What the scatter of each class and that of all are multiplied by.
    fn shares(&self, mixing: Mixing, gammas: &[f64]) -> Result<Vec<Shares>> {
        same_size("number of gammas", gammas.len(), self.n_classes())?;
        gammas.iter().try_for_each(|&gamma| check_share("gamma", gamma))?;
        mixing.check()?;
        self.check_no_class_empty()?;
        let shares: Vec<Shares> =
            (0..self.n_classes()).map(|class| mixing.shares(&self.weights, class)).collect::<Result<_>>()?;
        if self.structure != Structure::Full && shares.iter().any(|shares| shares.own > 0.0) {
            return Err(Error::Shape(ShapeError::Incompatible("structures")));
        }
        Ok(shares)
    }

    /// All classes in the directions that rows and means span.
    fn toward_levels(
        &self,
        shares: &[Shares],
        target: Target,
        gammas: &[f64],
        center: Vec<f64>,
        tol: f64,
        parallel: Parallel<'_>,
    ) -> Result<WideParts> {
        let d = self.n_features();
        let levels = self.levels(shares, target, gammas, tol)?;
        let (mut basis, mut coordinates) = spanning(self.factor.view(), &self.means, None);
        let longest = longest_square(&coordinates);
        if shares.iter().zip(&levels).any(|(of, level)| longest * (of.own + of.pooled) > SQUARED * level) {
            (basis, coordinates) =
                refine(&basis, &coordinates).ok_or(Error::Rank(RankError::NoConvergence(Owner::Pooled)))?;
        }
        let p = basis.nrows();
        let pooled = gram_of_coordinates(&coordinates);
        let made = parallel.map(self.n_classes(), |class, _| {
            let Shares { own, pooled: common } = shares[class];
            let (level, rest) = (levels[class], 1.0 - gammas[class]);
            let members = s![self.bounds[class]..self.bounds[class + 1], ..];
            let rows = coordinates.slice(members);
            let mut along = rows.t().dot(&rows) * (rest * own);
            along.scaled_add(rest * common, &pooled);
            let weighted = || {
                let mut weighted = &coordinates * (rest * common).sqrt();
                weighted.slice_mut(members).assign(&(&rows * (rest * (own + common)).sqrt()));
                weighted
            };
            let factor = factor_with_level(along, weighted, level, Owner::Class(class))?;
            let log_det = factor.log_det() + (d - p) as f64 * level.ln();
            Ok((factor.inverse, level, log_det))
        })?;
        let means = self.means.about(&center).dot(&basis.t());
        let mut parts = WideParts {
            center,
            means: self.means.clone(),
            spaces: vec![Space { scale: None, basis, means }],
            whitenings: vec![],
            levels: vec![],
            log_dets: vec![],
            uncentered: false,
        };
        for (whitening, level, log_det) in made {
            parts.whitenings.push(whitening);
            parts.levels.push(level);
            parts.log_dets.push(log_det);
        }
        Ok(parts)
    }

    /// The variance of each class in all directions but those of the rows.
    fn levels(&self, shares: &[Shares], target: Target, gammas: &[f64], tol: f64) -> Result<Vec<f64>> {
        let squares = self.squares();
        let pooled_squares = squares.sum_axis(Axis(0));
        let level = |class: usize| {
            let Shares { own, pooled } = shares[class];
            let variances = &squares.row(class) * own + &pooled_squares * pooled;
            let anchor = match target {
                Target::Spherical => variances.sum() / self.n_features() as f64,
                _ => 1.0,
            };
            let level = gammas[class] * anchor;
            let largest = variances.iter().copied().fold(0.0, f64::max) * (1.0 - gammas[class]) + level;
            if level > tol * tol * largest && level >= crate::moments::SMALLEST_VARIANCE {
                Ok(level)
            } else {
                Err(self.singular(class, pooled > 0.0, &variances))
            }
        };
        (0..self.n_classes()).map(level).collect()
    }

    /// Each class in units of its own variances.
    fn toward_diagonals(
        &self,
        shares: &[Shares],
        gammas: &[f64],
        center: Vec<f64>,
        parallel: Parallel<'_>,
    ) -> Result<WideParts> {
        let squares = self.squares();
        let pooled_squares = squares.sum_axis(Axis(0));
        let made = parallel.map(self.n_classes(), |class, _| {
            let Shares { own, pooled } = shares[class];
            let gamma = gammas[class];
            let variances = &squares.row(class) * own + &pooled_squares * pooled;
            if gamma == 0.0 {
                return Err(self.singular(class, pooled > 0.0, &variances));
            }
            let weights = |scatter: usize| pooled + if scatter == class { own } else { 0.0 };
            let rows = self.rows_of(|scatter| (1.0 - gamma) * weights(scatter));
            self.in_own_units(class, rows, variances * gamma, &center)
        })?;
        Ok(self.of_own_spaces(made, center))
    }

    /// A class whose covariance is diag(δ) + RᵀR, in units in which the diagonal is 1.
    pub(super) fn in_own_units(
        &self,
        class: usize,
        rows: Array2<f64>,
        variances: Array1<f64>,
        center: &[f64],
    ) -> Result<Common> {
        let covariance = DiagonalPlusRows { rows, diagonal: Diagonal::Columns(variances) };
        Common::of(&self.means, covariance, center, Owner::Class(class)).map_err(|error| match error {
            Error::Rank(RankError::Singular { what, features, rank, constant, dependent, .. }) => {
                let weight = self.weights[class];
                Error::Rank(RankError::Singular { what, weight, features, rank, constant, dependent })
            }
            other => other,
        })
    }

    /// A model whose classes have each its own space.
    pub(super) fn of_own_spaces(&self, made: Vec<Common>, center: Vec<f64>) -> WideParts {
        let mut parts = WideParts {
            center,
            means: self.means.clone(),
            spaces: vec![],
            whitenings: vec![],
            levels: vec![],
            log_dets: vec![],
            uncentered: false,
        };
        for Common { space, whitening, level, log_det } in made {
            parts.spaces.push(space);
            parts.whitenings.push(whitening);
            parts.levels.push(level);
            parts.log_dets.push(log_det);
        }
        parts
    }

    /// The rows of factors times the roots of weights, those of weight 0 left out.
    pub(super) fn rows_of(&self, weight: impl Fn(usize) -> f64) -> Array2<f64> {
        let chosen: Vec<usize> = (0..self.n_scatters()).filter(|&scatter| weight(scatter) > 0.0).collect();
        let size = chosen.iter().map(|&scatter| self.factor_of(scatter).nrows()).sum();
        let mut rows = Array2::zeros((size, self.n_features()));
        let mut first = 0;
        for scatter in chosen {
            let factor = self.factor_of(scatter);
            let last = first + factor.nrows();
            rows.slice_mut(s![first..last, ..]).assign(&(&factor * weight(scatter).sqrt()));
            first = last;
        }
        rows
    }

    /// A class whose covariance is singular by the number of its rows.
    fn singular(&self, class: usize, borrows: bool, variances: &Array1<f64>) -> Error {
        let d = self.n_features();
        let constant: Vec<usize> = (0..d).filter(|&j| variances[j] == 0.0).collect();
        let rank = if borrows { self.factor.nrows() } else { self.factor_of(class).nrows() };
        let dependent = (0..d).filter(|j| constant.binary_search(j).is_err()).collect();
        let deficiency = Deficiency { rank: rank.min(d - constant.len()), constant, dependent };
        Error::singular(Owner::Class(class), self.weights[class], d, deficiency)
    }
}

/// Whether the rows of a class, about their mean, are so unlike in their distances that one far away costs others digits.
fn has_row_far_away(about: &Array2<f64>, labels: &[u32], class: usize) -> bool {
    let members: Vec<_> =
        labels.iter().zip(about.outer_iter()).filter(|(label, _)| **label as usize == class).collect();
    let square = |row: &ArrayView1<'_, f64>| row.dot(row);
    let Some((_, center)) = members.iter().min_by(|a, b| square(&a.1).total_cmp(&square(&b.1))) else {
        return false;
    };
    let squares =
        members.iter().map(|(_, row)| square(&(row - center).view())).filter(|square| *square > 0.0);
    let (least, most) =
        squares.fold((f64::INFINITY, 0.0_f64), |(least, most), square| (least.min(square), most.max(square)));
    most > FAR.powi(4) * least
}
