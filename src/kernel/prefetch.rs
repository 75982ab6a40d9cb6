//! Rows asked for before they are needed: while some are computed with, the next ones come from memory.

use std::ops::Range;

use ndarray::ArrayView2;

use crate::float::Element;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Bytes by which asking for short rows runs ahead of reading them.
#[cfg(target_arch = "x86_64")]
const LATER: usize = 4096;

/// Bytes of a row from which on the machine does not see by itself what comes next: tiles read several rows at a time.
#[cfg(target_arch = "x86_64")]
const LONG: usize = 256;

/// Bytes of a row up to which reading row after row is reading in order.
const SHORT: usize = 128;

/// The memory of the rows that come next. A kernel that goes through packed rows asks for a line of it with each line that
/// it computes with, so that computing hides the fetching.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ahead {
    /// The address of the next line.
    next: usize,
    end: usize,
}

impl Ahead {
    /// Nothing comes next.
    pub(crate) const fn nothing() -> Self {
        Self { next: 0, end: 0 }
    }

    #[inline(always)]
    pub(super) fn is_empty(self) -> bool {
        self.next >= self.end
    }

    /// Asks for some lines; those behind the end do no harm.
    #[inline(always)]
    pub(super) fn fetch<const LINES: usize>(&mut self) {
        #[cfg(target_arch = "x86_64")]
        for line in 0..LINES {
            fetch_near((self.next + line * LINE) as *const u8);
        }
        self.next += LINES * LINE;
    }
}

/// The memory of rows, if they lie in one piece. Of short ones the machine sees by itself what comes next.
pub(crate) fn ahead<E: Element>(view: &ArrayView2<'_, E>, range: Range<usize>) -> Option<Ahead> {
    let rows = view.slice(ndarray::s![range, ..]);
    let memory = rows.as_slice()?.as_ptr_range();
    match view.ncols() * size_of::<E>() < SHORT {
        true => Some(Ahead::nothing()),
        false => Some(Ahead { next: memory.start as usize, end: memory.end as usize }),
    }
}

/// Begins to fetch rows: long ones whose entries lie near each other, or columns in one piece. On other architectures this
/// does nothing.
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "there is no stable way to ask"))]
pub(crate) fn prefetch<E: Element>(view: &ArrayView2<'_, E>, range: Range<usize>) {
    #[cfg(target_arch = "x86_64")]
    {
        let rows = view.slice(ndarray::s![range, ..]);
        let [down, across] = [rows.strides()[0].unsigned_abs(), rows.strides()[1].unsigned_abs()];
        let entries = LINE / size_of::<E>();
        if down == 1 && across > 1 {
            for column in rows.columns() {
                column.iter().step_by(entries).for_each(|entry| fetch(entry));
            }
        } else if let Some(rows) = rows.as_slice().filter(|_| rows.ncols() * size_of::<E>() >= LONG) {
            rows.chunks(entries).for_each(|line| fetch(line.as_ptr()));
        } else if across < down && rows.ncols() * across * size_of::<E>() >= LONG {
            for row in rows.rows() {
                row.iter().step_by(entries.div_ceil(across)).for_each(|entry| fetch(entry));
            }
        }
    }
}

/// Begins to fetch a row whose entries lie near each other. On other architectures this does nothing.
#[inline(always)]
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "there is no stable way to ask"))]
pub(super) fn prefetch_row<E: Element>(view: &ArrayView2<'_, E>, row: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        let (row, across) = (view.row(row), view.strides()[1].unsigned_abs().max(1));
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

/// Into the second level of the cache, as the first holds what is computed with.
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "an instruction of this architecture")]
#[inline(always)]
fn fetch_near(address: *const u8) {
    use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
    // SAFETY: as above.
    unsafe { _mm_prefetch::<_MM_HINT_T1>(address.cast()) };
}
