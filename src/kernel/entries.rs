//! The entries of a row, a few at a time, wherever they lie.

use ndarray::ArrayView1;

use crate::float::Element;

/// A row that is read in pieces.
pub(super) trait Entries: Copy {
    fn len(self) -> usize;
    /// `W` entries from `at` on, as doubles.
    fn piece<const W: usize>(self, at: usize) -> [f64; W];
}

/// Entries in one piece.
impl<E: Element> Entries for &[E] {
    #[inline(always)]
    fn len(self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn piece<const W: usize>(self, at: usize) -> [f64; W] {
        self[at..].first_chunk::<W>().expect("columns of a row").map(E::as_f64)
    }
}

/// Entries that lie apart.
impl<E: Element> Entries for ArrayView1<'_, E> {
    #[inline(always)]
    fn len(self) -> usize {
        self.dim()
    }

    #[inline(always)]
    fn piece<const W: usize>(self, at: usize) -> [f64; W] {
        assert!(at + W <= self.dim(), "columns of a row");
        #[expect(unsafe_code, reason = "one check for all of them")]
        // SAFETY: there are so many entries, as was checked.
        std::array::from_fn(|c| unsafe { self.uget(at + c) }.as_f64())
    }
}
