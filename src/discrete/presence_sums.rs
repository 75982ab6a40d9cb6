//! Sums of what is present, class by class and column by column, and how those of tasks are joined.

use std::ops::Range;

use ndarray::{Array2, Zip};

use super::labeled::Labeled;
use super::rows_per_task;
use crate::error::Result;
use crate::kernel::exact_sum;
use crate::memory::room_for;
use crate::parallel::{Job, Parallel, task_range};

/// What is summed up beside the counts of each class and column.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Tables {
    /// Nothing.
    One,
    /// Another table.
    Two,
    /// What rounding has left out of weights and counts.
    Exact,
}

/// Sums of some rows.
pub(super) struct Sums {
    pub(super) classes: Vec<f64>,
    /// What rounding has left out of the weights of the classes, if it is kept.
    pub(super) classes_lost: Vec<f64>,
    pub(super) counts: Array2<f64>,
    pub(super) further: Array2<f64>,
}

impl Sums {
    pub(super) fn counts(self) -> (Vec<f64>, Array2<f64>) {
        (self.classes, self.counts)
    }

    fn add(&mut self, other: &Self, tables: Tables) {
        if tables != Tables::Exact {
            self.classes.iter_mut().zip(&other.classes).for_each(|(sum, other)| *sum += other);
            self.counts += &other.counts;
            self.further += &other.further;
            return;
        }
        for (class, &weight) in other.classes.iter().enumerate() {
            self.add_weight(class, weight);
            self.classes_lost[class] += other.classes_lost[class];
        }
        self.further += &other.further;
        Zip::from(&mut self.counts).and(&mut self.further).and(&other.counts).for_each(
            |sum, lost, &other| {
                let (joined, left) = exact_sum(*sum, other);
                *sum = joined;
                *lost += left;
            },
        );
    }

    fn new((classes, columns): (usize, usize), tables: Tables) -> Self {
        let zeros = |wanted| Array2::zeros(if wanted { (classes, columns) } else { (0, 0) });
        Self {
            classes: vec![0.0; classes],
            classes_lost: vec![0.0; classes],
            counts: zeros(true),
            further: zeros(tables != Tables::One),
        }
    }

    /// Adds the weights of some rows to those of their classes.
    fn add_weights(&mut self, labeled: Labeled<'_>, rows: Range<usize>, tables: Tables) {
        for row in rows {
            let (class, weight) = (labeled.labels[row] as usize, labeled.weight(row));
            match tables {
                Tables::Exact => self.add_weight(class, weight),
                Tables::One | Tables::Two => self.classes[class] += weight,
            }
        }
    }

    fn add_weight(&mut self, class: usize, weight: f64) {
        let (sum, left) = exact_sum(self.classes[class], weight);
        self.classes[class] = sum;
        self.classes_lost[class] += left;
    }
}

/// Counts in parallel; `part` adds a range of rows to their sums.
pub(super) fn count(
    (rows, columns): (usize, usize),
    row_work: usize,
    labeled: Labeled<'_>,
    tables: Tables,
    parallel: Parallel<'_>,
    part: impl Fn(Range<usize>, &mut Sums, &Job<'_>) -> Result<()> + Sync,
) -> Result<Sums> {
    labeled.check(rows)?;
    let number = if tables == Tables::One { 1 } else { 2 };
    room_for(labeled.classes.checked_mul(columns.max(1)).and_then(|size| size.checked_mul(number)))?;
    // The tables of tasks should cost little beside their rows.
    let table_work = labeled.classes.saturating_mul(columns).saturating_mul(4);
    let task_rows = rows_per_task(row_work).max(table_work / row_work.max(1));
    let tasks = (rows / task_rows).max(1);
    let sum = |task: usize, job: &Job<'_>| {
        let range = task_range(task, tasks, rows, 1);
        let mut sums = Sums::new((labeled.classes, columns), tables);
        sums.add_weights(labeled, range.clone(), tables);
        part(range, &mut sums, job)?;
        Ok(sums)
    };
    let sums = parallel.fold_in_order(tasks, sum, |sums, other| sums.add(&other, tables))?;
    Ok(sums.expect("there is a task"))
}
