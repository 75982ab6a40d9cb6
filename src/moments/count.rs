//! Rows and weights of each class, counted.

use std::ops::Range;

/// Adds up the rows of positive weight, and the weights, of each class.
pub(super) fn count(
    block: Range<usize>,
    labels: &[u32],
    weights: Option<&[f64]>,
    rows: &mut [u64],
    sums: &mut [f64],
) {
    let Some(weights) = weights else {
        return count_rows(&labels[block], rows, sums);
    };
    for row in block {
        let class = labels[row] as usize;
        rows[class] += u64::from(weights[row] > 0.0);
        sums[class] += weights[row];
    }
}

/// The same of rows that count alike.
fn count_rows(labels: &[u32], rows: &mut [u64], sums: &mut [f64]) {
    /// Classes of which two rows in a row should not wait for each other, and counters of each.
    const FEW: usize = 64;
    const COUNTERS: usize = 4;
    if rows.len() > FEW {
        for &label in labels {
            rows[label as usize] += 1;
            sums[label as usize] += 1.0;
        }
        return;
    }
    let mut counts = [[0_u32; FEW]; COUNTERS];
    for labels in labels.chunks(COUNTERS) {
        for (counts, &label) in counts.iter_mut().zip(labels) {
            counts[label as usize] += 1;
        }
    }
    for (class, (rows, sum)) in rows.iter_mut().zip(sums).enumerate() {
        let count: u32 = counts.iter().map(|counts| counts[class]).sum();
        *rows += u64::from(count);
        *sum += f64::from(count);
    }
}
