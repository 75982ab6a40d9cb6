//! Rows as estimators take them: dense or sparse.

use ndarray::{ArrayBase, ArrayView2, Data, Ix2};

use crate::discrete::Sparse;
use crate::error::{Error, InputError, Result};
use crate::rows::{Entry, Rows};

/// Rows of a fit or of a question: `&x`, whatever array of ndarray it is, or [`Sparse`] rows.
///
/// ```
/// use gauda::{BernoulliNb, Sparse};
/// use ndarray::array;
///
/// // words 0 and 3 in the first text, 1 in the second
/// let texts = Sparse::csr(&[1_u8, 2, 1], &[0, 3, 1], &[0, 2, 3], 4)?;
/// let model = BernoulliNb::params().fit(texts, &["spam", "ham"])?;
/// assert_eq!(model.predict(&array![[1, 0, 0, 1]])?, model.predict(Sparse::csr(&[1_u8, 1], &[0, 3], &[0, 2], 4)?)?);
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Table<'a> {
    /// All entries are given.
    Dense(Rows<'a>),
    /// Entries that are not given are 0.
    Sparse(Sparse<'a>),
}

impl<'a> Table<'a> {
    /// Number of rows.
    ///
    /// ```
    /// use gauda::Table;
    /// use ndarray::array;
    ///
    /// assert_eq!(Table::from(&array![[1.0], [2.0]]).n_rows(), 2);
    /// ```
    pub fn n_rows(&self) -> usize {
        match self {
            Self::Dense(rows) => rows.n_rows(),
            Self::Sparse(rows) => rows.n_rows(),
        }
    }

    /// Number of columns.
    ///
    /// ```
    /// use gauda::{Sparse, Table};
    ///
    /// let empty = Sparse::csr::<f64>(&[], &[], &[0, 0], 3)?;
    /// assert_eq!(Table::from(empty).n_features(), 3);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn n_features(&self) -> usize {
        match self {
            Self::Dense(rows) => rows.n_features(),
            Self::Sparse(rows) => rows.n_features(),
        }
    }

    /// The rows, for models that read all entries.
    pub(super) fn dense(&self) -> Result<&Rows<'a>> {
        match self {
            Self::Dense(rows) => Ok(rows),
            Self::Sparse(_) => Err(Error::Input(InputError::Unsupported(
                "rows must be dense for this model; got sparse ones; give an array of ndarray",
            ))),
        }
    }

    /// The same rows, borrowed for as long as the reference.
    pub(super) fn reborrow<'b>(&'b self) -> Table<'b>
    where
        'a: 'b,
    {
        match self {
            Self::Dense(rows) => Table::Dense(Rows::from(rows)),
            Self::Sparse(rows) => Table::Sparse(rows.reborrow()),
        }
    }
}

impl<'a, S: Data<Elem: Entry>> From<&'a ArrayBase<S, Ix2>> for Table<'a> {
    fn from(array: &'a ArrayBase<S, Ix2>) -> Self {
        Self::Dense(array.into())
    }
}

impl<'a, E: Entry> From<ArrayView2<'a, E>> for Table<'a> {
    fn from(view: ArrayView2<'a, E>) -> Self {
        Self::Dense(E::rows(view))
    }
}

impl<'a> From<Rows<'a>> for Table<'a> {
    fn from(rows: Rows<'a>) -> Self {
        Self::Dense(rows)
    }
}

impl<'a> From<&'a Rows<'_>> for Table<'a> {
    fn from(rows: &'a Rows<'_>) -> Self {
        Self::Dense(rows.into())
    }
}

impl<'a> From<Sparse<'a>> for Table<'a> {
    fn from(rows: Sparse<'a>) -> Self {
        Self::Sparse(rows)
    }
}

impl<'a> From<&Sparse<'a>> for Table<'a> {
    fn from(rows: &Sparse<'a>) -> Self {
        Self::Sparse(*rows)
    }
}

impl<'a> Sparse<'a> {
    /// Compressed sparse rows: entries row by row, the column of each, and where each row begins, ended by the number of
    /// entries.
    ///
    /// # Errors
    /// Lengths or numbers that do not fit together.
    ///
    /// ```
    /// use gauda::Sparse;
    ///
    /// let rows = Sparse::csr(&[1.0, 2.0, 5.0], &[0, 4, 2], &[0, 2, 3], 5)?; // (1, 0, 0, 0, 2) and (0, 0, 5, 0, 0)
    /// assert_eq!((rows.n_rows(), rows.n_features()), (2, 5));
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn csr<E: Entry>(
        entries: &'a [E],
        columns: &'a [i32],
        starts: &'a [i64],
        n_features: usize,
    ) -> Result<Self> {
        let entries = ArrayView2::from_shape((entries.len(), 1), entries).expect("one column");
        Self::new(E::rows(entries), columns, starts, n_features)
    }
}
