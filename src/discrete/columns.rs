//! Naive Bayes on columns of levels and of numbers: log-probabilities are looked up, or computed from a normal density.

use std::sync::Arc;

use ndarray::ArrayView2;

use super::column_worker::ColumnScores;
use super::{check_columns, check_log};
use crate::error::{Result, check_number, same_size};
use crate::kernel::{Quad, in_quads};
use crate::moments::check_log_priors;
use crate::parallel::Parallel;
use crate::rows::Rows;
use crate::score::{Answers, Missing, Rules, answer, check_no_data};

/// How one column is distributed in each class.
///
/// ```
/// use gauda::core::discrete::Feature;
/// use ndarray::array;
///
/// // for each of two classes, how probable three levels are, and how numbers are distributed
/// let levels = Feature::levels(array![[0.5_f64, 0.3, 0.2], [0.1, 0.1, 0.8]].mapv(f64::ln).view());
/// let numbers = Feature::normal(&[0.0, 2.0], &[1.0, 4.0])?;
/// # let _ = (levels, numbers);
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Feature(pub(super) Kind);

/// Terms of all classes lie side by side, padded to whole fours.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    /// For each level its log-probabilities; and zeros after the last level, for what is ignored.
    Levels { classes: usize, levels: usize, table: Vec<Quad> },
    /// Means, halves of precisions, and log-densities at the means.
    Normal { classes: usize, parameters: [Vec<Quad>; 3] },
}

impl Feature {
    /// Levels with these log-probabilities, class × level.
    ///
    /// ```
    /// use gauda::core::discrete::Feature;
    /// use ndarray::array;
    ///
    /// let fair = 0.5_f64.ln();
    /// let coin = Feature::levels(array![[fair, fair], [f64::NEG_INFINITY, 0.0]].view());
    /// ```
    pub fn levels(log_probabilities: ArrayView2<'_, f64>) -> Self {
        let (classes, levels) = log_probabilities.dim();
        let mut table: Vec<Quad> = log_probabilities.columns().into_iter().flat_map(in_quads).collect();
        table.extend(vec![[0.0; 4]; classes.div_ceil(4)]);
        Self(Kind::Levels { classes, levels, table })
    }

    /// Numbers with these means and variances in each class.
    ///
    /// # Errors
    /// Another number of variances than of means, means that are not finite, variances that are not positive and finite.
    ///
    /// ```
    /// use gauda::core::discrete::Feature;
    ///
    /// let height = Feature::normal(&[1.62, 1.75], &[0.004, 0.005])?;
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn normal(means: &[f64], variances: &[f64]) -> Result<Self> {
        same_size("number of variances", variances.len(), means.len())?;
        means.iter().try_for_each(|&mean| check_number("a mean", "finite", mean, f64::is_finite))?;
        // So that neither a precision nor a density overflows.
        let fits =
            |variance: f64| variance > 0.0 && (0.5 / variance).is_normal() && variance < f64::MAX / 8.0;
        variances.iter().try_for_each(|&v| check_number("a variance", "positive and finite", v, fits))?;
        let halves = variances.iter().map(|variance| 0.5 / variance).collect::<Vec<_>>();
        let top = |variance: &f64| -0.5 * (std::f64::consts::TAU * variance).ln();
        let tops = variances.iter().map(top).collect::<Vec<_>>();
        let parameters = [means, &halves, &tops].map(in_quads);
        Ok(Self(Kind::Normal { classes: means.len(), parameters }))
    }

    /// An error if a log-probability could not be one.
    fn check(&self) -> Result<()> {
        match &self.0 {
            Kind::Levels { table, .. } => table.as_flattened().iter().try_for_each(|&log| check_log(log)),
            Kind::Normal { .. } => Ok(()),
        }
    }

    /// Number of classes.
    fn classes(&self) -> usize {
        match self.0 {
            Kind::Levels { classes, .. } | Kind::Normal { classes, .. } => classes,
        }
    }
}

/// Priors, and the distribution of each column.
///
/// There is an example at [`ColumnModel::new`].
#[derive(Debug, Clone)]
pub struct ColumnModel {
    pub(super) log_prior: Vec<f64>,
    pub(super) features: Arc<[Feature]>,
    may_miss: bool,
    pub(super) ignores_unknown: bool,
}

impl ColumnModel {
    /// A model with these log-priors. Where entries may be missing, NaN says nothing; a level that is not known is an
    /// error, or says nothing too.
    ///
    /// # Errors
    /// No classes, log-priors or log-probabilities that could not be, or features of another number of classes.
    ///
    /// ```
    /// use gauda::core::discrete::{ColumnModel, Feature};
    /// use gauda::core::{Answers, Parallel, Rows, Rules};
    /// use ndarray::array;
    ///
    /// let feature = Feature::levels(array![[0.9_f64, 0.1], [0.5, 0.5]].mapv(f64::ln).view());
    /// let model = ColumnModel::new(vec![0.5_f64.ln(); 2], vec![feature], false, false)?;
    /// let (x, mut labels) = (array![[0_u8], [1]], [0; 2]);
    /// let answers = Answers::default().label(&mut labels);
    /// model.answer(&Rows::from(x.view()).columns(), &Rules::default(), answers, Parallel::default())?;
    /// assert_eq!(labels, [0, 1]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn new(
        log_prior: Vec<f64>,
        features: Vec<Feature>,
        may_miss: bool,
        ignores_unknown: bool,
    ) -> Result<Self> {
        let classes = log_prior.len();
        check_log_priors(&log_prior, classes)?;
        for feature in &features {
            same_size("classes of a feature", feature.classes(), classes)?;
            feature.check()?;
        }
        Ok(Self { log_prior, features: features.into(), may_miss, ignores_unknown })
    }

    /// The same with other log-priors; the features are shared.
    ///
    /// # Errors
    /// Another number of log-priors, or some that could not be.
    ///
    /// ```
    /// use gauda::core::discrete::{ColumnModel, Feature};
    ///
    /// let numbers = Feature::normal(&[0.0, 2.0], &[1.0, 1.0])?;
    /// let even = ColumnModel::new(vec![0.5_f64.ln(); 2], vec![numbers], false, false)?;
    /// let skewed = even.with_log_prior(vec![0.9_f64.ln(), 0.1_f64.ln()])?;
    /// assert_eq!(skewed.log_prior()[0], 0.9_f64.ln());
    /// assert!(even.with_log_prior(vec![0.0]).is_err()); // there are two classes
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn with_log_prior(&self, log_prior: Vec<f64>) -> Result<Self> {
        check_log_priors(&log_prior, self.log_prior.len())?;
        Ok(Self { log_prior, ..self.clone() })
    }

    /// Logarithms of the priors.
    ///
    /// ```
    /// use gauda::core::discrete::{ColumnModel, Feature};
    ///
    /// let model = ColumnModel::new(vec![0.0], vec![Feature::normal(&[0.0], &[1.0])?], false, false)?;
    /// assert_eq!(model.log_prior(), [0.0]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn log_prior(&self) -> &[f64] {
        &self.log_prior
    }

    /// Answers what was asked of rows that are given column by column; labels follow from the rules.
    ///
    /// # Errors
    /// Entries that are not levels or not known, or not finite; rows that no class can have made, unless densities are all
    /// that is asked; arrays of the wrong length, rules that do not fit the model, and whatever takes distances.
    ///
    /// ```
    /// use gauda::core::discrete::{ColumnModel, Feature};
    /// use gauda::core::{Answers, Parallel, Rows, Rules};
    /// use ndarray::array;
    ///
    /// let levels = Feature::levels(array![[0.9_f64, 0.1], [0.2, 0.8]].mapv(f64::ln).view());
    /// let numbers = Feature::normal(&[0.0, 2.0], &[1.0, 1.0])?;
    /// let model = ColumnModel::new(vec![0.5_f64.ln(); 2], vec![levels, numbers], true, false)?;
    /// let x = array![[0.0, -1.0], [1.0, 3.0], [f64::NAN, 3.0]]; // NaN says nothing
    /// let mut labels = [9; 3];
    /// let answers = Answers::default().label(&mut labels);
    /// model.answer(&Rows::from(x.view()).columns(), &Rules::default(), answers, Parallel::default())?;
    /// assert_eq!(labels, [0, 1, 1]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn answer(
        &self,
        columns: &[Rows<'_>],
        rules: &Rules<'_>,
        answers: Answers<'_, f64>,
        parallel: Parallel<'_>,
    ) -> Result<()> {
        same_size("number of columns", columns.len(), self.features.len())?;
        let rows = columns.first().map_or(0, Rows::n_rows);
        check_columns(columns, rows)?;
        check_no_data(rules, columns.len())?;
        let missing = match rules.missing {
            Missing::Raise if self.may_miss => Missing::Marginalize,
            missing => missing,
        };
        answer(&ColumnScores { model: self, columns, rows, missing }, rules, answers, parallel)
    }
}
