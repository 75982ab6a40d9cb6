//! What all estimators are told alike: priors, threads, what becomes of missing values, and how labels are decided on.

use ndarray::{Array2, ArrayView1};

use crate::error::{Error, InputError, Result};
use crate::moments::check_priors;
use crate::parallel::Parallel;
use crate::score::{Missing, Rules};

/// How far from 1 the sum of priors may be before they are divided by it.
const TOLERANCE: f64 = 1e-5;

/// Where the priors of a model come from.
///
/// ```
/// use gauda::{ClassPriors, Lda};
///
/// let by_the_data = Lda::params();
/// let given = Lda::params().priors([0.9, 0.1]);
/// let equal = Lda::params().priors(ClassPriors::Uniform);
/// assert_ne!(given, equal);
/// # let _ = by_the_data;
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum ClassPriors {
    /// The proportions of the data.
    #[default]
    Proportions,
    /// The same for every class.
    Uniform,
    /// These, in the order of the classes; they are divided by their sum.
    Given(Vec<f64>),
}

impl From<Vec<f64>> for ClassPriors {
    fn from(priors: Vec<f64>) -> Self {
        Self::Given(priors)
    }
}

impl From<&[f64]> for ClassPriors {
    fn from(priors: &[f64]) -> Self {
        Self::Given(priors.to_vec())
    }
}

impl<const N: usize> From<[f64; N]> for ClassPriors {
    fn from(priors: [f64; N]) -> Self {
        Self::Given(priors.to_vec())
    }
}

impl ClassPriors {
    /// Priors that sum to 1, given the weight of each class.
    pub(super) fn of(&self, weights: ArrayView1<'_, f64>) -> Result<Vec<f64>> {
        let classes = weights.len();
        match self {
            Self::Proportions => match weights.sum() {
                0.0 => Err(Error::Input(InputError::NoWeight)),
                total => Ok(weights.iter().map(|weight| weight / total).collect()),
            },
            Self::Uniform => Ok(vec![1.0 / classes as f64; classes]),
            Self::Given(priors) => {
                check_priors(priors, classes)?;
                let total: f64 = priors.iter().sum();
                let scale = if (total - 1.0).abs() > TOLERANCE { total } else { 1.0 };
                Ok(priors.iter().map(|prior| prior / scale).collect())
            }
        }
    }
}

/// What all estimators have.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    pub(crate) priors: ClassPriors,
    pub(crate) threads: Option<usize>,
    pub(crate) missing: Missing,
    pub(crate) decisions: Decisions,
}

/// How labels follow from posteriors.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Decisions {
    pub(crate) costs: Option<Array2<f64>>,
    pub(crate) min_posterior: Option<f64>,
    pub(crate) min_typicality: Option<f64>,
}

impl Settings {
    pub(super) fn parallel(&self) -> Parallel<'static> {
        Parallel::new(self.threads)
    }

    /// The rules of labels, unless a question brings others.
    pub(super) fn rules(&self) -> Rules<'_> {
        let Decisions { costs, min_posterior, min_typicality } = &self.decisions;
        Rules {
            cost: costs.as_ref().map(|costs| costs.view()),
            by_cost: true,
            min_posterior: *min_posterior,
            min_typicality: *min_typicality,
            missing: self.missing,
            ..Rules::default()
        }
    }
}
