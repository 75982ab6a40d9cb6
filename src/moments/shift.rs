//! Where each class lies, roughly, from its first rows; and passes about that, repeated where it was not where the class
//! lies.

use ndarray::{Array2, Zip};

use super::{Means, Source};
use crate::error::Result;

/// Rows that give a class its provisional mean, at most: a third of a deviation off costs no digit, and batches pay for each.
const SHIFT_ROWS: usize = 8;

/// The squared distance of a mean from its shift, in variances, that asks for another pass.
const MAX_DRIFT: f64 = 100.0;

/// Passes, at max_rows. Each brings the shift nearer to the mean by the precision of a double; values of which a few, or of
/// tiny weight, are as far away as doubles go need several.
const MAX_PASSES: usize = 16;

/// Doubles at least so far from 0 differ by so much that the square is one, too.
const NEAR_ZERO: f64 = 1e-140;

/// What the first rows of each class show of each column.
pub(super) struct Provisional {
    /// The mean of what is observed (not NaN), taken about the very first: exact where a column is constant. 0 where nothing
    /// is observed.
    pub(super) means: Array2<f64>,
    /// Whether values differ.
    pub(super) varies: Array2<bool>,
}

/// Looks at the first rows of each class.
pub(super) fn provisional(
    source: Source<'_, '_>,
    labels: &[u32],
    n_classes: usize,
    weights: Option<&[f64]>,
) -> Provisional {
    let d = source.n_features();
    let max_rows = (16 * 1024 / n_classes.max(1)).clamp(4, SHIFT_ROWS);
    let mut entries = vec![0.0; d];
    let mut start = Start::new(d);
    let mut means = Array2::zeros((n_classes, d));
    let mut varies = Array2::from_elem((n_classes, d), false);
    let first = FirstRows::of(labels, n_classes, weights, max_rows);
    for class in 0..n_classes {
        let first_rows = first.of_class(class);
        start.clear();
        for &row in first_rows {
            source.read_row(row, &mut entries);
            start.add(&entries, weights.map_or(1.0, |weights| weights[row]));
        }
        if !start.finish() {
            start.clear();
            for &row in first_rows {
                source.read_row(row, &mut entries);
                start.add_observed(&entries, weights.map_or(1.0, |weights| weights[row]));
            }
        }
        for j in 0..d {
            (means[(class, j)], varies[(class, j)]) = (start.mean(j), start.varies[j] != 0);
        }
    }
    Provisional { means, varies }
}

/// The first values of each column.
struct Start {
    very_first: Vec<f64>,
    /// Of the rows, as long as none of their entries is missing.
    total: f64,
    weight: Vec<f64>,
    apart: Vec<f64>,
    /// Whether values differ: not 0 then. Words run on as many lanes as doubles.
    varies: Vec<u64>,
}

impl Start {
    fn new(d: usize) -> Self {
        let zeros = || vec![0.0; d];
        Self { very_first: zeros(), total: 0.0, weight: zeros(), apart: zeros(), varies: vec![0; d] }
    }

    fn clear(&mut self) {
        self.very_first.fill(0.0);
        self.total = 0.0;
        self.weight.fill(0.0);
        self.apart.fill(0.0);
        self.varies.fill(0);
    }

    /// Adds a row of positive weight; what is NaN makes its sum so.
    fn add(&mut self, entries: &[f64], weight: f64) {
        if self.total == 0.0 {
            self.very_first.copy_from_slice(entries);
        }
        self.total += weight;
        let columns = entries.iter().zip(&self.very_first).zip(&mut self.apart).zip(&mut self.varies);
        for (((&entry, &very_first), apart), varies) in columns {
            *apart += weight * (entry - very_first);
            *varies |= u64::from(entry != very_first);
        }
    }

    /// Ends the rows; false if some of their entries are missing, so that sums are of no use.
    fn finish(&mut self) -> bool {
        self.weight.fill(self.total);
        !self.apart.iter().any(|apart| apart.is_nan())
    }

    /// Adds a row of positive weight, but for what is NaN.
    fn add_observed(&mut self, entries: &[f64], weight: f64) {
        let Self { very_first, weight: sum, apart, varies, .. } = self;
        let starts = very_first.iter_mut().zip(sum).zip(apart).zip(varies);
        for (&entry, (((very_first, sum), apart), varies)) in entries.iter().zip(starts) {
            let (entry, weight) = if entry.is_nan() { (*very_first, 0.0) } else { (entry, weight) };
            *very_first = if *sum == 0.0 { entry } else { *very_first };
            *sum += weight;
            *varies |= u64::from(entry != *very_first);
            *apart += weight * (entry - *very_first);
        }
    }

    fn mean(&self, j: usize) -> f64 {
        let mean = self.very_first[j] + self.apart[j] / self.weight[j];
        if mean.is_finite() { mean } else { self.very_first[j] }
    }
}

/// Up to `max_rows` first rows of positive weight of every class.
struct FirstRows {
    max_rows: usize,
    /// Those of one class after those of another, with room for `max_rows` of each.
    rows: Vec<usize>,
    counts: Vec<usize>,
}

impl FirstRows {
    fn of(labels: &[u32], n_classes: usize, weights: Option<&[f64]>, max_rows: usize) -> Self {
        let (mut rows, mut counts) = (vec![0; n_classes * max_rows], vec![0; n_classes]);
        let mut unfilled = n_classes;
        for (row, &label) in labels.iter().enumerate() {
            let class = label as usize;
            let count = &mut counts[class];
            if *count == max_rows || weights.is_some_and(|weights| weights[row] == 0.0) {
                continue;
            }
            rows[class * max_rows + *count] = row;
            *count += 1;
            if *count == max_rows {
                unfilled -= 1;
                if unfilled == 0 {
                    break;
                }
            }
        }
        Self { max_rows, rows, counts }
    }

    fn of_class(&self, class: usize) -> &[usize] {
        &self.rows[class * self.max_rows..][..self.counts[class]]
    }
}

/// Where nothing that a double can hold is left of the squares of a column, the entries tell whether it varies: tiny values
/// may cancel, or be of tiny weight. `is_doubtful` tells of a class and column whether its sums are all 0.
pub(super) fn look_for_variation(
    source: Source<'_, '_>,
    labels: &[u32],
    weights: Option<&[f64]>,
    varies: &mut Array2<bool>,
    shift: &Array2<f64>,
    is_doubtful: impl Fn(usize, usize) -> bool,
) {
    // The squares of the differences of values of fewer bits, or that are not near 0, are none too small.
    let may_underflow = |shift: f64| weights.is_some() || (shift.abs() < NEAR_ZERO && source.is_double());
    let mut doubtful: Vec<Vec<usize>> = vec![vec![]; shift.nrows()];
    for ((class, column), &shift) in shift.indexed_iter() {
        if may_underflow(shift) && !varies[(class, column)] && is_doubtful(class, column) {
            doubtful[class].push(column);
        }
    }
    if doubtful.iter().all(Vec::is_empty) {
        return;
    }
    let mut entries = vec![0.0; shift.ncols()];
    for (row, &label) in labels.iter().enumerate() {
        let class = label as usize;
        if doubtful[class].is_empty() || weights.is_some_and(|weights| weights[row] == 0.0) {
            continue;
        }
        let entries = &mut entries[..doubtful[class].len()];
        source.read(row, &doubtful[class], entries);
        let differs = |column: usize, entry: f64| entry != shift[(class, column)] && !entry.is_nan();
        if doubtful[class].iter().zip(&*entries).any(|(&column, &entry)| differs(column, entry)) {
            for (&column, &entry) in doubtful[class].iter().zip(&*entries) {
                varies[(class, column)] |= differs(column, entry);
            }
            doubtful[class].retain(|&column| !varies[(class, column)]);
        }
    }
}

/// Sums about shifts, and again about the means that they give as long as the shifts were so far off that the sums lost
/// digits.
pub(super) fn about_means<S>(
    provisional: Array2<f64>,
    pass: impl Fn(Array2<f64>) -> Result<S>,
    nearer: impl Fn(&S) -> Option<Array2<f64>>,
) -> Result<S> {
    let mut sums = pass(provisional)?;
    for _ in 1..MAX_PASSES {
        match nearer(&sums) {
            Some(shift) => sums = pass(shift)?,
            None => break,
        }
    }
    Ok(sums)
}

/// The means, if they are better shifts than those that they were summed about: if some of these were far off in units of
/// the spread, or so far that squares overflowed. `weight` and `scatter` are those of a class and column.
pub(super) fn nearer(
    means: &Means,
    weight: impl Fn(usize, usize) -> f64,
    scatter: impl Fn(usize, usize) -> f64,
) -> Option<Array2<f64>> {
    let far = |((class, column), offset): ((usize, usize), &f64)| {
        let scatter = scatter(class, column);
        let moved = offset * offset * weight(class, column);
        !(scatter.is_finite() && moved <= MAX_DRIFT * scatter)
    };
    if !means.offset.indexed_iter().any(far) {
        return None;
    }
    let finite = |mean: f64, shift: f64| if mean.is_finite() { mean } else { shift };
    let shift = Zip::from(&means.sum()).and(&means.shift).map_collect(|&mean, &shift| finite(mean, shift));
    (shift != means.shift).then_some(shift)
}
