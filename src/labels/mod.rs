//! Labels to codes: the sorted distinct labels, and for every row the place of its label among them.
//!
//! A few rows tell which labels to expect, so that as a rule one pass writes the final codes. A part of the rows that
//! finds other labels counts them as they come, and its codes are corrected when all labels are known.

mod column;
mod dictionary;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

pub use column::{Column, Label, Text, Whole};
use dictionary::Dictionary;
use foldhash::fast::RandomState;

use crate::error::{Result, same_size};
use crate::parallel::Parallel;

/// One row in so many is looked at first, and no fewer rows than these.
const SAMPLED: usize = 1 << 10;
const MIN_SAMPLE: usize = 1 << 8;

/// The golden ratio's fraction, in units of 2⁻⁶⁴.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// Minimum rows of a part, for each label that is expected and in all, and maximum number of parts: each has a dictionary
/// of its own.
const ROWS_PER_LABEL: usize = 1 << 9;
const MIN_PART: usize = 1 << 16;
const MAX_PARTS: usize = 64;

/// Rows between two looks at the caller's watch.
const BLOCK: usize = 1 << 14;

/// Writes for each row the place of its label among the sorted distinct labels, which are returned.
///
/// # Errors
/// Another number of codes than of rows, or the caller's watch.
///
/// ```
/// use gauda::core::{Parallel, labels};
///
/// let column = [7_i64, -2, 7, 1_000_000_000_000];
/// let mut codes = [0; 4];
/// let classes = labels::encode(&column.as_slice(), &mut codes, Parallel::default())?;
/// assert_eq!(classes, [-2, 7, 1_000_000_000_000]);
/// assert_eq!(codes, [1, 0, 1, 2]);
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn encode<C: Column>(column: &C, codes: &mut [u32], parallel: Parallel<'_>) -> Result<Vec<C::Label>> {
    let n = column.n_rows();
    same_size("number of codes", codes.len(), n)?;
    if n == 0 {
        return Ok(vec![]);
    }
    let expected = sample(column);
    let dictionary = Dictionary::of(&expected);
    let parts = n / MIN_PART.max(ROWS_PER_LABEL * expected.len());
    let part_rows = n.div_ceil(parts.clamp(1, MAX_PARTS));
    let found = parallel.for_each_part(codes.chunks_mut(part_rows), |part, codes, job| {
        let mut dictionary = dictionary.clone();
        for (block, codes) in codes.chunks_mut(BLOCK).enumerate() {
            job.check()?;
            let first = part * part_rows + block * BLOCK;
            dictionary.write_codes(column.labels(first..first + codes.len()), codes);
        }
        Ok(dictionary.into_labels())
    })?;
    if found.iter().all(|labels| labels.len() == expected.len()) {
        return Ok(expected);
    }
    correct(codes.chunks_mut(part_rows), &found, dictionary, parallel)
}

/// The distinct labels of some rows, ascending.
fn sample<C: Column>(column: &C) -> Vec<C::Label> {
    let n = column.n_rows();
    let size = MIN_SAMPLE.max(n / SAMPLED).min(n);
    // Multiples of the golden ratio, less their whole part, are spread evenly and in step with no pattern of the rows.
    let spread = |i: u64| ((u128::from(i.wrapping_mul(GOLDEN)) * n as u128) >> 64) as usize;
    let rows = (0..size).map(|i| if size < n { spread(i as u64) } else { i });
    let labels: HashSet<_, RandomState> = rows.flat_map(|row| column.labels(row..row + 1)).collect();
    let mut labels: Vec<_> = labels.into_iter().collect();
    labels.sort_unstable();
    labels
}

/// Turns codes that count the labels that each part has found into places among all labels, sorted, which are returned.
fn correct<'a, L: Label>(
    parts: impl Iterator<Item = &'a mut [u32]>,
    found: &[Vec<L>],
    mut all: Dictionary<L>,
    parallel: Parallel<'_>,
) -> Result<Vec<L>> {
    let mut in_all = |labels: &Vec<L>| labels.iter().map(|&label| all.code(label)).collect();
    let in_all: Vec<Vec<u32>> = found.iter().map(&mut in_all).collect();
    let (classes, places) = all.sorted();
    parallel.for_each_part(parts, |part, codes, job| {
        let places: Vec<u32> = in_all[part].iter().map(|&code| places[code as usize]).collect();
        for codes in codes.chunks_mut(BLOCK) {
            job.check()?;
            codes.iter_mut().for_each(|code| *code = places[*code as usize]);
        }
        Ok(())
    })?;
    Ok(classes)
}
