//! Integer labels to codes: the sorted distinct labels, and for every row the place of its label among them.

use std::collections::HashMap;

/// Labels that span no more than this many values are counted in a table.
const TABLE: i128 = 1 << 20;

/// Sorted distinct labels and the code of each row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded<L> {
    /// The distinct labels, ascending.
    pub classes: Vec<L>,
    /// For each row the index of its label in `classes`.
    pub codes: Vec<u32>,
}

/// An integer type of labels.
pub trait Label: Copy + Ord + std::hash::Hash + Into<i128> {}
impl<L: Copy + Ord + std::hash::Hash + Into<i128>> Label for L {}

/// How far a label lies above the smallest.
fn above<L: Label>(label: L, smallest: L) -> i128 {
    label.into() - smallest.into()
}

/// Encodes integer labels.
///
/// ```
/// let encoded = gauda::labels::encode(&[7_i64, -2, 7, 1_000_000_000_000]);
/// assert_eq!(encoded.classes, [-2, 7, 1_000_000_000_000]);
/// assert_eq!(encoded.codes, [1, 0, 1, 2]);
/// ```
pub fn encode<L: Label>(labels: &[L]) -> Encoded<L> {
    let (Some(&smallest), Some(&largest)) = (labels.iter().min(), labels.iter().max()) else {
        return Encoded { classes: vec![], codes: vec![] };
    };
    if above(largest, smallest) < TABLE {
        by_table(labels, smallest, above(largest, smallest) as usize + 1)
    } else {
        by_hash(labels)
    }
}

fn by_table<L: Label>(labels: &[L], smallest: L, span: usize) -> Encoded<L> {
    let slot = |label: L| above(label, smallest) as usize;
    let mut first: Vec<Option<L>> = vec![None; span];
    for &label in labels {
        first[slot(label)] = Some(label);
    }
    let mut codes = vec![0_u32; span];
    let mut classes = vec![];
    for (code, label) in codes.iter_mut().zip(&first) {
        *code = classes.len() as u32;
        classes.extend(*label);
    }
    let codes = labels.iter().map(|&label| codes[slot(label)]).collect();
    Encoded { classes, codes }
}

fn by_hash<L: Label>(labels: &[L]) -> Encoded<L> {
    let distinct: std::collections::HashSet<L> = labels.iter().copied().collect();
    let mut classes: Vec<L> = distinct.into_iter().collect();
    classes.sort_unstable();
    let code: HashMap<L, u32> = classes.iter().copied().zip(0..).collect();
    let codes = labels.iter().map(|label| code[label]).collect();
    Encoded { classes, codes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn codes_point_at_the_labels(labels in prop::collection::vec(any::<i64>(), 0..50)) {
            let encoded = encode(&labels);
            prop_assert!(encoded.classes.is_sorted_by(|a, b| a < b));
            for (label, &code) in labels.iter().zip(&encoded.codes) {
                prop_assert_eq!(*label, encoded.classes[code as usize]);
            }
        }

        #[test]
        fn table_and_hash_agree(labels in prop::collection::vec(any::<i8>(), 1..50)) {
            prop_assert_eq!(encode(&labels), by_hash(&labels));
        }
    }

    #[test]
    fn the_whole_range_of_a_type_is_encoded() {
        assert_eq!(encode(&[i64::MAX, i64::MIN]).classes, [i64::MIN, i64::MAX]);
        assert_eq!(encode(&[i8::MAX, i8::MIN]).codes, [1, 0]);
        assert_eq!(encode(&[u64::MAX, 0]).codes, [1, 0]);
    }
}
