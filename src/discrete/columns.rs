//! Naive Bayes on columns of levels and of numbers: log-probabilities are looked up, or computed from a normal density.

use std::ops::Range;
use std::sync::Arc;

use ndarray::ArrayView2;

use super::levels::{NONE, no_level};
use super::refusal::for_each_column;
use super::{LOOKUP_WORK, check_columns, check_log, form, tile_rows};
use crate::error::{Error, Result, check_number, same_size};
use crate::kernel::{Double, Four, Lanes, add_levels, add_normal, in_fours, side_by_side};
use crate::moments::check_log_priors;
use crate::parallel::Parallel;
use crate::rows::Rows;
use crate::score::{
    Answers, Form, Missing, ModelPrior, Need, Raw, Refuse, Rules, Ruling, Scorer, Worker, answer,
};

/// How one column is distributed in each class.
#[derive(Debug, Clone)]
pub struct Feature(Kind);

/// Terms of all classes lie side by side, padded to whole fours.
#[derive(Debug, Clone)]
enum Kind {
    /// For each level its log-probabilities; and zeros after the last level, for what is ignored.
    Levels { classes: usize, levels: usize, table: Vec<Four> },
    /// Means, halves of precisions, and log-densities at the means.
    Normal { classes: usize, parameters: [Vec<Four>; 3] },
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
        let mut table: Vec<Four> = log_probabilities.columns().into_iter().flat_map(in_fours).collect();
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
        let parameters = [means, &halves, &tops].map(in_fours);
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
#[derive(Debug, Clone)]
pub struct ColumnModel {
    log_prior: Vec<f64>,
    features: Arc<[Feature]>,
    may_miss: bool,
    ignores_unknown: bool,
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
    /// let answers = Answers { label: Some(&mut labels), ..Answers::default() };
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
    pub fn with_log_prior(&self, log_prior: Vec<f64>) -> Result<Self> {
        check_log_priors(&log_prior, self.log_prior.len())?;
        Ok(Self { log_prior, ..self.clone() })
    }

    /// Logarithms of the priors.
    pub fn log_prior(&self) -> &[f64] {
        &self.log_prior
    }

    /// Answers what was asked of rows that are given column by column; labels follow from the rules.
    ///
    /// # Errors
    /// Entries that are no levels or not known, or not finite; rows that no class can have made, unless densities are all
    /// that is asked; arrays of the wrong length, rules that do not fit the model, and whatever takes distances.
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
        let missing = match rules.missing {
            Missing::Raise if self.may_miss => Missing::Marginalize,
            missing => missing,
        };
        answer(&ColumnScores { model: self, columns, rows, missing }, rules, answers, parallel)
    }
}

/// The model bound to rows.
struct ColumnScores<'a, 'r> {
    model: &'a ColumnModel,
    columns: &'a [Rows<'r>],
    rows: usize,
    missing: Missing,
}

impl<'r> Scorer<f64> for ColumnScores<'_, 'r> {
    type Worker<'a>
        = ColumnWorker<'a, 'r>
    where
        Self: 'a;

    const HAS_DISTANCES: bool = false;

    fn n_rows(&self) -> usize {
        self.rows
    }

    fn prior(&self) -> ModelPrior<'_, f64> {
        ModelPrior { logs: &self.model.log_prior, log_total: 0.0 }
    }

    fn row_work(&self) -> usize {
        LOOKUP_WORK * self.columns.len() * self.model.log_prior.len().div_ceil(4)
    }

    fn tile_rows(&self) -> usize {
        tile_rows(self.model.log_prior.len())
    }

    fn worker(&self) -> ColumnWorker<'_, 'r> {
        ColumnWorker {
            model: self.model,
            columns: self.columns,
            missing: self.missing,
            scratch: Scratch::default(),
            left_out: vec![],
        }
    }
}

/// What measures the rows of one task.
struct ColumnWorker<'a, 'r> {
    model: &'a ColumnModel,
    columns: &'a [Rows<'r>],
    missing: Missing,
    scratch: Scratch,
    left_out: Vec<usize>,
}

/// Memory for a tile: one column, and scores row by row.
#[derive(Default)]
struct Scratch {
    levels: Vec<u32>,
    numbers: Vec<f64>,
    scores: Vec<Four>,
}

impl Worker<f64> for ColumnWorker<'_, '_> {
    fn fill(&mut self, rows: Range<usize>, _: Need, _: &Ruling<'_, f64>, raw: &mut Raw<f64>) -> Result<()> {
        let mut scratch = std::mem::take(&mut self.scratch);
        let mut left_out = std::mem::take(&mut self.left_out);
        left_out.clear();
        let added = self.add_up(rows.clone(), &mut scratch, &mut left_out, true);
        let (classes, width) = (self.model.log_prior.len(), self.width());
        for row in &left_out {
            scratch.scores[(row - rows.start) * width..][..width].fill([0.0; 4]);
        }
        raw.linear.resize(rows.len().div_ceil(Double::COUNT) * classes, [0.0; 8]);
        side_by_side(&scratch.scores, classes, &mut raw.linear);
        (self.scratch, self.left_out) = (scratch, left_out);
        added
    }

    fn form<'b>(&'b self, _: &'b Ruling<'_, f64>) -> Form<'b, f64> {
        form(&self.model.log_prior)
    }

    fn left_out(&self) -> &[usize] {
        &self.left_out
    }
}

impl Refuse for ColumnWorker<'_, '_> {
    fn check_entries(&self, _: &mut dyn Iterator<Item = usize>) -> Result<()> {
        Ok(()) // they were checked when they were read
    }

    /// A row that is possible by its levels has numbers so far out that their squares overflow.
    fn refuse(&self, row: usize, log_prior: &dyn Fn(usize) -> f64) -> Error {
        let mut scratch = Scratch::default();
        if self.add_up(row..row + 1, &mut scratch, &mut vec![], false).is_err() {
            return Error::Impossible { row };
        }
        let scores = scratch.scores.as_flattened()[..self.model.log_prior.len()].iter().enumerate();
        match scores.into_iter().any(|(class, score)| score + log_prior(class) > f64::NEG_INFINITY) {
            true => Error::TooFar { row },
            false => Error::Impossible { row },
        }
    }
}

impl ColumnWorker<'_, '_> {
    /// Writes log p(x | k) row by row, of all columns or of those with levels only.
    fn add_up(
        &self,
        rows: Range<usize>,
        scratch: &mut Scratch,
        left_out: &mut Vec<usize>,
        numbers_too: bool,
    ) -> Result<()> {
        let Scratch { levels, numbers, scores } = scratch;
        let (width, n) = (self.width(), rows.len());
        levels.resize(n, 0);
        numbers.resize(n, 0.0);
        scores.clear();
        scores.resize(n * width, [0.0; 4]);
        for_each_column(self.model.features.len(), |column| {
            match &self.model.features[column].0 {
                Kind::Levels { levels: known, table, .. } => {
                    self.columns[column].read_levels(rows.clone(), levels);
                    if levels.iter().fold(0, |highest, &level| highest.max(level)) as usize >= *known {
                        self.ignore(column, *known, rows.start, levels, left_out)?;
                    }
                    add_levels(levels, table, width, scores);
                }
                Kind::Normal { .. } if !numbers_too => {}
                Kind::Normal { parameters: [means, halves, tops], .. } => {
                    self.columns[column].read_numbers(rows.clone(), numbers);
                    self.check_numbers(column, rows.start, numbers, left_out)?;
                    add_normal(numbers, [means, halves, tops], scores);
                }
            }
            Ok(())
        })
    }

    fn width(&self) -> usize {
        self.model.log_prior.len().div_ceil(4)
    }

    /// Turns levels that say nothing into the one after the last; refuses them if they must be known.
    fn ignore(
        &self,
        column: usize,
        known: usize,
        first_row: usize,
        levels: &mut [u32],
        left_out: &mut Vec<usize>,
    ) -> Result<()> {
        for (row, level) in (first_row..).zip(levels).filter(|(_, level)| **level as usize >= known) {
            if *level == NONE {
                no_level(&self.columns[column], self.missing != Missing::Raise, row, column)?;
                left_out.extend((self.missing == Missing::Propagate).then_some(row));
            } else if !self.model.ignores_unknown {
                return Err(Error::UnknownLevel { row, column, level: *level, levels: known });
            }
            *level = known as u32;
        }
        Ok(())
    }

    /// Numbers must not be infinite, and be there unless they may be missing.
    fn check_numbers(
        &self,
        column: usize,
        first_row: usize,
        numbers: &[f64],
        left_out: &mut Vec<usize>,
    ) -> Result<()> {
        let fine = |x: &f64| x.is_finite() || (self.missing != Missing::Raise && x.is_nan());
        if let Some(place) = numbers.iter().position(|x| !fine(x)) {
            return Err(Error::NonFinite { row: first_row + place, column, value: numbers[place] });
        }
        if self.missing == Missing::Propagate {
            left_out.extend((first_row..).zip(numbers).filter(|(_, x)| x.is_nan()).map(|(row, _)| row));
        }
        Ok(())
    }
}
