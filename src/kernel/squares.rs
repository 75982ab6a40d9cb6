//! Sums and sums of squares of rows of any element type, class by class, straight from where they lie: row by row, or column
//! by column. Either way the rows of a class are added one after another, so that the bits are the same.

mod apart;

use std::marker::PhantomData;

use ndarray::ArrayView2;

use self::apart::AddApart;
use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::{Lanes, multiply_add};
use super::prefetch::prefetch_slice;
use crate::float::Element;

/// Columns of a piece of a row.
const PIECE: usize = 8;

/// Columns of a row that is not cut into pieces. Where its entries lie apart, it is the faster for being copied first.
pub(crate) const LONG: usize = 64;

/// Columns that are read side by side.
pub(crate) const COLUMNS: usize = PIECE;

/// Rows sorted by class, and where each class ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InOrder<'a> {
    pub(crate) order: &'a [usize],
    pub(crate) ends: &'a [usize],
}

impl<'a> InOrder<'a> {
    /// The rows of each class that has some.
    #[inline(always)]
    fn classes(self) -> impl Iterator<Item = (usize, &'a [usize])> {
        let starts = std::iter::once(&0).chain(self.ends);
        let classes = starts.zip(self.ends).enumerate();
        classes
            .filter(|(_, (start, end))| start < end)
            .map(move |(class, (&start, &end))| (class, &self.order[start..end]))
    }
}

/// Where the sums of a few classes are: all class × column.
pub(crate) struct ClassSums<'a> {
    pub(crate) shift: &'a [f64],
    pub(crate) first: &'a mut [f64],
    pub(crate) second: &'a mut [f64],
    /// The weight of entries that are not NaN; empty where NaN is not left out.
    pub(crate) seen: &'a mut [f64],
}

/// Adds w (x − shift) and w (x − shift)² of each row to the sums of its class.
pub(crate) fn add_squares<E: Element>(
    view: &ArrayView2<'_, E>,
    labels: &[u32],
    weights: Option<&[f64]>,
    sums: ClassSums<'_>,
) {
    match (sums.seen.is_empty(), weights) {
        (false, _) => add_rows::<E, Observed>(view, labels, weights, sums),
        (true, Some(_)) => add_rows::<E, Weighted>(view, labels, weights, sums),
        (true, None) => add_rows::<E, Plain>(view, labels, weights, sums),
    }
}

fn add_rows<E: Element, K: Kind>(
    view: &ArrayView2<'_, E>,
    labels: &[u32],
    weights: Option<&[f64]>,
    sums: ClassSums<'_>,
) {
    let (level, kind) = (Level::current(), PhantomData::<K>);
    match view.strides()[1] {
        1 => dispatch(level, AddRows { view, labels, weights, sums, kind }),
        _ => dispatch(level, AddApart { view, labels, weights, sums, kind }),
    }
}

/// The same of up to `COLUMNS` columns in one piece each, which are those from `place` on in the sums; `next` will follow.
pub(crate) fn add_columns<E: Element>(
    columns: &[&[E]],
    next: &[&[E]],
    place: usize,
    rows: InOrder<'_>,
    weights: Option<&[f64]>,
    sums: ClassSums<'_>,
) {
    next.iter().for_each(|column| prefetch_slice(column));
    let level = Level::current();
    match (sums.seen.is_empty(), weights) {
        (false, _) => {
            dispatch(level, AddColumns { columns, place, rows, weights, sums, kind: PhantomData::<Observed> })
        }
        (true, Some(_)) => {
            dispatch(level, AddColumns { columns, place, rows, weights, sums, kind: PhantomData::<Weighted> })
        }
        (true, None) => {
            dispatch(level, AddColumns { columns, place, rows, weights, sums, kind: PhantomData::<Plain> })
        }
    }
}

/// What an entry adds to sums.
trait Kind {
    const OBSERVED: bool;
    /// The entry less the shift, and its weight.
    fn terms(entry: f64, shift: f64, weight: f64) -> (f64, f64);
    /// The first of these, times the weight.
    fn weighted(x: f64, weight: f64) -> f64;
}

/// All rows count alike.
struct Plain;

impl Kind for Plain {
    const OBSERVED: bool = false;

    #[inline(always)]
    fn terms(entry: f64, shift: f64, weight: f64) -> (f64, f64) {
        (entry - shift, weight)
    }

    #[inline(always)]
    fn weighted(x: f64, _: f64) -> f64 {
        x
    }
}

/// Each row has a weight.
struct Weighted;

impl Kind for Weighted {
    const OBSERVED: bool = false;

    #[inline(always)]
    fn terms(entry: f64, shift: f64, weight: f64) -> (f64, f64) {
        (entry - shift, weight)
    }

    #[inline(always)]
    fn weighted(x: f64, weight: f64) -> f64 {
        weight * x
    }
}

/// The same, and what is NaN has weight 0: there is no branch.
struct Observed;

impl Kind for Observed {
    const OBSERVED: bool = true;

    #[inline(always)]
    fn terms(entry: f64, shift: f64, weight: f64) -> (f64, f64) {
        if entry.is_nan() { (0.0, 0.0) } else { (entry - shift, weight) }
    }

    #[inline(always)]
    fn weighted(x: f64, weight: f64) -> f64 {
        weight * x
    }
}

/// Sums of some columns of a class.
struct Piece<'a, const W: usize> {
    shift: &'a [f64; W],
    first: &'a mut [f64; W],
    second: &'a mut [f64; W],
    seen: Option<&'a mut [f64; W]>,
}

impl<const W: usize> Piece<'_, W> {
    /// Adds a row.
    #[inline(always)]
    fn add<I: Instance, K: Kind>(&mut self, entries: [f64; W], weight: f64) {
        let (mut x, mut weighted, mut weights) = ([0.0; W], [0.0; W], [0.0; W]);
        for c in 0..W {
            (x[c], weights[c]) = K::terms(entries[c], self.shift[c], weight);
            weighted[c] = K::weighted(x[c], weights[c]);
        }
        *self.first = self.first.add_scaled::<I>(1.0, weighted);
        *self.second = self.second.add_product::<I>(x, weighted);
        if let Some(seen) = &mut self.seen {
            **seen = seen.add_scaled::<I>(1.0, weights);
        }
    }
}

impl ClassSums<'_> {
    /// The same, borrowed for a while.
    pub(crate) fn reborrow(&mut self) -> ClassSums<'_> {
        self.part(0..self.first.len())
    }

    /// Some of them.
    #[inline(always)]
    fn part(&mut self, range: std::ops::Range<usize>) -> ClassSums<'_> {
        let seen = if self.seen.is_empty() { 0..0 } else { range.clone() };
        ClassSums {
            shift: &self.shift[range.clone()],
            first: &mut self.first[range.clone()],
            second: &mut self.second[range],
            seen: &mut self.seen[seen],
        }
    }

    /// Those of W columns.
    #[inline(always)]
    fn piece<K: Kind, const W: usize>(&mut self, at: usize) -> Piece<'_, W> {
        const EXPECTED: &str = "columns of a class";
        Piece {
            shift: self.shift[at..].first_chunk().expect(EXPECTED),
            first: self.first[at..].first_chunk_mut().expect(EXPECTED),
            second: self.second[at..].first_chunk_mut().expect(EXPECTED),
            seen: match K::OBSERVED {
                true => Some(self.seen[at..].first_chunk_mut().expect(EXPECTED)),
                false => None,
            },
        }
    }
}

struct AddRows<'a, 'v, E, K> {
    view: &'a ArrayView2<'v, E>,
    labels: &'a [u32],
    weights: Option<&'a [f64]>,
    sums: ClassSums<'a>,
    kind: PhantomData<K>,
}

impl<E: Element, K: Kind> Kernel for AddRows<'_, '_, E, K> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(mut self, _: I) {
        let d = self.view.ncols();
        for (row, (entries, &label)) in self.view.rows().into_iter().zip(self.labels).enumerate() {
            let weight = self.weights.map_or(1.0, |weights| weights[row]);
            let class = label as usize * d..(label as usize + 1) * d;
            add_row::<E, I, K>(&entries.to_slice().unwrap_or_default()[..d], weight, self.sums.part(class));
        }
    }
}

/// Adds one row. Short rows go in pieces of fixed sizes, which spares the start and end of a loop; over long rows the
/// compiler's own loop is the faster one.
#[inline(always)]
fn add_row<E: Element, I: Instance, K: Kind>(entries: &[E], weight: f64, mut sums: ClassSums<'_>) {
    let d = entries.len();
    let mut at = 0;
    if d >= LONG {
        return add_long::<E, I, K>(entries, weight, sums);
    }
    while at + PIECE <= d {
        add_piece::<E, I, K, PIECE>(entries, weight, &mut sums, at);
        at += PIECE;
    }
    if at + 4 <= d {
        add_piece::<E, I, K, 4>(entries, weight, &mut sums, at);
        at += 4;
    }
    if at + 2 <= d {
        add_piece::<E, I, K, 2>(entries, weight, &mut sums, at);
        at += 2;
    }
    if at < d {
        add_piece::<E, I, K, 1>(entries, weight, &mut sums, at);
    }
}

#[inline(always)]
fn add_long<E: Element, I: Instance, K: Kind>(entries: &[E], weight: f64, sums: ClassSums<'_>) {
    let ClassSums { shift, first, second, seen } = sums;
    if K::OBSERVED {
        for ((entry, shift), seen) in entries.iter().zip(shift).zip(seen) {
            *seen += K::terms(entry.as_f64(), *shift, weight).1;
        }
    }
    for (((entry, shift), first), second) in entries.iter().zip(shift).zip(first).zip(second) {
        let (x, weight) = K::terms(entry.as_f64(), *shift, weight);
        let weighted = K::weighted(x, weight);
        *first += weighted;
        *second = multiply_add::<I, f64>(x, weighted, *second);
    }
}

#[inline(always)]
fn add_piece<E: Element, I: Instance, K: Kind, const W: usize>(
    entries: &[E],
    weight: f64,
    sums: &mut ClassSums<'_>,
    at: usize,
) {
    let entries: &[E; W] = entries[at..].first_chunk().expect("columns of a row");
    sums.piece::<K, W>(at).add::<I, K>(entries.map(E::as_f64), weight);
}

struct AddColumns<'a, E, K> {
    columns: &'a [&'a [E]],
    place: usize,
    rows: InOrder<'a>,
    weights: Option<&'a [f64]>,
    sums: ClassSums<'a>,
    kind: PhantomData<K>,
}

impl<E: Element, K: Kind> Kernel for AddColumns<'_, E, K> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(mut self, _: I) {
        let mut at = 0;
        if at + COLUMNS <= self.columns.len() {
            self.add::<I, COLUMNS>(at);
            at += COLUMNS;
        }
        if at + 4 <= self.columns.len() {
            self.add::<I, 4>(at);
            at += 4;
        }
        if at + 2 <= self.columns.len() {
            self.add::<I, 2>(at);
            at += 2;
        }
        if at < self.columns.len() {
            self.add::<I, 1>(at);
        }
    }
}

impl<E: Element, K: Kind> AddColumns<'_, E, K> {
    /// Adds W columns, whose sums of a class stay in registers.
    #[inline(always)]
    fn add<I: Instance, const W: usize>(&mut self, at: usize) {
        let d = self.sums.first.len() / self.rows.ends.len();
        let length = self.rows.order.len();
        let columns: [&[E]; W] = std::array::from_fn(|c| &self.columns[at + c][..length]);
        for (class, rows) in self.rows.classes() {
            let mut sums = self.sums.piece::<K, W>(class * d + self.place + at);
            let (mut first, mut second) = (*sums.first, *sums.second);
            let mut seen = sums.seen.as_deref().copied();
            let mut kept =
                Piece { shift: sums.shift, first: &mut first, second: &mut second, seen: seen.as_mut() };
            for &row in rows {
                let weight = self.weights.map_or(1.0, |weights| weights[row]);
                kept.add::<I, K>(columns.map(|column| column[row].as_f64()), weight);
            }
            (*sums.first, *sums.second) = (first, second);
            if let (Some(sums), Some(seen)) = (&mut sums.seen, seen) {
                **sums = seen;
            }
        }
    }
}
