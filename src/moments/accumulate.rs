//! The one pass over the rows that gives moments.
//!
//! Each class is shifted by a provisional mean (of its first rows), sums and cross products of the shifted rows are
//! taken in f64, and corrected once at the end: S = Σ w x xᵀ − s sᵀ / Σ w. All tasks share the shifts, so that their
//! partial sums simply add up. Where the first rows turn out to be unlike the rest, a second pass shifts by the means.

mod by_class;
mod scatter;

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayViewMut1, Axis};

use self::scatter::scatters;
use super::check::{check_labels, check_room, check_weights};
use super::count::count;
use super::observed::{Gaps, Observed};
use super::shift::{Provisional, about_means, look_for_variation, nearer, provisional};
use super::tiny::rounded_up;
use super::unit::UnitWeights;
use super::{Means, Moments, Source, Structure};
use crate::error::{Result, not_empty};
use crate::kernel::{Panel, RowsAhead, padded};
use crate::memory::room_for;
use crate::parallel::{Job, Parallel, task_range};
use crate::rows::Rows;
use crate::rows::sort_by_code;

/// Rows that are summed up together before they join the others.
const PANEL_ROWS: usize = 128;

/// Rows that are sorted together.
const BLOCK_ROWS: usize = 1024;

/// Doubles that the partial sums of all tasks together may take, unless that makes fewer tasks than there should be.
const PARTIAL_BUDGET: usize = 1 << 22;
const MIN_TASKS: usize = 4;
const MAX_TASKS: usize = 64;

/// Entries that are worth waking up threads.
const MIN_ENTRIES: usize = 1 << 17;

impl Moments {
    /// The moments of rows with labels `0..n_classes`, each row counted once or with its weight.
    ///
    /// # Errors
    /// NaN or infinity in a row, a label out of range, a bad weight, values whose squares overflow, inputs of different
    /// lengths, or more classes than there is memory for. Without rows there are moments of weight 0, to which others can be
    /// joined.
    ///
    /// ```
    /// use gauda::core::{Moments, Parallel, Rows, Structure};
    /// use ndarray::array;
    ///
    /// let x = array![[1.0, 0.0], [3.0, 4.0], [10.0, 10.0]];
    /// let (rows, labels) = (Rows::from(x.view()), [0, 0, 1]);
    /// let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Full, Parallel::default())?;
    /// assert_eq!(moments.means(), array![[2.0, 2.0], [10.0, 10.0]]);
    /// // Σ (x − mean) (x − mean)ᵀ of the first class
    /// assert_eq!(moments.scatter().index_axis(ndarray::Axis(0), 0), array![[2.0, 4.0], [4.0, 8.0]]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn from_rows(
        rows: &Rows<'_>,
        labels: &[u32],
        n_classes: usize,
        weights: Option<&[f64]>,
        structure: Structure,
        parallel: Parallel<'_>,
    ) -> Result<Self> {
        if structure == Structure::Diag {
            let observed = Observed::of(rows, labels, n_classes, weights, Gaps::Refused, parallel)?;
            return Ok(observed.into_moments(Gaps::Refused));
        }
        check_labels(labels, rows.n_rows(), n_classes)?;
        check_weights(weights, rows.n_rows())?;
        not_empty("number of columns", rows.n_features())?;
        check_room(n_classes, rows.n_features())?;
        if structure == Structure::Tied && Self::sums_by_class(rows.n_rows(), n_classes, rows.n_features()) {
            // Where this fails, the sums of all classes together may do.
            let by_class = Self::from_rows(rows, labels, n_classes, weights, Structure::Full, parallel);
            if let Ok(tied) = by_class.and_then(|moments| moments.to(Structure::Tied)) {
                return Ok(tied);
            }
        }
        let unit = match structure {
            Structure::Tied => UnitWeights::common(weights, labels, n_classes),
            Structure::Full | Structure::Diag => UnitWeights::of_classes(weights, labels, n_classes),
        };
        let weights = unit.as_deref();
        let source = Source::Table(rows);
        let Provisional { means, mut varies } = provisional(source, labels, n_classes, weights);
        let mut moments = about_means(
            means,
            |shift| Pass { rows, labels, weights, structure, shift }.run(parallel),
            Self::nearer_shift,
        )?;
        let diagonals = moments.diagonals();
        let (weights_of, offset, shift) = (&moments.weights, &moments.means.offset, &moments.means.shift);
        look_for_variation(source, labels, weights, &mut varies, shift, |class, j| {
            let square = diagonals[moments.matrix_of(class)][j];
            weights_of[class] > 0.0 && square < f64::MIN_POSITIVE && offset[(class, j)] == 0.0
        });
        moments.round_up_where_classes_vary(&varies);
        moments.restore(&unit)
    }

    /// Whether tied moments of so many rows are the sums of those of each class, which then take as much time: so whoever
    /// needs both gets the same from one pass.
    pub(crate) fn sums_by_class(rows: usize, classes: usize, features: usize) -> bool {
        /// Columns, and entries of the means, up to which a matrix for each class stays in the cache.
        const MAX_FEATURES: usize = 64;
        const MAX_MEANS: usize = 1024;
        let means = classes.saturating_mul(features);
        features <= MAX_FEATURES && means <= MAX_MEANS && rows > means
    }

    fn nearer_shift(&self) -> Option<Array2<f64>> {
        let diagonals = self.diagonals();
        nearer(&self.means, |class, _| self.weights[class], |class, j| diagonals[self.matrix_of(class)][j])
    }

    /// Keeps squares positive of columns in which classes vary, K × d, or have a mean that is not what they were shifted by.
    fn round_up_where_classes_vary(&mut self, varies: &Array2<bool>) {
        for matrix in 0..self.scatter.len_of(Axis(0)) {
            let mut any = vec![false; self.n_features()];
            for class in self.sharing(matrix) {
                let columns = varies.row(class).into_iter().zip(self.means.offset.row(class));
                any.iter_mut()
                    .zip(columns)
                    .for_each(|(any, (&varies, &offset))| *any |= varies || offset != 0.0);
            }
            self.round_up(matrix, any.into_iter());
        }
    }

    /// Keeps squares of those columns positive in which a class that shares a matrix varies.
    pub(super) fn round_up(&mut self, matrix: usize, varies: impl Iterator<Item = bool>) {
        let mut scatter = self.scatter.index_axis_mut(Axis(0), matrix);
        for (j, varies) in varies.enumerate() {
            let place = if self.structure == Structure::Diag { (0, j) } else { (j, j) };
            scatter[place] = rounded_up(scatter[place], varies);
        }
    }

    /// In the weights' own unit.
    ///
    /// # Errors
    /// Squares that overflow.
    pub(crate) fn restore(mut self, unit: &UnitWeights<'_>) -> Result<Self> {
        for (class, weight) in self.weights.iter_mut().enumerate() {
            *weight = unit.restore(*weight, class);
        }
        // Where there is one scatter for all classes there is one unit, too.
        for (class, mut scatter) in self.scatter.outer_iter_mut().enumerate() {
            let varies = scatter.diag().mapv(|square| square > 0.0);
            if !unit.is_plain(class) {
                scatter.map_inplace(|entry| *entry = unit.restore(*entry, class));
            }
            scatter.diag_mut().zip_mut_with(&varies, |square, &varies| *square = rounded_up(*square, varies));
        }
        self.check_overflow()?;
        Ok(self)
    }
}

/// Tasks for so many rows, whose partial sums are so many doubles: many enough to share out, few enough that adding the
/// partial sums costs little time and memory.
pub(super) fn n_tasks(rows: usize, n_classes: usize, doubles: usize) -> usize {
    let min_rows = n_classes.saturating_mul(128).max(2048);
    let worth = (rows / (2 * min_rows)).max((rows / min_rows).min(2));
    let afforded = PARTIAL_BUDGET / doubles.max(1);
    worth.min(afforded.clamp(MIN_TASKS, MAX_TASKS)).max(1)
}

/// Everything a task needs for cross products.
struct Pass<'a, 'r> {
    rows: &'a Rows<'r>,
    labels: &'a [u32],
    weights: Option<&'a [f64]>,
    structure: Structure,
    shift: Array2<f64>,
}

/// Sums about the shifts. `second` holds padded cross products.
struct Sums {
    rows: Vec<u64>,
    weights: Vec<f64>,
    first: Array2<f64>,
    second: Vec<f64>,
}

impl Sums {
    fn clear(&mut self) {
        self.rows.fill(0);
        self.weights.fill(0.0);
        self.first.fill(0.0);
        self.second.fill(0.0);
    }

    fn add(&mut self, other: Self) {
        let add = |a: &mut [f64], b: &[f64]| a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        self.rows.iter_mut().zip(&other.rows).for_each(|(a, b)| *a += b);
        add(&mut self.weights, &other.weights);
        self.first += &other.first;
        add(&mut self.second, &other.second);
    }
}

impl Pass<'_, '_> {
    fn run(self, parallel: Parallel<'_>) -> Result<Moments> {
        if let Some(sorted) = self.sorted_by_class() {
            return self.run_by_class(&sorted, parallel);
        }
        let doubles = self.second_len().saturating_add(self.shift.len());
        let tasks = n_tasks(self.labels.len(), self.n_classes(), doubles);
        self.check_memory(tasks)?;
        let few = self.labels.len() * self.n_features() < MIN_ENTRIES;
        let parallel = if few { parallel.alone() } else { parallel };
        let sum = |index, job: &Job<'_>| self.accumulate(task_range(index, tasks, self.labels.len(), 1), job);
        let sums = parallel.fold_in_order(tasks, sum, Sums::add)?.unwrap_or_else(|| self.no_sums());
        Ok(self.finish(sums))
    }

    fn n_classes(&self) -> usize {
        self.shift.nrows()
    }

    fn n_features(&self) -> usize {
        self.shift.ncols()
    }

    /// Size of one padded matrix.
    fn second_size(&self) -> usize {
        let width = padded(self.n_features());
        width.saturating_mul(width)
    }

    fn second_len(&self) -> usize {
        match self.structure {
            Structure::Tied => self.second_size(),
            Structure::Full | Structure::Diag => self.second_size().saturating_mul(self.n_classes()),
        }
    }

    /// Asks for what sums and scatter will need together.
    fn check_memory(&self, tasks: usize) -> Result<()> {
        let each = self.second_len().checked_add(self.shift.len());
        let sums = each.and_then(|each| each.checked_mul(tasks + 1));
        let doubles = sums.and_then(|sums| sums.checked_add(padded(self.n_features()) * PANEL_ROWS * tasks));
        room_for(doubles)
    }

    fn no_sums(&self) -> Sums {
        Sums {
            rows: vec![0; self.n_classes()],
            weights: vec![0.0; self.n_classes()],
            first: Array2::zeros((self.n_classes(), self.n_features())),
            second: vec![0.0; self.second_len()],
        }
    }

    /// Sums over a range of rows, block by block.
    fn accumulate(&self, range: Range<usize>, job: &Job<'_>) -> Result<Sums> {
        let mut sums = self.no_sums();
        let capacity = PANEL_ROWS.min(range.len().max(1));
        let (mut panel, mut order) = (Panel::new(self.n_features(), capacity), vec![]);
        let rows = BLOCK_ROWS.max(16 * self.n_classes());
        for start in range.clone().step_by(rows) {
            job.check()?;
            let block = start..(start + rows).min(range.end);
            count(block.clone(), self.labels, self.weights, &mut sums.rows, &mut sums.weights);
            self.add_cross_products(block.clone(), &mut panel, &mut order, &mut sums);
            // What is not finite makes its sum so.
            if !sums.first.iter().all(|sum| sum.is_finite()) {
                self.rows.check_finite(block)?;
            }
        }
        Ok(sums)
    }

    /// Sorted by class, rows of a class fill panels; those of a tied structure share them.
    fn add_cross_products(
        &self,
        block: Range<usize>,
        panel: &mut Panel,
        order: &mut Vec<usize>,
        sums: &mut Sums,
    ) {
        sort_by_code(block.start, &self.labels[block], self.n_classes(), order);
        let mut rest = &order[..];
        while let Some(&row) = rest.first() {
            let label = self.labels[row];
            let count = rest.iter().take_while(|&&row| self.labels[row] == label).count();
            let second = self.second_of(label as usize, &mut sums.second);
            self.add_class(rest, count, panel, sums.first.row_mut(label as usize), second);
            rest = &rest[count..];
        }
        flush(panel, self.second_of(0, &mut sums.second), RowsAhead::nothing());
    }

    /// Where the cross products of a class go.
    fn second_of<'s>(&self, class: usize, second: &'s mut [f64]) -> &'s mut [f64] {
        let size = self.second_size();
        let first = if self.structure == Structure::Full { class * size } else { 0 };
        &mut second[first..][..size]
    }

    /// Adds the first `count` rows of `order`, which are of one class.
    fn add_class(
        &self,
        mut order: &[usize],
        mut count: usize,
        panel: &mut Panel,
        mut first: ArrayViewMut1<'_, f64>,
        second: &mut [f64],
    ) {
        let Some(&row) = order[..count].first() else { return };
        let shift = self.shift.row(self.labels[row] as usize);
        let shift = shift.as_slice().expect("rows of a C-ordered array");
        let first = first.as_slice_mut().expect("rows of a C-ordered array");
        while count > 0 {
            let filled = panel.filled;
            let now = count.min(panel.capacity - filled);
            self.rows.gather(order, now, shift, panel);
            let root =
                |weights: &[f64]| order[..now].iter().map(|&row| weights[row].sqrt()).collect::<Vec<_>>();
            panel.weigh_and_sum(filled, self.weights.map(root).as_deref(), first);
            (order, count) = (&order[now..], count - now);
            if self.structure == Structure::Full || panel.filled == panel.capacity {
                let next = &order[..order.len().min(panel.capacity)];
                flush(panel, second, self.rows.rows_ahead(next));
            }
        }
    }

    /// Sums about the shifts to moments about the means.
    fn finish(self, sums: Sums) -> Moments {
        let weights = Array1::from(sums.weights);
        // The mean of a class without weight is 0.
        let mut shift = self.shift.clone();
        for (mut shift, _) in shift.outer_iter_mut().zip(&weights).filter(|(_, weight)| **weight == 0.0) {
            shift.fill(0.0);
        }
        let divisors = weights.mapv(|weight| if weight > 0.0 { weight } else { 1.0 });
        let offset = &sums.first / &divisors.insert_axis(Axis(1));
        let scatter = scatters(self.structure, sums.second, &sums.first, &offset);
        let past = Array2::zeros((scatter.len_of(Axis(0)), self.n_features()));
        let means = Means { shift, offset };
        let (rows, structure) = (sums.rows, self.structure);
        Moments { structure, rows, weights, means, scatter, past, seen: None, fourth: None }
    }
}

/// Adds the cross products of a panel, which is empty afterwards, while the rows that come next are fetched.
fn flush(panel: &mut Panel, second: &mut [f64], ahead: RowsAhead<'_>) {
    panel.add_cross_products(second, ahead);
    panel.filled = 0;
}
