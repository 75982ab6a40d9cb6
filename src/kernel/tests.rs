//! Every kernel on every instruction set that the machine has, against plain loops.

mod guarded;
mod lanes;
mod largest;
mod maps;
mod pack;
mod screens;
mod sums;

use ndarray::Array2;
use proptest::prelude::ProptestConfig;

use super::{Lane, Lanes};
use crate::oracle::Noise;

/// Miri interprets, a thousand times slower: there a few groups of lanes have to do.
const MAX_ROWS: usize = if cfg!(miri) { 18 } else { 70 };
const MAX_COLUMNS: usize = if cfg!(miri) { 5 } else { 20 };

/// As many cases of a property, fewer under Miri.
fn cases(usual: u32) -> ProptestConfig {
    ProptestConfig::with_cases(if cfg!(miri) { 2 } else { usual })
}

/// A number of a size between 1/1000 and 1000, rounded to `T`.
fn any_number<T: Lane>(noise: &mut Noise) -> f64 {
    let size = 10.0_f64.powi(noise.below(7) as i32 - 3);
    T::rounded(size * (noise.next() as i64 as f64 / i64::MAX as f64)).into()
}

/// One of so few that their products and sums are exact in both precisions.
fn small_integer(noise: &mut Noise) -> f64 {
    noise.below(9) as f64 - 4.0
}

/// Rows side by side in lanes: [group][column]. Lanes without a row hold NaN.
fn to_lanes<T: Lane>(rows: &Array2<f64>) -> Vec<T::Lanes> {
    let (n, columns) = rows.dim();
    let lanes = T::Lanes::COUNT;
    let slots = (0..n.div_ceil(lanes)).flat_map(|group| (0..columns).map(move |column| (group, column)));
    let entry = |row: usize, column: usize| rows.get((row, column)).map_or(T::nan(), |&x| T::rounded(x));
    slots.map(|(group, column)| T::Lanes::from_fn(|lane| entry(group * lanes + lane, column))).collect()
}

/// The first `n` rows of what lies side by side.
fn one_by_one<T: Lane>(lanes: &[T::Lanes], n: usize, columns: usize) -> Array2<f64> {
    assert_eq!(lanes.len(), n.div_ceil(T::Lanes::COUNT) * columns);
    Array2::from_shape_fn((n, columns), |(row, column)| {
        lanes[row / T::Lanes::COUNT * columns + column].entries()[row % T::Lanes::COUNT].into()
    })
}

/// Whether two tables hold the same bits.
fn same_bits<'a>(a: impl IntoIterator<Item = &'a f64>, b: impl IntoIterator<Item = &'a f64>) -> bool {
    a.into_iter().map(|x| x.to_bits()).eq(b.into_iter().map(|x| x.to_bits()))
}
