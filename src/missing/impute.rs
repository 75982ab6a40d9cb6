//! Gaps filled in: by what is expected given the observed values, or by draws.

use std::ops::Range;

use super::conditional::Conditionals;
use super::mixture::Mixture;
use crate::error::{Error, InputError, Result, same_size};
use crate::float::Real;
use crate::model::Model;
use crate::parallel::{Job, Parallel};
use crate::rows::PatternCache;
use crate::rows::{Pattern, Rows};
use crate::sample::{Purpose, stream};

/// Rows that are filled in together, and whose draws come from one stream.
const BLOCK: usize = 1 << 12;

/// Rows of one pattern that go through the products together.
const CHUNK: usize = 256;

/// Writes the conditional mean of each missing entry, and its standard deviation if wanted; other entries are left alone.
/// Both arrays are n × d, one row after another. Rows belong to the given classes, or to each with its posterior.
///
/// # Errors
/// Infinite entries, arrays of the wrong size, classes that the model has not, a singular covariance.
///
/// ```
/// use gauda::core::missing::impute;
/// use gauda::core::{Model, Moments, Parallel, Rows, Structure, covariance};
/// use ndarray::array;
///
/// let x = array![[0.0, 0.0], [1.0, 3.0], [2.0, 3.0]];
/// let moments = Moments::from_rows(
///     &Rows::from(x.view()), &[0; 3], 1, None, Structure::Full, Parallel::default(),
/// )?;
/// let covariances = covariance::of_classes(&moments, false)?;
/// let model = Model::quadratic(&moments, covariances.view(), &[1.0], 1e-4, Parallel::default())?;
///
/// let gap = array![[3.0, f64::NAN]];
/// let mut filled = [3.0, f64::NAN];
/// impute(&model, &Rows::from(gap.view()), None, &mut filled, None, Parallel::default())?;
/// assert!(filled[0] == 3.0 && (filled[1] - 5.0).abs() < 1e-12); // on the regression line 1/2 + 3/2 x
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn impute<T: Real>(
    model: &Model,
    rows: &Rows<'_>,
    classes: Option<&[u32]>,
    values: &mut [T],
    deviations: Option<&mut [T]>,
    parallel: Parallel<'_>,
) -> Result<()> {
    let filler = Filler::new(model, rows, classes)?;
    let size = filler.check_size(values.len(), 1)?;
    let mut deviations = match deviations {
        Some(deviations) => {
            filler.check_size(deviations.len(), 1)?;
            deviations.chunks_mut(size).map(Some).collect()
        }
        None => vec![],
    };
    deviations.resize_with(values.len().div_ceil(size), || None);
    let blocks = values.chunks_mut(size).zip(deviations);
    parallel.for_each_part(blocks, |block, (values, deviations), job| {
        let range = filler.range(block);
        filler.each_mixture(range.clone(), job, |mixture, indices, missing| {
            let mean = mixture.mean();
            let write = |out: &mut [T], table: &ndarray::Array2<f64>| {
                for (&row, entries) in indices.iter().zip(table.outer_iter()) {
                    filler.place(out, row - range.start, missing, entries.iter().copied());
                }
            };
            write(values, &mean);
            if let Some(deviations) = deviations {
                write(deviations, &mixture.deviation(&mean, indices)?);
            }
            Ok(())
        })
    })?;
    Ok(())
}

/// Writes draws of the missing entries into each of several copies of the rows, which follow one another in `values`; other
/// entries are left alone. A seed gives the same draws whatever the number of threads.
///
/// # Errors
/// Those of [`impute`].
///
/// ```
/// use gauda::core::missing::impute_draws;
/// use gauda::core::{Model, Moments, Parallel, Rows, Structure, covariance};
/// use ndarray::array;
///
/// let x = array![[1.0, 1.0], [2.0, 3.0], [4.0, 4.0], [3.0, 2.0]];
/// let (rows, parallel) = (Rows::from(x.view()), Parallel::default());
/// let moments = Moments::from_rows(&rows, &[0; 4], 1, None, Structure::Full, parallel)?;
/// let covariances = covariance::of_classes(&moments, false)?;
/// let model = Model::quadratic(&moments, covariances.view(), &[1.0], 1e-4, parallel)?;
/// let gapped = array![[2.0, f64::NAN]];
/// let mut copies = [2.0, f64::NAN, 2.0, f64::NAN]; // two copies of the row
/// impute_draws(&model, &Rows::from(gapped.view()), None, &mut copies, 2, 7, parallel)?;
/// assert!(copies.iter().all(|value| value.is_finite()) && copies[1] != copies[3]);
/// assert_eq!((copies[0], copies[2]), (2.0, 2.0));
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn impute_draws<T: Real>(
    model: &Model,
    rows: &Rows<'_>,
    classes: Option<&[u32]>,
    values: &mut [T],
    copies: usize,
    seed: u64,
    parallel: Parallel<'_>,
) -> Result<()> {
    let filler = Filler::new(model, rows, classes)?;
    let size = filler.check_size(values.len(), copies)?;
    let mut blocks: Vec<Vec<&mut [T]>> = vec![];
    for copy in values.chunks_mut((rows.n_rows() * rows.n_features()).max(1)) {
        for (block, part) in copy.chunks_mut(size).enumerate() {
            if block == blocks.len() {
                blocks.push(vec![]);
            }
            blocks[block].push(part);
        }
    }
    parallel.for_each_part(blocks, |block, copies, job| {
        let (range, mut numbers) = (filler.range(block), stream(seed, Purpose::Imputations, block));
        filler.each_mixture(range.clone(), job, |mixture, indices, missing| {
            for (place, &row) in indices.iter().enumerate() {
                for copy in copies.iter_mut() {
                    let drawn = mixture.draw(place, &mut numbers);
                    filler.place(copy, row - range.start, missing, drawn.iter().copied());
                }
            }
            Ok(())
        })
    })?;
    Ok(())
}

/// What all blocks share.
struct Filler<'a, 'r> {
    model: &'a Model,
    rows: &'a Rows<'r>,
    classes: Option<&'a [u32]>,
    cache: PatternCache<Conditionals>,
}

impl<'a, 'r> Filler<'a, 'r> {
    fn new(model: &'a Model, rows: &'a Rows<'r>, classes: Option<&'a [u32]>) -> Result<Self> {
        let (d, n_classes) = (model.n_features(), model.n_classes());
        same_size("number of columns", rows.n_features(), d)?;
        if let Some(classes) = classes {
            same_size("number of labels", classes.len(), rows.n_rows())?;
            if let Some(row) = classes.iter().position(|&class| class as usize >= n_classes) {
                return Err(Error::Input(InputError::Label { row, label: classes[row], classes: n_classes }));
            }
        }
        Ok(Self {
            model,
            rows,
            classes,
            cache: PatternCache::new(n_classes.saturating_mul(d.saturating_mul(d))),
        })
    }

    /// Entries of a block, if an array has the size of so many copies of the rows.
    fn check_size(&self, given: usize, copies: usize) -> Result<usize> {
        let d = self.rows.n_features();
        same_size(
            "length of the output",
            given,
            copies.saturating_mul(self.rows.n_rows()).saturating_mul(d),
        )?;
        Ok(BLOCK * d)
    }

    fn range(&self, block: usize) -> Range<usize> {
        block * BLOCK..((block + 1) * BLOCK).min(self.rows.n_rows())
    }

    /// Calls `take` with rows of one pattern after another: their mixture, which rows they are, and what they lack.
    fn each_mixture(
        &self,
        range: Range<usize>,
        job: &Job<'_>,
        mut take: impl FnMut(Mixture<'_>, &[usize], &[usize]) -> Result<()>,
    ) -> Result<()> {
        for (mask, indices) in self.rows.gaps(range)?.by_mask() {
            let pattern = || Pattern::of(mask, self.rows.n_features());
            let conditionals = self.cache.get(mask, || Conditionals::new(self.model, pattern()))?;
            for indices in indices.chunks(CHUNK) {
                job.check()?;
                let mixture = Mixture::new(self.model, &conditionals, self.rows, indices, self.classes)?;
                take(mixture, indices, &conditionals.pattern.missing)?;
            }
        }
        Ok(())
    }

    /// Writes entries into the columns that a row lacks.
    fn place<T: Real>(
        &self,
        out: &mut [T],
        row: usize,
        missing: &[usize],
        entries: impl Iterator<Item = f64>,
    ) {
        let row = &mut out[row * self.rows.n_features()..];
        missing.iter().zip(entries).for_each(|(&column, entry)| row[column] = T::rounded(entry));
    }
}
