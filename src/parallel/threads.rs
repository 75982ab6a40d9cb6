//! How many threads there should be: what the environment says, or how many cores this process may use.

use std::sync::atomic::{AtomicU64, Ordering};

/// No pool grows beyond this, whatever was asked for.
pub(super) const MAX_THREADS: usize = 256;

/// Environment variables that set the number of threads, the strongest first.
const VARIABLES: [&str; 3] = ["GAUDA_NUM_THREADS", "RAYON_NUM_THREADS", "OMP_NUM_THREADS"];

/// Cores that this process may use. It takes the system tens of microseconds to count them, so each process asks once.
pub(super) fn n_cores() -> usize {
    /// The process that has asked, in the upper half, and what it was told.
    static KNOWN: AtomicU64 = AtomicU64::new(0);
    let process = u64::from(std::process::id()) << 32;
    let known = KNOWN.load(Ordering::Relaxed);
    if known & !u64::from(u32::MAX) == process {
        return (known & u64::from(u32::MAX)) as usize;
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
    KNOWN.store(process | cores as u64, Ordering::Relaxed);
    cores
}

/// The number that the strongest variable sets. The environment must not be changed meanwhile.
pub(crate) fn threads_in_environment() -> Option<usize> {
    VARIABLES.iter().find_map(|name| threads_in(name))
}

fn threads_in(name: &str) -> Option<usize> {
    let text = std::env::var(name).ok()?;
    // OpenMP allows a list, one entry per nesting level.
    let first = text.split(',').next()?;
    first.trim().parse().ok().filter(|&threads| threads > 0)
}
