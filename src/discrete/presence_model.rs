//! Naive Bayes on columns in which something is present or not.
//!
//! log p(x | k) = Σ_j x_j log p_kj + (1 − x_j) log(1 − p_kj) is affine in x. Where p_kj is 0 or 1, a logarithm is infinite:
//! such terms are left out of the sum and their number, which is affine in x too, is kept instead.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, Axis, Zip};

use super::answer::{Question, Scores, answer};
use super::check_log;
use super::presence::{check_sparse, presence, unfit};
use super::sparse::{Sparse, SparseBlock};
use crate::error::{Result, not_empty, same_size};
use crate::kernel::{Affine, Four, Presence, add_shares, binarize, in_fours, side_by_side};
use crate::moments::check_log_priors;
use crate::parallel::Parallel;
use crate::rows::Rows;

/// Priors, and the probability of each column's presence in each class.
#[derive(Debug)]
pub struct PresenceModel {
    log_prior: Vec<f64>,
    presence: Presence,
    finite: Linear,
    /// The number of impossible terms, if there are any.
    impossible: Option<Linear>,
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
    /// use gauda::discrete::{PresenceModel, Question};
    /// use gauda::{Parallel, Rows};
    /// use ndarray::array;
    ///
    /// let present = array![[0.9_f64, 0.2], [0.1, 0.5]];
    /// let absent = present.mapv(|p| 1.0 - p);
    /// let (present, absent) = (present.mapv(f64::ln), absent.mapv(f64::ln));
    /// let model = PresenceModel::new(vec![0.5_f64.ln(); 2], present.view(), absent.view(), Some(0.0))?;
    /// let (x, mut labels) = (array![[true, false], [false, true]], [0; 2]);
    /// model.answer(&Rows::from(x.view()), Question::Label(&mut labels), Parallel::default())?;
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
            finite: Linear::new(&present, &absent),
            impossible: certain.then(|| Linear::new(&never, &always)),
        })
    }

    fn n_features(&self) -> usize {
        self.finite.slopes.len() / self.finite.constant.len()
    }

    /// Answers a question of rows.
    ///
    /// # Errors
    /// Entries that are not finite, or without a threshold not from 0 to 1; rows that no class can have made; arrays of the
    /// wrong length.
    pub fn answer(&self, rows: &Rows<'_>, question: Question<'_>, parallel: Parallel<'_>) -> Result<()> {
        same_size("number of columns", rows.n_features(), self.n_features())?;
        answer(&DenseScores { model: self, rows }, question, parallel)
    }

    /// Answers a question of sparse rows.
    ///
    /// # Errors
    /// As for dense rows; a threshold below 0, a column that a row gives twice.
    pub fn answer_sparse(
        &self,
        rows: &Sparse<'_>,
        question: Question<'_>,
        parallel: Parallel<'_>,
    ) -> Result<()> {
        same_size("number of columns", rows.n_features(), self.n_features())?;
        check_sparse(self.presence)?;
        answer(&SparseScores { model: self, rows }, question, parallel)
    }
}

struct DenseScores<'a, 'r> {
    model: &'a PresenceModel,
    rows: &'a Rows<'r>,
}

/// Memory for a tile of packed rows, [group][column], and for the numbers of impossible terms, [group][class].
struct Packed {
    indices: Vec<usize>,
    x: Vec<[f64; 8]>,
    impossible: Vec<[f64; 8]>,
    no_shift: Vec<f64>,
}

impl Scores for DenseScores<'_, '_> {
    type Scratch = Packed;

    fn n_rows(&self) -> usize {
        self.rows.n_rows()
    }

    fn row_work(&self) -> usize {
        self.model.n_features() * (1 + self.model.log_prior.len() / 4)
    }

    fn log_prior(&self) -> &[f64] {
        &self.model.log_prior
    }

    fn scratch(&self) -> Packed {
        Packed {
            indices: vec![],
            x: vec![],
            impossible: vec![],
            no_shift: vec![0.0; self.model.n_features()],
        }
    }

    fn measure(&self, rows: Range<usize>, scratch: &mut Packed, measured: &mut [[f64; 8]]) -> Result<()> {
        let (features, Packed { indices, x, impossible, no_shift }) = (self.model.n_features(), scratch);
        indices.clear();
        indices.extend(rows.clone());
        x.resize(rows.len().div_ceil(8) * features, [0.0; 8]);
        self.rows.pack::<f64>(indices, no_shift, x);
        self.rows.prefetch(rows.end..(rows.end + rows.len()).min(self.rows.n_rows()));
        if !binarize(self.model.presence, x) {
            return Err(unfit(self.rows, self.model.presence, rows));
        }
        self.model.finite.packed.apply(x, features, measured);
        if let Some(counted) = &self.model.impossible {
            impossible.resize(measured.len(), [0.0; 8]);
            counted.packed.apply(x, features, impossible);
            measured.iter_mut().zip(impossible).for_each(|(scores, terms)| rule_out(scores, terms));
        }
        Ok(())
    }
}

/// Scores with impossible terms are −∞.
fn rule_out(scores: &mut [f64], impossible: &[f64]) {
    for (score, &terms) in scores.iter_mut().zip(impossible) {
        *score = if terms > 0.0 { f64::NEG_INFINITY } else { *score };
    }
}

struct SparseScores<'a, 'r> {
    model: &'a PresenceModel,
    rows: &'a Sparse<'r>,
}

impl Scores for SparseScores<'_, '_> {
    type Scratch = SparseScratch;

    fn n_rows(&self) -> usize {
        self.rows.n_rows()
    }

    fn row_work(&self) -> usize {
        let width = self.model.finite.constant.len();
        width + width * self.rows.n_entries() / self.rows.n_rows().max(1)
    }

    fn log_prior(&self) -> &[f64] {
        &self.model.log_prior
    }

    fn scratch(&self) -> SparseScratch {
        SparseScratch::default()
    }

    fn measure(
        &self,
        rows: Range<usize>,
        scratch: &mut SparseScratch,
        measured: &mut [[f64; 8]],
    ) -> Result<()> {
        let SparseScratch { shares, scores, impossible } = scratch;
        let block = self.rows.read(rows, self.model.presence, shares)?;
        self.model.finite.add_rows(&block, shares, scores);
        if let Some(counted) = &self.model.impossible {
            counted.add_rows(&block, shares, impossible);
            rule_out(scores.as_flattened_mut(), impossible.as_flattened());
        }
        side_by_side(scores, self.model.log_prior.len(), measured);
        Ok(())
    }
}

/// Memory for a tile of sparse rows.
#[derive(Default)]
struct SparseScratch {
    shares: Vec<f64>,
    scores: Vec<Four>,
    impossible: Vec<Four>,
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
