//! Fourth moments for the Ledoit-Wolf intensity: Σ w ‖D⁻¹(x − μ)‖⁴ of each class, in a second pass over the rows.

use ndarray::Array2;

use super::Means;
use super::check::{check_labels, check_weights};
use crate::error::{Result, same_size};
use crate::kernel::{Double, Lanes};
use crate::parallel::{Job, Parallel, task_range};
use crate::rows::Rows;

/// Rows that are read at once.
const BLOCK: usize = 64;

/// For each class the weighted sum of ‖z‖⁴, where z is the row less its class mean, column j times `scales[(class, j)]`. Each
/// row is taken less the mean of its own class, in its two parts: a common center may be so far from some classes that they
/// would lose their digits.
///
/// # Errors
/// As [`Moments::from_rows`](super::Moments::from_rows).
pub(crate) fn quartics_about(
    means: &Means,
    scales: &Array2<f64>,
    rows: &Rows<'_>,
    labels: &[u32],
    weights: Option<&[f64]>,
    parallel: Parallel<'_>,
) -> Result<Vec<f64>> {
    let (n, d) = (rows.n_rows(), rows.n_features());
    let (classes, columns) = means.shift.dim();
    check_labels(labels, n, classes)?;
    check_weights(weights, n)?;
    same_size("number of columns", d, columns)?;
    let origin = vec![0.0; d];
    let tasks = (n / 4096).clamp(1, 64);
    let part = |index, job: &Job<'_>| {
        let mut sums = vec![0.0; classes];
        let mut tile = vec![Double::splat(0.0); BLOCK / Double::COUNT * d];
        let range = task_range(index, tasks, n, BLOCK);
        for start in range.clone().step_by(BLOCK) {
            job.check()?;
            let block = start..(start + BLOCK).min(range.end);
            let indices: Vec<usize> = block.clone().collect();
            rows.pack(&indices, &origin, &mut tile);
            for (r, row) in block.enumerate() {
                let class = labels[row] as usize;
                let entries = tile[r / Double::COUNT * d..].iter().map(|lanes| lanes[r % Double::COUNT]);
                let norm = squared_norm(entries, means, scales, class);
                sums[class] += weights.map_or(1.0, |weights| weights[row]) * norm * norm;
            }
        }
        Ok(sums)
    };
    let add = |total: &mut Vec<f64>, part: Vec<f64>| {
        total.iter_mut().zip(part).for_each(|(total, part)| *total += part);
    };
    let total = parallel.fold_in_order(tasks, part, add)?.expect("at least one task");
    // What is not finite makes its sum so.
    if !total.iter().all(|sum| sum.is_finite()) {
        rows.check_finite(0..n)?;
    }
    Ok(total)
}

/// ‖z‖² of a row.
fn squared_norm(
    entries: impl Iterator<Item = f64>,
    means: &Means,
    scales: &Array2<f64>,
    class: usize,
) -> f64 {
    let mean = means.shift.row(class).into_iter().zip(means.offset.row(class));
    let columns = entries.zip(mean.zip(scales.row(class)));
    columns.map(|(x, ((shift, offset), scale))| ((x - shift - offset) * scale).powi(2)).sum()
}
