//! Questions about rows, and the rules by which labels are decided on.

use ndarray::{ArrayBase, ArrayView2, Data, Ix2};

use super::answer::{Answer, Wanted};
use super::fitted::Fitted;
use super::scores::Buffers;
use super::table::Table;
use crate::error::Result;
use crate::parallel::Parallel;
use crate::score::{Missing, Priors, Rules};

/// Questions to a model about rows: say what to find, and by which rules, then [`run`](Ask::run).
///
/// ```
/// use gauda::Qda;
/// use ndarray::array;
///
/// let x = array![[-2.0], [-1.0], [1.0], [3.0]];
/// let model = Qda::params().fit(&x, &["a", "a", "b", "b"])?;
/// let costs = array![[0.0, 1.0], [100.0, 0.0]];
/// let answer = model.ask(&x).label().expected_cost().costs(&costs).priors(&[0.5, 0.5]).run()?;
/// assert_eq!(answer.expected_cost.dim(), (4, 2));
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "nothing is asked until `run`"]
pub struct Ask<'a, L> {
    model: &'a Fitted<L>,
    table: Table<'a>,
    wanted: Wanted,
    rules: Rules<'a>,
    threads: Option<usize>,
}

impl<'a, L> Ask<'a, L> {
    pub(super) fn new(model: &'a Fitted<L>, table: Table<'a>) -> Self {
        Self {
            model,
            table,
            wanted: Wanted::default(),
            rules: model.settings.rules(),
            threads: model.settings.threads,
        }
    }

    /// Wants the label of each row.
    ///
    /// ```
    /// # use gauda::Lda;
    /// # use ndarray::array;
    /// # let x = array![[-2.0], [-1.0], [1.0], [2.0]];
    /// # let model = Lda::params().fit(&x, &[0, 0, 1, 1])?;
    /// assert_eq!(model.ask(&x).label().run()?.label, [Some(0), Some(0), Some(1), Some(1)]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn label(mut self) -> Self {
        self.wanted.label = true;
        self
    }

    /// Wants p(k | x).
    ///
    /// ```
    /// # use gauda::Lda;
    /// # use ndarray::array;
    /// # let x = array![[-2.0], [-1.0], [1.0], [2.0]];
    /// # let model = Lda::params().fit(&x, &[0, 0, 1, 1])?;
    /// assert!(model.ask(&x).posterior().run()?.posterior[[0, 0]] > 0.99);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn posterior(mut self) -> Self {
        self.wanted.posterior = true;
        self
    }

    /// Wants log p(k | x).
    ///
    /// ```
    /// # use gauda::Lda;
    /// # use ndarray::array;
    /// # let x = array![[-2.0], [-1.0], [1.0], [2.0]];
    /// # let model = Lda::params().fit(&x, &[0, 0, 1, 1])?;
    /// assert!(model.ask(&x).log_posterior().run()?.log_posterior[[0, 1]] < -20.0);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn log_posterior(mut self) -> Self {
        self.wanted.log_posterior = true;
        self
    }

    /// Wants log p(x, k).
    ///
    /// ```
    /// # use gauda::Lda;
    /// # use ndarray::array;
    /// # let x = array![[-2.0], [-1.0], [1.0], [2.0]];
    /// # let model = Lda::params().fit(&x, &[0, 0, 1, 1])?;
    /// assert_eq!(model.ask(&x).joint().run()?.joint.dim(), (4, 2));
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn joint(mut self) -> Self {
        self.wanted.joint = true;
        self
    }

    /// Wants log p(x).
    ///
    /// ```
    /// # use gauda::Lda;
    /// # use ndarray::array;
    /// # let x = array![[-2.0], [-1.0], [1.0], [2.0]];
    /// # let model = Lda::params().fit(&x, &[0, 0, 1, 1])?;
    /// assert_eq!(model.ask(&x).log_density().run()?.log_density.len(), 4);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn log_density(mut self) -> Self {
        self.wanted.log_density = true;
        self
    }

    /// Wants the squared Mahalanobis distance of each row from each class. Only of Gaussian models.
    ///
    /// ```
    /// # use gauda::Lda;
    /// # use ndarray::array;
    /// # let x = array![[-2.0], [-1.0], [1.0], [2.0]];
    /// # let model = Lda::params().fit(&x, &[0, 0, 1, 1])?;
    /// assert!((model.ask(&x).mahalanobis().run()?.mahalanobis[[0, 0]] - 1.0).abs() < 1e-12);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn mahalanobis(mut self) -> Self {
        self.wanted.mahalanobis = true;
        self
    }

    /// Wants the probability that a row of the class lies farther from its mean. Only of Gaussian models.
    ///
    /// ```
    /// # use gauda::Lda;
    /// # use ndarray::array;
    /// # let x = array![[-2.0], [-1.0], [1.0], [2.0]];
    /// # let model = Lda::params().fit(&x, &[0, 0, 1, 1])?;
    /// assert!(model.ask(&array![[99.0]]).typicality().run()?.typicality[[0, 1]] < 1e-9);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn typicality(mut self) -> Self {
        self.wanted.typicality = true;
        self
    }

    /// Wants the smallest of the squared Mahalanobis distances to the classes. Only of Gaussian models.
    ///
    /// ```
    /// # use gauda::Lda;
    /// # use ndarray::array;
    /// # let x = array![[-2.0], [-1.0], [1.0], [2.0]];
    /// # let model = Lda::params().fit(&x, &[0, 0, 1, 1])?;
    /// assert!((model.ask(&x).min_mahalanobis().run()?.min_mahalanobis[0] - 1.0).abs() < 1e-12);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn min_mahalanobis(mut self) -> Self {
        self.wanted.min_mahalanobis = true;
        self
    }

    /// Wants the probability that a row of the class that is the label lies farther from its mean; NaN where the row is
    /// rejected. Only of Gaussian models.
    ///
    /// ```
    /// # use gauda::Lda;
    /// # use ndarray::array;
    /// # let x = array![[-2.0], [-1.0], [1.0], [2.0]];
    /// # let model = Lda::params().fit(&x, &[0, 0, 1, 1])?;
    /// assert!(model.ask(&array![[99.0]]).label_typicality().run()?.label_typicality[0] < 1e-9);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn label_typicality(mut self) -> Self {
        self.wanted.label_typicality = true;
        self
    }

    /// Wants what each decision is expected to cost; costs must be given.
    ///
    /// ```
    /// # use gauda::Lda;
    /// # use ndarray::array;
    /// # let x = array![[-2.0], [-1.0], [1.0], [2.0]];
    /// # let model = Lda::params().fit(&x, &[0, 0, 1, 1])?;
    /// let costs = array![[0.0, 1.0], [4.0, 0.0]];
    /// let answer = model.ask(&array![[0.0]]).expected_cost().costs(&costs).run()?;
    /// assert_eq!(answer.expected_cost, array![[2.0, 0.5]]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn expected_cost(mut self) -> Self {
        self.wanted.expected_cost = true;
        self
    }

    /// Wants log p(k | x) up to a term common to the classes.
    ///
    /// ```
    /// # use gauda::Lda;
    /// # use ndarray::array;
    /// # let x = array![[-2.0], [-1.0], [1.0], [2.0]];
    /// # let model = Lda::params().fit(&x, &[0, 0, 1, 1])?;
    /// assert_eq!(model.ask(&array![[0.0]]).decision().run()?.decision, array![[0.0]]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn decision(mut self) -> Self {
        self.wanted.decision = true;
        self
    }

    /// Wants the classes of the `count` largest posteriors of each row.
    ///
    /// ```
    /// # use gauda::Lda;
    /// # use ndarray::array;
    /// # let x = array![[-2.0], [-1.0], [1.0], [2.0]];
    /// # let model = Lda::params().fit(&x, &[0, 0, 1, 1])?;
    /// assert_eq!(model.ask(&x).best(1).run()?.best[3][0].0, 1);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn best(mut self, count: usize) -> Self {
        self.wanted.best = count;
        self
    }

    /// Rows whose label has a smaller posterior get none.
    ///
    /// ```
    /// # use gauda::Lda;
    /// # use ndarray::array;
    /// # let x = array![[-2.0], [-1.0], [1.0], [2.0]];
    /// # let model = Lda::params().fit(&x, &[0, 0, 1, 1])?;
    /// assert_eq!(model.ask(&array![[0.0]]).label().reject_below(0.9).run()?.label, [None]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn reject_below(mut self, posterior: f64) -> Self {
        self.rules.min_posterior = Some(posterior);
        self
    }

    /// Rows that are less typical of their label get none. Only of Gaussian models.
    ///
    /// ```
    /// # use gauda::Lda;
    /// # use ndarray::array;
    /// # let x = array![[-2.0], [-1.0], [1.0], [2.0]];
    /// # let model = Lda::params().fit(&x, &[0, 0, 1, 1])?;
    /// assert_eq!(model.ask(&array![[99.0]]).label().reject_typicality_below(0.01).run()?.label, [None]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn reject_typicality_below(mut self, typicality: f64) -> Self {
        self.rules.min_typicality = Some(typicality);
        self
    }

    /// Labels are those of the smallest expected cost: `costs[[i, j]]` is what decision j costs where class i is the truth. A
    /// further column is the cost of giving no label.
    ///
    /// ```
    /// # use gauda::Lda;
    /// # use ndarray::array;
    /// # let x = array![[-2.0], [-1.0], [1.0], [2.0]];
    /// # let model = Lda::params().fit(&x, &[0, 0, 1, 1])?;
    /// let costs = array![[0.0, 1.0, 0.1], [1.0, 0.0, 0.1]];
    /// assert_eq!(model.ask(&array![[-2.0], [0.0]]).label().costs(&costs).run()?.label, [Some(0), None]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn costs(mut self, costs: impl Into<ArrayView2<'a, f64>>) -> Self {
        self.rules.cost = Some(costs.into());
        self.rules.by_cost = true;
        self
    }

    /// Priors in place of the model's: a slice for all rows, or an array with a row of them for each. They sum to 1.
    ///
    /// ```
    /// # use gauda::Lda;
    /// # use ndarray::array;
    /// # let x = array![[-2.0], [-1.0], [1.0], [2.0]];
    /// # let model = Lda::params().fit(&x, &[0, 0, 1, 1])?;
    /// let rows = array![[0.0], [0.0]];
    /// let posterior = model.ask(&rows).posterior().priors(&array![[0.9, 0.1], [0.2, 0.8]]).run()?.posterior;
    /// assert!((posterior[[1, 1]] - 0.8).abs() < 1e-12);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn priors(mut self, priors: impl Into<Priors<'a>>) -> Self {
        self.rules.priors = Some(priors.into());
        self
    }

    /// What becomes of rows in which NaN stands for a missing value.
    ///
    /// ```
    /// # use gauda::Lda;
    /// # use ndarray::array;
    /// # let x = array![[-2.0], [-1.0], [1.0], [2.0]];
    /// # let model = Lda::params().fit(&x, &[0, 0, 1, 1])?;
    /// use gauda::Missing;
    ///
    /// let rows = array![[f64::NAN]];
    /// assert_eq!(model.ask(&rows).posterior().missing(Missing::Marginalize).run()?.posterior, array![[0.5, 0.5]]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn missing(mut self, missing: Missing) -> Self {
        self.rules.missing = missing;
        self
    }

    /// Number of threads, in place of the model's.
    ///
    /// ```
    /// # use gauda::Lda;
    /// # use ndarray::array;
    /// # let x = array![[-2.0], [-1.0], [1.0], [2.0]];
    /// # let model = Lda::params().fit(&x, &[0, 0, 1, 1])?;
    /// assert_eq!(model.ask(&x).label().threads(1).run()?, model.ask(&x).label().threads(4).run()?);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }
}

impl<L: Clone> Ask<'_, L> {
    /// The answers, found in one parallel pass over the rows.
    ///
    /// # Errors
    /// NaN or infinity in a row, another number of columns, rows so far out that scores overflow; a density or distance of a
    /// model that has none; rules that do not fit the model, expected costs without costs.
    ///
    /// ```
    /// # use gauda::Lda;
    /// # use ndarray::array;
    /// # let x = array![[-2.0], [-1.0], [1.0], [2.0]];
    /// # let model = Lda::params().fit(&x, &[0, 0, 1, 1])?;
    /// let answer = model.ask(&x).label().posterior().run()?;
    /// assert_eq!((answer.label.len(), answer.posterior.dim()), (4, (4, 2)));
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn run(self) -> Result<Answer<L>> {
        let classes = &self.model.classes;
        let mut buffers = Buffers::new(self.wanted, self.table.n_rows(), classes.len(), &self.rules);
        let parallel = Parallel::new(self.threads);
        self.model.solution.scorer.answer(&self.table, &self.rules, buffers.answers(), parallel)?;
        Ok(buffers.into_answer(classes))
    }
}

impl<'a> From<&'a [f64]> for Priors<'a> {
    fn from(priors: &'a [f64]) -> Self {
        Self::Common(priors)
    }
}

impl<'a, const N: usize> From<&'a [f64; N]> for Priors<'a> {
    fn from(priors: &'a [f64; N]) -> Self {
        Self::Common(priors)
    }
}

impl<'a> From<&'a Vec<f64>> for Priors<'a> {
    fn from(priors: &'a Vec<f64>) -> Self {
        Self::Common(priors)
    }
}

impl<'a, S: Data<Elem = f64>> From<&'a ArrayBase<S, Ix2>> for Priors<'a> {
    fn from(priors: &'a ArrayBase<S, Ix2>) -> Self {
        Self::Each(priors.view())
    }
}
