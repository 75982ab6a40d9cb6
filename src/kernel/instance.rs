//! One source, several instruction sets: a kernel is generic Rust that is inlined into a function compiled for AVX-512, for
//! AVX2 with FMA, or for the baseline, whichever the machine has.

use std::sync::OnceLock;

/// `GAUDA_SIMD=baseline` or `avx2` holds the kernels back to that instruction set.
const VARIABLE: &str = "GAUDA_SIMD";

/// What a kernel may assume of the machine it runs on. A value is the proof: it is made here only, where a machine was found
/// to be so, and takes no room.
pub(crate) trait Instance: Copy {
    /// Whether a fused multiply-add is one instruction. (If not, it is a slow library call.)
    const FUSED: bool;
    /// Whether x86's 32-byte registers are there.
    #[cfg(target_arch = "x86_64")]
    const AVX: bool;
    /// Whether AVX-512's 64-byte registers are there.
    #[cfg(target_arch = "x86_64")]
    const AVX512: bool;
    /// Matrix rows per register tile.
    const TILE: usize;
    /// The same where all rows are equally long.
    const TALL_TILE: usize;
    /// Whether several groups of lanes find room besides.
    const ROOMY: bool;
    /// Columns multiplied by a stripe of columns at once in cross products.
    const SCATTER_TILE: usize;
}

/// 32 registers of 64 bytes.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(());
impl Instance for Avx512 {
    const FUSED: bool = true;
    #[cfg(target_arch = "x86_64")]
    const AVX: bool = true;
    #[cfg(target_arch = "x86_64")]
    const AVX512: bool = true;
    const TILE: usize = 4;
    const TALL_TILE: usize = 6;
    const ROOMY: bool = true;
    const SCATTER_TILE: usize = 8;
}

/// 16 registers of 32 bytes.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(());
impl Instance for Avx2 {
    const FUSED: bool = true;
    #[cfg(target_arch = "x86_64")]
    const AVX: bool = true;
    #[cfg(target_arch = "x86_64")]
    const AVX512: bool = false;
    const TILE: usize = 5;
    const TALL_TILE: usize = 6;
    const ROOMY: bool = false;
    const SCATTER_TILE: usize = 4;
}

/// 16 registers of 16 bytes on x86-64, 32 on aarch64.
#[derive(Clone, Copy)]
pub(crate) struct Baseline(());
impl Instance for Baseline {
    const FUSED: bool = cfg!(target_arch = "aarch64");
    #[cfg(target_arch = "x86_64")]
    const AVX: bool = false;
    #[cfg(target_arch = "x86_64")]
    const AVX512: bool = false;
    const TILE: usize = 2;
    const TALL_TILE: usize = 2;
    const ROOMY: bool = false;
    const SCATTER_TILE: usize = 2;
}

/// An instruction set that this machine has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Level(Found);

/// Not to be made but by looking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    Baseline,
    Avx2,
    Avx512,
}

impl Level {
    /// What every machine has.
    #[cfg(test)]
    pub(crate) const BASELINE: Self = Self(Found::Baseline);

    /// The best that the machine has and the environment allows; looked up once.
    pub(crate) fn current() -> Self {
        #[cfg(test)]
        if let Some(level) = TRIED.get() {
            return level;
        }
        static CURRENT: OnceLock<Level> = OnceLock::new();
        *CURRENT.get_or_init(|| {
            let allowed = match std::env::var(VARIABLE).as_deref() {
                Ok("baseline") => Found::Baseline,
                Ok("avx2") => Found::Avx2,
                _ => Found::Avx512,
            };
            Self(Self::best().0.min(allowed))
        })
    }

    #[cfg(target_arch = "x86_64")]
    fn best() -> Self {
        let fused = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        let wide = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl");
        Self(match (fused, wide) {
            (true, true) => Found::Avx512,
            (true, false) => Found::Avx2,
            (false, _) => Found::Baseline,
        })
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn best() -> Self {
        Self(Found::Baseline)
    }

    /// All that the machine has.
    #[cfg(test)]
    pub(crate) fn available() -> impl Iterator<Item = Self> {
        let all = [Found::Baseline, Found::Avx2, Found::Avx512].into_iter();
        all.filter(|&found| found <= Self::best().0).map(Self)
    }

    /// The results of the same work on each instruction set that the machine has.
    #[cfg(test)]
    pub(crate) fn each<R>(work: impl Fn() -> R) -> Vec<(Self, R)> {
        let results = Self::available().map(|level| {
            TRIED.set(Some(level));
            (level, work())
        });
        let results = results.collect();
        TRIED.set(None);
        results
    }

    /// Matrix rows per register tile, at most; and where all rows are equally long.
    pub(super) fn tiles(self) -> (usize, usize) {
        match self.0 {
            Found::Baseline => (Baseline::TILE, Baseline::TALL_TILE),
            Found::Avx2 => (Avx2::TILE, Avx2::TALL_TILE),
            Found::Avx512 => (Avx512::TILE, Avx512::TALL_TILE),
        }
    }
}

#[cfg(test)]
thread_local! {
    /// The instruction set that a test is trying on this thread.
    static TRIED: std::cell::Cell<Option<Level>> = const { std::cell::Cell::new(None) };
}

/// A piece of work for one instruction set. `run` must be `#[inline(always)]`, and so must all that it calls.
pub(crate) trait Kernel {
    type Output;
    fn run<I: Instance>(self, machine: I) -> Self::Output;
}

/// Runs a kernel compiled for `level`.
#[inline]
#[cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "calling a function compiled for features of this machine")
)]
pub(crate) fn dispatch<K: Kernel>(level: Level, kernel: K) -> K::Output {
    match level.0 {
        // SAFETY: a level is made of what `Level::best` found on this machine, or of less.
        #[cfg(target_arch = "x86_64")]
        Found::Avx512 => unsafe { on_avx512(kernel) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Found::Avx2 => unsafe { on_avx2(kernel) },
        _ => kernel.run(Baseline(())),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
fn on_avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Avx512(()))
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn on_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Avx2(()))
}
