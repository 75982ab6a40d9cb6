//! Naive Bayes on columns in which something is present or not.
//!
//! log p(x | k) = Σ_j x_j log p_kj + (1 − x_j) log(1 − p_kj) is affine in x. Where p_kj is 0 or 1, a logarithm is infinite:
//! such terms are left out of the sum and their number, which is affine in x too, is kept instead.

use std::ops::Range;
use std::sync::Arc;

use ndarray::{Array2, ArrayView2, Axis, Zip};

use super::presence::{check_sparse, presence, unfit};
use super::sparse::{Sparse, SparseBlock};
use super::{LOOKUP_WORK, check_log, form, tile_rows};
use crate::error::{Error, Result, not_empty, same_size};
use crate::kernel::{Affine, Double, Four, Lanes, Presence, add_shares, binarize, in_fours, side_by_side};
use crate::moments::check_log_priors;
use crate::parallel::Parallel;
use crate::rows::Rows;
use crate::score::{Answers, Form, ModelPrior, Need, Raw, Refuse, Rules, Ruling, Scorer, Worker, answer};

/// Priors, and the probability of each column's presence in each class.
#[derive(Debug, Clone)]
pub struct PresenceModel {
    log_prior: Vec<f64>,
    presence: Presence,
    finite: Arc<Linear>,
    /// The number of impossible terms, if there are any.
    impossible: Option<Arc<Linear>>,
}

/// An affine function of each class.
#[derive(Debug)]
struct Linear {
    packed: Affine<f64>,
    /// For sparse rows: constants, and slopes column by column, those of all classes side by side.
    constant: Vec<Four>,
    slopes: Vec<Four>,
}

impl Linear {
    /// The sum of `present` where x is 1 and of `absent` where it is 0, class × column.
    fn new(present: &Array2<f64>, absent: &Array2<f64>) -> Self {
        let slopes = present - absent;
        let constant = absent.sum_axis(Axis(1)).to_vec();
        Self {
            packed: Affine::new(slopes.view(), &constant),
            constant: in_fours(&constant),
            slopes: slopes.columns().into_iter().flat_map(in_fours).collect(),
        }
    }
}

impl PresenceModel {
    /// A model with these log-priors, and log-probabilities that something is present or absent, class × column. Above
    /// the threshold it is present; without one, entries from 0 to 1 say how much.
    ///
    /// # Errors
    /// Sizes that do not fit together, a threshold that is NaN, log-priors or log-probabilities that could not be.
    ///
    /// ```
    /// use gauda::core::discrete::PresenceModel;
    /// use gauda::core::{Answers, Parallel, Rows, Rules};
    /// use ndarray::array;
    ///
    /// let present = array![[0.9_f64, 0.2], [0.1, 0.5]];
    /// let absent = present.mapv(|p| 1.0 - p);
    /// let (present, absent) = (present.mapv(f64::ln), absent.mapv(f64::ln));
    /// let model = PresenceModel::new(vec![0.5_f64.ln(); 2], present.view(), absent.view(), Some(0.0))?;
    /// let (x, mut labels) = (array![[true, false], [false, true]], [0; 2]);
    /// let answers = Answers { label: Some(&mut labels), ..Answers::default() };
    /// model.answer(&Rows::from(x.view()), &Rules::default(), answers, Parallel::default())?;
    /// assert_eq!(labels, [0, 1]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn new(
        log_prior: Vec<f64>,
        log_present: ArrayView2<'_, f64>,
        log_absent: ArrayView2<'_, f64>,
        threshold: Option<f64>,
    ) -> Result<Self> {
        check_log_priors(&log_prior, log_prior.len())?;
        not_empty("number of columns", log_present.ncols())?;
        same_size("classes of probabilities", log_present.nrows(), log_prior.len())?;
        same_size("rows of probabilities", log_absent.nrows(), log_present.nrows())?;
        same_size("columns of probabilities", log_absent.ncols(), log_present.ncols())?;
        let terms = [log_present, log_absent];
        terms.iter().flatten().try_for_each(|&log| check_log(log))?;
        let [present, absent] = terms.map(|log| log.mapv(|log| if log.is_finite() { log } else { 0.0 }));
        let [never, always] = terms.map(|log| log.mapv(|log| f64::from(u8::from(!log.is_finite()))));
        let certain = Zip::from(&never).and(&always).any(|&never, &always| never + always > 0.0);
        Ok(Self {
            log_prior,
            presence: presence(threshold)?,
            finite: Arc::new(Linear::new(&present, &absent)),
            impossible: certain.then(|| Arc::new(Linear::new(&never, &always))),
        })
    }

    /// The same with other log-priors; the probabilities are shared.
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

    fn prior(&self) -> ModelPrior<'_, f64> {
        ModelPrior { logs: &self.log_prior, log_total: 0.0 }
    }

    fn n_features(&self) -> usize {
        self.finite.slopes.len() / self.finite.constant.len()
    }

    /// Answers what was asked of rows; labels follow from the rules.
    ///
    /// # Errors
    /// Entries that are not finite, or without a threshold not from 0 to 1; rows that no class can have made, unless
    /// densities are all that is asked; arrays of the wrong length, rules that do not fit the model, and whatever takes
    /// distances.
    pub fn answer(
        &self,
        rows: &Rows<'_>,
        rules: &Rules<'_>,
        answers: Answers<'_, f64>,
        parallel: Parallel<'_>,
    ) -> Result<()> {
        same_size("number of columns", rows.n_features(), self.n_features())?;
        answer(&DenseScores { model: self, rows }, rules, answers, parallel)
    }

    /// Answers what was asked of sparse rows.
    ///
    /// # Errors
    /// As for dense rows; a threshold below 0, a column that a row gives twice.
    pub fn answer_sparse(
        &self,
        rows: &Sparse<'_>,
        rules: &Rules<'_>,
        answers: Answers<'_, f64>,
        parallel: Parallel<'_>,
    ) -> Result<()> {
        same_size("number of columns", rows.n_features(), self.n_features())?;
        check_sparse(self.presence)?;
        answer(&SparseScores { model: self, rows }, rules, answers, parallel)
    }
}

/// The model bound to dense rows.
struct DenseScores<'a, 'r> {
    model: &'a PresenceModel,
    rows: &'a Rows<'r>,
}

impl<'r> Scorer<f64> for DenseScores<'_, 'r> {
    type Worker<'a>
        = DenseWorker<'a, 'r>
    where
        Self: 'a;

    const HAS_DISTANCES: bool = false;

    fn n_rows(&self) -> usize {
        self.rows.n_rows()
    }

    fn prior(&self) -> ModelPrior<'_, f64> {
        self.model.prior()
    }

    fn row_work(&self) -> usize {
        LOOKUP_WORK * self.model.n_features() * (1 + self.model.log_prior.len() / 4)
    }

    fn tile_rows(&self) -> usize {
        tile_rows(self.model.log_prior.len())
    }

    fn worker(&self) -> DenseWorker<'_, 'r> {
        DenseWorker {
            model: self.model,
            rows: self.rows,
            indices: vec![],
            x: vec![],
            impossible: vec![],
            no_shift: vec![0.0; self.model.n_features()],
        }
    }
}

/// What measures the dense rows of one task: memory for a tile of packed rows, [group][column], and for the numbers of
/// impossible terms, [group][class].
struct DenseWorker<'a, 'r> {
    model: &'a PresenceModel,
    rows: &'a Rows<'r>,
    indices: Vec<usize>,
    x: Vec<Double>,
    impossible: Vec<Double>,
    no_shift: Vec<f64>,
}

impl Worker<f64> for DenseWorker<'_, '_> {
    fn fill(&mut self, rows: Range<usize>, _: Need, _: &Ruling<'_, f64>, raw: &mut Raw<f64>) -> Result<()> {
        let (model, features, x) = (self.model, self.model.n_features(), &mut self.x);
        let groups = rows.len().div_ceil(Double::COUNT);
        raw.linear.resize(groups * model.log_prior.len(), [0.0; 8]);
        self.indices.clear();
        self.indices.extend(rows.clone());
        x.resize(groups * features, [0.0; 8]);
        self.rows.pack::<f64>(&self.indices, &self.no_shift, x);
        self.rows.prefetch(rows.end..(rows.end + rows.len()).min(self.rows.n_rows()));
        if !binarize(model.presence, x) {
            return Err(unfit(self.rows, model.presence, rows));
        }
        model.finite.packed.apply(x, features, &mut raw.linear);
        if let Some(counted) = &model.impossible {
            self.impossible.resize(raw.linear.len(), [0.0; 8]);
            counted.packed.apply(x, features, &mut self.impossible);
            raw.linear.iter_mut().zip(&self.impossible).for_each(|(scores, terms)| rule_out(scores, terms));
        }
        Ok(())
    }

    fn form<'b>(&'b self, _: &'b Ruling<'_, f64>) -> Form<'b, f64> {
        form(&self.model.log_prior)
    }
}

impl Refuse for DenseWorker<'_, '_> {
    fn check_entries(&self, _: &mut dyn Iterator<Item = usize>) -> Result<()> {
        Ok(()) // they were checked when they were read
    }

    fn refuse(&self, row: usize, _: &dyn Fn(usize) -> f64) -> Error {
        Error::Impossible { row }
    }
}

/// Scores with impossible terms are −∞.
fn rule_out(scores: &mut [f64], impossible: &[f64]) {
    for (score, &terms) in scores.iter_mut().zip(impossible) {
        *score = if terms > 0.0 { f64::NEG_INFINITY } else { *score };
    }
}

/// The model bound to sparse rows.
struct SparseScores<'a, 'r> {
    model: &'a PresenceModel,
    rows: &'a Sparse<'r>,
}

impl<'r> Scorer<f64> for SparseScores<'_, 'r> {
    type Worker<'a>
        = SparseWorker<'a, 'r>
    where
        Self: 'a;

    const HAS_DISTANCES: bool = false;

    fn n_rows(&self) -> usize {
        self.rows.n_rows()
    }

    fn prior(&self) -> ModelPrior<'_, f64> {
        self.model.prior()
    }

    fn row_work(&self) -> usize {
        let width = self.model.finite.constant.len();
        LOOKUP_WORK * (width + width * self.rows.n_entries() / self.rows.n_rows().max(1))
    }

    fn tile_rows(&self) -> usize {
        tile_rows(self.model.log_prior.len())
    }

    fn worker(&self) -> SparseWorker<'_, 'r> {
        SparseWorker {
            model: self.model,
            rows: self.rows,
            shares: vec![],
            scores: vec![],
            impossible: vec![],
        }
    }
}

/// What measures the sparse rows of one task, with memory for a tile.
struct SparseWorker<'a, 'r> {
    model: &'a PresenceModel,
    rows: &'a Sparse<'r>,
    shares: Vec<f64>,
    scores: Vec<Four>,
    impossible: Vec<Four>,
}

impl Worker<f64> for SparseWorker<'_, '_> {
    fn fill(&mut self, rows: Range<usize>, _: Need, _: &Ruling<'_, f64>, raw: &mut Raw<f64>) -> Result<()> {
        let Self { model, shares, scores, impossible, .. } = self;
        let classes = model.log_prior.len();
        raw.linear.resize(rows.len().div_ceil(Double::COUNT) * classes, [0.0; 8]);
        let block = self.rows.read(rows, model.presence, shares)?;
        model.finite.add_rows(&block, shares, scores);
        if let Some(counted) = &model.impossible {
            counted.add_rows(&block, shares, impossible);
            rule_out(scores.as_flattened_mut(), impossible.as_flattened());
        }
        side_by_side(scores, classes, &mut raw.linear);
        Ok(())
    }

    fn form<'b>(&'b self, _: &'b Ruling<'_, f64>) -> Form<'b, f64> {
        form(&self.model.log_prior)
    }
}

impl Refuse for SparseWorker<'_, '_> {
    fn check_entries(&self, _: &mut dyn Iterator<Item = usize>) -> Result<()> {
        Ok(()) // they were checked when they were read
    }

    fn refuse(&self, row: usize, _: &dyn Fn(usize) -> f64) -> Error {
        Error::Impossible { row }
    }
}

impl Linear {
    /// Constants, and slopes where something is present: those of each row one after another.
    fn add_rows(&self, block: &SparseBlock<'_>, shares: &[f64], sums: &mut Vec<Four>) {
        sums.clear();
        for (columns, shares) in block.rows(shares) {
            let start = sums.len();
            sums.extend_from_slice(&self.constant);
            add_shares(columns, shares, &self.slopes, &mut sums[start..]);
        }
    }
}
