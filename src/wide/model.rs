//! Gaussian models of wide data: Σ = σ (Qᵀ (A − λ I) Q + λ I) σ, where the rows of Q are few orthonormal directions, A a
//! covariance along them, λ the variance in all others, and σ the units of the columns.

use std::sync::{Arc, OnceLock};

use ndarray::{Array1, Array2, Array3, Axis, concatenate};

use super::basis::{basis_of_means, gram_of_columns, with_direction};
use super::packed::Packed;
use crate::error::{Error, Owner, RankError, Result, ScoresError, check_number, not_empty, same_size};
use crate::linalg::{Whitening, invert};
use crate::memory::room_for_matrices;
use crate::model::{Model, Parts, Shape};
use crate::moments::{Means, check_log_priors};

/// Few directions in which rows are looked at, and where the class means lie in them.
#[derive(Debug, Clone, PartialEq)]
pub struct Space {
    /// The units of the columns, if they are not those of the rows; infinite where a column is left out.
    pub scale: Option<Array1<f64>>,
    /// Orthonormal directions of rows in these units, p × d.
    pub basis: Array2<f64>,
    /// The class means about the center, K × p.
    pub means: Array2<f64>,
}

impl Space {
    /// Number of columns that count.
    fn n_columns(&self) -> usize {
        let finite = |scale: &Array1<f64>| scale.iter().filter(|unit| unit.is_finite()).count();
        self.scale.as_ref().map_or(self.basis.ncols(), finite)
    }

    fn leaves_none_out(&self) -> bool {
        self.n_columns() == self.basis.ncols()
    }
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

    /// Number of directions in which rows vary: all, unless columns are left out.
    pub fn rank(&self) -> usize {
        self.parts().spaces.iter().map(Space::n_columns).min().unwrap_or(0)
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
    pub(crate) fn linear(&self) -> Result<Model> {
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
        room_for_matrices(d, count + 1)?;
        let (mut covariances, all) = (Array3::zeros((count, d, d)), (0..d).collect::<Vec<_>>());
        for (place, mut covariance) in covariances.outer_iter_mut().enumerate() {
            covariance.assign(&parts.covariance(place, &all)?);
        }
        Ok(covariances)
    }

    /// The model of some columns, with matrices of as many.
    ///
    /// # Errors
    /// More columns than there may be for matrices, or columns that the model leaves out.
    pub fn select(&self, columns: &[usize]) -> Result<Model> {
        let parts = self.parts();
        room_for_matrices(columns.len(), parts.whitenings.len() + 1)?;
        let covariances = (0..parts.whitenings.len())
            .map(|place| parts.covariance(place, columns))
            .collect::<Result<Vec<_>>>()?;
        let part = |table: &Array2<f64>| table.select(Axis(1), columns);
        let means = Means { shift: part(&parts.means.shift), offset: part(&parts.means.offset) };
        let center = columns.iter().map(|&column| parts.center[column]).collect();
        self.dense_of(&covariances, center, means)
    }

    fn dense_of(&self, covariances: &[Array2<f64>], center: Vec<f64>, means: Means) -> Result<Model> {
        let mut whitenings = vec![];
        for covariance in covariances {
            let no_factor = || Error::Rank(RankError::NoConvergence(Owner::Pooled));
            let factor = crate::linalg::factor(covariance.view()).ok_or_else(no_factor)?;
            let log_det = factor.log_det();
            whitenings.push(Whitening { matrix: factor.inverse, log_det });
        }
        let shape = match self.is_common() {
            true => Shape::tied(&center, &means, whitenings.swap_remove(0), self.parts().uncentered),
            false => Shape::Full(whitenings),
        };
        Model::from_parts(Parts { center, means, shape }, self.log_prior.clone())
    }

    /// The same model with whitening matrices of d × d; of independent columns, deviations are enough.
    ///
    /// # Errors
    /// More than a matrix that is made on the way may take, or columns that are left out.
    pub fn to_dense(&self) -> Result<Model> {
        let (rank, features) = (self.rank(), self.n_features());
        if rank < features {
            return Err(Error::Scores(ScoresError::NoDensity { rank, features }));
        }
        let parts = self.parts();
        if let Some(deviations) = parts.deviations() {
            let (center, means) = (parts.center.clone(), parts.means.clone());
            let parts = Parts { center, means, shape: Shape::Diag(deviations) };
            return Model::from_parts(parts, self.log_prior.clone());
        }
        let covariances: Vec<_> = self.covariances()?.outer_iter().map(|matrix| matrix.to_owned()).collect();
        self.dense_of(&covariances, parts.center.clone(), parts.means.clone())
    }
}

/// The place of what a class has among one for each, or a common one.
pub(super) fn place_of(class: usize, count: usize) -> usize {
    if count == 1 { 0 } else { class }
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
            if space.leaves_none_out() {
                check_number("the log-determinant of a covariance", "finite", self.log_dets[place], finite)?;
            }
            let entries = whitening.iter().chain(&space.basis).chain(&space.means);
            entries
                .copied()
                .try_for_each(|entry| check_number("an entry of a space", "finite", entry, finite))?;
            if let Some(scale) = &space.scale {
                same_size("length of a scale", scale.len(), d)?;
                let positive = |unit: f64| unit > 0.0 && unit.recip().is_finite();
                scale
                    .iter()
                    .try_for_each(|&unit| check_number("the unit of a column", "positive", unit, positive))?;
            }
        }
        let numbers = self.center.iter().copied().chain(self.means.sum());
        numbers.into_iter().try_for_each(|number| check_number("a mean", "finite", number, finite))
    }

    /// The space of a covariance.
    pub(crate) fn space(&self, place: usize) -> &Space {
        &self.spaces[place_of(place, self.spaces.len())]
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
        // Of all white directions only those matter in which the means differ, or the center lies.
        let white = space.means.dot(&self.whitenings[0].t());
        let offset = Array2::zeros(white.raw_dim());
        let apart = Means { shift: white, offset };
        let mut along = basis_of_means(&apart);
        let white = apart.shift;
        if self.uncentered {
            let center = self.whitenings[0].dot(&self.directions(0).dot(&Array1::from(self.center.clone())));
            along = with_direction(along, white.row(0).to_owned());
            along = with_direction(along, center);
        } else {
            along = with_direction(along, white.row(0).to_owned());
        }
        let mut whitened_means = white.dot(&along.t());
        let mut matrix = along.dot(&self.whitenings[0]).dot(&space.basis);
        if let Some(scale) = &space.scale {
            matrix /= &scale.view().insert_axis(Axis(0));
        }
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
        let whole = matrix.nrows() == self.center.len();
        let whitening = Whitening { matrix, log_det: if whole { self.log_dets[0] } else { f64::NAN } };
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

    /// Standard deviations, K × d, if columns are independent in all classes.
    fn deviations(&self) -> Option<Array2<f64>> {
        let is_plain = |whitening: &Array2<f64>| {
            whitening.indexed_iter().all(|((i, j), &entry)| entry == if i == j { 1.0 } else { 0.0 })
        };
        let independent =
            self.whitenings.iter().all(is_plain) && self.levels.iter().all(|&level| level == 1.0);
        if !independent {
            return None;
        }
        let mut deviations = Array2::ones(self.means.shift.raw_dim());
        for (class, mut row) in deviations.outer_iter_mut().enumerate() {
            if let Some(scale) = &self.space(place_of(class, self.whitenings.len())).scale {
                row.assign(scale);
            }
        }
        Some(deviations)
    }

    /// A root of a covariance along its directions: A Aᵀ with A = W⁻¹.
    pub(crate) fn root(&self, place: usize) -> Result<Array2<f64>> {
        let whitening = self.whitenings[place].view();
        match whitening.is_empty() {
            true => Ok(Array2::zeros((0, 0))),
            false => invert(whitening).ok_or(Error::Rank(RankError::NoConvergence(Owner::Pooled))),
        }
    }

    /// A covariance of some columns.
    fn covariance(&self, place: usize, columns: &[usize]) -> Result<Array2<f64>> {
        let (space, level) = (self.space(place), self.levels[place]);
        let basis = space.basis.select(Axis(1), columns);
        let mut covariance = gram_of_columns(self.root(place)?.t().dot(&basis).view());
        covariance.scaled_add(-level, &gram_of_columns(basis.view()));
        covariance.diag_mut().map_inplace(|variance| *variance += level);
        if let Some(scale) = &space.scale {
            let scale = scale.select(Axis(0), columns);
            let units = scale.mapv(|unit| if unit.is_finite() { unit } else { 0.0 });
            covariance *= &units.view().insert_axis(Axis(0));
            covariance *= &units.view().insert_axis(Axis(1));
        }
        Ok(covariance)
    }
}
