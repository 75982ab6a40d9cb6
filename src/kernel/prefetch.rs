//! Rows asked for before they are needed: while some are computed with, the next ones come from memory.

use std::ops::Range;

use ndarray::ArrayView2;

use crate::float::Element;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Bytes by which asking for short rows runs ahead of reading them.
#[cfg(target_arch = "x86_64")]
const LATER: usize = 4096;

/// Bytes of a row up to which reading row after row is reading in order.
const SHORT: usize = 128;

/// Bytes between rows that are fetched with them.
const NEAR: usize = 128;

/// Lines that are asked for at most with each one that is computed with.
const MAX_LINES: usize = 2;

/// The memory of the rows that come next: one piece, or several equally far apart. A kernel that goes through packed rows
/// asks for a line of it with each line that it computes with, so that computing hides the fetching.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ahead {
    /// The address of the next line.
    next: usize,
    /// Where its piece ends, and where the last one does.
    piece_end: usize,
    end: usize,
    /// Bytes from the end of a piece to the begin of the next one, and to its end.
    gap: usize,
    stride: usize,
    /// Lines for each one that is computed with: entries that lie apart take more of them.
    lines: usize,
}

impl Ahead {
    /// Nothing comes next.
    pub(crate) const fn nothing() -> Self {
        Self { next: 0, piece_end: 0, end: 0, gap: 0, stride: 0, lines: 0 }
    }

    /// Lines to ask for with each one that is computed with: none if nothing is left.
    #[inline(always)]
    pub(super) fn lines(self) -> usize {
        if self.next < self.end { self.lines } else { 0 }
    }

    /// Asks for some lines; those behind the end do no harm.
    #[inline(always)]
    pub(super) fn fetch<const LINES: usize>(&mut self) {
        #[cfg(target_arch = "x86_64")]
        for line in 0..LINES {
            fetch((self.next + line * LINE) as *const u8);
        }
        self.next += LINES * LINE;
        if LINES > 0 && self.next >= self.piece_end {
            self.next = self.piece_end + self.gap;
            self.piece_end += self.stride;
        }
    }
}

/// The memory of rows, if it is worth asking for: whose entries lie near each other, or whose columns lie in one piece. Of
/// short rows the machine sees by itself what comes next.
pub(crate) fn ahead<E: Element>(view: &ArrayView2<'_, E>, range: Range<usize>) -> Ahead {
    let (rows, columns, size) = (range.len(), view.ncols(), size_of::<E>());
    let [down, across] =
        [view.strides()[0], view.strides()[1]].map(|stride| usize::try_from(stride).unwrap_or(0));
    // There is no stable way to ask on other architectures.
    if !cfg!(target_arch = "x86_64") || rows == 0 || columns == 0 || down == 0 || across == 0 {
        return Ahead::nothing();
    }
    let start = view.as_ptr() as usize + range.start * down * size;
    let pieces = |length: usize, count: usize, stride: usize, lines: usize| Ahead {
        next: start,
        piece_end: start + length * size,
        end: start + ((count - 1) * stride + length) * size,
        gap: (stride - length) * size,
        stride: stride * size,
        lines,
    };
    let (width, lines) = ((columns - 1) * across + 1, across.min(MAX_LINES));
    match (down, across) {
        (1, _) if across >= rows => pieces(rows, columns, across, 1),
        _ if width > down || width * size < SHORT => Ahead::nothing(),
        _ if down - width < NEAR / size => pieces(rows * down, 1, rows * down, lines),
        _ => pieces(width, rows, down, lines),
    }
}

/// Rows in any order that come next, each in one piece: asked for a few lines at a time, while something else is computed.
#[derive(Debug, Clone)]
pub(crate) struct RowsAhead<'a> {
    /// The address of the first row of all, bytes from one to the next, and of each.
    start: usize,
    stride: usize,
    bytes: usize,
    /// Rows to ask for, and what was asked of the first one.
    order: &'a [usize],
    asked: usize,
}

impl<'a> RowsAhead<'a> {
    /// Nothing comes next.
    pub(crate) const fn nothing() -> Self {
        Self { start: 0, stride: 0, bytes: 0, order: &[], asked: 0 }
    }

    /// Some rows, if they lie in one piece each.
    pub(crate) fn new<E: Element>(view: &ArrayView2<'_, E>, order: &'a [usize]) -> Self {
        match (usize::try_from(view.strides()[0]), view.strides()[1]) {
            (Ok(stride), 1) if cfg!(target_arch = "x86_64") => {
                let size = size_of::<E>();
                let (start, bytes) = (view.as_ptr() as usize, view.ncols() * size);
                Self { start, stride: stride * size, bytes, order, asked: 0 }
            }
            _ => Self::nothing(),
        }
    }

    /// Lines of all rows.
    pub(super) fn lines(&self) -> usize {
        self.order.len() * self.bytes.div_ceil(LINE)
    }

    /// Asks for some lines.
    #[inline(always)]
    pub(super) fn fetch(&mut self, lines: usize) {
        for _ in 0..lines {
            let Some((row, later)) = self.order.split_first() else { return };
            fetch_near(self.start + row * self.stride + self.asked);
            self.asked += LINE;
            if self.asked >= self.bytes {
                (self.order, self.asked) = (later, 0);
            }
        }
    }
}

/// Begins to fetch rows.
pub(crate) fn prefetch<E: Element>(view: &ArrayView2<'_, E>, range: Range<usize>) {
    let mut ahead = ahead(view, range);
    while ahead.lines() > 0 {
        ahead.fetch::<1>();
    }
}

/// Begins to fetch a row whose entries lie near each other. On other architectures this does nothing.
#[inline(always)]
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "there is no stable way to ask"))]
pub(super) fn prefetch_row<E: Element>(view: &ArrayView2<'_, E>, row: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        let (row, across) = (view.row(row), view.strides()[1].unsigned_abs().max(1));
        if let Some(row) = row.to_slice() {
            return prefetch_slice(row);
        }
        let step = (LINE / size_of::<E>()).div_ceil(across);
        (0..row.len()).step_by(step).for_each(|entry| fetch(&row[entry]));
        if let Some(last) = row.last() {
            fetch(last);
        }
    }
}

/// Begins to fetch what lies in one piece. On other architectures this does nothing.
#[inline(always)]
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "there is no stable way to ask"))]
pub(super) fn prefetch_slice<E: Element>(entries: &[E]) {
    #[cfg(target_arch = "x86_64")]
    entries.chunks(LINE / size_of::<E>()).for_each(|line| fetch(line.as_ptr()));
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "an instruction of this architecture")]
#[inline(always)]
fn fetch<E>(address: *const E) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: every x86-64 has it, and it reads nothing that the program could see.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
}

/// Asks for a line that will not be needed at once, so that it does not drive out what is in the nearest cache.
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "there is no stable way to ask"))]
#[inline(always)]
fn fetch_near(address: usize) {
    #[cfg(target_arch = "x86_64")]
    #[expect(unsafe_code, reason = "an instruction of this architecture")]
    // SAFETY: as above.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T1>(address as *const i8);
    };
}

/// Asks for what comes so far behind some entries, if they are few.
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "there is no stable way to ask"))]
#[inline(always)]
pub(super) fn fetch_later<E: Element>(first: &E, entries: usize) {
    #[cfg(target_arch = "x86_64")]
    if entries * size_of::<E>() <= LATER / 4 {
        let address = std::ptr::from_ref(first).cast::<u8>();
        (0..entries * size_of::<E>())
            .step_by(LINE)
            .for_each(|line| fetch(address.wrapping_add(LATER + line)));
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use ndarray::{Array2, s};
    use std::collections::BTreeSet;

    /// The lines that are asked for.
    fn asked(mut ahead: Ahead) -> Vec<usize> {
        let mut lines = vec![];
        while ahead.lines() > 0 {
            lines.push(ahead.next / LINE);
            ahead.fetch::<1>();
        }
        lines
    }

    /// Whether what is asked for is all but the last line of each piece of some rows, and nothing far from them.
    fn fits(view: &ArrayView2<'_, f64>, range: Range<usize>) -> bool {
        let lines: BTreeSet<usize> = asked(ahead(view, range.clone())).into_iter().collect();
        let rows = view.slice(s![range, ..]);
        let line = |entry: &f64| std::ptr::from_ref(entry) as usize / LINE;
        let near = |entry: &f64| lines.range(line(entry) - 1..=line(entry) + 1).next().is_some();
        let least = rows.iter().map(line).min();
        let most = rows.iter().map(line).max();
        rows.iter().all(near) && lines.iter().all(|line| Some(*line) >= least && Some(*line) <= most)
    }

    #[test]
    fn the_lines_of_rows_are_asked_for_in_every_layout() {
        let (c, f) = (Array2::<f64>::zeros((100, 64)), Array2::<f64>::zeros((64, 500)));
        assert!(fits(&c.view(), 10..42));
        assert!(fits(&c.slice(s![.., ..;2]), 10..42));
        assert!(fits(&c.slice(s![..;2, 5..40]), 0..50));
        assert!(fits(&f.t(), 64..128));
        assert!(fits(&f.slice(s![..;2, ..]).reversed_axes(), 436..500));
    }

    #[test]
    fn rows_in_any_order_are_asked_for_line_by_line() {
        let x = Array2::<f64>::zeros((100, 20));
        let order = [70, 3, 99];
        let mut ahead = RowsAhead::new(&x.view(), &order);
        assert_eq!(ahead.lines(), 9);
        let mut asked = vec![];
        while let Some(row) = ahead.order.first() {
            asked.push(ahead.start + row * ahead.stride + ahead.asked);
            ahead.fetch(1);
        }
        let begin = |row: usize| std::ptr::from_ref(&x[(row, 0)]) as usize;
        let expected: Vec<usize> =
            order.iter().flat_map(|&row| [0, LINE, 2 * LINE].map(|line| begin(row) + line)).collect();
        assert_eq!(asked, expected);
        assert_eq!(RowsAhead::new(&x.t(), &order).lines(), 0);
    }

    #[test]
    fn nothing_is_asked_for_where_there_is_nothing_or_it_lies_the_wrong_way_round() {
        let x = Array2::<f64>::zeros((100, 64));
        assert!(asked(ahead(&x.view(), 100..100)).is_empty());
        assert!(asked(ahead(&x.slice(s![.., ..0]), 0..10)).is_empty());
        assert!(asked(ahead(&x.slice(s![..;-1, ..]), 0..10)).is_empty());
        assert!(asked(ahead(&x.slice(s![.., ..;-1]), 0..10)).is_empty());
        assert!(asked(ahead(&Array2::<f64>::zeros((1, 64)).broadcast((100, 64)).unwrap(), 0..10)).is_empty());
        assert!(asked(Ahead::nothing()).is_empty());
    }
}
