//! Rows projected on axes: (x − center) A, for any matrix.

use ndarray::ArrayView2;

use crate::error::{Error, Result, ScoresError, not_empty, same_size};
use crate::kernel::{Affine, Lane, Lanes, rounded_center};
use crate::parallel::Parallel;
use crate::rows::Rows;
use crate::score::{TILE_ROWS, rows_per_task};

/// The projection in one precision: see [`crate::core::project()`].
pub(crate) fn project<T: Lane>(
    axes: ArrayView2<'_, f64>,
    center: &[f64],
    rows: &Rows<'_>,
    out: &mut [T],
    parallel: Parallel<'_>,
) -> Result<()> {
    let (n, d, width) = (rows.n_rows(), axes.nrows(), axes.ncols());
    not_empty("number of columns", d)?;
    same_size("number of columns", rows.n_features(), d)?;
    same_size("length of the center", center.len(), d)?;
    same_size("length of the output", out.len(), n.saturating_mul(width))?;
    if out.is_empty() {
        return rows.check_finite(0..n);
    }
    let (rounded, taken) = rounded_center::<T>(center);
    let affine = Affine::<T>::new(axes.t(), &(-axes.t().dot(&taken)).to_vec());
    let task_rows = rows_per_task(d * width, TILE_ROWS);
    parallel.for_each_part(out.chunks_mut(task_rows * width), |task, out, job| {
        let lanes = T::Lanes::COUNT;
        let mut tile = vec![T::Lanes::splat(T::zero()); TILE_ROWS / lanes * d];
        let mut projected = vec![T::Lanes::splat(T::zero()); TILE_ROWS / lanes * width];
        let range = task * task_rows..(task * task_rows + out.len() / width);
        for start in range.clone().step_by(TILE_ROWS) {
            job.check()?;
            let rows_now = start..(start + TILE_ROWS).min(range.end);
            let indices: Vec<usize> = rows_now.clone().collect();
            rows.pack(&indices, &rounded, &mut tile);
            affine.apply(&tile, d, &mut projected);
            for (r, row) in rows_now.enumerate() {
                let out = &mut out[(row - range.start) * width..][..width];
                let coordinates = &projected[r / lanes * width..][..width];
                out.iter_mut().zip(coordinates).for_each(|(out, lane)| *out = lane.entries()[r % lanes]);
                if !out.iter().all(|value| value.is_finite()) {
                    rows.check_finite(row..row + 1)?;
                    return Err(Error::Scores(ScoresError::TooFar { row }));
                }
            }
        }
        Ok(())
    })?;
    Ok(())
}

#[cfg(test)]
mod tests;
