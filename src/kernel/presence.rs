//! Entries read as present (1) or absent (0): counted for each class, or binarized for scoring.

use ndarray::ArrayView2;

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::{Lanes, multiply_add};
use crate::float::Element;

/// Columns of a piece of a row.
const PIECE: usize = 8;

/// What counts as present.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Presence {
    /// An entry above this; any finite entry will do.
    Above(f64),
    /// As much as the entry says, from 0 to 1.
    Share,
    /// As often as the entry says, any finite number of at least 0.
    Amount,
}

impl Presence {
    /// How much is present, and whether the entry is fit to say so.
    #[inline(always)]
    pub(crate) fn read(self, x: f64) -> (f64, bool) {
        match self {
            Self::Above(threshold) => (if x > threshold { 1.0 } else { 0.0 }, x.abs() < f64::INFINITY),
            Self::Share => (x, (0.0..=1.0).contains(&x)),
            Self::Amount => (x, (0.0..f64::INFINITY).contains(&x)),
        }
    }

    /// Whether an entry is fit to be read.
    pub(crate) fn is_valid(self, x: f64) -> bool {
        self.read(x).1
    }
}

/// Whether what is present is counted, or what is not.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Counted {
    Present(Presence),
    Absent(Presence),
}

/// Adds what is present or absent in each row to the counts of its class, [class][column]. Rows must lie in one piece each.
/// Tells whether all entries were fit to be read.
pub(crate) fn add_presence<E: Element>(
    view: &ArrayView2<'_, E>,
    counted: Counted,
    labels: &[u32],
    weights: Option<&[f64]>,
    counts: &mut [f64],
) -> bool {
    dispatch(Level::current(), AddPresence { view, counted, labels, weights, counts })
}

struct AddPresence<'a, 'v, E> {
    view: &'a ArrayView2<'v, E>,
    counted: Counted,
    labels: &'a [u32],
    weights: Option<&'a [f64]>,
    counts: &'a mut [f64],
}

impl<E: Element> Kernel for AddPresence<'_, '_, E> {
    type Output = bool;

    #[inline(always)]
    fn run<I: Instance>(self, _: I) -> bool {
        let d = self.view.ncols();
        let mut invalid = [0.0; PIECE];
        for (row, (entries, &label)) in self.view.rows().into_iter().zip(self.labels).enumerate() {
            let counts = &mut self.counts[label as usize * d..][..d];
            let entries = entries.to_slice().unwrap_or_default();
            let weight = self.weights.map_or(1.0, |weights| weights[row]);
            // The threshold is known outside the loop, so that there is no branch inside.
            let invalid = &mut invalid;
            match self.counted {
                Counted::Present(Presence::Above(threshold)) => {
                    add_row::<E, I>(entries, |x| Presence::Above(threshold).read(x), weight, counts, invalid);
                }
                Counted::Present(Presence::Share) => {
                    add_row::<E, I>(entries, |x| Presence::Share.read(x), weight, counts, invalid);
                }
                Counted::Present(Presence::Amount) => {
                    add_row::<E, I>(entries, |x| Presence::Amount.read(x), weight, counts, invalid);
                }
                Counted::Absent(presence) => {
                    let absent = |(present, fit): (f64, bool)| (1.0 - present, fit);
                    add_row::<E, I>(entries, |x| absent(presence.read(x)), weight, counts, invalid);
                }
            }
        }
        invalid == [0.0; PIECE]
    }
}

#[inline(always)]
fn add_row<E: Element, I: Instance>(
    entries: &[E],
    read: impl Fn(f64) -> (f64, bool),
    weight: f64,
    counts: &mut [f64],
    invalid: &mut [f64; PIECE],
) {
    let (pieces, last) = entries.as_chunks::<PIECE>();
    let (counts, last_counts) = counts.as_chunks_mut::<PIECE>();
    for (piece, counts) in pieces.iter().zip(counts) {
        let read = piece.map(|entry| read(entry.as_f64()));
        *counts = counts.add_scaled::<I>(weight, read.map(|(present, _)| present));
        *invalid = std::array::from_fn(|j| if read[j].1 { invalid[j] } else { 1.0 });
    }
    for (entry, count) in last.iter().zip(last_counts) {
        let (present, fit) = read(entry.as_f64());
        *count = multiply_add::<I, f64>(weight, present, *count);
        invalid[0] = if fit { invalid[0] } else { 1.0 };
    }
}

/// Replaces entries by how much is present. Tells whether all were fit to be read.
pub(crate) fn binarize(presence: Presence, x: &mut [[f64; 8]]) -> bool {
    dispatch(Level::current(), Binarize { presence, x })
}

struct Binarize<'a> {
    presence: Presence,
    x: &'a mut [[f64; 8]],
}

impl Kernel for Binarize<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<I: Instance>(self, _: I) -> bool {
        let mut invalid = [0.0; 8];
        for lanes in self.x {
            let read = lanes.map(|x| self.presence.read(x));
            *lanes = read.map(|(present, _)| present);
            invalid = std::array::from_fn(|lane| if read[lane].1 { invalid[lane] } else { 1.0 });
        }
        invalid == [0.0; 8]
    }
}
