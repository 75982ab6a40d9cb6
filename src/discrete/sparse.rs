//! Rows of which only some entries are given (compressed sparse rows); the others are 0.

use std::ops::Range;

use super::presence::invalid_entry;
use crate::error::{Error, InputError, Result, ShapeError, same_size};
use crate::kernel::{Presence, SparseRows, survey_columns};
use crate::rows::Rows;

/// Borrowed compressed sparse rows. The columns of a row may come in any order, each once.
///
/// ```
/// use gauda::{MultinomialNb, Sparse};
///
/// // three texts of five terms: (3, 0, 0, 0, 1), (0, 2, 0, 0, 0) and (1, 0, 0, 4, 0)
/// let texts = Sparse::csr(&[3_u8, 1, 2, 1, 4], &[0, 4, 1, 0, 3], &[0, 2, 3, 5], 5)?;
/// assert_eq!(MultinomialNb::params().fit(texts, &["a", "b", "a"])?.predict(texts)?, ["a", "b", "a"]);
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Sparse<'a> {
    entries: Rows<'a>,
    columns: &'a [i32],
    starts: &'a [i64],
    features: usize,
}

impl<'a> Sparse<'a> {
    /// `entries`, in one column, and the column of each; those of row i begin with number `starts[i]`, where those of row
    /// i − 1 end.
    ///
    /// # Errors
    /// Lengths or numbers that do not fit together.
    ///
    /// ```
    /// use gauda::core::Rows;
    /// use gauda::core::discrete::Sparse;
    /// use ndarray::array;
    ///
    /// let entries = array![[1_u8], [1], [1]];
    /// let rows = Sparse::new(Rows::from(entries.view()), &[0, 4, 2], &[0, 2, 3], 5)?;
    /// assert_eq!(rows.n_rows(), 2);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn new(entries: Rows<'a>, columns: &'a [i32], starts: &'a [i64], features: usize) -> Result<Self> {
        same_size("entries of a column for each row", entries.n_features(), 1)?;
        same_size("number of column indices", columns.len(), entries.n_rows())?;
        same_size("number of entries", entries.n_rows(), starts.last().map_or(0, |&last| last as usize))?;
        let ascending = starts.first() == Some(&0) && starts.is_sorted();
        match ascending {
            true => Ok(Self { entries, columns, starts, features }),
            false => Err(Error::Shape(ShapeError::Size {
                what: "rows that start where others end",
                given: 0,
                expected: starts.len(),
            })),
        }
    }

    /// The same rows, borrowed for as long as the reference.
    pub(crate) fn reborrow(&self) -> Sparse<'_> {
        Sparse { entries: Rows::from(&self.entries), ..*self }
    }

    /// Number of rows.
    ///
    /// ```
    /// let rows = gauda::Sparse::csr(&[1.0, 2.0, 5.0], &[0, 4, 2], &[0, 2, 3], 5)?;
    /// assert_eq!(rows.n_rows(), 2);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn n_rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of columns.
    ///
    /// ```
    /// let rows = gauda::Sparse::csr(&[1.0, 2.0, 5.0], &[0, 4, 2], &[0, 2, 3], 5)?;
    /// assert_eq!(rows.n_features(), 5);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn n_features(&self) -> usize {
        self.features
    }

    /// Number of entries that are given.
    ///
    /// ```
    /// let rows = gauda::Sparse::csr(&[1.0, 2.0, 5.0], &[0, 4, 2], &[0, 2, 3], 5)?;
    /// assert_eq!(rows.n_entries(), 3);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn n_entries(&self) -> usize {
        self.columns.len()
    }

    /// Reads how much is present in the entries of some rows.
    ///
    /// # Errors
    /// Entries that are not fit to be counted, columns beyond those there are, or given twice in a row.
    pub(super) fn read<'b>(
        &self,
        rows: Range<usize>,
        presence: Presence,
        shares: &'b mut Vec<f64>,
    ) -> Result<SparseRows<'b>>
    where
        'a: 'b,
    {
        let range = self.starts[rows.start] as usize..self.starts[rows.end] as usize;
        shares.resize(range.len(), 0.0);
        if !self.entries.read_shares(range.clone(), presence, shares) {
            return Err(self.first_invalid_entry(rows, presence));
        }
        let (columns, starts) = (&self.columns[range], &self.starts[rows.start..=rows.end]);
        let (highest, ascend) = survey_columns(columns, starts);
        if !columns.is_empty() && highest as usize >= self.features {
            let what = "columns that the indices of sparse rows ask for";
            return Err(Error::Shape(ShapeError::Size {
                what,
                given: highest as usize + 1,
                expected: self.features,
            }));
        }
        // Amounts of a column that is given twice add up by themselves.
        if !ascend && presence != Presence::Amount {
            rows.clone().try_for_each(|row| self.check_distinct(row))?;
        }
        Ok(SparseRows { columns, starts, shares })
    }

    /// Refuses a column that a row gives twice. Those that ascend, as they mostly do, are distinct.
    fn check_distinct(&self, row: usize) -> Result<()> {
        let columns = &self.columns[self.starts[row] as usize..self.starts[row + 1] as usize];
        if columns.is_sorted_by(|a, b| a < b) {
            return Ok(());
        }
        let mut sorted = columns.to_vec();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(Error::Input(InputError::GivenTwice { row, column: pair[0] as usize })),
            None => Ok(()),
        }
    }

    /// Names the first entry in these rows that is not fit to be counted.
    fn first_invalid_entry(&self, rows: Range<usize>, presence: Presence) -> Error {
        let entries = rows.flat_map(|row| {
            let range = self.starts[row] as usize..self.starts[row + 1] as usize;
            range.map(move |entry| (row, self.columns[entry], self.entries.entry(entry, 0)))
        });
        let mut invalid = entries.filter(|&(_, _, value)| !presence.is_valid(value));
        let (row, column, value) = invalid.next().expect("an entry that was not fit");
        invalid_entry(presence, row, column as usize, value)
    }
}
