//! EM over rows that come in batches and are read more than once, such as those of a file: no batch stays in memory, only sums
//! of the groups of rows that lack the same columns, and these only if they are small.

use std::sync::Arc;

use super::available::Available;
use super::em::{Em, Estimate, iterate, start};
use super::expectation::{Expected, Gaussians, Grouped, Parameters, Problem};
use super::groups::Sample;
use super::kept::Kept;
use super::statistics::statistics;
use crate::error::{Error, InputError, Result, check_number, same_size};
use crate::moments::{Moments, Observed, Structure, UnitWeights, check_labels, check_weights};
use crate::parallel::Parallel;
use crate::rows::Rows;

/// Doubles that the sums of the groups may take for further passes over the rows to be spared.
pub(super) const KEPT_BUDGET: usize = 1 << 25;

/// The same where they are sent from one machine to another.
pub(super) const SENT_BUDGET: usize = 1 << 20;

/// One pass over all rows: each batch is to be added once.
///
/// There is an example at [`estimate_in_passes`].
#[derive(Debug, Clone)]
pub struct Pass {
    pub(super) observed: Arc<Moments>,
    pub(super) problem: Arc<Problem>,
    pub(super) gaussians: Arc<Gaussians>,
    /// Rows of positive weight of each class so far.
    pub(super) rows: Vec<u64>,
    pub(super) sum: Option<Expected>,
    pub(super) kept: Option<Kept>,
}

impl Pass {
    pub(super) fn new(
        observed: Arc<Moments>,
        problem: Arc<Problem>,
        gaussians: Arc<Gaussians>,
        kept: Option<Kept>,
    ) -> Self {
        let rows = vec![0; problem.rows.len()];
        Self { observed, problem, gaussians, rows, sum: None, kept }
    }

    /// A pass under the same parameters for some of the rows, to be sent to where these are. [`join`](Self::join) brings it
    /// back.
    #[must_use]
    pub fn elsewhere(&self) -> Self {
        let kept = self.kept.as_ref().map(|kept| kept.without_groups(SENT_BUDGET));
        Self::new(Arc::clone(&self.observed), Arc::clone(&self.problem), Arc::clone(&self.gaussians), kept)
    }

    /// Adds what other rows gave elsewhere.
    ///
    /// # Errors
    /// Rows of other columns or classes.
    pub fn join(&mut self, other: Self) -> Result<()> {
        let ((classes, features), (other_classes, other_features)) =
            (self.problem.shift.dim(), other.problem.shift.dim());
        same_size("number of columns", other_features, features)?;
        same_size("number of classes", other_classes, classes)?;
        same_size(
            "number of covariances",
            other.gaussians.covariances.dim().0,
            self.gaussians.covariances.dim().0,
        )?;
        for (rows, more) in self.rows.iter_mut().zip(other.rows) {
            *rows += more;
        }
        if let Some(sum) = other.sum {
            self.add_sum(sum);
        }
        self.kept = self.kept.take().zip(other.kept).and_then(|(kept, more)| kept.with(more.into_grouped()));
        Ok(())
    }

    fn add_sum(&mut self, sum: Expected) {
        match &mut self.sum {
            Some(total) => total.add(sum),
            None => self.sum = Some(sum),
        }
    }

    /// Adds a batch, in which NaN stands for what was not observed.
    ///
    /// # Errors
    /// An infinite entry, a label out of range, a bad weight, inputs of different lengths.
    ///
    /// There is an example at [`estimate_in_passes`].
    pub fn add(
        &mut self,
        rows: &Rows<'_>,
        labels: &[u32],
        weights: Option<&[f64]>,
        parallel: Parallel<'_>,
    ) -> Result<()> {
        let problem = Arc::clone(&self.problem);
        let (n_classes, d) = problem.shift.dim();
        same_size("number of columns", rows.n_features(), d)?;
        check_labels(labels, rows.n_rows(), n_classes)?;
        check_weights(weights, rows.n_rows())?;
        let unit = problem.unit.of(weights, labels);
        let sample = Sample { rows, labels, weights: unit.as_deref(), n_classes };
        let (patterns, groups) = sample.group_rows(parallel)?;
        for group in &groups {
            self.rows[group.class] += group.rows.len() as u64;
        }
        let statistics = statistics(&sample, &groups, &patterns, &problem.shift, parallel)?;
        let grouped = Grouped { patterns, statistics };
        let expected = problem.expected(&grouped, &self.gaussians, parallel)?;
        self.add_sum(expected);
        self.kept = self.kept.take().and_then(|kept| kept.with(grouped));
        Ok(())
    }

    /// The sums of all rows, and the groups if they are small.
    fn finish(self) -> Result<(Expected, Option<Grouped>)> {
        let Self { problem, rows, sum, kept, .. } = self;
        match sum {
            Some(sum) if rows == problem.rows => Ok((sum, kept.map(Kept::into_grouped))),
            _ => Err(Error::Input(InputError::Unsupported("rows must be the same each time they are read"))),
        }
    }
}

/// The moments of rows in batches that are read at least twice: as [`estimate`](super::estimate) finds them, given what is
/// observed of each class and column. `read` is to add every batch to the pass, each time it is called.
///
/// # Errors
/// As [`estimate`](super::estimate); moments of other structure than [`Structure::Diag`]; rows that are not those of the
/// moments.
///
/// ```
/// use gauda::core::missing::{Em, estimate, estimate_in_passes};
/// use gauda::core::{Moments, Parallel, Rows, Structure};
/// use ndarray::array;
///
/// let batches = [array![[1.0, 1.0], [2.0, 3.0]], array![[4.0, 4.0], [3.0, f64::NAN]]];
/// let together = array![[1.0, 1.0], [2.0, 3.0], [4.0, 4.0], [3.0, f64::NAN]];
/// let parallel = Parallel::default();
/// let observed = Moments::from_observed(&Rows::from(together.view()), &[0; 4], 1, None, parallel)?;
/// let read = |mut pass: gauda::core::missing::Pass| {
///     for batch in &batches {
///         pass.add(&Rows::from(batch.view()), &[0; 2], None, parallel)?;
///     }
///     Ok(pass)
/// };
/// let found = estimate_in_passes(&observed, Structure::Full, Em::default(), read, parallel)?;
/// let rows = Rows::from(together.view());
/// let expected = estimate(&rows, &[0; 4], 1, None, Structure::Full, Em::default(), parallel)?;
/// assert!((found.moments.means() - expected.moments.means()).iter().all(|difference| difference.abs() < 1e-12));
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn estimate_in_passes(
    observed: &Moments,
    structure: Structure,
    em: Em<'_>,
    read: impl FnMut(Pass) -> Result<Pass>,
    parallel: Parallel<'_>,
) -> Result<Estimate> {
    keeping(KEPT_BUDGET, observed, structure, em, read, parallel)
}

/// The same, with sums of groups that may take so many doubles.
pub(super) fn keeping(
    budget: usize,
    observed: &Moments,
    structure: Structure,
    em: Em<'_>,
    mut read: impl FnMut(Pass) -> Result<Pass>,
    parallel: Parallel<'_>,
) -> Result<Estimate> {
    check_number("tol", "a number", em.tol, |tol| !tol.is_nan())?;
    let (problem, start) = Problem::of_observed(observed, structure)?;
    let (observed, problem) = (Arc::new(observed.clone()), Arc::new(problem));
    let mut kept = None;
    iterate(&problem, start, em, &mut |gaussians| {
        if let Some(grouped) = &kept {
            return problem.expected(grouped, gaussians, parallel);
        }
        let groups = Kept::new(problem.shift.ncols(), budget);
        let gaussians = Arc::new(gaussians.clone());
        let pass = Pass::new(Arc::clone(&observed), Arc::clone(&problem), gaussians, Some(groups));
        let (expected, grouped) = read(pass)?.finish()?;
        kept = grouped;
        Ok(expected)
    })
}

impl Problem {
    /// The problem of rows of which these are the diagonal moments, and where the iterations start.
    ///
    /// # Errors
    /// Moments of another structure; a column that is never observed in a class.
    pub(super) fn of_observed(observed: &Moments, structure: Structure) -> Result<(Self, Parameters)> {
        let largest = observed.weights().iter().fold(0.0_f64, |largest, &weight| largest.max(weight));
        let unit = UnitWeights::of_size(largest, observed.n_classes());
        let available = Available::of_moments(observed, &unit)?;
        let start = start(&available, structure);
        let Observed { rows, weights, means, .. } = available.0;
        let shift = means.sum().as_standard_layout().into_owned();
        Ok((Self { structure, rows, weights, shift, unit }, start))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::missing::estimate;
    use crate::oracle::Sample as Drawn;

    /// A sample of 330 rows with gaps in several patterns.
    pub(in crate::missing) fn with_gaps() -> Drawn {
        let mut sample = Drawn::new(330, 4, 3);
        for row in 0..330 {
            (0..4).filter(|j| (row * 7 + j * 5) % 13 < 3).for_each(|j| sample.x[(row, j)] = f64::NAN);
        }
        sample
    }

    /// Estimates from batches of 50 rows; returns them with the number of passes.
    pub(in crate::missing) fn in_batches(
        sample: &Drawn,
        budget: usize,
        structure: Structure,
    ) -> (Estimate, usize) {
        let parallel = Parallel::default();
        let rows = Rows::from(sample.x.view());
        let weights = sample.weights.as_deref();
        let observed =
            Moments::from_observed(&rows, &sample.labels, sample.classes, weights, parallel).unwrap();
        let mut passes = 0;
        let read = |mut pass: Pass| {
            passes += 1;
            for start in (0..sample.labels.len()).step_by(50) {
                let range = start..(start + 50).min(sample.labels.len());
                let batch = sample.x.slice(ndarray::s![range.clone(), ..]);
                pass.add(
                    &Rows::from(batch),
                    &sample.labels[range.clone()],
                    weights.map(|w| &w[range]),
                    parallel,
                )?;
            }
            Ok(pass)
        };
        let found = keeping(budget, &observed, structure, Em::default(), read, parallel).unwrap();
        (found, passes)
    }

    #[test]
    fn sums_that_are_too_large_to_keep_take_a_pass_for_each_iteration() {
        let sample = with_gaps();
        for structure in [Structure::Full, Structure::Tied] {
            let rows = Rows::from(sample.x.view());
            let em = Em::default();
            let expected =
                estimate(&rows, &sample.labels, 3, None, structure, em, Parallel::default()).unwrap();
            for (budget, all) in [(0, true), (KEPT_BUDGET, false)] {
                let (found, passes) = in_batches(&sample, budget, structure);
                assert_eq!(found.log_likelihood.len(), expected.log_likelihood.len());
                assert_eq!(passes, if all { found.log_likelihood.len() } else { 1 });
                let apart = found.moments.scatter() - expected.moments.scatter();
                assert!(apart.iter().all(|difference| difference.abs() < 1e-8), "{apart}");
            }
        }
    }
}
