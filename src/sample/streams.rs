//! Streams of random numbers: one for each seed, purpose and block, found without drawing those before.

use ndarray::ArrayView1;
use rand::rngs::{ChaCha8Rng, Xoshiro256PlusPlus};
use rand::{Rng, SeedableRng};

use crate::kernel::Normals;

/// A stream.
pub(crate) type Stream = Xoshiro256PlusPlus;

/// What numbers are drawn for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose {
    Classes,
    Rows,
    Imputations,
}

impl Purpose {
    /// The number of the stream of a block. Streams of imputations begin where no block of the others reaches.
    fn stream(self, block: usize) -> u64 {
        match self {
            Self::Classes => 2 * block as u64,
            Self::Rows => 2 * block as u64 + 1,
            Self::Imputations => (1 << 63) + block as u64,
        }
    }
}

/// The stream of a block. A counter-based generator says where it begins; the numbers come from a quicker one.
pub(crate) fn stream(seed: u64, purpose: Purpose, block: usize) -> Stream {
    Stream::from_rng(&mut beginning(seed, purpose, block))
}

/// The normal numbers of a block, which several generators draw side by side.
pub(super) fn normals(seed: u64, purpose: Purpose, block: usize) -> Normals {
    let mut beginning = beginning(seed, purpose, block);
    Normals::new(|| beginning.next_u64())
}

fn beginning(seed: u64, purpose: Purpose, block: usize) -> ChaCha8Rng {
    let mut beginnings = ChaCha8Rng::seed_from_u64(seed);
    beginnings.set_stream(purpose.stream(block));
    beginnings
}

/// The index in whose share of the unit interval a number falls.
pub(crate) fn pick(weights: ArrayView1<'_, f64>, uniform: f64) -> usize {
    let mut passed = 0.0;
    let found = weights.iter().position(|weight| {
        passed += weight;
        uniform < passed
    });
    // Rounding may leave the sum of all below 1.
    found.or_else(|| weights.iter().rposition(|&weight| weight > 0.0)).unwrap_or(0)
}
