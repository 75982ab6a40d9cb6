//! Sums of one class after another. Where the matrices of all classes together are large, that of the class at hand stays in
//! the cache, and there are no partial sums to join.

use std::ops::Range;

use ndarray::{Array1, Array2, Array3, ArrayViewMut2};

use super::scatter::about_mean;
use super::{PANEL_ROWS, Pass, Sums};
use crate::error::Result;
use crate::kernel::Panel;
use crate::memory::room_for;
use crate::moments::{Means, Moments, Structure};
use crate::parallel::{Job, Parallel};
use crate::rows::sort_by_code;

/// Doubles that the matrices of all classes may take before they are too large for the cache.
const FIT_THE_CACHE: usize = 1 << 20;

/// The largest class has at most this share of the rows: otherwise threads would wait for it.
const SHARE: usize = 8;

/// Rows that are worth a task, and tasks, at most.
const TASK_ROWS: usize = 2048;
const MAX_TASKS: usize = 64;

/// Rows in the order of their classes.
pub(super) struct Sorted {
    order: Vec<usize>,
    /// Where each class begins, and the last one ends.
    starts: Vec<usize>,
}

impl Sorted {
    /// The rows from a class on, and how many are of that class.
    fn from(&self, class: usize) -> (&[usize], usize) {
        (&self.order[self.starts[class]..], self.starts[class + 1] - self.starts[class])
    }
}

/// What a task finds out about a class besides the scatter.
struct Found {
    rows: u64,
    weight: f64,
    offset: Vec<f64>,
}

impl Pass<'_, '_> {
    /// The rows in the order of their classes, if they had better be summed up so.
    pub(super) fn sorted_by_class(&self) -> Option<Sorted> {
        if self.structure != Structure::Full || self.second_len() <= FIT_THE_CACHE {
            return None;
        }
        let mut starts = vec![0; self.n_classes() + 1];
        self.labels.iter().for_each(|&label| starts[label as usize + 1] += 1);
        if starts.iter().any(|&rows| rows * SHARE > self.labels.len()) {
            return None;
        }
        (0..self.n_classes()).for_each(|class| starts[class + 1] += starts[class]);
        let mut order = vec![];
        sort_by_code(0, self.labels, self.n_classes(), &mut order);
        Some(Sorted { order, starts })
    }

    /// Moments about the means, one class after another.
    pub(super) fn run_by_class(&self, sorted: &Sorted, parallel: Parallel<'_>) -> Result<Moments> {
        let (classes, d) = self.shift.dim();
        let tasks = (self.labels.len() / TASK_ROWS).clamp(1, MAX_TASKS).min(classes);
        let panels = (self.second_size() + crate::kernel::padded(d) * PANEL_ROWS).checked_mul(tasks);
        let doubles = panels.and_then(|panels| (classes * d).checked_mul(d)?.checked_add(panels));
        room_for(doubles)?;
        let mut scatter = Array3::zeros((classes, d, d));
        let mut rest = scatter.as_slice_mut().expect("a C-ordered array");
        let parts = (0..tasks).map(|task| {
            let classes = classes * task / tasks..classes * (task + 1) / tasks;
            let (now, later) = std::mem::take(&mut rest).split_at_mut(classes.len() * d * d);
            rest = later;
            (classes, now)
        });
        let found = parallel.for_each_part(parts, |_, (classes, scatter), job| {
            self.sum_classes(sorted, classes.clone(), scatter, job)
        })?;
        self.assemble(found.into_iter().flatten(), scatter)
    }

    fn sum_classes(
        &self,
        sorted: &Sorted,
        classes: Range<usize>,
        scatter: &mut [f64],
        job: &Job<'_>,
    ) -> Result<Vec<Found>> {
        let d = self.n_features();
        let mut panel = Panel::new(d, PANEL_ROWS);
        let mut sums = Sums {
            rows: vec![0],
            weights: vec![0.0],
            first: Array2::zeros((1, d)),
            second: vec![0.0; self.second_size()],
        };
        let mut found = Vec::with_capacity(classes.len());
        for (class, scatter) in classes.zip(scatter.chunks_exact_mut(d * d)) {
            job.check()?;
            let (order, count) = sorted.from(class);
            sums.clear();
            self.add_class(order, count, &mut panel, sums.first.row_mut(0), &mut sums.second);
            let rows = &order[..count];
            let weights = self.weights.map(|weights| rows.iter().map(|&row| weights[row]));
            let weight = weights.clone().map_or(rows.len() as f64, |weights| weights.sum());
            let counted =
                weights.map_or(rows.len(), |weights| weights.filter(|&weight| weight > 0.0).count());
            let first = sums.first.row(0);
            let offset = first.mapv(|first| first / if weight > 0.0 { weight } else { 1.0 });
            let scatter = ArrayViewMut2::from_shape((d, d), scatter).expect("the matrix of a class");
            let offset = offset.to_vec();
            about_mean(&sums.second, scatter, first.as_slice().expect("a row"), &offset);
            found.push(Found { rows: counted as u64, weight, offset });
        }
        Ok(found)
    }

    fn assemble(&self, found: impl Iterator<Item = Found>, scatter: Array3<f64>) -> Result<Moments> {
        let mut shift = self.shift.clone();
        let mut offset = Array2::zeros(shift.raw_dim());
        let (mut rows, mut weights) = (vec![], vec![]);
        for (class, found) in found.enumerate() {
            rows.push(found.rows);
            weights.push(found.weight);
            offset.row_mut(class).assign(&Array1::from(found.offset));
            // The mean of a class without weight is 0.
            if found.weight == 0.0 {
                shift.row_mut(class).fill(0.0);
            }
        }
        // What is not finite makes its sum so.
        if !offset.iter().all(|offset| offset.is_finite()) {
            self.rows.check_finite(0..self.labels.len())?;
        }
        let past = Array2::zeros((rows.len(), shift.ncols()));
        let (weights, means) = (Array1::from(weights), Means { shift, offset });
        let structure = self.structure;
        Ok(Moments { structure, rows, weights, means, scatter, past, seen: None, fourth: None })
    }
}
