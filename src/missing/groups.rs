//! Labeled rows, and those of them that lack the same columns brought together.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::error::Result;
use crate::parallel::{Parallel, task_range};
use crate::rows::{Pattern, Rows};

/// Rows that are looked through together.
const BLOCK: usize = 1 << 14;

/// Labeled rows of which some entries may be missing.
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

    /// The patterns, that of complete rows first, and the groups, sorted by pattern and then by class.
    ///
    /// # Errors
    /// An infinite entry.
    pub(super) fn group_rows(&self, parallel: Parallel<'_>) -> Result<(Vec<Pattern>, Vec<Group>)> {
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
