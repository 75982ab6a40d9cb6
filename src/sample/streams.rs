//! Streams of random numbers: one for each seed, purpose and block, found without drawing those before.

use rand::SeedableRng;
use rand::rngs::{ChaCha8Rng, Xoshiro256PlusPlus};

/// A stream.
pub(super) type Stream = Xoshiro256PlusPlus;

/// What numbers are drawn for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Purpose {
    Classes,
    Rows,
}

/// The stream of a block. A counter-based generator says where it begins; the numbers come from a quicker one.
pub(super) fn stream(seed: u64, purpose: Purpose, block: usize) -> Stream {
    let mut beginnings = ChaCha8Rng::seed_from_u64(seed);
    beginnings.set_stream(2 * block as u64 + purpose as u64);
    Stream::from_rng(&mut beginnings)
}
