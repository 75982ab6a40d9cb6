//! Where numbers are read from: a table, or columns that may each be of another type.

use std::ops::Range;

use crate::error::Result;
use crate::kernel::{COLUMNS, ClassSums, InOrder, add_columns};
use crate::rows::{Rows, sort_with_ends};

/// Rows of numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Source<'a, 'r> {
    Table(&'a Rows<'r>),
    /// Each with one entry per row.
    Columns(&'a [Rows<'r>]),
}

impl Source<'_, '_> {
    pub(super) fn n_features(&self) -> usize {
        match self {
            Self::Table(rows) => rows.n_features(),
            Self::Columns(columns) => columns.len(),
        }
    }

    /// Whether entries are doubles, of some columns at least.
    pub(super) fn is_double(&self) -> bool {
        match self {
            Self::Table(rows) => rows.is_double(),
            Self::Columns(columns) => columns.iter().any(Rows::is_double),
        }
    }

    pub(super) fn read_row(&self, row: usize, entries: &mut [f64]) {
        match self {
            Self::Table(rows) => rows.read_row(row, entries),
            Self::Columns(columns) => {
                entries.iter_mut().zip(*columns).for_each(|(entry, column)| *entry = column.entry(row, 0));
            }
        }
    }

    /// Some entries of a row.
    pub(super) fn read(&self, row: usize, places: &[usize], entries: &mut [f64]) {
        match self {
            Self::Table(rows) => rows.read(row, places, entries),
            Self::Columns(columns) => {
                entries.iter_mut().zip(places).for_each(|(entry, &j)| *entry = columns[j].entry(row, 0));
            }
        }
    }

    /// Names an entry in these rows that is not finite, or infinite where NaN may be: the first of a table.
    pub(super) fn check(&self, range: Range<usize>, allow_nan: bool) -> Result<()> {
        let check = |rows: &Rows<'_>| match allow_nan {
            true => rows.check_not_infinite(range.clone()),
            false => rows.check_finite(range.clone()),
        };
        match self {
            Self::Table(rows) => check(rows),
            Self::Columns(columns) => columns
                .iter()
                .enumerate()
                .try_for_each(|(j, column)| check(column).map_err(|error| error.in_column(j))),
        }
    }

    /// Keeps those of some columns that are 0 in these rows, too.
    pub(super) fn retain_zeros(&self, range: Range<usize>, columns: &mut Vec<usize>) {
        match self {
            Self::Table(rows) => rows.retain_zeros(range, columns),
            Self::Columns(all) => columns.retain(|&j| {
                let mut zero = vec![0];
                all[j].retain_zeros(range.clone(), &mut zero);
                !zero.is_empty()
            }),
        }
    }

    /// Adds rows and their squares to the sums of their classes.
    pub(super) fn add_squares(
        &self,
        range: Range<usize>,
        labels: &[u32],
        weights: Option<&[f64]>,
        mut sums: ClassSums<'_>,
        sorted: &mut Sorted,
    ) {
        match self {
            Self::Table(table) if table.lie_in_columns() => {
                table.add_column_squares(range, sorted.sort(labels), weights, sums);
            }
            Self::Table(table) => table.add_squares(range, labels, weights, sums),
            Self::Columns(columns) => {
                let rows = sorted.sort(labels);
                let mut numbers = vec![0.0; COLUMNS * range.len()];
                for (group, columns) in columns.chunks(COLUMNS).enumerate() {
                    let parts = numbers.chunks_exact_mut(range.len());
                    for (column, numbers) in columns.iter().zip(parts) {
                        column.read_numbers(range.clone(), numbers);
                    }
                    let read: Vec<&[f64]> = numbers.chunks_exact(range.len()).take(columns.len()).collect();
                    add_columns(&read, &[], group * COLUMNS, rows, weights, sums.reborrow());
                }
            }
        }
    }
}

/// Room for rows sorted by class.
#[derive(Debug)]
pub(super) struct Sorted {
    classes: usize,
    order: Vec<usize>,
    ends: Vec<usize>,
}

impl Sorted {
    pub(super) fn new(classes: usize) -> Self {
        Self { classes, order: vec![], ends: vec![] }
    }

    fn sort(&mut self, labels: &[u32]) -> InOrder<'_> {
        sort_with_ends(0, labels, self.classes, &mut self.order, &mut self.ends);
        InOrder { order: &self.order, ends: &self.ends }
    }
}
