//! Every row under the naive Bayes model of all other rows, from the sums of all: levels are counted less the row, and its
//! numbers taken out of means and variances.

use std::f64::consts::TAU;

use ndarray::{Array2, ArrayView2};

use crate::discrete::Labeled;
use crate::error::{Error, Result, ScoresError, same_size};
use crate::parallel::{Job, Parallel, task_range};
use crate::rows::Rows;
use crate::score::{Answers, Form, Need, Response, Ruling};

/// What must be left of a sum of weights: below it, too few digits are.
const LEAST_WEIGHT_LEFT: f64 = 1e-6;

/// What must be left of a sum of squares.
const LEAST_SQUARES_LEFT: f64 = 1e-3;

/// The smallest variance with all digits and a finite inverse.
const LEAST_VARIANCE: f64 = 1e-300;

/// Rows that are read together: entries of a block stay in cache.
const BLOCK_ENTRIES: usize = 1 << 15;

/// Sums of one column over all rows.
///
/// There is an example at [`leave_one_out_columns`].
#[derive(Debug, Clone)]
pub enum ColumnSums<'a> {
    /// A column of levels.
    Levels {
        /// Weights, class × level.
        counts: ArrayView2<'a, f64>,
        /// What is added to the weight of each level.
        added: Vec<f64>,
        /// Which levels are unknown, and say nothing, once none of their rows is left.
        forgotten: Vec<bool>,
    },
    /// A column of numbers.
    Numbers {
        /// Of each class the weight of the entries, their mean, and the sum of squares about it.
        classes: [Vec<f64>; 3],
        /// The same of all rows, each counted once.
        total: [f64; 3],
    },
}

impl ColumnSums<'_> {
    fn check(&self, n_classes: usize) -> Result<()> {
        match self {
            Self::Levels { counts, added, forgotten } => {
                same_size("classes of counts", counts.nrows(), n_classes)?;
                same_size("levels that are added to", added.len(), counts.ncols())?;
                same_size("levels that may be forgotten", forgotten.len(), counts.ncols())
            }
            Self::Numbers { classes, .. } => {
                classes.iter().try_for_each(|sums| same_size("classes of sums", sums.len(), n_classes))
            }
        }
    }
}

/// What the models have in common.
///
/// There is an example at [`leave_one_out_columns`].
#[derive(Debug, Clone)]
pub struct ColumnFamily<'a> {
    /// The weight of each class.
    pub class_weights: &'a [f64],
    /// Logarithms of the priors; without them, proportions of the other rows.
    pub log_prior: Option<&'a [f64]>,
    /// This share of the largest variance of any column is added to all variances.
    pub smoothing: f64,
    /// The log-probability of levels where a class has no weight at all.
    pub unseen: f64,
}

/// Writes log p(k | x) of each row under the model without it to `out`, n × K. Rows must be among those behind the sums,
/// with the same weights. A row that leaves too few digits, or no model, gets NaN: it takes a fit.
///
/// # Errors
/// Sizes that do not fit together.
///
/// ```
/// use gauda::core::discrete::Labeled;
/// use gauda::core::{ColumnFamily, ColumnSums, Parallel, Rows, leave_one_out_columns};
/// use ndarray::array;
///
/// // two levels, in rows of two classes
/// let x = array![[0_u8], [0], [1], [1], [1]];
/// let labeled = Labeled { labels: &[0, 0, 0, 1, 1], classes: 2, weights: None };
/// let counts = array![[2.0, 1.0], [0.0, 2.0]];
/// let sums = ColumnSums::Levels { counts: counts.view(), added: vec![1.0; 2], forgotten: vec![false; 2] };
/// let family = ColumnFamily { class_weights: &[3.0, 2.0], log_prior: None, smoothing: 0.0, unseen: 0.0 };
/// let (columns, mut out) = (Rows::from(x.view()).columns(), [0.0; 10]);
/// leave_one_out_columns(&columns, labeled, &[sums], &family, &mut out, Parallel::default())?;
/// // Without the first row: prior 2/4 and (1 + 1) / (2 + 2) of its own class, 2/4 and (0 + 1) / (2 + 2) of the other.
/// assert!((out[0] - (2.0_f64 / 3.0).ln()).abs() < 1e-12);
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn leave_one_out_columns(
    columns: &[Rows<'_>],
    labeled: Labeled<'_>,
    sums: &[ColumnSums<'_>],
    family: &ColumnFamily<'_>,
    out: &mut [f64],
    parallel: Parallel<'_>,
) -> Result<()> {
    let (rows, classes) = (labeled.labels.len(), labeled.classes);
    labeled.check(rows)?;
    same_size("number of columns", columns.len(), sums.len())?;
    same_size("number of class weights", family.class_weights.len(), classes)?;
    same_size("length of the output", out.len(), rows.saturating_mul(classes))?;
    for (column, sums) in columns.iter().zip(sums) {
        same_size("number of rows", column.n_rows(), rows)?;
        sums.check(classes)?;
    }
    let pass = Pass {
        columns,
        labeled,
        family,
        sums: sums.iter().map(Sums::of).collect(),
        total_weight: family.class_weights.iter().sum(),
    };
    let mut rest = out;
    let parts = (0..pass.tasks())
        .map(|task| rest.split_off_mut(..pass.range(task).len() * classes).unwrap_or_default());
    parallel.for_each_part(parts, |task, out, job| pass.score(pass.range(task).start, out, job))?;
    Ok(())
}

/// Sums of one column, and what follows from them for all rows.
enum Sums<'a> {
    Levels {
        counts: ArrayView2<'a, f64>,
        added: &'a [f64],
        forgotten: &'a [bool],
        /// Log-probabilities with all rows, level × class.
        logs: Array2<f64>,
        /// Of each class, and of each level.
        class_totals: Vec<f64>,
        level_totals: Vec<f64>,
        all_added: f64,
    },
    Numbers {
        classes: &'a [Vec<f64>; 3],
        total: &'a [f64; 3],
    },
}

impl<'a> Sums<'a> {
    fn of(sums: &'a ColumnSums<'_>) -> Self {
        match sums {
            ColumnSums::Numbers { classes, total } => Self::Numbers { classes, total },
            ColumnSums::Levels { counts, added, forgotten } => {
                let class_totals: Vec<f64> = counts.rows().into_iter().map(|row| row.sum()).collect();
                let all_added: f64 = added.iter().sum();
                let log = |(level, class): (usize, usize)| {
                    (counts[(class, level)] + added[level]).ln() - (class_totals[class] + all_added).ln()
                };
                Self::Levels {
                    counts: counts.view(),
                    added,
                    forgotten,
                    logs: Array2::from_shape_fn((counts.ncols(), counts.nrows()), log),
                    class_totals,
                    level_totals: counts.columns().into_iter().map(|column| column.sum()).collect(),
                    all_added,
                }
            }
        }
    }
}

/// Everything that all tasks share.
struct Pass<'a, 'r> {
    columns: &'a [Rows<'r>],
    labeled: Labeled<'a>,
    family: &'a ColumnFamily<'a>,
    sums: Vec<Sums<'a>>,
    total_weight: f64,
}

/// A row that is left out.
struct LeftOut {
    class: usize,
    weight: f64,
    /// What is added to variances without it.
    smoothing: f64,
    /// Whether it is the last of its class.
    is_last: bool,
}

impl Pass<'_, '_> {
    fn tasks(&self) -> usize {
        (self.labeled.labels.len() * self.columns.len().max(1) / BLOCK_ENTRIES).clamp(1, 64)
    }

    fn range(&self, task: usize) -> std::ops::Range<usize> {
        task_range(task, self.tasks(), self.labeled.labels.len(), 1)
    }

    fn score(&self, first: usize, out: &mut [f64], job: &Job<'_>) -> Result<()> {
        let (classes, width) = (self.labeled.classes, self.columns.len());
        let block = (BLOCK_ENTRIES / width.max(1)).clamp(1, 256);
        let (mut column, mut entries) = (vec![0.0; block], vec![0.0; block * width]);
        let (log_prior, mut scores) = (vec![0.0; classes], vec![0.0; classes]); // priors are in the scores
        let ruling = Ruling::of_log_prior(&log_prior);
        let mut response = Response::new(&ruling, Need::POSTERIORS);
        let too_far = |row: usize| Error::Scores(ScoresError::TooFar { row });
        let end = first + out.len() / classes.max(1);
        let mut answers = Answers { log_posterior: Some(out), ..Answers::default() };
        for start in (first..end).step_by(block) {
            job.check()?;
            let n = block.min(end - start);
            for (place, own) in self.columns.iter().enumerate() {
                own.read_numbers(start..start + n, &mut column[..n]);
                (0..n).for_each(|row| entries[row * width + place] = column[row]);
            }
            response.hold(start..start + n, first);
            response.raw.resize_linear(n, classes);
            let mut left_out = vec![];
            for row in 0..n {
                let scored = self.score_row(start + row, &entries[row * width..][..width], &mut scores);
                if scored.is_none() || !are_comparable(&scores) {
                    left_out.push(start - first + row);
                    scores.fill(0.0);
                }
                response.raw.set_linear(row, &scores);
            }
            response.answer(Form::of_log_likelihoods(&[]), &too_far, &mut answers)?;
            left_out.into_iter().for_each(|place| answers.leave_out(place, classes, classes));
        }
        Ok(())
    }

    /// Writes log p(x, k) without the row; None where too few digits are left.
    fn score_row(&self, row: usize, entries: &[f64], scores: &mut [f64]) -> Option<()> {
        let (class, weight) = (self.labeled.labels[row] as usize, self.labeled.weight(row));
        let of_class = without(self.family.class_weights[class], weight)?;
        match self.family.log_prior {
            Some(log_prior) => scores.copy_from_slice(log_prior),
            None => {
                let total = without(self.total_weight, weight)?;
                for (other, score) in scores.iter_mut().enumerate() {
                    let left = if other == class { of_class } else { self.family.class_weights[other] };
                    *score = (left / total).ln();
                }
            }
        }
        let smoothing = self.smoothing_without(entries, weight)?;
        let left_out = LeftOut { class, weight, smoothing, is_last: of_class == 0.0 };
        for (sums, &entry) in self.sums.iter().zip(entries).filter(|(_, entry)| !entry.is_nan()) {
            match sums {
                Sums::Levels { .. } => self.add_level(sums, entry as usize, &left_out, scores)?,
                Sums::Numbers { classes, .. } => self.add_number(classes, entry, &left_out, scores)?,
            }
        }
        Some(())
    }

    fn add_level(&self, sums: &Sums<'_>, level: usize, row: &LeftOut, scores: &mut [f64]) -> Option<()> {
        let Sums::Levels { counts, added, forgotten, logs, class_totals, level_totals, all_added } = sums
        else {
            return None;
        };
        if level >= added.len() || (forgotten[level] && without(level_totals[level], row.weight)? == 0.0) {
            return Some(()); // an unknown level says nothing
        }
        let own = without(counts[(row.class, level)], row.weight)?;
        let total = without(class_totals[row.class], row.weight)? + all_added;
        for (class, score) in scores.iter_mut().enumerate() {
            *score += match class == row.class {
                true if total > 0.0 => (own + added[level]).ln() - total.ln(),
                false if class_totals[class] + all_added > 0.0 => logs[(level, class)],
                true | false => self.family.unseen,
            };
        }
        Some(())
    }

    fn add_number(&self, sums: &[Vec<f64>; 3], entry: f64, row: &LeftOut, scores: &mut [f64]) -> Option<()> {
        let [weights, means, squares] = sums;
        for (class, score) in scores.iter_mut().enumerate() {
            let (weight, away, squares) = (weights[class], entry - means[class], squares[class]);
            let (away, variance) = match class == row.class {
                true if row.is_last => continue, // without rows it has the prior 0
                true => {
                    let left = without(weight, row.weight)?;
                    let ratio = weight / left;
                    (away * ratio, without_squares(squares, row.weight * ratio * away * away)? / left)
                }
                false if weight == 0.0 => (away, 1.0),
                false => (away, squares / weight),
            };
            let variance = variance + row.smoothing;
            if !(variance.is_finite() && variance > LEAST_VARIANCE) {
                return None;
            }
            *score -= 0.5 * ((TAU * variance).ln() + away / variance * away);
        }
        Some(())
    }

    /// What is added to variances without a row.
    fn smoothing_without(&self, entries: &[f64], weight: f64) -> Option<f64> {
        let mut largest = 0.0_f64;
        for (sums, &entry) in self.sums.iter().zip(entries) {
            let Sums::Numbers { total, .. } = sums else { continue };
            let [count, mean, squares] = **total;
            if self.family.smoothing == 0.0 {
                return Some(0.0);
            }
            let variance = match entry.is_nan() || weight == 0.0 {
                true => squares / count,
                false => {
                    let (left, away) = (count - 1.0, entry - mean);
                    without_squares(squares, count / left * away * away)? / left
                }
            };
            largest = largest.max(variance);
        }
        Some(self.family.smoothing * largest)
    }
}

/// Whether one score is the largest, and finite.
fn are_comparable(scores: &[f64]) -> bool {
    scores.iter().all(|&score| score < f64::INFINITY) && scores.iter().any(|score| score.is_finite())
}

/// A sum of weights less one of them; none if too few digits are left.
fn without(sum: f64, weight: f64) -> Option<f64> {
    let left = sum - weight;
    match left == 0.0 || weight == 0.0 {
        true => Some(left),
        false => (left > LEAST_WEIGHT_LEFT * sum).then_some(left),
    }
}

/// A sum of squares less a row's; none if too few digits are left.
fn without_squares(sum: f64, own: f64) -> Option<f64> {
    let left = sum - own;
    (own == 0.0 || left > LEAST_SQUARES_LEFT * sum).then_some(left)
}
