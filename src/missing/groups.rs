//! Labelled rows, and those of them that lack the same columns brought together.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use ndarray::{Array1, Array2};

use crate::error::Result;
use crate::parallel::{Parallel, task_range};
use crate::rows::{Pattern, Rows};

/// Rows that are looked through together.
const BLOCK: usize = 1 << 14;

/// Labelled rows of which some entries may be missing.
pub(super) struct Sample<'a, 'r> {
    pub(super) rows: &'a Rows<'r>,
    pub(super) labels: &'a [u32],
    pub(super) weights: Option<&'a [f64]>,
    pub(super) n_classes: usize,
}

/// Rows of positive weight, of one class, that lack the same columns.
pub(super) struct Group {
    pub(super) pattern: usize,
    pub(super) class: usize,
    pub(super) rows: Vec<usize>,
}

impl Sample<'_, '_> {
    pub(super) fn class_and_weight(&self, row: usize) -> (usize, f64) {
        (self.labels[row] as usize, self.weights.map_or(1.0, |weights| weights[row]))
    }

    /// The number of rows of positive weight of each class, and their weight.
    pub(super) fn counts(&self) -> (Vec<u64>, Array1<f64>) {
        let (mut rows, mut weights) = (vec![0; self.n_classes], Array1::zeros(self.n_classes));
        for row in 0..self.labels.len() {
            let (class, weight) = self.class_and_weight(row);
            rows[class] += u64::from(weight > 0.0);
            weights[class] += weight;
        }
        (rows, weights)
    }

    /// The first observed value of each class and column; 0 where there is none.
    pub(super) fn first_values(&self) -> Array2<f64> {
        let d = self.rows.n_features();
        let mut first = Array2::from_elem((self.n_classes, d), f64::NAN);
        let columns: Vec<usize> = (0..d).collect();
        let (mut entries, mut wanted) = (vec![0.0; d], first.len());
        for row in 0..self.labels.len() {
            let (class, weight) = self.class_and_weight(row);
            if wanted == 0 {
                break;
            }
            if weight == 0.0 || !first.row(class).iter().any(|value| value.is_nan()) {
                continue;
            }
            self.rows.read(row, &columns, &mut entries);
            for (first, &entry) in first.row_mut(class).iter_mut().zip(&entries) {
                wanted -= usize::from(first.is_nan() && !entry.is_nan());
                *first = if first.is_nan() { entry } else { *first };
            }
        }
        first.mapv_into(|value| if value.is_nan() { 0.0 } else { value })
    }

    /// The patterns, that of complete rows first, and the groups, sorted by pattern and then by class.
    ///
    /// # Errors
    /// An infinite entry.
    pub(super) fn grouped(&self, parallel: Parallel<'_>) -> Result<(Vec<Pattern>, Vec<Group>)> {
        let (n, d) = (self.labels.len(), self.rows.n_features());
        let tasks = n.div_ceil(BLOCK).max(1);
        let range = |task| task_range(task, tasks, n, 1);
        let gaps = parallel.map(tasks, |task, _| self.rows.gaps(range(task)))?;
        let mut patterns = vec![Pattern::complete(d)];
        let mut found: HashMap<&[u64], usize, FixedState> = HashMap::default();
        let mut keyed: Vec<(usize, usize, usize)> = Vec::with_capacity(n);
        for (task, gaps) in gaps.iter().enumerate() {
            let mut lacking = gaps.iter().peekable();
            for row in range(task) {
                let mask = lacking.next_if(|(lacking, _)| *lacking == row).map(|(_, mask)| mask);
                let (class, weight) = self.class_and_weight(row);
                if weight == 0.0 {
                    continue;
                }
                let pattern = mask.map_or(0, |mask| {
                    *found.entry(mask).or_insert_with(|| {
                        patterns.push(Pattern::of(mask, d));
                        patterns.len() - 1
                    })
                });
                keyed.push((pattern, class, row));
            }
        }
        keyed.sort_unstable();
        let groups = keyed.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).map(|members| Group {
            pattern: members[0].0,
            class: members[0].1,
            rows: members.iter().map(|&(_, _, row)| row).collect(),
        });
        Ok((patterns, groups.collect()))
    }
}
