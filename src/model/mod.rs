//! The fitted model: a prior and a Gaussian per class.

mod anchored;
mod check;
mod class_lanes;
mod covariances;
mod directions;
mod generator;
mod linear;
mod marginal;
mod naive;
mod packed;
mod quadratic;
mod screen;
#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};

use ndarray::{Array1, Array2, ArrayView2};

use crate::error::{Error, InputError, Owner, RankError, Result, ScoresError, check_number, not_empty};
use crate::kernel::Lane;
use crate::linalg::{Whitening, diagnose};
use crate::moments::{Means, Moments, check_log_priors, check_priors};

pub(crate) use anchored::{AnchorMemory, Anchored};
pub(crate) use class_lanes::{ClassLanes, ClassLanesOfPattern};
pub(crate) use covariances::Covariances;
use directions::average_covariance;
pub(crate) use directions::n_directions;
pub(crate) use generator::{Generator, Root};
pub use linear::LinearFit;
#[cfg(feature = "python")]
pub(crate) use linear::find_axes_of_means;
pub(crate) use linear::{check_finite, discriminants, magnitudes};
pub(crate) use packed::{Metric, Packed, Prior, Purposes, Tied};
pub(crate) use screen::Screen;

/// The parameters of a model besides its priors.
#[derive(Debug, Clone, PartialEq)]
pub struct Parts {
    /// The point that is subtracted from each row before anything else.
    pub center: Vec<f64>,
    /// Class means.
    pub means: Means,
    /// The covariances.
    pub shape: Shape,
}

/// The covariances of a model, as what the scores need of them.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// One per class.
    Full(Vec<Whitening>),
    /// A common one.
    Tied {
        /// Of the common covariance.
        whitening: Whitening,
        /// Class means, whitened, K × rank.
        whitened_means: Array2<f64>,
        /// Whether decisions are reported as μᵀΣ⁻¹x instead of (μ − m)ᵀΣ⁻¹(x − m), which differ by the same amount for
        /// every class.
        uncentered: bool,
    },
    /// Independent columns: standard deviations, K × d.
    Diag(Array2<f64>),
}

/// A fitted model.
///
/// Make one with [`Model::quadratic`], [`Model::naive`], [`LinearFit::svd`], [`LinearFit::lsqr`] or [`LinearFit::eigen`];
/// ask it with [`crate::core::score()`].
#[derive(Debug)]
pub struct Model {
    log_prior: Vec<f64>,
    single: Prior<f32>,
    double: Prior<f64>,
    shared: Arc<Shared>,
}

/// What models share that differ in their priors only.
#[derive(Debug)]
struct Shared {
    parts: Parts,
    /// The log-priors that the first of them was made with.
    first_log_prior: Vec<f64>,
    single: OnceLock<Packed<f32>>,
    double: OnceLock<Packed<f64>>,
    /// The average of full covariances, about which classes are screened.
    average_covariance: OnceLock<Option<Array2<f64>>>,
    generator: OnceLock<Generator>,
    covariances: OnceLock<Covariances>,
    class_lanes: OnceLock<Arc<ClassLanes>>,
}

impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        self.log_prior == other.log_prior && self.parts() == other.parts()
    }
}

impl Model {
    /// A model with these parameters. Log-priors are taken as given: the priors need not sum to 1.
    ///
    /// # Errors
    /// Parts whose sizes do not fit together, and numbers that no model has: anything that is not finite but the logarithm of
    /// a prior of 0, deviations that are not positive, a whitening matrix that has no inverse where it should.
    pub fn from_parts(parts: Parts, log_prior: Vec<f64>) -> Result<Self> {
        parts.check()?;
        check_log_priors(&log_prior, parts.means.shift.nrows())?;
        let shared = Shared {
            parts,
            first_log_prior: log_prior.clone(),
            single: OnceLock::new(),
            double: OnceLock::new(),
            average_covariance: OnceLock::new(),
            generator: OnceLock::new(),
            covariances: OnceLock::new(),
            class_lanes: OnceLock::new(),
        };
        Ok(Self::of(log_prior, Arc::new(shared)))
    }

    fn of(log_prior: Vec<f64>, shared: Arc<Shared>) -> Self {
        Self { single: Prior::new(&log_prior), double: Prior::new(&log_prior), log_prior, shared }
    }

    /// The same classes under other priors; everything else is shared. Decisions of a common covariance, which are the
    /// same up to a term common to the classes, are reported about the same center as before.
    ///
    /// # Errors
    /// Another number of log-priors, some that could not be, or a positive prior of a class with independent columns that
    /// the model was made without.
    ///
    /// ```
    /// use gauda::core::{Model, Moments, Parallel, Rows, Structure, covariance};
    /// use ndarray::array;
    ///
    /// let x = array![[0.0, 0.0], [2.0, 2.0], [1.0, 4.0], [7.0, 6.0], [8.0, 9.0], [9.0, 6.0]];
    /// let (rows, labels) = (Rows::from(&x), [0, 0, 0, 1, 1, 1]);
    /// let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Diag, Parallel::default())?;
    /// let variances = covariance::variances(&moments, false)?;
    /// let model = Model::naive(&moments, variances.view(), &[0.5, 0.5])?;
    /// let log_prior = vec![0.9_f64.ln(), 0.1_f64.ln()];
    /// assert_eq!(model.with_log_prior(log_prior.clone())?.log_prior(), log_prior);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn with_log_prior(&self, log_prior: Vec<f64>) -> Result<Self> {
        check_log_priors(&log_prior, self.n_classes())?;
        if let Shape::Diag(_) = self.parts().shape {
            let pairs = self.shared.first_log_prior.iter().zip(&log_prior);
            // The deviations of such a class may stand in for ones that are 0.
            pairs.filter(|(first, _)| **first == f64::NEG_INFINITY).try_for_each(|(_, log_prior)| {
                let what = "the prior of a class that had none when the model was made";
                check_number(what, "0", log_prior.exp(), |prior| prior == 0.0)
            })?;
        }
        Ok(Self::of(log_prior, Arc::clone(&self.shared)))
    }

    /// Logarithms of the priors.
    pub fn log_prior(&self) -> &[f64] {
        &self.log_prior
    }

    /// The parameters besides the priors.
    pub fn parts(&self) -> &Parts {
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

    /// Bounds on the scores of classes with a covariance each, made on first use.
    pub(crate) fn screen<T: Pack>(&self) -> Option<&Screen<T>> {
        let average = || average_covariance(self.parts(), &self.shared.first_log_prior);
        let average = || self.shared.average_covariance.get_or_init(average).as_ref();
        let screen = || Screen::new(self.parts(), &self.log_prior, average()?);
        T::prior(self).screen.get_or_init(screen).as_ref()
    }

    /// An error if rows have no density: the common covariance is singular.
    pub(crate) fn check_density(&self) -> Result<()> {
        let (rank, features) = (self.rank(), self.n_features());
        if rank < features { Err(Error::Scores(ScoresError::NoDensity { rank, features })) } else { Ok(()) }
    }

    /// Number of directions in which rows of a class vary.
    pub(crate) fn rank(&self) -> usize {
        match &self.parts().shape {
            Shape::Tied { whitening, .. } => whitening.matrix.nrows(),
            Shape::Full(_) | Shape::Diag(_) => self.n_features(),
        }
    }
}

/// A type that a model can be packed in.
pub(crate) trait Pack: Lane {
    /// The model in this precision, packed on first use.
    fn packed(model: &Model) -> &Packed<Self>;

    fn prior(model: &Model) -> &Prior<Self>;
}

impl Pack for f64 {
    fn packed(model: &Model) -> &Packed<Self> {
        model.shared.double.get_or_init(|| Packed::new(model.parts(), Purposes::ALL))
    }

    fn prior(model: &Model) -> &Prior<Self> {
        &model.double
    }
}

impl Pack for f32 {
    fn packed(model: &Model) -> &Packed<Self> {
        model.shared.single.get_or_init(|| Packed::new(model.parts(), Purposes::ALL))
    }

    fn prior(model: &Model) -> &Prior<Self> {
        &model.single
    }
}

/// How far from 1 the sum of priors may be before they are divided by it.
const PRIOR_TOLERANCE: f64 = 1e-5;

/// The prior-weighted mean of the class means, and the logarithms of the priors as shares of their sum.
fn center_and_log_prior(moments: &Moments, priors: &[f64]) -> Result<(Vec<f64>, Vec<f64>)> {
    not_empty("number of classes", moments.n_classes())?;
    if moments.total_weight() == 0.0 {
        return Err(Error::Input(InputError::NoWeight));
    }
    check_priors(priors, moments.n_classes())?;
    Ok((moments.mean_of_means(priors), log_shares(priors)))
}

/// Logarithms of priors as shares of their sum.
pub(crate) fn log_shares(priors: &[f64]) -> Vec<f64> {
    let total: f64 = priors.iter().sum();
    let share = |prior: &f64| if (total - 1.0).abs() > PRIOR_TOLERANCE { prior / total } else { *prior };
    priors.iter().map(|prior| share(prior).ln()).collect()
}

/// What makes a covariance singular, or too large for doubles, as an error.
pub(crate) fn singular(
    moments: &Moments,
    what: Owner,
    covariance: ArrayView2<'_, f64>,
    deviations: &Array1<f64>,
    tol: f64,
) -> Error {
    let weight = match what {
        Owner::Class(class) => moments.weights()[class],
        Owner::Pooled => moments.total_weight(),
    };
    if let Some(column) = covariance.diag().iter().position(|variance| !variance.is_finite()) {
        return Error::Input(InputError::Overflow { what, column });
    }
    match diagnose(covariance, deviations, tol) {
        Some(deficiency) => Error::singular(what, weight, moments.n_features(), deficiency),
        None => Error::Rank(RankError::NoConvergence(what)),
    }
}
