//! The pass that sums up third and fourth moments, about means that are known.

use std::ops::Range;

use ndarray::Axis;

use super::FourthOrder;
use crate::error::{Result, same_size};
use crate::kernel::{Panel, padded};
use crate::memory::room_for;
use crate::moments::check::{check_labels, check_weights};
use crate::moments::{Moments, Structure};
use crate::parallel::{Job, Parallel};
use crate::rows::{Rows, sort_with_ends};

/// Rows that are summed up together before they join the others, and rows of a task.
const PANEL_ROWS: usize = 128;
const TASK_ROWS: usize = 4096;

/// Entries that are worth waking up threads.
const MIN_ENTRIES: usize = 1 << 15;

impl Moments {
    /// The same moments with those of third and fourth order, which tell Ledoit and Wolf's intensity. The rows must be those
    /// behind the moments.
    ///
    /// # Errors
    /// Moments that are not full, those of [`Moments::from_rows`], or more columns than there is memory for: classes × columns²
    /// × 2 doubles, and those of the scatter.
    ///
    /// ```
    /// use gauda::core::{Moments, Parallel, Rows, Structure, covariance};
    /// use ndarray::array;
    ///
    /// let x = array![[0.0, 0.0], [2.0, 2.0], [1.0, 4.0], [7.0, 6.0], [8.0, 9.0], [9.0, 6.0]];
    /// let (rows, labels) = (Rows::from(&x), [0, 0, 0, 1, 1, 1]);
    /// let parallel = Parallel::default();
    /// let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Full, parallel)?;
    /// let moments = moments.to_fourth_order(&rows, &labels, None, parallel)?;
    /// let shrunk = covariance::ledoit_wolf_of_moments(&moments)?;
    /// assert!(shrunk[[0, 0, 1]].abs() < covariance::of_classes(&moments, false)?[[0, 0, 1]].abs());
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn to_fourth_order(
        self,
        rows: &Rows<'_>,
        labels: &[u32],
        weights: Option<&[f64]>,
        parallel: Parallel<'_>,
    ) -> Result<Self> {
        self.check_full()?;
        check_labels(labels, rows.n_rows(), self.n_classes())?;
        check_weights(weights, rows.n_rows())?;
        same_size("number of columns", rows.n_features(), self.n_features())?;
        debug_assert_eq!(self.structure, Structure::Full);
        let mut found = FourthOrder::new(self.n_classes(), self.n_features())?;
        found.units = self.units();
        Pass { moments: &self, rows, weights }.run(labels, &mut found, parallel)?;
        found.check()?;
        Ok(Self { fourth: Some(found), ..self })
    }
}

struct Pass<'a, 'r> {
    moments: &'a Moments,
    rows: &'a Rows<'r>,
    weights: Option<&'a [f64]>,
}

/// Rows of one class, as places in an order.
struct Task {
    class: usize,
    rows: Range<usize>,
}

impl Pass<'_, '_> {
    fn run(&self, labels: &[u32], found: &mut FourthOrder, parallel: Parallel<'_>) -> Result<()> {
        let (classes, d) = (self.moments.n_classes(), self.moments.n_features());
        let size = padded(d).checked_mul(2 * padded(d));
        room_for(size.and_then(|size| size.checked_mul(classes + 2)))?;
        let (mut order, mut ends) = (vec![], vec![]);
        sort_with_ends(0, labels, classes, &mut order, &mut ends);
        let tasks = self.tasks(&ends);
        let scales: Vec<_> =
            (0..classes).map(|class| self.moments.inverse_units(class, &found.units)).collect();
        let sum = |index: usize, job: &Job<'_>| {
            let Task { class, rows } = &tasks[index];
            Ok(vec![(*class, self.sum(*class, &order[rows.clone()], &scales[*class], job)?)])
        };
        let parallel = if labels.len() * d < MIN_ENTRIES { parallel.alone() } else { parallel };
        let sums = parallel.fold_in_order(tasks.len(), sum, join)?.unwrap_or_default();
        for (class, cross) in sums {
            let width = 2 * padded(d);
            let mut third = found.third.index_axis_mut(Axis(0), class);
            let mut fourth = found.fourth.index_axis_mut(Axis(0), class);
            for (i, row) in cross.chunks_exact(width).take(d).enumerate() {
                for j in 0..d {
                    third[(i, j)] = row[j];
                }
                for j in 0..=i {
                    (fourth[(i, j)], fourth[(j, i)]) = (row[padded(d) + j], row[padded(d) + j]);
                }
            }
        }
        Ok(())
    }

    fn tasks(&self, ends: &[usize]) -> Vec<Task> {
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let classes = starts.zip(ends).enumerate();
        classes
            .filter(|(class, _)| self.moments.weights[*class] > 0.0)
            .flat_map(|(class, (start, &end))| {
                let parts = (start..end).step_by(TASK_ROWS);
                parts.map(move |start| Task { class, rows: start..(start + TASK_ROWS).min(end) })
            })
            .collect()
    }

    /// Cross products of the squares of some rows of a class with the rows and the squares.
    fn sum(&self, class: usize, order: &[usize], scale: &[f64], job: &Job<'_>) -> Result<Vec<f64>> {
        let d = self.moments.n_features();
        let (means, weight) = (&self.moments.means, self.moments.weights[class]);
        let (shift, offset) = (means.shift.row(class).to_vec(), means.offset.row(class).to_vec());
        let (mut panel, mut powers) = (Panel::new(d, PANEL_ROWS), Panel::of_powers(d, PANEL_ROWS));
        let mut cross = vec![0.0; padded(d) * 2 * padded(d)];
        // The squares of rows that do not count may overflow.
        let counts = |row: &usize| self.weights.is_none_or(|weights| weights[*row] > 0.0);
        let order: Vec<usize> = order.iter().copied().filter(counts).collect();
        for rows in order.chunks(PANEL_ROWS) {
            job.check()?;
            panel.filled = 0;
            self.rows.gather(rows, rows.len(), &shift, &mut panel);
            let share = |&row: &usize| self.weights.map_or(1.0, |weights| weights[row]) / weight;
            let roots: Vec<f64> = rows.iter().map(|row| share(row).sqrt()).collect();
            powers.take_powers(&panel, &offset, scale, &roots);
            powers.add_powers(&mut cross);
        }
        Ok(cross)
    }
}

/// Adds sums of one class, or puts those of the next behind the others.
fn join(total: &mut Vec<(usize, Vec<f64>)>, part: Vec<(usize, Vec<f64>)>) {
    for (class, sums) in part {
        match total.last_mut() {
            Some((last, total)) if *last == class => {
                total.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
            }
            _ => total.push((class, sums)),
        }
    }
}
