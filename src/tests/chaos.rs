//! Sizes and numbers as a careless or hostile caller may give them: mostly what is expected, now and then anything else.

use ndarray::{Array1, Array2, Array3};

use crate::oracle::Noise;

/// Numbers that are rarely what anybody meant.
const ODD: [f64; 14] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    0.0,
    -0.0,
    -1.0,
    2.0,
    1e300,
    -1e300,
    f64::MAX,
    f64::MIN_POSITIVE,
    5e-324,
    1e-200,
    1e18,
];

pub(super) struct Chaos {
    noise: Noise,
    /// One thing in so many is odd.
    rarity: usize,
}

impl Chaos {
    /// Of three cases one is all right, one has a few odd things and one has many.
    pub(super) fn new(seed: u64) -> Self {
        let mut noise = Noise(seed);
        let rarity = [usize::MAX, 40, 6][noise.below(3)];
        Self { noise, rarity }
    }

    fn is_odd(&mut self) -> bool {
        self.noise.below(self.rarity) == 0 && self.rarity != usize::MAX
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.noise.below(bound)
    }

    pub(super) fn flip(&mut self) -> bool {
        self.below(2) == 0
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// A small size, now and then 0.
    pub(super) fn size(&mut self) -> usize {
        if self.is_odd() { 0 } else { 1 + self.below(4) }
    }

    /// The size that fits, now and then another.
    pub(super) fn near(&mut self, size: usize) -> usize {
        match self.is_odd() {
            true => self.pick(&[0, 1, size.saturating_sub(1), size + 1, 2 * size + 3]),
            false => size,
        }
    }

    /// A number from −2 to 2, now and then any.
    pub(super) fn number(&mut self) -> f64 {
        if self.is_odd() { self.pick(&ODD) } else { self.below(257) as f64 / 64.0 - 2.0 }
    }

    /// A number from 0 to 1, now and then any.
    pub(super) fn share(&mut self) -> f64 {
        if self.is_odd() { self.pick(&ODD) } else { self.below(5) as f64 / 4.0 }
    }

    /// A number from 1/2 to 2, now and then any.
    pub(super) fn positive(&mut self) -> f64 {
        if self.is_odd() { self.pick(&ODD) } else { 0.5 + self.below(97) as f64 / 64.0 }
    }

    pub(super) fn numbers(&mut self, size: usize) -> Vec<f64> {
        (0..self.near(size)).map(|_| self.number()).collect()
    }

    pub(super) fn positives(&mut self, size: usize) -> Vec<f64> {
        (0..self.near(size)).map(|_| self.positive()).collect()
    }

    pub(super) fn shares(&mut self, size: usize) -> Vec<f64> {
        (0..self.near(size)).map(|_| self.share()).collect()
    }

    pub(super) fn matrix(&mut self, (rows, columns): (usize, usize)) -> Array2<f64> {
        let size = (self.near(rows), self.near(columns));
        Array2::from_shape_fn(size, |_| self.number())
    }

    /// Positive definite, if nothing is odd.
    pub(super) fn covariance(&mut self, features: usize) -> Array2<f64> {
        let root = self.matrix((features, features));
        let mut covariance = root.dot(&root.t());
        covariance.diag_mut().mapv_inplace(|variance| variance + 0.5);
        if self.is_odd() && !covariance.is_empty() {
            let place = (self.below(covariance.nrows()), self.below(covariance.ncols()));
            covariance[place] = self.number();
        }
        covariance
    }

    pub(super) fn covariances(&mut self, classes: usize, features: usize) -> Array3<f64> {
        let one = self.covariance(features);
        let (rows, columns) = one.dim();
        let more: Vec<Array2<f64>> = (0..self.near(classes)).map(|_| self.covariance(features)).collect();
        Array3::from_shape_fn((more.len(), rows, columns), |(class, i, j)| {
            *more[class].get((i, j)).unwrap_or(&one[(i, j)])
        })
    }

    pub(super) fn weights(&mut self, size: usize) -> Option<Vec<f64>> {
        self.flip().then(|| self.positives(size))
    }

    pub(super) fn labels(&mut self, rows: usize, classes: usize) -> Vec<u32> {
        let rows = self.near(rows);
        (0..rows).map(|row| self.near(row % classes.max(1)) as u32).collect()
    }

    pub(super) fn array(&mut self, size: usize) -> Array1<f64> {
        self.positives(size).into()
    }

    /// Memory for answers.
    pub(super) fn space<T: Clone>(&mut self, size: usize, filler: T) -> Vec<T> {
        vec![filler; self.near(size)]
    }
}
