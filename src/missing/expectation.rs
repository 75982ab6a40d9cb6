//! One iteration of EM: expected sums under the parameters so far, and the parameters of largest likelihood given them.

use std::f64::consts::PI;
use std::ops::Range;

use ndarray::{Array1, Array2, Array3, ArrayView2, Axis};

use super::em::{Regularize, Regularized};
use super::regression::Regression;
use super::statistics::{Spread, Statistics};
use crate::error::{Error, Owner, RankError, Result, same_size};
use crate::linalg::{diagnose, resolvable, standard_deviations, whiten};
use crate::moments::{Means, Moments, Structure, UnitWeights, check_resolved};
use crate::parallel::{Job, Parallel, task_range};
use crate::rows::Pattern;

/// Tasks, at most, and doubles that the sums of all together may take unless that makes fewer tasks than a few.
const MAX_TASKS: usize = 32;
const MIN_TASKS: usize = 4;
const SUMS_BUDGET: usize = 1 << 22;

/// What stays the same from one iteration to the next, wherever the rows are.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) structure: Structure,
    /// Rows of positive weight of each class, and their weight.
    pub(super) rows: Vec<u64>,
    pub(super) weights: Array1<f64>,
    /// Where the values of each class lie, class × column.
    pub(super) shift: Array2<f64>,
    /// The unit of all weights.
    pub(super) unit: UnitWeights<'static>,
}

/// Rows in groups of one pattern and class, sorted by both: all that the iterations need of them.
#[derive(Debug)]
pub(super) struct Grouped {
    pub(super) patterns: Vec<Pattern>,
    pub(super) statistics: Vec<Statistics>,
}

/// Means about the shifts, and scatters about the means: one for each class, or one for all.
#[derive(Debug, Clone)]
pub(super) struct Parameters {
    pub(super) offset: Array2<f64>,
    pub(super) scatter: Array3<f64>,
}

/// What sums are expected under: means about the shifts, and covariances, one for each class or one for all.
#[derive(Debug, Clone)]
pub(super) struct Gaussians {
    pub(super) offset: Array2<f64>,
    pub(super) covariances: Array3<f64>,
}

/// Expected sums about the means so far, and the log-likelihood of what is observed.
#[derive(Debug, Clone)]
pub(super) struct Expected {
    first: Array2<f64>,
    second: Array3<f64>,
    pub(super) log_likelihood: f64,
}

impl Problem {
    /// Which scatter a class has.
    fn matrix_of(&self, class: usize) -> usize {
        if self.structure == Structure::Tied { 0 } else { class }
    }

    /// The weight behind a scatter, and whose it is.
    fn owner(&self, matrix: usize) -> (f64, Owner) {
        match self.structure {
            Structure::Tied => (self.weights.sum(), Owner::Pooled),
            Structure::Full | Structure::Diag => (self.weights[matrix], Owner::Class(matrix)),
        }
    }

    /// The moments that parameters are.
    ///
    /// # Errors
    /// Squares that overflow.
    pub(super) fn moments(&self, parameters: Parameters) -> Result<Moments> {
        let Parameters { offset, scatter } = parameters;
        let means = Means { shift: self.shift.clone(), offset };
        Moments::new(self.structure, self.rows.clone(), self.weights.clone(), means, scatter)?
            .restore(&self.unit)
    }

    /// What the next sums are expected under: the estimates of largest likelihood, or those of the model.
    ///
    /// # Errors
    /// A covariance that is singular, on the correlation scale; those of the model.
    pub(super) fn gaussians(
        &self,
        parameters: &Parameters,
        regularize: Option<&Regularize<'_>>,
        iteration: usize,
    ) -> Result<Gaussians> {
        let gaussians = match regularize {
            None => self.of_largest_likelihood(parameters),
            Some(regularize) => self.regularized(parameters, regularize)?,
        };
        self.check_regular(&gaussians, iteration)?;
        Ok(gaussians)
    }

    /// Covariances of classes without weight are 0.
    fn of_largest_likelihood(&self, parameters: &Parameters) -> Gaussians {
        let mut covariances = parameters.scatter.clone();
        for (matrix, mut covariance) in covariances.outer_iter_mut().enumerate() {
            let (weight, _) = self.owner(matrix);
            if weight > 0.0 {
                covariance /= weight;
            }
        }
        Gaussians { offset: parameters.offset.clone(), covariances }
    }

    fn regularized(&self, parameters: &Parameters, regularize: &Regularize<'_>) -> Result<Gaussians> {
        let Regularized { means, covariances } = regularize(&self.moments(parameters.clone())?)?;
        same_size("matrices of covariances", covariances.dim().0, parameters.scatter.dim().0)?;
        same_size("rows of covariances", covariances.dim().1, parameters.scatter.dim().1)?;
        same_size("columns of covariances", covariances.dim().2, parameters.scatter.dim().2)?;
        let offset = match means {
            None => parameters.offset.clone(),
            Some(means) => {
                same_size("number of means", means.nrows(), self.shift.nrows())?;
                same_size("columns of means", means.ncols(), self.shift.ncols())?;
                means - &self.shift
            }
        };
        Ok(Gaussians { offset, covariances })
    }

    /// An error if a covariance of a class with weight has no inverse.
    fn check_regular(&self, gaussians: &Gaussians, iteration: usize) -> Result<()> {
        let means = self.magnitudes(&gaussians.offset);
        for (matrix, covariance) in gaussians.covariances.outer_iter().enumerate() {
            let (weight, what) = self.owner(matrix);
            if weight > 0.0 {
                check_resolved(covariance.diag(), what)?;
                check_regular(covariance, &means.row(matrix).to_vec(), what, iteration)?;
            }
        }
        Ok(())
    }

    /// The size of the means that belong to each scatter: for one of all classes the smallest, column by column.
    fn magnitudes(&self, offset: &Array2<f64>) -> Array2<f64> {
        let sizes = (&self.shift + offset).mapv_into(f64::abs);
        match self.structure {
            Structure::Tied => sizes
                .map_axis(Axis(0), |sizes| sizes.fold(f64::INFINITY, |smallest, &size| smallest.min(size)))
                .insert_axis(Axis(0)),
            Structure::Full | Structure::Diag => sizes,
        }
    }

    /// The expected sums, found by tasks that each have some of the patterns.
    pub(super) fn expected(
        &self,
        grouped: &Grouped,
        gaussians: &Gaussians,
        parallel: Parallel<'_>,
    ) -> Result<Expected> {
        let (n, size) = (grouped.statistics.len(), gaussians.offset.len() + gaussians.covariances.len());
        let afforded = (SUMS_BUDGET / size.max(1)).clamp(MIN_TASKS, MAX_TASKS);
        let tasks = afforded.min(n).max(1);
        let part = |task, job: &Job<'_>| self.partial(grouped, gaussians, task_range(task, tasks, n, 1), job);
        Ok(parallel.fold_in_order(tasks, part, Expected::add)?.expect("at least one task"))
    }

    fn partial(
        &self,
        grouped: &Grouped,
        gaussians: &Gaussians,
        range: Range<usize>,
        job: &Job<'_>,
    ) -> Result<Expected> {
        let Gaussians { offset, covariances } = gaussians;
        let mut expected = Expected {
            first: Array2::zeros(offset.raw_dim()),
            second: Array3::zeros(covariances.raw_dim()),
            log_likelihood: 0.0,
        };
        let key = |statistics: &Statistics| (statistics.pattern, self.matrix_of(statistics.class));
        for alike in grouped.statistics[range].chunk_by(|a, b| key(a) == key(b)) {
            job.check()?;
            let (pattern, matrix) = key(&alike[0]);
            let pattern = &grouped.patterns[pattern];
            let regression = Regression::new(covariances.index_axis(Axis(0), matrix), pattern)
                .ok_or(Error::Rank(RankError::NoConvergence(self.owner(matrix).1)))?;
            for statistics in alike {
                expected.add_group(statistics, pattern, &regression, offset, matrix);
            }
        }
        Ok(expected)
    }

    /// The parameters of largest likelihood given sums that are expected about these means.
    pub(super) fn maximize(&self, center: &Gaussians, expected: Expected) -> Parameters {
        let Expected { first, second: mut scatter, .. } = expected;
        let mut offset = center.offset.clone();
        for (class, first) in first.outer_iter().enumerate().filter(|(class, _)| self.weights[*class] > 0.0) {
            let moved = &first / self.weights[class];
            let mut scatter = scatter.index_axis_mut(Axis(0), self.matrix_of(class));
            for (mut row, &first) in scatter.outer_iter_mut().zip(first) {
                row.scaled_add(-first, &moved);
            }
            let mut offset = offset.row_mut(class);
            offset += &moved;
        }
        scatter.outer_iter_mut().for_each(mirror);
        Parameters { offset, scatter }
    }
}

/// An error if a covariance has no inverse.
fn check_regular(
    covariance: ArrayView2<'_, f64>,
    means: &[f64],
    what: Owner,
    iteration: usize,
) -> Result<()> {
    let (deviations, tol) = (standard_deviations(covariance, means), resolvable(means.len()));
    if whiten(covariance, &deviations, tol).is_some() {
        return Ok(());
    }
    let found = diagnose(covariance, &deviations, tol).ok_or(Error::Rank(RankError::NoConvergence(what)))?;
    Err(Error::Rank(RankError::Degenerate {
        what,
        iteration,
        constant: found.constant,
        dependent: found.dependent,
    }))
}

/// Makes a matrix symmetric to the bit.
fn mirror(mut matrix: ndarray::ArrayViewMut2<'_, f64>) {
    for i in 0..matrix.nrows() {
        for j in 0..i {
            matrix[(j, i)] = matrix[(i, j)];
        }
        matrix[(i, i)] = matrix[(i, i)].max(0.0);
    }
}

impl Expected {
    /// The first and second sums, and the log-likelihood.
    pub(super) fn into_parts(self) -> (Array2<f64>, Array3<f64>, f64) {
        (self.first, self.second, self.log_likelihood)
    }

    pub(super) fn from_parts((first, second, log_likelihood): (Array2<f64>, Array3<f64>, f64)) -> Self {
        Self { first, second, log_likelihood }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.first += &other.first;
        self.second += &other.second;
        self.log_likelihood += other.log_likelihood;
    }

    fn add_group(
        &mut self,
        statistics: &Statistics,
        pattern: &Pattern,
        regression: &Regression,
        offset: &Array2<f64>,
        matrix: usize,
    ) {
        let Statistics { class, weight, mean, spread, .. } = statistics;
        let Regression { whitening, log_det, slopes, residual } = regression;
        let Pattern { observed, missing } = pattern;
        let apart = mean - &offset.row(*class).select(Axis(0), observed);
        let whitened = whitening.dot(&apart);
        let deviation = assemble(pattern, apart, slopes.t().dot(&whitened));
        self.first.row_mut(*class).scaled_add(*weight, &deviation);
        let mut second = self.second.index_axis_mut(Axis(0), matrix);
        for (mut row, &x) in second.outer_iter_mut().zip(&deviation) {
            row.scaled_add(weight * x, &deviation);
        }
        for (i, &row) in missing.iter().enumerate() {
            missing
                .iter()
                .enumerate()
                .for_each(|(j, &column)| second[(row, column)] += weight * residual[(i, j)]);
        }
        let mut squares = weight * whitened.dot(&whitened);
        match spread {
            Spread::None => {}
            Spread::Rows(rows) => {
                let whitened = rows.dot(&whitening.t());
                squares += whitened.iter().map(|z| z * z).sum::<f64>();
                let filled = assemble_rows(pattern, rows, &whitened.dot(slopes));
                second += &filled.t().dot(&filled);
            }
            Spread::Scatter(scatter) => {
                let half = whitening.dot(scatter);
                squares += (&half * whitening).sum();
                second += &assemble_scatter(pattern, scatter, &slopes.t().dot(&half), slopes, whitening);
            }
        }
        let unit = observed.len() as f64 * (2.0 * PI).ln() + log_det;
        self.log_likelihood -= 0.5 * (weight * unit + squares);
    }
}

/// A vector whose observed and missing parts are given.
fn assemble(pattern: &Pattern, observed: Array1<f64>, missing: Array1<f64>) -> Array1<f64> {
    let mut whole = Array1::zeros(observed.len() + missing.len());
    let columns = pattern.observed.iter().chain(&pattern.missing);
    columns.zip(observed.iter().chain(&missing)).for_each(|(&column, &value)| whole[column] = value);
    whole
}

/// The same for the rows of a matrix.
fn assemble_rows(pattern: &Pattern, observed: &Array2<f64>, missing: &Array2<f64>) -> Array2<f64> {
    let mut whole = Array2::zeros((observed.nrows(), observed.ncols() + missing.ncols()));
    for (part, columns) in [(observed, &pattern.observed), (missing, &pattern.missing)] {
        columns.iter().zip(part.columns()).for_each(|(&column, from)| whole.column_mut(column).assign(&from));
    }
    whole
}

/// T S Tᵀ, where T takes observed values to all: themselves and B = VᵀW of them. B S is given.
fn assemble_scatter(
    pattern: &Pattern,
    scatter: &Array2<f64>,
    below: &Array2<f64>,
    slopes: &Array2<f64>,
    whitening: &Array2<f64>,
) -> Array2<f64> {
    let Pattern { observed, missing } = pattern;
    let corner = below.dot(&whitening.t()).dot(slopes);
    let mut whole = Array2::zeros((observed.len() + missing.len(), observed.len() + missing.len()));
    let mut put = |rows: &[usize], columns: &[usize], from: ArrayView2<'_, f64>| {
        for ((i, j), &value) in from.indexed_iter() {
            whole[(rows[i], columns[j])] = value;
        }
    };
    put(observed, observed, scatter.view());
    put(missing, observed, below.view());
    put(observed, missing, below.t());
    put(missing, missing, corner.view());
    whole
}
