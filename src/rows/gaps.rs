//! Which entries of rows are missing, that is NaN: a bit for each column.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use ndarray::ArrayView2;

use crate::error::{Error, InputError, Result};
use crate::float::Element;
use crate::kernel::{WORD, find_gaps};

/// Rows that lack something, in order, and what they lack.
#[derive(Debug)]
pub(crate) struct Gaps {
    pub(crate) rows: Vec<usize>,
    masks: Vec<u64>,
    words: usize,
}

impl Gaps {
    pub(super) fn new(features: usize) -> Self {
        Self { rows: vec![], masks: vec![], words: features.div_ceil(WORD) }
    }

    /// The rows with their masks.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &[u64])> {
        self.rows.iter().copied().zip(self.masks.chunks(self.words))
    }

    /// Masks, in the order in which they come, and the rows that have them.
    pub(crate) fn by_mask(&self) -> Vec<(&[u64], Vec<usize>)> {
        let mut places: HashMap<&[u64], usize, FixedState> = HashMap::default();
        let mut alike: Vec<(&[u64], Vec<usize>)> = vec![];
        for (row, mask) in self.iter() {
            let place = *places.entry(mask).or_insert_with(|| {
                alike.push((mask, vec![]));
                alike.len() - 1
            });
            alike[place].1.push(row);
        }
        alike
    }

    /// Notes what is missing in some rows.
    ///
    /// # Errors
    /// An infinite entry.
    pub(super) fn find<E: Element>(
        &mut self,
        view: &ArrayView2<'_, E>,
        rows: impl Iterator<Item = usize>,
    ) -> Result<()> {
        let Some(row) = find_gaps(view, rows, &mut self.rows, &mut self.masks) else {
            return Ok(());
        };
        let mut entries = view.row(row).into_iter().map(|entry| entry.as_f64()).enumerate();
        match entries.find(|(_, value)| value.is_infinite()) {
            Some((column, value)) => Err(Error::Input(InputError::NonFinite { row, column, value })),
            None => Ok(()),
        }
    }
}

/// The columns that a mask shows to be there, and those that it shows to be missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    pub(crate) observed: Vec<usize>,
    pub(crate) missing: Vec<usize>,
}

impl Pattern {
    pub(crate) fn complete(features: usize) -> Self {
        Self { observed: (0..features).collect(), missing: vec![] }
    }

    pub(crate) fn of(mask: &[u64], features: usize) -> Self {
        let is_missing = |column: &usize| mask[column / WORD] >> (column % WORD) & 1 == 1;
        let count = mask.iter().map(|word| word.count_ones() as usize).sum();
        let (mut observed, mut missing) = (Vec::with_capacity(features - count), Vec::with_capacity(count));
        (0..features)
            .for_each(|column| if is_missing(&column) { &mut missing } else { &mut observed }.push(column));
        Self { observed, missing }
    }
}
