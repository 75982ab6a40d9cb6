//! Lanes: one entry of each of several rows, side by side, a cache line of them.

use ndarray::Array1;

use super::exp::ExpBelowZero;
use super::instance::Instance;
use super::log::LnOnePlus;
use super::transpose::FromRows;
use crate::float::Real;

/// A type that comes in lanes.
pub(crate) trait Lane: Real + ExpBelowZero + LnOnePlus {
    type Lanes: Lanes<Self> + FromRows<Self>;
}

impl Lane for f64 {
    type Lanes = [f64; 8];
}

impl Lane for f32 {
    type Lanes = [f32; 16];
}

/// No type has more lanes.
pub(crate) const MAX_LANES: usize = 16;

/// A fixed number of entries that are computed with at once.
pub(crate) trait Lanes<T>: Copy + Send + Sync {
    /// Number of entries.
    const COUNT: usize;
    /// The same value everywhere.
    fn splat(value: T) -> Self;
    /// An entry for each lane.
    fn from_fn(entry: impl FnMut(usize) -> T) -> Self;
    /// The entries.
    fn entries(&self) -> &[T];
    /// Writes one entry.
    fn set(&mut self, lane: usize, value: T);
    /// self + a x.
    fn add_scaled<I: Instance>(self, a: T, x: Self) -> Self;
    /// self + x y.
    fn add_product<I: Instance>(self, x: Self, y: Self) -> Self;
    /// self + x².
    #[inline(always)]
    fn add_square<I: Instance>(self, x: Self) -> Self {
        self.add_product::<I>(x, x)
    }
    /// self − mean.
    fn minus(self, mean: T) -> Self;
    /// self + term.
    fn plus(self, term: T) -> Self;
    /// self · scale.
    fn scaled(self, scale: T) -> Self;
    /// top − self / 2.
    fn top_minus_half(self, top: T) -> Self;
}

/// a b + c.
#[inline(always)]
pub(super) fn multiply_add<I: Instance, T: Real>(a: T, b: T, c: T) -> T {
    if I::FUSED { a.mul_add(b, c) } else { a * b + c }
}

impl<T: Real, const N: usize> Lanes<T> for [T; N] {
    const COUNT: usize = N;

    #[inline(always)]
    fn splat(value: T) -> Self {
        [value; N]
    }

    #[inline(always)]
    fn from_fn(entry: impl FnMut(usize) -> T) -> Self {
        std::array::from_fn(entry)
    }

    #[inline(always)]
    fn entries(&self) -> &[T] {
        self
    }

    #[inline(always)]
    fn set(&mut self, lane: usize, value: T) {
        self[lane] = value;
    }

    #[inline(always)]
    fn add_scaled<I: Instance>(mut self, a: T, x: Self) -> Self {
        for (sum, x) in self.iter_mut().zip(x) {
            *sum = multiply_add::<I, T>(a, x, *sum);
        }
        self
    }

    #[inline(always)]
    fn add_product<I: Instance>(mut self, x: Self, y: Self) -> Self {
        for (sum, (x, y)) in self.iter_mut().zip(x.into_iter().zip(y)) {
            *sum = multiply_add::<I, T>(x, y, *sum);
        }
        self
    }

    #[inline(always)]
    fn minus(self, mean: T) -> Self {
        self.map(|x| x - mean)
    }

    #[inline(always)]
    fn plus(self, term: T) -> Self {
        self.map(|x| x + term)
    }

    #[inline(always)]
    fn scaled(self, scale: T) -> Self {
        self.map(|x| x * scale)
    }

    #[inline(always)]
    fn top_minus_half(self, top: T) -> Self {
        let half = T::rounded(0.5);
        self.map(|x| top - x * half)
    }
}

/// a + b as a rounded value and what the rounding took.
pub(crate) fn two_parts<T: Lane>(a: f64, b: f64) -> [T; 2] {
    let sum = T::rounded(a + b);
    let rest = (a - sum.into()) + b;
    [sum, T::rounded(rest)]
}

/// A center rounded, and what the rounding took, by which whatever is kept about it must move.
pub(crate) fn rounded_center<T: Lane>(center: &[f64]) -> (Vec<T>, Array1<f64>) {
    let rounded: Vec<T> = center.iter().map(|&m| T::rounded(m)).collect();
    let taken = center.iter().zip(&rounded).map(|(m, &rounded)| m - rounded.into()).collect();
    (rounded, taken)
}
