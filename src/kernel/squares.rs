//! Sums and sums of squares of rows of any element type, class by class, straight from where they lie.

use ndarray::ArrayView2;

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::{Lanes, multiply_add};
use crate::float::Element;

/// Columns of a piece of a row, and of a row that is not cut into pieces.
const PIECE: usize = 8;
const LONG: usize = 64;

/// Where the sums of a few classes are: all class × column.
pub(crate) struct ClassSums<'a> {
    pub(crate) shift: &'a [f64],
    pub(crate) first: &'a mut [f64],
    pub(crate) second: &'a mut [f64],
    /// The weight of entries that are not NaN; empty where NaN is not left out.
    pub(crate) seen: &'a mut [f64],
}

/// Adds w (x − shift) and w (x − shift)² of each row to the sums of its class. Rows must lie in one piece each.
pub(crate) fn add_squares<E: Element>(
    view: &ArrayView2<'_, E>,
    labels: &[u32],
    weights: Option<&[f64]>,
    sums: ClassSums<'_>,
) {
    match sums.seen.is_empty() {
        true => dispatch(Level::current(), AddSquares { view, labels, weights, sums }),
        false => dispatch(Level::current(), AddObserved { view, labels, weights, sums }),
    }
}

struct AddSquares<'a, 'v, E> {
    view: &'a ArrayView2<'v, E>,
    labels: &'a [u32],
    weights: Option<&'a [f64]>,
    sums: ClassSums<'a>,
}

impl<E: Element> Kernel for AddSquares<'_, '_, E> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self, _: I) {
        let ClassSums { shift, first, second, .. } = self.sums;
        let d = self.view.ncols();
        for (row, (entries, &label)) in self.view.rows().into_iter().zip(self.labels).enumerate() {
            let class = label as usize * d..(label as usize + 1) * d;
            let entries = entries.to_slice().unwrap_or_default();
            let (shift, first, second) =
                (&shift[class.clone()], &mut first[class.clone()], &mut second[class]);
            match self.weights {
                None => add_row::<E, I>(entries, shift, first, second, |x| x),
                Some(weights) => add_row::<E, I>(entries, shift, first, second, |x| weights[row] * x),
            }
        }
    }
}

/// Adds one row. Short rows go in pieces of a fixed size, which spares the start and end of a loop; over long rows the
/// compiler's own loop is the faster one.
#[inline(always)]
fn add_row<E: Element, I: Instance>(
    entries: &[E],
    shift: &[f64],
    first: &mut [f64],
    second: &mut [f64],
    weighted: impl Fn(f64) -> f64 + Copy,
) {
    if entries.len() >= LONG {
        return add_entries::<E, I>(entries, shift, first, second, weighted);
    }
    let (entries, last_entries) = entries.as_chunks::<PIECE>();
    let (shift, last_shift) = shift.as_chunks::<PIECE>();
    let (first, last_first) = first.as_chunks_mut::<PIECE>();
    let (second, last_second) = second.as_chunks_mut::<PIECE>();
    for (((entries, shift), first), second) in entries.iter().zip(shift).zip(first).zip(second) {
        let x: [f64; PIECE] = std::array::from_fn(|j| entries[j].as_f64() - shift[j]);
        let weighted = x.map(weighted);
        *first = first.add_scaled::<I>(1.0, weighted);
        *second = second.add_product::<I>(x, weighted);
    }
    add_entries::<E, I>(last_entries, last_shift, last_first, last_second, weighted);
}

#[inline(always)]
fn add_entries<E: Element, I: Instance>(
    entries: &[E],
    shift: &[f64],
    first: &mut [f64],
    second: &mut [f64],
    weighted: impl Fn(f64) -> f64,
) {
    for (((entry, shift), first), second) in entries.iter().zip(shift).zip(first).zip(second) {
        let x = entry.as_f64() - shift;
        let weighted = weighted(x);
        *first += weighted;
        *second = multiply_add::<I, f64>(x, weighted, *second);
    }
}

/// The same of what is not NaN.
struct AddObserved<'a, 'v, E> {
    view: &'a ArrayView2<'v, E>,
    labels: &'a [u32],
    weights: Option<&'a [f64]>,
    sums: ClassSums<'a>,
}

impl<E: Element> Kernel for AddObserved<'_, '_, E> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self, _: I) {
        let ClassSums { shift, first, second, seen } = self.sums;
        let d = self.view.ncols();
        for (row, (entries, &label)) in self.view.rows().into_iter().zip(self.labels).enumerate() {
            let class = label as usize * d..(label as usize + 1) * d;
            let sums = ClassSums {
                shift: &shift[class.clone()],
                first: &mut first[class.clone()],
                second: &mut second[class.clone()],
                seen: &mut seen[class],
            };
            let weight = self.weights.map_or(1.0, |weights| weights[row]);
            add_observed::<E, I>(entries.to_slice().unwrap_or_default(), weight, sums);
        }
    }
}

/// Adds one row. What is NaN has weight 0: there is no branch.
#[inline(always)]
fn add_observed<E: Element, I: Instance>(entries: &[E], weight: f64, sums: ClassSums<'_>) {
    let ClassSums { shift, first, second, seen } = sums;
    let sums = first.iter_mut().zip(second).zip(seen);
    for ((entry, shift), ((first, second), seen)) in entries.iter().zip(shift).zip(sums) {
        let entry = entry.as_f64();
        let (weight, x) = if entry.is_nan() { (0.0, 0.0) } else { (weight, entry - shift) };
        let weighted = weight * x;
        *seen += weight;
        *first += weighted;
        *second = multiply_add::<I, f64>(x, weighted, *second);
    }
}
