//! What a pass is told besides the model: other priors, what mistakes cost, and which rows to leave undecided.

use std::borrow::Cow;

use ndarray::{Array2, ArrayView2};

use super::answers::Answers;
use super::marginal::Missing;
use super::scorer::ModelPrior;
use crate::chi_square::ChiSquareTail;
use crate::error::{Error, InputError, Result, same_size};
use crate::kernel::{Affine, Lane};
use crate::moments::check_priors;

/// Priors that are given for a pass sum to 1 within this.
const TOLERANCE: f64 = 1e-5;

/// How labels follow from the model. By default each row gets the class of its largest posterior.
///
/// A row that is rejected gets the label K, and the name after those of the classes.
///
/// ```
/// use gauda::core::{Priors, Rules};
///
/// let rules = Rules::default().priors(Priors::Common(&[0.9, 0.1])).min_posterior(0.8);
/// assert_eq!(rules.min_posterior, Some(0.8));
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Rules<'a> {
    /// Priors in place of the model's.
    pub priors: Option<Priors<'a>>,
    /// What decision j costs where class i is the truth, K × K. A further column is the cost of rejecting.
    pub cost: Option<ArrayView2<'a, f64>>,
    /// Whether each row gets the label of the smallest expected cost. Otherwise costs can only be asked for.
    pub by_cost: bool,
    /// Rows whose label has a smaller posterior are rejected.
    pub min_posterior: Option<f64>,
    /// Rows that are less typical of their label are rejected.
    pub min_typicality: Option<f64>,
    /// How rows with missing values are handled.
    pub missing: Missing,
    /// What stands for no data in each column, d. A row in which it stands is not scored: its answers are NaN, its label K
    /// as if it were rejected.
    pub no_data: Option<&'a [f64]>,
}

/// Priors of the classes, which sum to 1.
///
/// ```
/// use gauda::{Lda, Priors};
/// use ndarray::array;
///
/// let model = Lda::params().fit(&array![[-2.0], [-1.0], [1.0], [2.0]], &[0, 0, 1, 1])?;
/// let answer = model.ask(&array![[0.0]]).priors(Priors::Common(&[0.2, 0.8])).posterior().run()?;
/// assert!((answer.posterior[[0, 1]] - 0.8).abs() < 1e-12);
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Priors<'a> {
    /// The same for all rows.
    Common(&'a [f64]),
    /// For each row its own, n × K.
    Each(ArrayView2<'a, f64>),
}

impl Rules<'_> {
    /// Number of decisions: one for each class, and maybe another not to decide.
    pub(super) fn n_decisions(&self, classes: usize) -> usize {
        self.cost.map_or(classes, |cost| cost.ncols())
    }

    /// Whether rows may be rejected.
    pub(super) fn may_reject(&self, classes: usize) -> bool {
        self.min_posterior.is_some()
            || self.min_typicality.is_some()
            || self.missing == Missing::Propagate
            || self.no_data.is_some()
            || (self.by_cost && self.n_decisions(classes) > classes)
    }

    /// Refuses what does not fit the model, could not be, or is too large for the type of the answers.
    pub(super) fn check<T: Lane>(&self, rows: usize, classes: usize) -> Result<()> {
        match self.priors {
            Some(Priors::Common(priors)) => {
                check_priors(priors, classes)?;
                check_sum(priors.iter().sum(), None)?;
            }
            Some(Priors::Each(priors)) => {
                same_size("rows of priors", priors.nrows(), rows)?;
                same_size("columns of priors", priors.ncols(), classes)?;
            }
            None => {}
        }
        if let Some(cost) = self.cost {
            same_size("rows of the cost matrix", cost.nrows(), classes)?;
            let columns = cost.ncols().clamp(classes, classes + 1);
            same_size("columns of the cost matrix", cost.ncols(), columns)?;
            if let Some(((truth, decision), &value)) =
                cost.indexed_iter().find(|(_, value)| !T::rounded(**value).is_finite())
            {
                return Err(Error::Input(InputError::Cost { truth, decision, value }));
            }
        }
        check_threshold("posterior", self.min_posterior)?;
        check_threshold("typicality", self.min_typicality)
    }
}

fn check_threshold(what: &'static str, threshold: Option<f64>) -> Result<()> {
    match threshold {
        Some(value) if !(0.0..=1.0).contains(&value) => {
            Err(Error::Input(InputError::Threshold { what, value }))
        }
        _ => Ok(()),
    }
}

fn check_sum(sum: f64, row: Option<usize>) -> Result<()> {
    if (sum - 1.0).abs() <= TOLERANCE { Ok(()) } else { Err(Error::Input(InputError::PriorSum { row, sum })) }
}

/// Rules made ready for the rows of one pass.
pub(crate) struct Ruling<'a, T: Lane> {
    pub(super) log_prior: Cow<'a, [T]>,
    /// log Σ_k π_k.
    pub(super) log_total: T,
    /// Whether these are the model's.
    own_priors: bool,
    each: Option<ArrayView2<'a, f64>>,
    /// Expected costs in units of their own, with their signs changed, as linear functions of posteriors.
    pub(super) negative_cost: Option<Affine<T>>,
    /// What costs are measured in.
    pub(super) cost_unit: T,
    /// Whether labels follow from them.
    pub(super) by_cost: bool,
    pub(super) min_posterior: Option<T>,
    pub(super) min_typicality: Option<T>,
    /// Turns distances into typicalities, if that is needed.
    pub(super) tail: Option<ChiSquareTail>,
    pub(super) n_classes: usize,
    pub(super) n_decisions: usize,
}

impl<'a, T: Lane> Ruling<'a, T> {
    /// What turns distances into typicalities, if that is needed.
    pub(crate) fn tail(&self) -> Option<&ChiSquareTail> {
        self.tail.as_ref()
    }

    /// For scores that were found without a model, and need these log-priors yet.
    pub(crate) fn of_log_prior(log_prior: &'a [T]) -> Self {
        let own = ModelPrior { logs: log_prior, log_total: T::zero() };
        Self::new(&Rules::default(), own, None, &Answers::default())
    }

    /// For a model with these priors, in which rows vary in so many directions, if they have distances.
    pub(super) fn new<'b: 'a>(
        rules: &Rules<'b>,
        own: ModelPrior<'a, T>,
        rank: Option<usize>,
        answers: &Answers<'_, T>,
    ) -> Self {
        let classes = own.logs.len();
        let n_decisions = rules.n_decisions(classes);
        let (log_prior, each, log_total) = match rules.priors {
            Some(Priors::Common(priors)) => {
                let log_prior: Vec<T> = priors.iter().map(|prior| T::rounded(prior.ln())).collect();
                (Cow::Owned(log_prior), None, T::zero())
            }
            Some(Priors::Each(priors)) => {
                (Cow::Owned(vec![T::zero(); classes]), Some(priors.reborrow()), T::zero())
            }
            None => (Cow::Borrowed(own.logs), None, own.log_total),
        };
        let by_cost = rules.by_cost && answers.want_class();
        let want_costs = answers.cost.is_some() || by_cost;
        let want_tail = answers.want_typicality() || (answers.want_class() && rules.min_typicality.is_some());
        let cost = rules.cost.filter(|_| want_costs);
        let cost_unit = cost.map_or(1.0, unit_of);
        Self {
            log_prior,
            log_total,
            own_priors: rules.priors.is_none(),
            each,
            negative_cost: cost.map(|cost| negative_cost(cost, cost_unit)),
            cost_unit: T::rounded(cost_unit),
            by_cost: by_cost && rules.cost.is_some(),
            min_posterior: rules.min_posterior.map(T::rounded),
            min_typicality: rules.min_typicality.map(T::rounded),
            tail: rank.filter(|_| want_tail).map(ChiSquareTail::new),
            n_classes: classes,
            n_decisions,
        }
    }

    /// Whether classes that cannot have the largest posterior may be left out: their bounds hold for the model's priors.
    pub(super) fn allows_screening(&self) -> bool {
        self.own_priors && self.min_typicality.is_none()
    }

    /// Whether each row has priors of its own.
    pub(super) fn has_row_priors(&self) -> bool {
        self.each.is_some()
    }

    /// Whether labels are kept only where they reach something.
    pub(super) fn has_thresholds(&self) -> bool {
        self.min_posterior.is_some() || self.min_typicality.is_some()
    }

    /// Whether labels take posteriors.
    pub(super) fn needs_posterior(&self) -> bool {
        self.by_cost || self.min_posterior.is_some()
    }

    /// The logarithm of a class's prior for one row.
    pub(super) fn log_prior_at(&self, class: usize, row: usize) -> T {
        match self.each {
            Some(each) => T::rounded(each[(row, class)].ln()),
            None => self.log_prior[class],
        }
    }

    /// Writes the logarithms of the priors of one row.
    pub(super) fn row_log_prior(&self, row: usize, mut put: impl FnMut(usize, T)) -> Result<()> {
        let Some(each) = self.each else {
            return Ok(());
        };
        let mut sum = 0.0;
        for (class, &prior) in each.row(row).iter().enumerate() {
            if prior.is_nan() || prior < 0.0 {
                return Err(Error::Input(InputError::RowPrior { row, class, value: prior }));
            }
            sum += prior;
            put(class, T::rounded(prior.ln()));
        }
        check_sum(sum, Some(row))
    }
}

/// The power of two of the largest cost, if it is below 1: single precision does not hold costs of 1e-50.
fn unit_of(cost: ArrayView2<'_, f64>) -> f64 {
    let largest = cost.iter().fold(0.0_f64, |largest, cost| largest.max(cost.abs()));
    if largest > 0.0 && largest < 1.0 { largest.log2().floor().exp2() } else { 1.0 }
}

/// Costs with their signs changed, so that the first of the smallest is the first of the largest.
fn negative_cost<T: Lane>(cost: ArrayView2<'_, f64>, unit: f64) -> Affine<T> {
    let matrix: Array2<f64> = cost.t().mapv(|cost| -cost / unit);
    Affine::new(matrix.view(), &vec![0.0; matrix.nrows()])
}
