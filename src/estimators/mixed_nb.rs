//! Naive Bayes on columns of numbers and of categories.

use std::collections::BTreeSet;

use ndarray::{Array1, Array2, ArrayView1, Axis, s};

use super::estimator::sealed::Learn;
use super::estimator::{
    Estimator, Kind, MixedSums, Scorer, Solution, Statistics, Training, check_smoothing, log_prior,
    log_shares, smoothing,
};
use super::moments::counted_once;
use super::params::Params;
use super::settings::Settings;
use crate::discrete::{ColumnModel, Feature, Labeled, LevelCounts, NumberSums, count_levels, sum_numbers};
use crate::error::{Error, InputError, Owner, RankError, Result, check_number};
use crate::rows::Rows;

/// The smallest variance with all digits and a finite inverse.
const MIN_VARIANCE: f64 = f64::from_bits(23 << 52);

/// The largest variance that a normal density can have.
const MAX_VARIANCE: f64 = f64::MAX / 8.0;

/// The smallest weight of which the smallest sum of squares shows a variance below the smallest.
const MIN_WEIGHT: f64 = 1.0 / (1 << 20) as f64;

/// Naive Bayes on columns of numbers, normal in each class, and of categories 0, 1, 2, … NaN stands for a missing value, which
/// is left out in the fit and in scores.
///
/// ```
/// use gauda::MixedNb;
/// use ndarray::array;
///
/// // a height, and a color: 0 red, 1 green, 2 blue
/// let x = array![[1.7, 0.0], [1.6, 0.0], [3.1, 2.0], [f64::NAN, 1.0], [2.9, 1.0]];
/// let model = MixedNb::params().categorical([1]).fit(&x, &["a", "a", "b", "b", "b"])?;
/// assert_eq!(model.predict(&array![[1.8, f64::NAN], [f64::NAN, 1.0]])?, ["a", "b"]);
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MixedNb {
    pub(super) alpha: f64,
    pub(super) var_smoothing: f64,
    pub(super) categorical: BTreeSet<usize>,
    pub(super) min_categories: usize,
    pub(super) ignores_unknown: bool,
}

impl Default for MixedNb {
    fn default() -> Self {
        let categorical = BTreeSet::new();
        Self { alpha: 1.0, var_smoothing: 1e-9, categorical, min_categories: 1, ignores_unknown: false }
    }
}

impl MixedNb {
    /// Laplace's rule, α = 1; variances hardly smoothed; all columns are numbers until some are said to be categories.
    ///
    /// ```
    /// let params = gauda::MixedNb::params().categorical([0, 3]);
    /// # assert_ne!(params, gauda::MixedNb::params());
    /// ```
    pub fn params() -> Params<Self> {
        Params::default()
    }
}

impl Params<MixedNb> {
    /// The columns, counted from 0, that hold categories 0, 1, 2, …; the others hold numbers.
    ///
    /// ```
    /// let params = gauda::MixedNb::params().categorical(2..5);
    /// # assert_ne!(params, gauda::MixedNb::params());
    /// ```
    pub fn categorical(mut self, columns: impl IntoIterator<Item = usize>) -> Self {
        self.estimator.categorical = columns.into_iter().collect();
        self
    }

    /// What is added to the count of each category; by default 1.
    ///
    /// ```
    /// let params = gauda::MixedNb::params().alpha(0.1);
    /// # assert_ne!(params, gauda::MixedNb::params());
    /// ```
    pub fn alpha(mut self, alpha: f64) -> Self {
        self.estimator.alpha = alpha;
        self
    }

    /// This share of the largest variance of any column of numbers is added to all variances; by default 1e-9.
    ///
    /// ```
    /// let params = gauda::MixedNb::params().var_smoothing(1e-6);
    /// # assert_ne!(params, gauda::MixedNb::params());
    /// ```
    pub fn var_smoothing(mut self, share: f64) -> Self {
        self.estimator.var_smoothing = share;
        self
    }

    /// The least number of categories of each column of them, whatever occurs: 2 for truth values.
    ///
    /// ```
    /// let params = gauda::MixedNb::params().categorical([1]).min_categories(2);
    /// # assert_ne!(params, gauda::MixedNb::params());
    /// ```
    pub fn min_categories(mut self, categories: usize) -> Self {
        self.estimator.min_categories = categories;
        self
    }

    /// Whether a category beyond those of the fit says nothing when rows are scored, instead of being refused.
    ///
    /// ```
    /// let params = gauda::MixedNb::params().ignore_unknown(true);
    /// # assert_ne!(params, gauda::MixedNb::params());
    /// ```
    pub fn ignore_unknown(mut self, ignore: bool) -> Self {
        self.estimator.ignores_unknown = ignore;
        self
    }
}

impl Estimator for MixedNb {}

impl Learn for MixedNb {
    fn learn(&self, training: &Training<'_>) -> Result<Statistics> {
        let rows = training.rows()?;
        if let Some(&last) = self.categorical.last() {
            check_number("a categorical column", "below the number of columns", last as f64, |_| {
                last < rows.n_features()
            })?;
        }
        let (categorical, numeric): (Vec<usize>, Vec<usize>) =
            (0..rows.n_features()).partition(|column| self.categorical.contains(column));
        let all = rows.columns();
        let select = |columns: &[usize]| columns.iter().map(|&column| all[column]).collect::<Vec<_>>();
        let (levels, numbers) = (select(&categorical), select(&numeric));
        let (labeled, parallel) = (training.labeled(), training.parallel());
        let counted = counted_once(training.weights);
        let one_class = vec![0; training.codes.len()];
        let once = Labeled { labels: &one_class, classes: 1, weights: counted.as_deref() };
        let sums = |labeled| {
            sum_numbers(&numbers, labeled, parallel).map_err(|error| error.map_column(|place| numeric[place]))
        };
        let (numbers, unweighted) = (sums(labeled)?, sums(once)?);
        let mut counts = count_levels(&levels, labeled, true, parallel)
            .map_err(|error| error.map_column(|place| categorical[place]))?;
        counts.columns.iter_mut().for_each(|table| widen(table, self.min_categories));
        let counted = |row: &usize| training.weights.is_none_or(|weights| weights[*row] > 0.0);
        let lacks = |row: usize| all.iter().any(|column| column.entry(row, 0).is_nan());
        Ok(Statistics::Mixed(Box::new(MixedSums {
            n_rows: (0..rows.n_rows()).filter(counted).count() as u64,
            has_gaps: may_lack(rows) && (0..rows.n_rows()).filter(counted).any(lacks),
            categorical: (0..rows.n_features()).map(|column| self.categorical.contains(&column)).collect(),
            numbers,
            unweighted,
            counts,
        })))
    }

    fn kind(&self) -> Kind {
        Kind::MixedNb(self.clone())
    }
}

/// Whether entries can be NaN.
fn may_lack(rows: &Rows<'_>) -> bool {
    matches!(rows, Rows::F64(_) | Rows::F32(_))
}

/// Adds levels that do not occur.
fn widen(table: &mut Array2<f64>, levels: usize) {
    let (classes, seen) = table.dim();
    if seen < levels {
        let mut wide = Array2::zeros((classes, levels));
        wide.slice_mut(s![.., ..seen]).assign(table);
        *table = wide;
    }
}

impl MixedNb {
    pub(super) fn solve(&self, settings: &Settings, sums: &MixedSums) -> Result<Solution> {
        check_smoothing(self.alpha)?;
        let log_prior = log_prior(settings, &sums.counts.classes)?;
        let variances = self.variances(sums)?;
        let mut numbers = sums.numbers.means.columns().into_iter().zip(variances.columns());
        let mut levels = sums.counts.columns.iter();
        let feature = |&categorical: &bool| match categorical {
            true => self.levels(levels.next().expect("a table for each column of categories")),
            false => {
                let (means, variances) = numbers.next().expect("sums for each column of numbers");
                Feature::normal(&means.to_vec(), &variances.to_vec())
            }
        };
        let features = sums.categorical.iter().map(feature).collect::<Result<_>>()?;
        let model = ColumnModel::new(log_prior, features, true, self.ignores_unknown)?;
        Ok(Solution { scorer: Scorer::Columns(model), linear: None })
    }

    /// Log-probabilities of levels; where a class shows none, they say nothing.
    fn levels(&self, table: &Array2<f64>) -> Result<Feature> {
        let smoothed = table + self.alpha;
        let totals = smoothed.sum_axis(Axis(1)).insert_axis(Axis(1));
        let mut logs = log_shares(&smoothed, &totals)?;
        for (mut logs, &total) in logs.outer_iter_mut().zip(&totals) {
            if total == 0.0 {
                logs.fill(0.0);
            }
        }
        Ok(Feature::levels(logs.view()))
    }

    /// Smoothed variances, class × column of numbers. A class without rows has prior 0, and any variance will do.
    fn variances(&self, sums: &MixedSums) -> Result<Array2<f64>> {
        let once = variances_of(&sums.unweighted);
        let largest = once.iter().copied().fold(0.0, f64::max);
        let mut variances = variances_of(&sums.numbers) + smoothing(self.var_smoothing, largest)?;
        let columns: Vec<usize> =
            (0..sums.categorical.len()).filter(|&column| !sums.categorical[column]).collect();
        for (class, &weight) in sums.counts.classes.iter().enumerate() {
            if weight == 0.0 {
                variances.row_mut(class).fill(1.0);
                continue;
            }
            let seen = sums.numbers.weights.row(class);
            if let Some(place) = seen.iter().position(|&seen| seen == 0.0) {
                return Err(Error::Input(InputError::NeverObserved { class, column: columns[place] }));
            }
            let row = variances.row(class);
            self.check_range(class, row, sums, &columns)?;
            let flat: Vec<usize> =
                columns.iter().zip(row).filter(|(_, variance)| **variance <= 0.0).map(|(&c, _)| c).collect();
            if !flat.is_empty() {
                return Err(Error::Rank(RankError::ZeroVariance { class, weight, columns: flat }));
            }
        }
        Ok(variances)
    }

    /// Refuses variances that a double does not hold.
    fn check_range(
        &self,
        class: usize,
        variances: ArrayView1<'_, f64>,
        sums: &MixedSums,
        columns: &[usize],
    ) -> Result<()> {
        let what = Owner::Class(class);
        for (place, &column) in columns.iter().enumerate() {
            let scatter = sums.numbers.scatter[(class, place)];
            let lost = scatter <= f64::MIN_POSITIVE && sums.numbers.weights[(class, place)] < MIN_WEIGHT;
            if scatter > 0.0 && (lost || variances[place] < MIN_VARIANCE) {
                return Err(Error::Input(InputError::Underflow { what, column }));
            }
            if variances[place] >= MAX_VARIANCE {
                return Err(Error::Input(InputError::Overflow { what, column }));
            }
        }
        Ok(())
    }
}

/// Variances, 0 where nothing was observed.
fn variances_of(sums: &NumberSums) -> Array2<f64> {
    let mut variances = sums.scatter.clone();
    variances.zip_mut_with(&sums.weights, |scatter, &weight| {
        *scatter = if weight > 0.0 { *scatter / weight } else { 0.0 };
    });
    variances
}

impl MixedSums {
    /// Weight of each class.
    pub(super) fn class_weights(&self) -> Array1<f64> {
        let LevelCounts { classes, .. } = &self.counts;
        classes.clone().into()
    }
}
