//! Gaussian models of wide data: Σ = σ (Qᵀ (A − λ I) Q + λ I) σ, where the rows of Q are few orthonormal directions, A a
//! covariance along them, λ the variance in all others, and σ the units of the columns.

use std::sync::{Arc, OnceLock};

use ndarray::{Array1, Array2, Array3, ArrayView2, Axis, concatenate};

use super::basis::gram_of_columns;
use super::score::Packed;
use crate::error::{Error, Owner, RankError, Result, check_number, not_empty, same_size};
use crate::linalg::{Whitening, invert};
use crate::memory::room_for;
use crate::model::{Model, Parts, Shape};
use crate::moments::{Means, check_log_priors};

/// Few directions in which rows are looked at, and where the class means lie in them.
#[derive(Debug, Clone, PartialEq)]
pub struct Space {
    /// The units of the columns, if they are not those of the rows.
    pub scale: Option<Array1<f64>>,
    /// Orthonormal directions of rows in these units, p × d.
    pub basis: Array2<f64>,
    /// The class means about the center, K × p.
    pub means: Array2<f64>,
}

/// A prior and a Gaussian for each class, in few directions and their complement.
#[derive(Debug, Clone)]
pub struct WideModel {
    log_prior: Vec<f64>,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    parts: WideParts,
    linear: OnceLock<Model>,
    packed: OnceLock<Packed>,
}

/// The parameters of a model of wide data besides its priors.
#[derive(Debug, Clone, PartialEq)]
pub struct WideParts {
    /// The point that is subtracted from each row before anything else.
    pub center: Vec<f64>,
    /// Class means.
    pub means: Means,
    /// One for all classes, or one for each.
    pub spaces: Vec<Space>,
    /// Whitening matrices of the covariances along the directions, p × p and lower triangular: one for each class, or a
    /// common one.
    pub whitenings: Vec<Array2<f64>>,
    /// The variance in all other directions, as many.
    pub levels: Vec<f64>,
    /// Logarithms of the determinants of the whole covariances, as many.
    pub log_dets: Vec<f64>,
    /// Whether decisions of a common covariance are reported about 0 and not about the center.
    pub uncentered: bool,
}

impl PartialEq for WideModel {
    fn eq(&self, other: &Self) -> bool {
        self.log_prior == other.log_prior && self.parts() == other.parts()
    }
}

impl WideModel {
    /// A model with these parameters.
    ///
    /// # Errors
    /// Parts whose sizes do not fit together, and numbers that no model has.
    pub fn from_parts(parts: WideParts, log_prior: Vec<f64>) -> Result<Self> {
        parts.check()?;
        check_log_priors(&log_prior, parts.means.shift.nrows())?;
        let shared = Shared { parts, linear: OnceLock::new(), packed: OnceLock::new() };
        Ok(Self { log_prior, shared: Arc::new(shared) })
    }

    /// The same classes under other priors.
    ///
    /// # Errors
    /// Another number of log-priors, or some that could not be.
    pub fn with_log_prior(&self, log_prior: Vec<f64>) -> Result<Self> {
        check_log_priors(&log_prior, self.n_classes())?;
        Ok(Self { log_prior, shared: Arc::clone(&self.shared) })
    }

    /// Logarithms of the priors.
    pub fn log_prior(&self) -> &[f64] {
        &self.log_prior
    }

    /// The parameters besides the priors.
    pub fn parts(&self) -> &WideParts {
        &self.shared.parts
    }

    /// Number of classes.
    pub fn n_classes(&self) -> usize {
        self.parts().means.shift.nrows()
    }

    /// Number of columns.
    pub fn n_features(&self) -> usize {
        self.parts().center.len()
    }

    /// Whether classes share their covariance.
    pub fn is_common(&self) -> bool {
        self.parts().whitenings.len() == 1 && self.n_classes() > 1
    }

    /// What scoring reads, made on first use.
    pub(super) fn packed(&self) -> &Packed {
        self.shared.packed.get_or_init(|| Packed::new(self.parts()))
    }

    /// The linear functions of a common covariance, as a model that tells posteriors and decisions only.
    pub(super) fn linear(&self) -> Result<Model> {
        if let Some(made) = self.shared.linear.get() {
            return made.with_log_prior(self.log_prior.clone());
        }
        let made = Model::from_parts(self.parts().linear(), self.log_prior.clone())?;
        self.shared.linear.get_or_init(|| made).with_log_prior(self.log_prior.clone())
    }

    /// The covariances as matrices of d × d: one for each class, or a common one.
    ///
    /// # Errors
    /// More than there is memory for.
    pub fn covariances(&self) -> Result<Array3<f64>> {
        let (d, parts) = (self.n_features(), self.parts());
        let count = parts.whitenings.len();
        room_for(d.checked_mul(d).and_then(|size| size.checked_mul(count + 1)))?;
        let mut covariances = Array3::zeros((count, d, d));
        for (place, mut covariance) in covariances.outer_iter_mut().enumerate() {
            covariance.assign(&parts.covariance(place)?);
        }
        Ok(covariances)
    }

    /// The same model with whitening matrices of d × d.
    ///
    /// # Errors
    /// More than there is memory for.
    pub fn to_dense(&self) -> Result<Model> {
        let parts = self.parts();
        let mut whitenings = vec![];
        for covariance in self.covariances()?.outer_iter() {
            let no_factor = || Error::Rank(RankError::NoConvergence(Owner::Pooled));
            let factor = crate::linalg::factor(covariance).ok_or_else(no_factor)?;
            let log_det = factor.log_det();
            whitenings.push(Whitening { matrix: factor.inverse, log_det });
        }
        let (center, means) = (parts.center.clone(), parts.means.clone());
        let shape = match self.is_common() {
            true => Shape::tied(&center, &means, whitenings.swap_remove(0), parts.uncentered),
            false => Shape::Full(whitenings),
        };
        Model::from_parts(Parts { center, means, shape }, self.log_prior.clone())
    }
}

impl WideParts {
    fn check(&self) -> Result<()> {
        self.means.check()?;
        let (classes, d) = self.means.shift.dim();
        not_empty("number of classes", classes)?;
        same_size("length of the center", self.center.len(), d)?;
        not_empty("number of spaces", self.spaces.len())?;
        let count = self.whitenings.len();
        same_size("number of whitening matrices", count, if count == 1 { 1 } else { classes })?;
        same_size("number of spaces", self.spaces.len(), if self.spaces.len() == 1 { 1 } else { count })?;
        same_size("number of levels", self.levels.len(), count)?;
        same_size("number of determinants", self.log_dets.len(), count)?;
        let finite = f64::is_finite;
        for (place, (whitening, &level)) in self.whitenings.iter().zip(&self.levels).enumerate() {
            let space = self.space(place);
            let p = space.basis.nrows();
            same_size("columns of a basis", space.basis.ncols(), d)?;
            same_size("rows of coordinates", space.means.nrows(), classes)?;
            same_size("columns of coordinates", space.means.ncols(), p)?;
            same_size("rows of a whitening matrix", whitening.nrows(), p)?;
            same_size("columns of a whitening matrix", whitening.ncols(), p)?;
            check_number("a level", "positive and finite", level, |level| level > 0.0 && level.is_finite())?;
            check_number("the log-determinant of a covariance", "finite", self.log_dets[place], finite)?;
            let entries = whitening.iter().chain(&space.basis).chain(&space.means);
            entries
                .copied()
                .try_for_each(|entry| check_number("an entry of a space", "finite", entry, finite))?;
            if let Some(scale) = &space.scale {
                same_size("length of a scale", scale.len(), d)?;
                let positive = |unit: f64| unit > 0.0 && unit.is_finite() && unit.recip().is_finite();
                scale.iter().try_for_each(|&unit| {
                    check_number("the unit of a column", "positive and finite", unit, positive)
                })?;
            }
        }
        let numbers = self.center.iter().copied().chain(self.means.sum());
        numbers.into_iter().try_for_each(|number| check_number("a mean", "finite", number, finite))
    }

    /// The space of a covariance.
    pub(super) fn space(&self, place: usize) -> &Space {
        &self.spaces[if self.spaces.len() == 1 { 0 } else { place }]
    }

    /// The directions by which rows in their own units are multiplied, p × d.
    pub(super) fn directions(&self, place: usize) -> Array2<f64> {
        let space = self.space(place);
        match &space.scale {
            Some(scale) => &space.basis / &scale.view().insert_axis(Axis(0)),
            None => space.basis.clone(),
        }
    }

    /// A common covariance as far as linear functions of rows depend on it: along the directions that class means span,
    /// and along what the center has in the complement, if decisions are about 0.
    pub(super) fn linear(&self) -> Parts {
        let space = &self.spaces[0];
        let whitening = &self.whitenings[0];
        let mut matrix = whitening.dot(&self.directions(0));
        let mut whitened_means = space.means.dot(&whitening.t());
        if let Some(row) = self.complement_of_center().filter(|_| self.uncentered) {
            matrix =
                concatenate(Axis(0), &[matrix.view(), row.view().insert_axis(Axis(0))]).expect("as wide");
            let zeros = Array2::zeros((whitened_means.nrows(), 1));
            whitened_means =
                concatenate(Axis(1), &[whitened_means.view(), zeros.view()]).expect("as many classes");
        }
        if matrix.nrows() == 0 {
            // All means are the same: no direction tells classes apart.
            matrix = Array2::from_shape_fn((1, self.center.len()), |_| f64::EPSILON);
            whitened_means = Array2::zeros((self.means.shift.nrows(), 1));
        }
        let whitening = Whitening { matrix, log_det: f64::NAN };
        let shape = Shape::Tied { whitening, whitened_means, uncentered: self.uncentered };
        Parts { center: self.center.clone(), means: self.means.clone(), shape }
    }

    /// The white direction of what the center has in the complement, if that is anything.
    fn complement_of_center(&self) -> Option<Array1<f64>> {
        let space = &self.spaces[0];
        let scale = space.scale.as_ref();
        let center = Array1::from(self.center.clone());
        let center = scale.map_or(center.clone(), |scale| center / scale);
        let length = center.dot(&center).sqrt();
        let mut rest = center;
        for _ in 0..2 {
            rest -= &space.basis.dot(&rest).dot(&space.basis);
        }
        let left = rest.dot(&rest).sqrt();
        if !(left > 1e-14 * length && left.is_finite()) {
            return None;
        }
        rest /= left * self.levels[0].sqrt();
        Some(scale.map_or(rest.clone(), |scale| rest / scale))
    }

    /// A covariance, d × d.
    fn covariance(&self, place: usize) -> Result<Array2<f64>> {
        let (space, level) = (self.space(place), self.levels[place]);
        let whitening: ArrayView2<'_, f64> = self.whitenings[place].view();
        let root = match whitening.is_empty() {
            true => Array2::zeros((0, 0)),
            false => invert(whitening).ok_or(Error::Rank(RankError::NoConvergence(Owner::Pooled)))?,
        };
        let mut covariance = gram_of_columns(root.t().dot(&space.basis).view());
        covariance.scaled_add(-level, &gram_of_columns(space.basis.view()));
        covariance.diag_mut().map_inplace(|variance| *variance += level);
        if let Some(scale) = &space.scale {
            covariance *= &scale.view().insert_axis(Axis(0));
            covariance *= &scale.view().insert_axis(Axis(1));
        }
        Ok(covariance)
    }
}
