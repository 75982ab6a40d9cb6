//! Moments of rows with gaps: those that have the largest likelihood of what is observed, found by EM (Dempster, Laird and
//! Rubin 1977). Each iteration takes the sums of whole rows that are expected under the parameters so far; the rows
//! themselves are read once.

use ndarray::{Array2, Array3};

use super::available::Available;
use super::expectation::{Expected, Gaussians, Grouped, Parameters, Problem};
use super::groups::Sample;
use super::statistics::statistics;
use crate::error::{Error, InputError, Result, check_number};
use crate::moments::{Gaps, Moments, Observed, Structure, UnitWeights};
use crate::parallel::Parallel;
use crate::rows::Rows;

/// Changes of a log-likelihood that are rounding, relative to it.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// What a model makes of moments: what the next sums are expected under.
///
/// ```
/// use gauda::core::missing::{Em, Regularized, estimate};
/// use gauda::core::{Moments, Parallel, Rows, Structure, covariance};
/// use ndarray::array;
///
/// // a tenth of the identity is added to covariances before the next sums are expected
/// let ridge = |moments: &Moments| {
///     let mut covariances = covariance::of_classes(moments, false)?;
///     covariances.outer_iter_mut().for_each(|mut covariance| covariance.diag_mut().mapv_inplace(|v| v + 0.1));
///     Ok(Regularized { means: None, covariances })
/// };
/// let x = array![[1.0, 1.0], [2.0, 3.0], [4.0, 4.0], [3.0, f64::NAN]];
/// let em = Em::default().regularize(&ridge);
/// let found = estimate(&Rows::from(x.view()), &[0; 4], 1, None, Structure::Full, em, Parallel::default())?;
/// assert!(found.converged && !found.complete);
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Regularized {
    /// Means of the classes, K × d, where they are not those of the moments.
    pub means: Option<Array2<f64>>,
    /// Covariances, K × d × d; of tied moments one.
    pub covariances: Array3<f64>,
}

/// The estimates of a model, given expected moments.
///
/// There is an example at [`Regularized`].
pub type Regularize<'a> = dyn Fn(&Moments) -> Result<Regularized> + 'a;

/// How to iterate, and how long.
///
/// ```
/// use gauda::core::missing::Em;
///
/// let em = Em::default().max_iter(50).tol(1e-6);
/// assert_eq!(em.max_iter, 50);
/// ```
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Em<'a> {
    /// Iterations, at most.
    pub max_iter: usize,
    /// The iterations end when the log-likelihood rises by no more than this per row; of regularized estimates, when it
    /// changes by no more than this twice in a row.
    pub tol: f64,
    /// Called after each iteration, on the caller's thread.
    pub report: Option<&'a dyn Fn()>,
    /// Estimates other than those of largest likelihood, as with a prior or with shrinkage, under which sums are expected.
    pub regularize: Option<&'a Regularize<'a>>,
}

impl Default for Em<'_> {
    fn default() -> Self {
        Self { max_iter: 1000, tol: 1e-8, report: None, regularize: None }
    }
}

impl<'a> Em<'a> {
    /// With so many iterations, at most.
    ///
    /// There is an example at [`Em`].
    #[must_use]
    pub fn max_iter(mut self, max_iter: usize) -> Self {
        self.max_iter = max_iter;
        self
    }

    /// With this rise of the log-likelihood per row as the last.
    ///
    /// There is an example at [`Em`].
    #[must_use]
    pub fn tol(mut self, tol: f64) -> Self {
        self.tol = tol;
        self
    }

    /// With a function that is called after each iteration.
    ///
    /// ```
    /// use std::cell::Cell;
    ///
    /// use gauda::core::missing::{Em, estimate};
    /// use gauda::core::{Parallel, Rows, Structure};
    /// use ndarray::array;
    ///
    /// let rounds = Cell::new(0);
    /// let count = || rounds.set(rounds.get() + 1);
    /// let x = array![[1.0, 1.0], [2.0, 3.0], [4.0, 4.0], [3.0, f64::NAN]];
    /// let em = Em::default().report(&count);
    /// let found = estimate(&Rows::from(x.view()), &[0; 4], 1, None, Structure::Full, em, Parallel::default())?;
    /// assert_eq!(rounds.get() + 1, found.log_likelihood.len()); // one more: that at the start
    /// # Ok::<(), gauda::Error>(())
    /// ```
    #[must_use]
    pub fn report(mut self, report: &'a dyn Fn()) -> Self {
        self.report = Some(report);
        self
    }

    /// With estimates other than those of largest likelihood.
    ///
    /// There is an example at [`Regularized`].
    #[must_use]
    pub fn regularize(mut self, regularize: &'a Regularize<'a>) -> Self {
        self.regularize = Some(regularize);
        self
    }
}

/// Moments that were estimated from rows with gaps.
///
/// There is an example at [`estimate`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// The moments that are expected of whole rows.
    pub moments: Moments,
    /// The log-likelihood of what is observed, given the labels: at the start, and after each iteration. It never falls,
    /// unless estimates are regularized.
    pub log_likelihood: Vec<f64>,
    /// Whether the iterations ended by themselves.
    pub converged: bool,
    /// Whether nothing was missing.
    pub complete: bool,
}

impl Estimate {
    /// Without iterations.
    fn direct(moments: Moments, complete: bool) -> Self {
        Self { moments, log_likelihood: vec![], converged: true, complete }
    }
}

/// The moments of rows in which NaN stands for what was not observed. Those of complete rows are the ordinary ones, to the
/// bit. Full and tied ones are found by EM; diagonal ones are the sums of what is observed of each column.
///
/// # Errors
/// Those of [`Moments::from_rows`]; a column that is never observed in a class; a covariance that is singular at the start
/// of the iterations, or becomes so.
///
/// ```
/// use gauda::core::missing::{Em, estimate};
/// use gauda::core::{Parallel, Rows, Structure};
/// use ndarray::array;
///
/// let x = array![[1.0, 1.0], [2.0, 3.0], [4.0, 4.0], [3.0, f64::NAN]];
/// let rows = Rows::from(x.view());
/// let estimate =
///     estimate(&rows, &[0; 4], 1, None, Structure::Full, Em::default(), Parallel::default())?;
/// assert!(estimate.converged);
/// // the slope of the second column on the first is 13/14, and 3 lies 2/3 above the mean of the other three
/// let expected = (1.0 + 3.0 + 4.0 + (8.0 / 3.0 + 13.0 / 14.0 * 2.0 / 3.0)) / 4.0;
/// assert!((estimate.moments.means()[[0, 1]] - expected).abs() < 1e-3);
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn estimate(
    rows: &Rows<'_>,
    labels: &[u32],
    n_classes: usize,
    weights: Option<&[f64]>,
    structure: Structure,
    em: Em<'_>,
    parallel: Parallel<'_>,
) -> Result<Estimate> {
    check_number("tol", "a number", em.tol, |tol| !tol.is_nan())?;
    match Moments::from_rows(rows, labels, n_classes, weights, structure, parallel) {
        Err(Error::Input(InputError::NonFinite { value, .. })) if value.is_nan() => {}
        complete => return complete.map(|moments| Estimate::direct(moments, true)),
    }
    if structure == Structure::Diag {
        let available = Available::of(&Sample { rows, labels, weights, n_classes }, parallel)?;
        return Ok(Estimate::direct(available.0.into_moments(Gaps::LeftOut), false));
    }
    let unit = UnitWeights::common(weights, labels, n_classes);
    let sample = Sample { rows, labels, weights: unit.as_deref(), n_classes };
    let (patterns, groups) = sample.group_rows(parallel)?;
    let available = Available::of(&sample, parallel)?;
    let shift = available.0.means.sum();
    let statistics = statistics(&sample, &groups, &patterns, &shift, parallel)?;
    let start = start(&available, structure);
    let Observed { rows, weights, .. } = available.0;
    let problem = Problem { structure, rows, weights, shift, unit: unit.alone() };
    let grouped = Grouped { patterns, statistics };
    iterate(&problem, start, em, &mut |gaussians| problem.expected(&grouped, gaussians, parallel))
}

/// Means and variances of the available cases, without correlations.
pub(super) fn start(available: &Available, structure: Structure) -> Parameters {
    let Observed { weights, seen, .. } = &available.0;
    let variances = available.variances(structure);
    let d = seen.ncols();
    let scatter = Array3::from_shape_fn((variances.nrows(), d, d), |(matrix, i, j)| {
        let weight = match structure {
            Structure::Tied => weights.sum(),
            Structure::Full | Structure::Diag => weights[matrix],
        };
        if i == j { variances[(matrix, i)] * weight } else { 0.0 }
    });
    Parameters { offset: Array2::zeros(seen.raw_dim()), scatter }
}

/// Iterates until the likelihood hardly changes. Where rounding makes that of the largest likelihood fall, the parameters
/// before are the best.
pub(super) fn iterate(
    problem: &Problem,
    start: Parameters,
    em: Em<'_>,
    expect: &mut dyn FnMut(&Gaussians) -> Result<Expected>,
) -> Result<Estimate> {
    let enough = em.tol * problem.weights.sum();
    let (mut best, mut now) = (start.clone(), start);
    let (mut log_likelihood, mut calm): (Vec<f64>, u32) = (vec![], 0);
    let (found, converged) = loop {
        let iteration = log_likelihood.len();
        let gaussians = problem.gaussians(&now, em.regularize, iteration)?;
        let expected = expect(&gaussians)?;
        let gain = log_likelihood.last().map(|last| expected.log_likelihood - last);
        if em.regularize.is_none() && gain.is_some_and(|gain| gain < 0.0) {
            break (best, true);
        }
        log_likelihood.push(expected.log_likelihood);
        if let Some(report) = em.report.filter(|_| iteration > 0) {
            report();
        }
        let converged = match em.regularize {
            None => gain.is_some_and(|gain| gain <= enough),
            Some(_) => {
                // Regularized estimates need not be where the likelihood is flat, so it may stand still by chance.
                let rounding = ROUNDING * expected.log_likelihood.abs();
                let still = gain.is_some_and(|gain| gain.abs() <= enough.max(rounding));
                calm = if still { calm + 1 } else { 0 };
                calm > 1
            }
        };
        if converged || iteration >= em.max_iter {
            break (now, converged);
        }
        let next = problem.maximize(&gaussians, expected);
        best = std::mem::replace(&mut now, next);
    };
    let moments = problem.moments(found)?;
    let log_likelihood = log_likelihood.into_iter().map(|sum| problem.unit.restore(sum, 0)).collect();
    Ok(Estimate { moments, log_likelihood, converged, complete: false })
}
