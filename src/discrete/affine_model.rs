//! Naive Bayes whose log-likelihoods are affine in the entries: on columns in which something is present or not, and on
//! columns that say how often something occurs.
//!
//! Of presence log p(x | k) = Σ_j x_j log p_kj + (1 − x_j) log(1 − p_kj), of amounts Σ_j x_j log p_kj. Where p_kj is 0 or 1,
//! a logarithm is infinite: such terms are left out of the sum and their number, which is affine in x too, is kept instead.

use std::sync::{Arc, OnceLock};

use ndarray::{Array2, ArrayView2, Axis, Zip, s};

use super::affine_worker::{DenseScores, SparseScores};
use super::check_log;
use super::presence::{check_sparse, presence};
use super::sparse::Sparse;
use crate::error::{Error, Result, ScoresError, check_number, not_empty, same_size};
use crate::kernel::{Affine, AlignedQuads, Presence, Quad, in_quads};
use crate::moments::check_log_priors;
use crate::parallel::Parallel;
use crate::rows::Rows;
use crate::score::{Answers, ModelPrior, Rules, answer, check_no_data};

/// Priors, and what each column adds to the log-likelihood of each class.
///
/// There is an example at [`AffineModel::of_presence`].
#[derive(Debug, Clone)]
pub struct AffineModel {
    pub(super) log_prior: Vec<f64>,
    pub(super) presence: Presence,
    pub(super) finite: Arc<Linear>,
    /// The number of impossible terms, if there are any.
    pub(super) impossible: Option<Arc<Linear>>,
}

/// An affine function of each class.
#[derive(Debug)]
pub(super) struct Linear {
    /// For dense rows, made when there are some.
    packed: OnceLock<Affine<f64>>,
    /// For sparse rows: constants, and slopes column by column, those of all classes side by side.
    pub(super) constant: Vec<Quad>,
    pub(super) slopes: AlignedQuads,
    /// For rows with gaps: what each column adds to the constants, likewise; nothing if none does.
    pub(super) absent: Vec<Quad>,
}

impl Linear {
    /// The sum of `present` where x is 1 and of `absent` where it is 0, class × column.
    fn new(present: &Array2<f64>, absent: &Array2<f64>) -> Self {
        let by_column = absent.columns().into_iter().flat_map(in_quads).collect();
        let constant = absent.sum_axis(Axis(1)).to_vec();
        Self { absent: by_column, ..Self::of(&(present - absent), &constant) }
    }

    /// Constants, and slopes, class × column.
    fn of(slopes: &Array2<f64>, constant: &[f64]) -> Self {
        let width = constant.len().div_ceil(4);
        let mut quads = AlignedQuads::zeros(slopes.ncols() * width);
        for (column, quads) in slopes.columns().into_iter().zip(quads.chunks_exact_mut(width)) {
            quads.as_flattened_mut().iter_mut().zip(column).for_each(|(to, from)| *to = *from);
        }
        Self { packed: OnceLock::new(), constant: in_quads(constant), slopes: quads, absent: vec![] }
    }

    /// The functions of so many classes for dense rows.
    pub(super) fn packed(&self, classes: usize) -> &Affine<f64> {
        self.packed.get_or_init(|| {
            let (slopes, width) = (self.slopes.as_flattened(), 4 * self.constant.len());
            let columns = ArrayView2::from_shape((slopes.len() / width, width), slopes);
            let columns = columns.expect("whole columns");
            let constant = &self.constant.as_flattened()[..classes];
            Affine::new(columns.slice(s![.., ..classes]).t(), constant)
        })
    }
}

impl AffineModel {
    /// A model of presence with these log-priors, and log-probabilities that something is present or absent, class × column. Above
    /// the threshold it is present; without one, entries from 0 to 1 say how much.
    ///
    /// # Errors
    /// Sizes that do not fit together, a threshold that is NaN, log-priors or log-probabilities that could not be.
    ///
    /// ```
    /// use gauda::core::discrete::AffineModel;
    /// use gauda::core::{Answers, Parallel, Rows, Rules};
    /// use ndarray::array;
    ///
    /// let present = array![[0.9_f64, 0.2], [0.1, 0.5]];
    /// let absent = present.mapv(|p| 1.0 - p);
    /// let (present, absent) = (present.mapv(f64::ln), absent.mapv(f64::ln));
    /// let model = AffineModel::of_presence(vec![0.5_f64.ln(); 2], present.view(), absent.view(), Some(0.0))?;
    /// let (x, mut labels) = (array![[true, false], [false, true]], [0; 2]);
    /// let answers = Answers::default().label(&mut labels);
    /// model.answer(&Rows::from(x.view()), &Rules::default(), answers, Parallel::default())?;
    /// assert_eq!(labels, [0, 1]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn of_presence(
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
        let [present, absent] = terms.map(|log| log.mapv(finite_part));
        let [never, always] = terms.map(|log| log.mapv(infinite_part));
        let certain = Zip::from(&never).and(&always).any(|&never, &always| never + always > 0.0);
        Ok(Self {
            log_prior,
            presence: presence(threshold)?,
            finite: Arc::new(Linear::new(&present, &absent)),
            impossible: certain.then(|| Arc::new(Linear::new(&never, &always))),
        })
    }

    /// A model of amounts with these log-priors: each column adds its entry times a weight, class × column. Weights are
    /// log-probabilities, −∞ where a column must be 0, or whatever else scores classes.
    ///
    /// # Errors
    /// Sizes that do not fit together, log-priors that could not be, weights that are NaN or +∞.
    ///
    /// ```
    /// use gauda::core::discrete::AffineModel;
    /// use gauda::core::{Answers, Parallel, Rows, Rules};
    /// use ndarray::array;
    ///
    /// let words = array![[0.5_f64, 0.3, 0.2], [0.1, 0.3, 0.6]].mapv(f64::ln);
    /// let model = AffineModel::of_amounts(vec![0.5_f64.ln(); 2], words.view())?;
    /// let (x, mut labels) = (array![[3, 1, 0], [0, 4, 2]], [0; 2]);
    /// let answers = Answers::default().label(&mut labels);
    /// model.answer(&Rows::from(x.view()), &Rules::default(), answers, Parallel::default())?;
    /// assert_eq!(labels, [0, 1]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn of_amounts(log_prior: Vec<f64>, weights: ArrayView2<'_, f64>) -> Result<Self> {
        check_log_priors(&log_prior, log_prior.len())?;
        not_empty("number of columns", weights.ncols())?;
        same_size("classes of weights", weights.nrows(), log_prior.len())?;
        weights.iter().try_for_each(|&weight| {
            check_number("a weight", "a number below infinity", weight, |weight| weight < f64::INFINITY)
        })?;
        let zeros = vec![0.0; log_prior.len()];
        let never = weights.iter().any(|weight| !weight.is_finite());
        Ok(Self {
            log_prior,
            presence: Presence::Amount,
            finite: Arc::new(Linear::of(&weights.mapv(finite_part), &zeros)),
            impossible: never.then(|| Arc::new(Linear::of(&weights.mapv(infinite_part), &zeros))),
        })
    }

    /// The same with other log-priors; the probabilities are shared.
    ///
    /// # Errors
    /// Another number of log-priors, or some that could not be.
    ///
    /// ```
    /// use gauda::core::discrete::AffineModel;
    /// use gauda::core::{Answers, Parallel, Rows, Rules};
    /// use ndarray::array;
    ///
    /// let weights = array![[0.7_f64, 0.3], [0.4, 0.6]].mapv(f64::ln);
    /// let even = AffineModel::of_amounts(vec![0.5_f64.ln(); 2], weights.view())?;
    /// let skewed = even.with_log_prior(vec![0.1_f64.ln(), 0.9_f64.ln()])?;
    /// let (x, mut labels) = (array![[1, 0]], [0]);
    /// for (model, expected) in [(even, 0), (skewed, 1)] {
    ///     let answers = Answers::default().label(&mut labels);
    ///     model.answer(&Rows::from(x.view()), &Rules::default(), answers, Parallel::default())?;
    ///     assert_eq!(labels, [expected]);
    /// }
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn with_log_prior(&self, log_prior: Vec<f64>) -> Result<Self> {
        check_log_priors(&log_prior, self.log_prior.len())?;
        Ok(Self { log_prior, ..self.clone() })
    }

    /// Logarithms of the priors.
    ///
    /// ```
    /// use gauda::core::discrete::AffineModel;
    /// use ndarray::array;
    ///
    /// let model = AffineModel::of_amounts(vec![0.0], array![[-1.0, -0.5]].view())?;
    /// assert_eq!(model.log_prior(), [0.0]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn log_prior(&self) -> &[f64] {
        &self.log_prior
    }

    pub(super) fn prior(&self) -> ModelPrior<'_, f64> {
        ModelPrior { logs: &self.log_prior, log_total: 0.0 }
    }

    /// Why no class has a finite score for a row whose entries are fit to be read.
    pub(super) fn refuse(&self, row: usize) -> Error {
        match (self.presence, &self.impossible) {
            (Presence::Amount, None) => Error::Scores(ScoresError::TooFar { row }),
            _ => Error::Scores(ScoresError::Impossible { row }),
        }
    }

    pub(super) fn n_features(&self) -> usize {
        self.finite.slopes.len() / self.finite.constant.len()
    }

    /// Answers what was asked of rows; labels follow from the rules. Where entries may be missing, NaN says nothing.
    ///
    /// # Errors
    /// Entries that are not finite, negative amounts, shares that are not from 0 to 1; rows that no class can have made, unless
    /// densities are all that is asked; arrays of the wrong length, rules that do not fit the model, and whatever takes
    /// distances.
    ///
    /// ```
    /// use gauda::core::discrete::AffineModel;
    /// use gauda::core::{Answers, Parallel, Rows, Rules};
    /// use ndarray::array;
    ///
    /// let words = array![[0.8_f64, 0.2], [0.2, 0.8]].mapv(f64::ln);
    /// let model = AffineModel::of_amounts(vec![0.5_f64.ln(); 2], words.view())?;
    /// let (x, mut posterior) = (array![[2, 1], [0, 3]], [0.0; 4]);
    /// let answers = Answers::default().posterior(&mut posterior);
    /// model.answer(&Rows::from(x.view()), &Rules::default(), answers, Parallel::default())?;
    /// // 0.8² · 0.2 against 0.2² · 0.8, and 0.2³ against 0.8³
    /// let expected = [0.8, 0.2, 1.0 / 65.0, 64.0 / 65.0];
    /// assert!(posterior.iter().zip(expected).all(|(got, expected)| (got - expected).abs() < 1e-12));
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn answer(
        &self,
        rows: &Rows<'_>,
        rules: &Rules<'_>,
        answers: Answers<'_, f64>,
        parallel: Parallel<'_>,
    ) -> Result<()> {
        same_size("number of columns", rows.n_features(), self.n_features())?;
        check_no_data(rules, self.n_features())?;
        answer(&DenseScores { model: self, rows, missing: rules.missing }, rules, answers, parallel)
    }

    /// Answers what was asked of sparse rows.
    ///
    /// # Errors
    /// As for dense rows; a threshold below 0, a column that a row gives twice.
    ///
    /// ```
    /// use gauda::core::discrete::{AffineModel, Sparse};
    /// use gauda::core::{Answers, Parallel, Rows, Rules};
    /// use ndarray::array;
    ///
    /// let words = array![[0.8_f64, 0.2], [0.2, 0.8]].mapv(f64::ln);
    /// let model = AffineModel::of_amounts(vec![0.5_f64.ln(); 2], words.view())?;
    /// let entries = array![[2], [3]]; // twice the first column, then thrice the second
    /// let rows = Sparse::new(Rows::from(entries.view()), &[0, 1], &[0, 1, 2], 2)?;
    /// let mut labels = [9; 2];
    /// model.answer_sparse(&rows, &Rules::default(), Answers::default().label(&mut labels), Parallel::default())?;
    /// assert_eq!(labels, [0, 1]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
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

/// A logarithm, or 0 in place of −∞.
fn finite_part(log: f64) -> f64 {
    if log.is_finite() { log } else { 0.0 }
}

/// 1 for −∞, else 0.
fn infinite_part(log: f64) -> f64 {
    f64::from(u8::from(!log.is_finite()))
}
