//! Sparse rows: entries read and checked, their columns too, and what they add to the scores of classes.

use std::ops::{Deref, DerefMut};

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::Lanes;
use super::levels::Quad;
use super::presence::Presence;
use crate::float::Element;

/// Reads entries as how much is present. Tells whether all were fit to be read.
pub(crate) fn read_shares<E: Element>(entries: &[E], presence: Presence, shares: &mut [f64]) -> bool {
    dispatch(Level::current(), ReadShares { entries, presence, shares })
}

struct ReadShares<'a, E> {
    entries: &'a [E],
    presence: Presence,
    shares: &'a mut [f64],
}

impl<E: Element> Kernel for ReadShares<'_, E> {
    type Output = bool;

    #[inline(always)]
    fn run<I: Instance>(self, _: I) -> bool {
        // What counts is known outside the loop, so that there is no branch inside.
        match self.presence {
            Presence::Above(threshold) => self.read(|x| Presence::Above(threshold).read(x)),
            Presence::Share => self.read(|x| Presence::Share.read(x)),
            Presence::Amount => self.read(|x| Presence::Amount.read(x)),
        }
    }
}

impl<E: Element> ReadShares<'_, E> {
    #[inline(always)]
    fn read(self, read: impl Fn(f64) -> (f64, bool)) -> bool {
        let mut valid = true;
        for (share, entry) in self.shares.iter_mut().zip(self.entries) {
            let (present, fit) = read(entry.as_f64());
            *share = present;
            valid &= fit;
        }
        valid
    }
}

/// A sum, and what rounding has left out of it (Knuth).
pub(crate) fn exact_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let added = sum - a;
    (sum, (a - (sum - added)) + (b - added))
}

/// The highest of columns, negative ones without their sign, and whether those of each row ascend.
pub(crate) fn survey_columns(columns: &[i32], starts: &[i64]) -> (u32, bool) {
    dispatch(Level::current(), SurveyColumns { columns, starts })
}

struct SurveyColumns<'a> {
    columns: &'a [i32],
    starts: &'a [i64],
}

impl Kernel for SurveyColumns<'_> {
    type Output = (u32, bool);

    #[inline(always)]
    fn run<I: Instance>(self, _: I) -> (u32, bool) {
        let highest = self.columns.iter().fold(0, |highest, &column| highest.max(column as u32));
        let mut ascend = true;
        for ends in self.starts.windows(2) {
            let range = (ends[0] - self.starts[0]) as usize..(ends[1] - self.starts[0]) as usize;
            let columns = &self.columns[range];
            let pairs = columns.iter().zip(columns.iter().skip(1));
            ascend &= pairs.fold(true, |ascend, (a, b)| ascend & (a < b));
        }
        (highest, ascend)
    }
}

/// Bytes of a cache line.
const LINE: usize = 64;

/// Numbers that may have to be skipped to begin with a line.
const SPARE: usize = LINE / size_of::<f64>();

/// Quads that begin with a line of the cache, so that as few lines as can be hold the terms of a column.
#[derive(Debug)]
pub(crate) struct AlignedQuads {
    numbers: Vec<f64>,
    first: usize,
}

impl AlignedQuads {
    pub(crate) fn zeros(count: usize) -> Self {
        let numbers = vec![0.0; 4 * count + SPARE];
        Self { first: numbers.as_ptr().align_offset(LINE).min(SPARE), numbers }
    }

    fn end(&self) -> usize {
        self.first + self.numbers.len() - SPARE
    }
}

impl Deref for AlignedQuads {
    type Target = [Quad];

    fn deref(&self) -> &[Quad] {
        self.numbers[self.first..self.end()].as_chunks::<4>().0
    }
}

impl DerefMut for AlignedQuads {
    fn deref_mut(&mut self) -> &mut [Quad] {
        let range = self.first..self.end();
        self.numbers[range].as_chunks_mut::<4>().0
    }
}

/// Sparse rows whose entries were read.
#[derive(Clone, Copy)]
pub(crate) struct SparseRows<'a> {
    /// Where rows start among entries of which these may be but a part: one more than there are rows.
    pub(crate) starts: &'a [i64],
    pub(crate) columns: &'a [i32],
    pub(crate) shares: &'a [f64],
}

impl<'a> SparseRows<'a> {
    /// For each row the columns of its entries, and what was read there.
    #[inline(always)]
    pub(crate) fn rows(self) -> impl Iterator<Item = (&'a [i32], &'a [f64])> {
        let first = self.starts.first().copied().unwrap_or_default();
        self.starts.windows(2).map(move |ends| {
            let range = (ends[0] - first) as usize..(ends[1] - first) as usize;
            (&self.columns[range.clone()], &self.shares[range])
        })
    }
}

/// For each row the constants, and the terms of its columns times what was read there: those of column j are
/// `table[j * width..][..width]`, with as many quads as constants.
pub(crate) fn add_sparse_rows(rows: SparseRows<'_>, constant: &[Quad], table: &[Quad], sums: &mut [Quad]) {
    dispatch(Level::current(), AddSparseRows { rows, constant, table, sums });
}

struct AddSparseRows<'a> {
    rows: SparseRows<'a>,
    constant: &'a [Quad],
    table: &'a [Quad],
    sums: &'a mut [Quad],
}

impl Kernel for AddSparseRows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self, _: I) {
        match self.constant.len() {
            1 => self.add::<I, 1>(),
            2 => self.add::<I, 2>(),
            3 => self.add::<I, 3>(),
            4 => self.add::<I, 4>(),
            5 => self.add::<I, 5>(),
            6 => self.add::<I, 6>(),
            7 => self.add::<I, 7>(),
            8 => self.add::<I, 8>(),
            _ => self.add_many::<I>(),
        }
    }
}

impl AddSparseRows<'_> {
    /// The sums of a row stay in registers.
    #[inline(always)]
    fn add<I: Instance, const WIDTH: usize>(self) {
        let (constant, table) = (self.constant.as_chunks::<WIDTH>().0, self.table.as_chunks::<WIDTH>().0);
        let sums = self.sums.as_chunks_mut::<WIDTH>().0;
        for (sums, (columns, shares)) in sums.iter_mut().zip(self.rows.rows()) {
            // Every second entry has sums of its own, so that none waits for the one before.
            let (mut row, mut other) = (constant[0], [[0.0; 4]; WIDTH]);
            let ((pairs, last), (pair_shares, last_share)) =
                (columns.as_chunks::<2>(), shares.as_chunks::<2>());
            for (columns, shares) in pairs.iter().zip(pair_shares) {
                let terms = columns.map(|column| &table[column as usize]);
                for i in 0..WIDTH {
                    row[i] = row[i].add_scaled::<I>(shares[0], terms[0][i]);
                    other[i] = other[i].add_scaled::<I>(shares[1], terms[1][i]);
                }
            }
            for (&column, &share) in last.iter().zip(last_share) {
                let terms = &table[column as usize];
                for i in 0..WIDTH {
                    row[i] = row[i].add_scaled::<I>(share, terms[i]);
                }
            }
            *sums = std::array::from_fn(|i| std::array::from_fn(|lane| row[i][lane] + other[i][lane]));
        }
    }

    #[inline(always)]
    fn add_many<I: Instance>(self) {
        let width = self.constant.len();
        for (sums, (columns, shares)) in self.sums.chunks_exact_mut(width).zip(self.rows.rows()) {
            sums.copy_from_slice(self.constant);
            for (&column, &share) in columns.iter().zip(shares) {
                let terms = &self.table[column as usize * width..][..width];
                let pairs = sums.iter_mut().zip(terms);
                pairs.for_each(|(sums, terms)| *sums = sums.add_scaled::<I>(share, *terms));
            }
        }
    }
}
