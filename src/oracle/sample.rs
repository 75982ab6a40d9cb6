//! Labeled rows that are the same on every run, in every memory layout.

use ndarray::{Array2, ArrayView2, s};

use crate::core::{Moments, Parallel, Result, Rows, Structure};

/// A stream of random numbers (SplitMix64).
pub(crate) struct Noise(pub(crate) u64);

impl Noise {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// An integer below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// Labeled rows. Entries are multiples of 1/128 below 16, which single precision holds exactly.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    pub(crate) x: Array2<f64>,
    pub(crate) labels: Vec<u32>,
    pub(crate) classes: usize,
    pub(crate) weights: Option<Vec<f64>>,
}

impl Sample {
    /// Classes in turn, overlapping, with correlated neighboring columns and spreads that differ between classes.
    pub(crate) fn new(n: usize, d: usize, classes: usize) -> Self {
        Self::with_labels((0..n).map(|row| (row % classes) as u32).collect(), d, classes, 1)
    }

    /// Classes by chance, some maybe without a row; weights, if any, from 0 to 3.
    pub(crate) fn by_chance(n: usize, d: usize, classes: usize, weighted: bool, seed: u64) -> Self {
        let mut noise = Noise(seed);
        let present = 1 + noise.below(classes);
        let labels = (0..n).map(|_| (classes - 1 - noise.below(present)) as u32).collect();
        // The first row counts, so that some weight is positive.
        let weights = (0..n).map(|row| if row == 0 { 1.0 } else { noise.below(7) as f64 / 2.0 });
        let weights = weighted.then(|| weights.collect());
        Self { weights, ..Self::with_labels(labels, d, classes, seed) }
    }

    fn with_labels(labels: Vec<u32>, d: usize, classes: usize, seed: u64) -> Self {
        let mut noise = Noise(seed);
        let steps = Array2::from_shape_fn((labels.len(), d), |_| noise.below(256) as f64 / 64.0 - 2.0);
        let x = Array2::from_shape_fn((labels.len(), d), |(row, j)| {
            let class = labels[row] as usize;
            let neighbor = if j == 0 { 0.0 } else { steps[(row, j - 1)] };
            (steps[(row, j)] + neighbor / 2.0) * (1 + class % 2) as f64 + ((class * (j + 2)) % 5) as f64 / 2.0
        });
        Self { x, labels, classes, weights: None }
    }

    pub(crate) fn moments(&self, structure: Structure) -> Result<Moments> {
        self.moments_of(&Rows::from(self.x.view()), structure, Parallel::new(Some(1)))
    }

    /// The moments of other rows with this sample's labels and weights.
    pub(crate) fn moments_of(
        &self,
        rows: &Rows<'_>,
        structure: Structure,
        parallel: Parallel<'_>,
    ) -> Result<Moments> {
        Moments::from_rows(rows, &self.labels, self.classes, self.weights.as_deref(), structure, parallel)
    }
}

/// Shows a table in C and Fortran order, with `filler` in gaps between its entries, and stored back to front.
pub(crate) fn in_every_layout<E: Copy>(
    x: &Array2<E>,
    filler: E,
    mut check: impl FnMut(&str, ArrayView2<'_, E>),
) {
    let (n, d) = x.dim();
    check("C order", x.view());
    check("Fortran order", x.t().as_standard_layout().t());
    let mut wide = Array2::from_elem((2 * n, 3 * d), filler);
    wide.slice_mut(s![..;2, 1..;3]).assign(x);
    check("gaps in C order", wide.slice(s![..;2, 1..;3]));
    check("gaps in Fortran order", wide.t().as_standard_layout().t().slice(s![..;2, 1..;3]));
    let backwards = x.slice(s![..;-1, ..;-1]).as_standard_layout().into_owned();
    check("back to front", backwards.slice(s![..;-1, ..;-1]));
    let upside_down = x.slice(s![..;-1, ..]).t().as_standard_layout().into_owned();
    check("upside down in Fortran order", upside_down.t().slice(s![..;-1, ..]));
}
