//! Rows of each family of element types, in every memory layout, packed for scoring.

use ndarray::{Array2, s};
use proptest::prelude::*;

use super::{MAX_COLUMNS, MAX_ROWS, any_number, cases, one_by_one, same_bits, to_lanes};
use crate::float::{Element, Flag};
use crate::kernel::instance::Level;
use crate::kernel::{Lane, Lanes, pack, repack, unpack};
use crate::oracle::{Noise, Precision, in_both_precisions, in_every_layout};

/// A table, which of its rows are listed, and what they are shifted by.
struct Case<E> {
    x: Array2<E>,
    indices: Vec<usize>,
    shift: Vec<f64>,
}

impl<E: Element> Case<E> {
    /// Lists rows in a line, the same with two of them swapped, or any in any order, some again and again.
    fn new((n, d): (usize, usize), seed: u64, entry: impl Fn(&mut Noise) -> E) -> Self {
        let mut noise = Noise(seed);
        let first = noise.below(n);
        let length = 1 + noise.below(n - first);
        let mut indices: Vec<usize> = (first..first + length).collect();
        match noise.below(3) {
            0 => {}
            1 => indices.swap(noise.below(length), noise.below(length)),
            _ => indices = (0..=noise.below(MAX_ROWS)).map(|_| noise.below(n)).collect(),
        }
        let shift = (0..d).map(|_| any_number::<f32>(&mut noise)).collect();
        Self { x: Array2::from_shape_simple_fn((n, d), || entry(&mut noise)), indices, shift }
    }

    /// The same with entries of another type.
    fn with_entries<F>(&self, convert: impl Fn(E) -> F) -> Case<F> {
        Case { x: self.x.mapv(convert), indices: self.indices.clone(), shift: self.shift.clone() }
    }

    /// Packs the listed rows out of a larger table of `filler`, from every layout and on each instruction set: what
    /// each lane holds.
    fn packed<T: Lane>(&self, filler: E) -> Vec<(String, Array2<f64>)> {
        let (n, d) = self.x.dim();
        let mut larger = Array2::from_elem((n + 2, d + 2), filler);
        larger.slice_mut(s![1..=n, 1..=d]).assign(&self.x);
        let shift: Vec<T> = self.shift.iter().map(|&shift| T::rounded(shift)).collect();
        let groups = self.indices.len().div_ceil(T::Lanes::COUNT);
        let mut outcomes = vec![];
        in_every_layout(&larger, filler, |layout, view| {
            let on_each = Level::each(|| {
                let mut tile = vec![T::Lanes::splat(T::nan()); groups * d];
                pack(&view.slice(s![1..=n, 1..=d]), &self.indices, &shift, &mut tile);
                one_by_one::<T>(&tile, groups * T::Lanes::COUNT, d)
            });
            let named = |(level, lanes)| (format!("{level:?}, {layout}"), lanes);
            outcomes.extend(on_each.into_iter().map(named));
        });
        outcomes
    }
}

fn shape() -> impl Strategy<Value = (usize, usize)> {
    (1..=MAX_ROWS, 1..=MAX_COLUMNS)
}

/// Entries less their shift, row after row; lanes without a row repeat the last.
fn assert_in_place<E: Element, T: Precision>(case: &Case<E>, filler: E) {
    for (which, lanes) in case.packed::<T>(filler) {
        let expected = Array2::from_shape_fn(lanes.dim(), |(lane, j)| {
            let row = case.indices[lane.min(case.indices.len() - 1)];
            (T::read(case.x[(row, j)]) - T::rounded(case.shift[j])).into()
        });
        assert!(same_bits(&lanes, &expected), "{which}: {lanes}, not {expected}");
    }
}

fn each_entry_lands_in_its_lane_less_its_shift<T: Precision>() {
    proptest!(cases(48), |(shape in shape(), seed: u64)| {
        assert_in_place::<f64, T>(&Case::new(shape, seed, any_number::<f64>), f64::NAN);
        assert_in_place::<f32, T>(&Case::new(shape, seed, |noise| any_number::<f32>(noise) as f32), f32::NAN);
        assert_in_place::<u16, T>(&Case::new(shape, seed, |noise| noise.next() as u16), u16::MAX);
        assert_in_place::<i64, T>(&Case::new(shape, seed, |noise| noise.next() as i64), i64::MAX);
        assert_in_place::<Flag, T>(&Case::new(shape, seed, |noise| Flag([0, 1, 2, 255][noise.below(4)])), Flag(1));
    });
}

const NOT_FINITE: [f64; 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

fn rows_that_are_not_listed_may_hold_anything<T: Precision>() {
    proptest!(cases(32), |(shape in shape(), seed: u64)| {
        let mut case = Case::new(shape, seed, any_number::<f64>);
        for row in (0..shape.0).filter(|row| !case.indices.contains(row)) {
            case.x.row_mut(row).fill(NOT_FINITE[row % 3]);
        }
        assert_in_place::<f64, T>(&case, f64::NAN);
        assert_in_place::<f32, T>(&case.with_entries(|x| x as f32), f32::NAN);
    });
}

fn packed_rows_come_out_one_after_another<T: Precision>() {
    proptest!(|((n, d) in (1..=MAX_ROWS, 1..=2 * MAX_COLUMNS), seed: u64)| {
        let mut noise = Noise(seed);
        let x = Array2::from_shape_simple_fn((n, d), || any_number::<T>(&mut noise));
        for (level, rows) in Level::each(|| {
            let mut rows = vec![T::nan(); n * d];
            unpack::<T>(&to_lanes::<T>(&x), d, &mut rows);
            rows
        }) {
            let rows: Vec<f64> = rows.into_iter().map(T::into).collect();
            prop_assert!(same_bits(&rows, &x), "{level:?}: {rows:?}, not {x}");
        }
    });
}

fn rows_are_packed_again_as_they_were<T: Precision>() {
    proptest!(|((n, d) in (1..=MAX_ROWS, 1..=2 * MAX_COLUMNS), seed: u64)| {
        let mut noise = Noise(seed);
        let entries = [-0.0, 0.0, f64::NAN, f64::INFINITY];
        let entry = |noise: &mut Noise| match noise.below(9) {
            place @ 0..4 => entries[place],
            _ => any_number::<T>(noise),
        };
        let x = Array2::from_shape_simple_fn((n, d), || entry(&mut noise));
        let rows: Vec<T> = x.iter().map(|&x| T::rounded(x)).collect();
        let indices: Vec<usize> = (0..=noise.below(70)).map(|_| noise.below(n)).collect();
        let groups = indices.len().div_ceil(T::Lanes::COUNT);
        let expected = Array2::from_shape_fn((groups * T::Lanes::COUNT, d), |(lane, j)| {
            x[(indices[lane.min(indices.len() - 1)], j)]
        });
        for (level, lanes) in Level::each(|| {
            let mut tile = vec![T::Lanes::splat(T::nan()); groups * d];
            repack::<T>(&rows, &indices, &vec![T::zero(); d], &mut tile);
            one_by_one::<T>(&tile, groups * T::Lanes::COUNT, d)
        }) {
            prop_assert!(same_bits(&lanes, &expected), "{level:?}: {lanes}, not {expected}");
        }
    });
}

in_both_precisions!(
    each_entry_lands_in_its_lane_less_its_shift,
    rows_that_are_not_listed_may_hold_anything,
    packed_rows_come_out_one_after_another,
    rows_are_packed_again_as_they_were,
);
