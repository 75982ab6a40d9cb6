//! Integer labels to codes: the sorted distinct labels, and for every row the place of its label among them.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::error::Result;
use crate::parallel::Parallel;

/// Labels that span no more than this many values are counted in a table.
const TABLE: i128 = 1 << 16;

/// Labels that are worth a task, and how many tasks there are at the most: each has a table of its own.
const PART: usize = 1 << 18;
const MOST_PARTS: usize = 64;

/// Sorted distinct labels and the code of each row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded<L> {
    /// The distinct labels, ascending.
    pub classes: Vec<L>,
    /// For each row the index of its label in `classes`.
    pub codes: Vec<u32>,
}

/// An integer type of labels.
pub trait Label: Copy + Ord + std::hash::Hash + Into<i128> + Send + Sync {}
impl<L: Copy + Ord + std::hash::Hash + Into<i128> + Send + Sync> Label for L {}

/// How far a label lies above the smallest.
fn above<L: Label>(label: L, smallest: L) -> i128 {
    label.into() - smallest.into()
}

/// Encodes integer labels.
///
/// # Errors
/// Only if the caller's watch ends the work.
///
/// ```
/// use gauda::{Parallel, labels};
///
/// let encoded = labels::encode(&[7_i64, -2, 7, 1_000_000_000_000], Parallel::default())?;
/// assert_eq!(encoded.classes, [-2, 7, 1_000_000_000_000]);
/// assert_eq!(encoded.codes, [1, 0, 1, 2]);
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn encode<L: Label>(labels: &[L], parallel: Parallel<'_>) -> Result<Encoded<L>> {
    let parts: Vec<&[L]> = labels.chunks(PART.max(labels.len() / MOST_PARTS)).collect();
    let bounds = parallel.map(parts.len(), |part, _| {
        let part = parts[part];
        Ok(part.iter().min().zip(part.iter().max()))
    })?;
    let bounds = bounds.into_iter().flatten();
    let Some((&smallest, &largest)) = bounds.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))) else {
        return Ok(Encoded { classes: vec![], codes: vec![] });
    };
    if above(largest, smallest) < TABLE {
        by_table(&parts, smallest, above(largest, smallest) as usize + 1, parallel)
    } else {
        by_hash(&parts, parallel)
    }
}

fn by_table<L: Label>(
    parts: &[&[L]],
    smallest: L,
    span: usize,
    parallel: Parallel<'_>,
) -> Result<Encoded<L>> {
    let slot = |label: L| above(label, smallest) as usize;
    let seen = parallel.map(parts.len(), |part, _| {
        let mut seen: Vec<Option<L>> = vec![None; span];
        parts[part].iter().for_each(|&label| seen[slot(label)] = Some(label));
        Ok(seen)
    })?;
    let mut codes = vec![0_u32; span];
    let mut classes = vec![];
    for (slot, code) in codes.iter_mut().enumerate() {
        *code = classes.len() as u32;
        classes.extend(seen.iter().find_map(|seen| seen[slot]));
    }
    Ok(Encoded { classes, codes: code_all(parts, |label| codes[slot(label)], parallel)? })
}

fn by_hash<L: Label>(parts: &[&[L]], parallel: Parallel<'_>) -> Result<Encoded<L>> {
    let seen =
        parallel.map(parts.len(), |part, _| Ok(parts[part].iter().copied().collect::<HashSet<L>>()))?;
    let distinct: BTreeSet<L> = seen.into_iter().flatten().collect();
    let classes: Vec<L> = distinct.into_iter().collect();
    let code: HashMap<L, u32> = classes.iter().copied().zip(0..).collect();
    Ok(Encoded { classes, codes: code_all(parts, |label| code[&label], parallel)? })
}

fn code_all<L: Label>(
    parts: &[&[L]],
    code: impl Fn(L) -> u32 + Sync,
    parallel: Parallel<'_>,
) -> Result<Vec<u32>> {
    let coded = parallel
        .map(parts.len(), |part, _| Ok(parts[part].iter().map(|&label| code(label)).collect::<Vec<u32>>()))?;
    Ok(coded.concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encoded<L: Label>(labels: &[L]) -> Encoded<L> {
        encode(labels, Parallel::new(Some(2))).unwrap()
    }

    proptest! {
        #[test]
        fn codes_point_at_the_labels(labels in prop::collection::vec(any::<i64>(), 0..50)) {
            let encoded = encoded(&labels);
            prop_assert!(encoded.classes.is_sorted_by(|a, b| a < b));
            for (label, &code) in labels.iter().zip(&encoded.codes) {
                prop_assert_eq!(*label, encoded.classes[code as usize]);
            }
        }

        #[test]
        fn table_and_hash_agree(labels in prop::collection::vec(any::<i8>(), 1..50)) {
            prop_assert_eq!(encoded(&labels), by_hash(&[&labels], Parallel::new(Some(1))).unwrap());
        }
    }

    #[test]
    fn many_labels_are_encoded_in_parts() {
        let labels: Vec<u16> = (0..600_000_u32).map(|row| (row / 250_000) as u16 * 7).collect();
        let encoded = encoded(&labels);
        assert_eq!(encoded.classes, [0, 7, 14]);
        assert!(labels.iter().zip(&encoded.codes).all(|(&label, &code)| u32::from(label) == 7 * code));
    }

    #[test]
    fn the_whole_range_of_a_type_is_encoded() {
        assert_eq!(encoded(&[i64::MAX, i64::MIN]).classes, [i64::MIN, i64::MAX]);
        assert_eq!(encoded(&[i8::MAX, i8::MIN]).codes, [1, 0]);
        assert_eq!(encoded(&[u64::MAX, 0]).codes, [1, 0]);
    }
}
