//! Rows drawn from models of wide data: x = μ + σ (Qᵀ A z + √λ (z′ − QᵀQ z′)) with standard normals z along the few
//! directions and z′ in all columns, so that nothing of d × d is needed.

use ndarray::{Array2, ArrayViewMut2, Axis};
use rand_distr::{Distribution, StandardNormal};

use super::rows::{block_rows, check_classes};
use super::streams::{Purpose, Stream, stream};
use crate::error::{Error, Result, ScoresError, same_size};
use crate::parallel::Parallel;
use crate::wide::{WideModel, WideParts};

/// Rows that are multiplied together.
const TILE_ROWS: usize = 32;

impl WideModel {
    /// Draws a row of each of the given classes; to `out`, n × d, one row after another.
    ///
    /// # Errors
    /// As [`crate::core::sample_rows`].
    pub fn sample_rows(
        &self,
        classes: &[u32],
        out: &mut [f64],
        seed: u64,
        parallel: Parallel<'_>,
    ) -> Result<()> {
        let (features, n_classes, rank) = (self.n_features(), self.n_classes(), self.rank());
        same_size("length of the output", out.len(), classes.len().saturating_mul(features))?;
        check_classes(classes, n_classes)?;
        if rank < features {
            return Err(Error::Scores(ScoresError::NoDensity { rank, features }));
        }
        let parts = self.parts();
        let roots = (0..parts.whitenings.len()).map(|place| parts.root(place)).collect::<Result<Vec<_>>>()?;
        let means = parts.means.rounded()?;
        let rows = block_rows(features, n_classes);
        let blocks = out.chunks_mut(rows * features).zip(classes.chunks(rows));
        parallel.for_each_part(blocks, |block, (out, classes), job| {
            let mut block = Block { parts, roots: &roots, normals: stream(seed, Purpose::Rows, block) };
            let tiles = out.chunks_mut(TILE_ROWS * features).zip(classes.chunks(TILE_ROWS));
            for (out, classes) in tiles {
                job.check()?;
                let mut rows =
                    ArrayViewMut2::from_shape((classes.len(), features), out).expect("rows of a tile");
                block.draw(classes, &mut rows);
                for (mut row, &class) in rows.outer_iter_mut().zip(classes) {
                    row += &means.row(class as usize);
                }
            }
            Ok(())
        })?;
        Ok(())
    }
}

/// What rows of a block are drawn with.
struct Block<'a> {
    parts: &'a WideParts,
    roots: &'a [Array2<f64>],
    normals: Stream,
}

impl Block<'_> {
    /// Rows about the means of their classes.
    fn draw(&mut self, classes: &[u32], rows: &mut ArrayViewMut2<'_, f64>) {
        rows.map_inplace(|entry| *entry = StandardNormal.sample(&mut self.normals));
        let common = self.roots.len() == 1;
        for place in 0..self.roots.len() {
            let members: Vec<usize> =
                (0..classes.len()).filter(|&row| common || classes[row] as usize == place).collect();
            if members.is_empty() {
                continue;
            }
            let (space, level) = (self.parts.space(place), self.parts.levels[place].sqrt());
            let normals = &mut self.normals;
            let along = Array2::from_shape_simple_fn((members.len(), space.basis.nrows()), || {
                StandardNormal.sample(normals)
            });
            let mut drawn = rows.select(Axis(0), &members) * level;
            let wanted = along.dot(&self.roots[place].t()) - drawn.dot(&space.basis.t());
            drawn += &wanted.dot(&space.basis);
            if let Some(scale) = &space.scale {
                drawn *= &scale.view().insert_axis(Axis(0));
            }
            members.iter().zip(drawn.outer_iter()).for_each(|(&row, drawn)| rows.row_mut(row).assign(&drawn));
        }
    }
}
