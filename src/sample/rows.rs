//! Rows drawn from the Gaussians of their classes: x = μ + A z with A Aᵀ = Σ and z standard normal.

use ndarray::Array2;

use super::streams::{Purpose, normals};
use crate::error::{Error, InputError, Result, same_size};
use crate::kernel::{Affine, Double, Lanes, Normals};
use crate::model::{Generator, Model, Root};
use crate::parallel::{Job, Parallel};

const LANES: usize = Double::COUNT;

/// Rows multiplied by a root together.
const TILE_ROWS: usize = 64;

/// Entries of a block, if it has neither too few rows nor too many.
const BLOCK_ENTRIES: usize = 1 << 18;

/// Rows of each class in a block on average: with fewer, many lanes would be left empty.
const ROWS_OF_CLASS: usize = 16;

/// Rows that are drawn from one stream.
pub(super) fn block_rows(features: usize, classes: usize) -> usize {
    (BLOCK_ENTRIES / features).clamp(512, 4096).max(ROWS_OF_CLASS * classes)
}

/// Draws a row of each of the given classes; to `out`, n × d, one row after another.
///
/// # Errors
/// A common covariance that is singular, classes that the model has not, an output of the wrong size.
///
/// There is an example at [`crate::core::sample_classes`].
pub fn sample_rows(
    model: &Model,
    classes: &[u32],
    out: &mut [f64],
    seed: u64,
    parallel: Parallel<'_>,
) -> Result<()> {
    let (features, n_classes) = (model.n_features(), model.n_classes());
    same_size("length of the output", out.len(), classes.len().saturating_mul(features))?;
    check_classes(classes, n_classes)?;
    let model = model.generator()?;
    let rows = block_rows(features, n_classes);
    let blocks = out.chunks_mut(rows * features).zip(classes.chunks(rows));
    parallel.for_each_part(blocks, |block, (out, classes), job| {
        let normals = normals(seed, Purpose::Rows, block);
        Block { model, classes, features, normals }.draw(out, job)
    })?;
    Ok(())
}

/// An error unless the model has all classes.
pub(super) fn check_classes(classes: &[u32], n_classes: usize) -> Result<()> {
    match classes.iter().position(|&class| class as usize >= n_classes) {
        Some(row) => Err(Error::Input(InputError::Label { row, label: classes[row], classes: n_classes })),
        None => Ok(()),
    }
}

/// Some rows, and the numbers they are drawn with.
struct Block<'a> {
    model: &'a Generator,
    classes: &'a [u32],
    features: usize,
    normals: Normals,
}

impl Block<'_> {
    fn draw(mut self, out: &mut [f64], job: &Job<'_>) -> Result<()> {
        match &self.model.root {
            Root::Full(roots) => {
                self.place_means(out);
                let members = self.members(roots.len());
                roots.iter().zip(&members).try_for_each(|(root, rows)| self.draw_by(root, rows, out, job))
            }
            Root::Tied(root) => {
                self.place_means(out);
                let all: Vec<usize> = (0..self.classes.len()).collect();
                self.draw_by(root, &all, out, job)
            }
            Root::Diag(deviations) => {
                self.draw_columns(deviations, out);
                Ok(())
            }
        }
    }

    /// Writes the means of classes, row after row: out of order, memory would be slower.
    fn place_means(&self, out: &mut [f64]) {
        for (out, &class) in out.chunks_mut(self.features).zip(self.classes) {
            out.copy_from_slice(row_of(&self.model.means, class));
        }
    }

    /// The rows of each class.
    fn members(&self, n_classes: usize) -> Vec<Vec<usize>> {
        let mut members = vec![vec![]; n_classes];
        self.classes.iter().enumerate().for_each(|(row, &class)| members[class as usize].push(row));
        members
    }

    /// Adds draws to rows whose covariances have this root.
    fn draw_by(&mut self, root: &Affine<f64>, rows: &[usize], out: &mut [f64], job: &Job<'_>) -> Result<()> {
        let size = TILE_ROWS / LANES * self.features;
        let (mut normal, mut spread) = (vec![Double::splat(0.0); size], vec![Double::splat(0.0); size]);
        for rows in rows.chunks(TILE_ROWS) {
            job.check()?;
            let filled = rows.len().div_ceil(LANES) * self.features;
            self.normals.fill(normal[..filled].as_flattened_mut());
            root.apply(&normal[..filled], self.features, &mut spread[..filled]);
            for (group, rows) in spread.chunks(self.features).zip(rows.chunks(LANES)) {
                self.add(rows, group, out);
            }
        }
        Ok(())
    }

    /// Adds a lane to each of some rows.
    fn add(&self, rows: &[usize], group: &[Double], out: &mut [f64]) {
        for (lane, &row) in rows.iter().enumerate().take(LANES) {
            let out = &mut out[row * self.features..][..self.features];
            out.iter_mut().zip(group).for_each(|(out, lanes)| *out += lanes[lane]);
        }
    }

    /// Draws rows of independent columns.
    fn draw_columns(&mut self, deviations: &Array2<f64>, out: &mut [f64]) {
        self.normals.fill(out);
        for (out, &class) in out.chunks_mut(self.features).zip(self.classes) {
            let columns = row_of(&self.model.means, class).iter().zip(row_of(deviations, class));
            out.iter_mut().zip(columns).for_each(|(out, (mean, deviation))| *out = mean + deviation * *out);
        }
    }
}

/// What a table holds of a class.
fn row_of(table: &Array2<f64>, class: u32) -> &[f64] {
    let width = table.ncols();
    &table.as_slice().expect("tables in C order")[class as usize * width..][..width]
}
