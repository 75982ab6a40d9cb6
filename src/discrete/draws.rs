//! Rows drawn from a model of columns, and missing entries filled in: by what is most probable, by means, or by draws.
//!
//! Within a class columns are independent: a missing entry depends on the others through the posteriors only.

use std::ops::Range;

use ndarray::ArrayView1;
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use super::check_columns;
use super::columns::{ColumnModel, Feature, Kind};
use crate::error::{InputError, Result, same_size};
use crate::parallel::Parallel;
use crate::rows::Rows;
use crate::sample::{Purpose, Stream, pick, sample_by_priors, stream};

/// Rows that are drawn from one stream.
const BLOCK: usize = 1 << 12;

/// Rows between two looks at the caller's watch.
const CHUNK: usize = 64;

/// The distribution of one column in each class, ready to be drawn from.
enum Source {
    /// [class][level], each class summing to 1, or 0 where nothing is known.
    Levels { levels: usize, shares: Vec<f64> },
    /// Means and standard deviations.
    Normal { means: Vec<f64>, deviations: Vec<f64> },
}

impl Source {
    fn of(feature: &Feature, classes: usize) -> Self {
        match &feature.0 {
            Kind::Levels { levels, table, .. } => {
                let (logs, width) = (table.as_flattened(), classes.next_multiple_of(4));
                let mut shares = Vec::with_capacity(classes * levels);
                for class in 0..classes {
                    let start = shares.len();
                    shares.extend((0..*levels).map(|level| logs[level * width + class].exp()));
                    let total: f64 = shares[start..].iter().sum();
                    shares[start..]
                        .iter_mut()
                        .for_each(|share| *share /= if total > 0.0 { total } else { 1.0 });
                }
                Self::Levels { levels: *levels, shares }
            }
            Kind::Normal { parameters: [means, halves, _], .. } => Self::Normal {
                means: means.as_flattened()[..classes].to_vec(),
                deviations: halves.as_flattened()[..classes].iter().map(|half| (0.5 / half).sqrt()).collect(),
            },
        }
    }

    /// An error if there are levels, but a class has none of them.
    fn check(&self, class: usize) -> Result<()> {
        let Self::Levels { levels, shares } = self else { return Ok(()) };
        let none = shares[class * levels..][..*levels].iter().all(|&share| share == 0.0);
        if none && *levels > 0 { Err(InputError::EmptyClass { class }.into()) } else { Ok(()) }
    }

    /// An entry of a class: the index of a level, or a number.
    fn draw(&self, class: usize, numbers: &mut Stream) -> f64 {
        match self {
            Self::Levels { levels, shares } => {
                pick(ArrayView1::from(&shares[class * levels..][..*levels]), numbers.random()) as f64
            }
            Self::Normal { means, deviations } => {
                let normal: f64 = StandardNormal.sample(numbers);
                means[class] + deviations[class] * normal
            }
        }
    }

    /// What the mixture of the classes expects: the most probable level, the first of equal ones, or the mean; and the
    /// standard deviation of a number, NaN for levels, which have none.
    fn expect(&self, posteriors: &[f64], sums: &mut Vec<f64>) -> (f64, f64) {
        match self {
            Self::Levels { levels, shares } => {
                sums.clear();
                sums.resize(*levels, 0.0);
                for (shares, posterior) in shares.chunks_exact((*levels).max(1)).zip(posteriors) {
                    sums.iter_mut().zip(shares).for_each(|(sum, share)| *sum += posterior * share);
                }
                let likeliest = (0..sums.len())
                    .fold(0, |best, level| if sums[level] > sums[best] { level } else { best });
                (likeliest as f64, f64::NAN)
            }
            Self::Normal { means, deviations } => {
                let among = || {
                    means.iter().zip(deviations).zip(posteriors).filter(|(_, posterior)| **posterior > 0.0)
                };
                let mean: f64 = among().map(|((mean, _), posterior)| posterior * mean).sum();
                // As a hypotenuse, so that squares of no unit overflow.
                let spread = |((&own, &deviation), posterior): ((&f64, &f64), &f64)| {
                    posterior.sqrt() * deviation.hypot(own - mean)
                };
                (mean, among().map(spread).fold(0.0, f64::hypot))
            }
        }
    }
}

impl ColumnModel {
    /// Draws a class from the priors for each entry of `classes`.
    ///
    /// # Errors
    /// Priors of which none is positive.
    ///
    /// ```
    /// use gauda::core::Parallel;
    /// use gauda::core::discrete::{ColumnModel, Feature};
    ///
    /// let numbers = Feature::normal(&[0.0, 2.0], &[1.0, 1.0])?;
    /// let model = ColumnModel::new(vec![f64::NEG_INFINITY, 0.0], vec![numbers], false, false)?;
    /// let mut classes = [9; 4];
    /// model.sample_classes(&mut classes, 7, Parallel::default())?;
    /// assert_eq!(classes, [1; 4]); // the first class has the prior 0
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn sample_classes(&self, classes: &mut [u32], seed: u64, parallel: Parallel<'_>) -> Result<()> {
        sample_by_priors(&self.log_prior, classes, seed, parallel)
    }

    /// Draws a row of each class: indices of levels and numbers, row after row.
    ///
    /// # Errors
    /// An output of the wrong length, classes that there are not, or of which nothing is known.
    ///
    /// ```
    /// use gauda::core::discrete::{ColumnModel, Feature};
    /// use gauda::core::Parallel;
    /// use ndarray::array;
    ///
    /// let coin = Feature::levels(array![[0.0, f64::NEG_INFINITY], [f64::NEG_INFINITY, 0.0]].view());
    /// let model = ColumnModel::new(vec![0.5_f64.ln(); 2], vec![coin], false, false)?;
    /// let mut drawn = [9.0; 3];
    /// model.sample_rows(&[1, 0, 1], &mut drawn, 7, Parallel::default())?;
    /// assert_eq!(drawn, [1.0, 0.0, 1.0]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn sample_rows(
        &self,
        classes: &[u32],
        out: &mut [f64],
        seed: u64,
        parallel: Parallel<'_>,
    ) -> Result<()> {
        let (features, n_classes) = (self.features.len(), self.log_prior.len());
        same_size("length of the output", out.len(), classes.len().saturating_mul(features))?;
        let mut drawn = vec![false; n_classes];
        for (row, &class) in classes.iter().enumerate() {
            let Some(drawn) = drawn.get_mut(class as usize) else {
                return Err(InputError::Label { row, label: class, classes: n_classes }.into());
            };
            *drawn = true;
        }
        let sources = self.sources();
        for class in (0..n_classes).filter(|&class| drawn[class]) {
            sources.iter().try_for_each(|source| source.check(class))?;
        }
        let blocks = out.chunks_mut((BLOCK * features).max(1)).zip(classes.chunks(BLOCK));
        parallel.for_each_part(blocks, |block, (out, classes), job| {
            let mut numbers = stream(seed, Purpose::Rows, block);
            for (out, classes) in out.chunks_mut((CHUNK * features).max(1)).zip(classes.chunks(CHUNK)) {
                job.check()?;
                for (out, &class) in out.chunks_mut(features.max(1)).zip(classes) {
                    let entries = out.iter_mut().zip(&sources);
                    entries.for_each(|(out, source)| *out = source.draw(class as usize, &mut numbers));
                }
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Writes what is expected of entries that are NaN, given the posteriors of each row, n × K: the most probable level
    /// or the mean, and in `deviations` the standard deviations of numbers, NaN for levels. Other entries of the outputs,
    /// n × d, stay as they are.
    ///
    /// # Errors
    /// Sizes that do not fit together.
    ///
    /// ```
    /// use gauda::core::discrete::{ColumnModel, Feature};
    /// use gauda::core::{Parallel, Rows};
    /// use ndarray::array;
    ///
    /// let numbers = Feature::normal(&[0.0, 2.0], &[1.0, 1.0])?;
    /// let model = ColumnModel::new(vec![0.5_f64.ln(); 2], vec![numbers], true, false)?;
    /// let x = array![[f64::NAN], [5.0]];
    /// let mut values = [f64::NAN, 5.0];
    /// let posteriors = [0.25, 0.75, 0.0, 1.0];
    /// model.impute(&Rows::from(x.view()).columns(), &posteriors, &mut values, None, Parallel::default())?;
    /// assert_eq!(values, [1.5, 5.0]); // 0.25 · 0 + 0.75 · 2
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn impute(
        &self,
        columns: &[Rows<'_>],
        posteriors: &[f64],
        values: &mut [f64],
        deviations: Option<&mut [f64]>,
        parallel: Parallel<'_>,
    ) -> Result<()> {
        let filler = Filler::new(self, columns, posteriors)?;
        let size = filler.check_size(values.len(), 1)?;
        let mut spreads = match deviations {
            Some(deviations) => {
                filler.check_size(deviations.len(), 1)?;
                deviations.chunks_mut(size).map(Some).collect()
            }
            None => vec![],
        };
        spreads.resize_with(values.len().div_ceil(size), || None);
        parallel.for_each_part(values.chunks_mut(size).zip(spreads), |block, (values, spreads), job| {
            let mut sums = vec![];
            filler.each_gap(block, |row, at, column| {
                job.check()?;
                let (value, spread) = filler.sources[column].expect(filler.posteriors_of(row), &mut sums);
                values[at] = value;
                if let Some(spreads) = spreads {
                    spreads[at] = spread;
                }
                Ok(())
            })
        })?;
        Ok(())
    }

    /// Draws entries that are NaN, given the posteriors of each row: for each of several copies of the rows a class, then
    /// what the row lacks.
    ///
    /// # Errors
    /// Sizes that do not fit together.
    ///
    /// ```
    /// use gauda::core::discrete::{ColumnModel, Feature};
    /// use gauda::core::{Parallel, Rows};
    /// use ndarray::array;
    ///
    /// let coin = Feature::levels(array![[0.0, f64::NEG_INFINITY], [f64::NEG_INFINITY, 0.0]].view());
    /// let model = ColumnModel::new(vec![0.5_f64.ln(); 2], vec![coin], true, false)?;
    /// let x = array![[f64::NAN], [0.0]];
    /// let mut copies = [f64::NAN, 0.0, f64::NAN, 0.0]; // two copies of two rows
    /// let posteriors = [0.0, 1.0, 1.0, 0.0];
    /// let columns = Rows::from(x.view()).columns();
    /// model.impute_draws(&columns, &posteriors, &mut copies, 2, 7, Parallel::default())?;
    /// assert_eq!(copies, [1.0, 0.0, 1.0, 0.0]); // of the second class, which only has the level 1
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn impute_draws(
        &self,
        columns: &[Rows<'_>],
        posteriors: &[f64],
        values: &mut [f64],
        copies: usize,
        seed: u64,
        parallel: Parallel<'_>,
    ) -> Result<()> {
        let filler = Filler::new(self, columns, posteriors)?;
        let size = filler.check_size(values.len(), copies)?;
        let mut blocks: Vec<Vec<&mut [f64]>> = vec![];
        for copy in values.chunks_mut((filler.rows * self.features.len()).max(1)) {
            for (block, part) in copy.chunks_mut(size).enumerate() {
                if block == blocks.len() {
                    blocks.push(vec![]);
                }
                blocks[block].push(part);
            }
        }
        parallel.for_each_part(blocks, |block, copies, job| {
            let mut numbers = stream(seed, Purpose::Imputations, block);
            let mut drawn = (usize::MAX, vec![0; copies.len()]);
            filler.each_gap(block, |row, at, column| {
                job.check()?;
                if drawn.0 != row {
                    let posteriors = ArrayView1::from(filler.posteriors_of(row));
                    drawn.1.fill_with(|| pick(posteriors, numbers.random()));
                    drawn.0 = row;
                }
                for (copy, &class) in copies.iter_mut().zip(&drawn.1) {
                    copy[at] = filler.sources[column].draw(class, &mut numbers);
                }
                Ok(())
            })
        })?;
        Ok(())
    }

    fn sources(&self) -> Vec<Source> {
        self.features.iter().map(|feature| Source::of(feature, self.log_prior.len())).collect()
    }
}

/// A model bound to rows with gaps, and to what is known of their classes.
struct Filler<'a, 'r> {
    columns: &'a [Rows<'r>],
    posteriors: &'a [f64],
    sources: Vec<Source>,
    rows: usize,
    classes: usize,
}

impl<'a, 'r> Filler<'a, 'r> {
    fn new(model: &ColumnModel, columns: &'a [Rows<'r>], posteriors: &'a [f64]) -> Result<Self> {
        let (rows, classes) = (columns.first().map_or(0, Rows::n_rows), model.log_prior.len());
        same_size("number of columns", columns.len(), model.features.len())?;
        check_columns(columns, rows)?;
        same_size("number of posteriors", posteriors.len(), rows.saturating_mul(classes))?;
        Ok(Self { columns, posteriors, sources: model.sources(), rows, classes })
    }

    /// Entries of a block, if an array has the size of so many copies of the rows.
    fn check_size(&self, given: usize, copies: usize) -> Result<usize> {
        let size = copies.saturating_mul(self.rows).saturating_mul(self.columns.len());
        same_size("length of the output", given, size)?;
        Ok((BLOCK * self.columns.len()).max(1))
    }

    fn posteriors_of(&self, row: usize) -> &[f64] {
        &self.posteriors[row * self.classes..][..self.classes]
    }

    /// Calls `take` for each gap of a block: the row, where the gap is in the block, and its column.
    fn each_gap(&self, block: usize, mut take: impl FnMut(usize, usize, usize) -> Result<()>) -> Result<()> {
        let rows: Range<usize> = block * BLOCK..((block + 1) * BLOCK).min(self.rows);
        let mut entries = vec![0.0; rows.len()];
        let mut gaps = vec![];
        for (column, own) in self.columns.iter().enumerate() {
            own.read_numbers(rows.clone(), &mut entries);
            let missing = entries.iter().enumerate().filter(|(_, entry)| entry.is_nan());
            gaps.extend(missing.map(|(row, _)| (row, column)));
        }
        gaps.sort_unstable();
        gaps.into_iter()
            .try_for_each(|(row, column)| take(rows.start + row, row * self.columns.len() + column, column))
    }
}
