//! Memory: where the system cannot give what a call needs, that is an error and not the end of the process.

use crate::error::{Error, Result};

/// Needs up to this are not worth a trial: 64 KiB.
const TINY: usize = 1 << 16;

/// Needs below this are not worth asking the system about: 1 GiB.
const SMALL: usize = 1 << 30;

/// Asks for room for so many doubles; none stands for more than there can be.
///
/// # Errors
/// The system refuses, or would promise what it has not got.
pub(crate) fn room_for(doubles: Option<usize>) -> Result<()> {
    let bytes = doubles.unwrap_or(usize::MAX).saturating_mul(size_of::<f64>());
    if bytes <= TINY {
        return Ok(());
    }
    let refused = Vec::<u8>::new().try_reserve_exact(bytes).is_err();
    match refused || (bytes > SMALL && available().is_some_and(|available| bytes > available)) {
        true => Err(Error::Memory { bytes }),
        false => Ok(()),
    }
}

/// What matrices of wide data may take, which are made only for a question that needs them: 512 MiB.
const MATRICES: usize = 1 << 29;

/// Asks for room for so many matrices of d × d that wide data otherwise do without.
///
/// # Errors
/// They would take more than they may, or than there is.
pub(crate) fn room_for_matrices(d: usize, count: usize) -> Result<()> {
    let doubles = d.checked_mul(d).and_then(|size| size.checked_mul(count));
    let bytes = doubles.unwrap_or(usize::MAX).saturating_mul(size_of::<f64>());
    if bytes > MATRICES { Err(Error::Memory { bytes }) } else { room_for(doubles) }
}

/// Bytes that the system can give without ending a process for them. Linux promises more, and most others tell the truth.
fn available() -> Option<usize> {
    let memory = std::fs::read_to_string("/proc/meminfo").ok()?;
    let free = kilobytes(&memory, "MemAvailable:")? + kilobytes(&memory, "SwapFree:").unwrap_or(0);
    // What a container may have at all; "max" if it has no bound.
    let bound = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let bound = bound.and_then(|bound| bound.trim().parse().ok()).unwrap_or(usize::MAX);
    Some((free * 1024).min(bound))
}

/// A figure of /proc/meminfo.
fn kilobytes(memory: &str, name: &str) -> Option<usize> {
    let line = memory.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_machine_has_is_refused() {
        for doubles in [Some(1 << 50), Some(usize::MAX / 8), Some(usize::MAX), None] {
            assert!(matches!(room_for(doubles), Err(Error::Memory { .. })), "{doubles:?}");
        }
        assert_eq!(room_for(Some(1 << 10)), Ok(()));
    }

    #[test]
    fn a_system_that_promises_anything_is_not_believed() {
        let Some(available) = available() else { return };
        assert!(matches!(room_for(Some(available / 8 + (1 << 30))), Err(Error::Memory { .. })));
    }

    #[test]
    fn figures_are_read_by_their_names() {
        let memory =
            "MemTotal:       24682416 kB\nMemAvailable:   23673932 kB\nSwapFree:              0 kB\n";
        assert_eq!(kilobytes(memory, "MemAvailable:"), Some(23_673_932));
        assert_eq!(kilobytes(memory, "SwapFree:"), Some(0));
        assert_eq!(kilobytes(memory, "Huge:"), None);
    }
}
