//! A fitted model with the names of its classes.

use std::sync::Arc;

use ndarray::{Array1, Array2};

use super::ask::Ask;
use super::estimator::{Kind, Solution, Statistics};
use super::labels::{Label, Labels};
use super::settings::Settings;
use super::table::Table;
use crate::error::{Error, InputError, Result, not_empty, same_size};
use crate::score::Missing;

/// A fitted model whose classes are named by `L`.
///
/// It is immutable, cheap to clone, and can be asked from many threads at once. All scores are doubles; those of one call are
/// found in one parallel pass over the rows.
///
/// ```
/// use gauda::{Fitted, Qda};
/// use ndarray::array;
///
/// let x = array![[-2.0, -1.0], [-1.0, -1.5], [-1.0, -2.0], [1.0, 1.0], [1.0, 2.0], [2.5, 1.0]];
/// let model: Fitted<String> = Qda::params().fit(&x, &["low", "low", "low", "high", "high", "high"])?;
/// assert_eq!(model.predict(&array![[-1.0, -1.0], [2.0, 2.0]])?, ["low", "high"]);
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Fitted<L> {
    pub(super) classes: Vec<L>,
    pub(super) kind: Kind,
    pub(super) settings: Settings,
    pub(super) statistics: Statistics,
    pub(super) solution: Arc<Solution>,
    pub(super) feature_names: Option<Vec<String>>,
}

impl<L> PartialEq for Fitted<L>
where
    L: PartialEq,
{
    fn eq(&self, other: &Self) -> bool {
        self.classes == other.classes
            && self.kind == other.kind
            && self.settings == other.settings
            && self.statistics == other.statistics
    }
}

impl<L> Fitted<L> {
    /// The model that statistics lead to.
    pub(super) fn of(
        classes: Vec<L>,
        kind: Kind,
        settings: Settings,
        statistics: Statistics,
    ) -> Result<Self> {
        let solution = Arc::new(kind.solve(&settings, &statistics)?);
        Ok(Self { classes, kind, settings, statistics, solution, feature_names: None })
    }

    /// The same model with another number of threads.
    ///
    /// ```
    /// use gauda::GaussianNb;
    /// use ndarray::array;
    ///
    /// let x = array![[9.0], [8.0], [1.0], [2.0]];
    /// let model = GaussianNb::params().fit(&x, &[1, 1, 0, 0])?;
    /// assert_eq!(model.clone().with_threads(1).predict_proba(&x)?, model.predict_proba(&x)?);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.settings.threads = Some(threads);
        self
    }

    /// The posterior of each class for each row, n × K; each row sums to 1.
    ///
    /// # Errors
    /// NaN or infinity in a row, another number of columns, rows so far out that scores overflow.
    ///
    /// ```
    /// use gauda::Lda;
    /// use ndarray::array;
    ///
    /// let model = Lda::params().fit(&array![[-2.0], [-1.0], [1.0], [2.0]], &[0, 0, 1, 1])?;
    /// assert_eq!(model.predict_proba(&array![[0.0]])?, array![[0.5, 0.5]]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn predict_proba<'a>(&self, x: impl Into<Table<'a>>) -> Result<Array2<f64>>
    where
        L: Clone,
    {
        let table = x.into();
        Ok(self.about(&table).posterior().run()?.posterior)
    }

    /// The logarithm of the posterior of each class for each row, n × K.
    ///
    /// # Errors
    /// As [`Fitted::predict_proba`].
    ///
    /// ```
    /// use gauda::Lda;
    /// use ndarray::array;
    ///
    /// let model = Lda::params().fit(&array![[-2.0], [-1.0], [1.0], [2.0]], &[0, 0, 1, 1])?;
    /// // far out, where posteriors are too small for a double
    /// assert!(model.predict_log_proba(&array![[-1000.0]])?[[0, 1]] < -11_000.0);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn predict_log_proba<'a>(&self, x: impl Into<Table<'a>>) -> Result<Array2<f64>>
    where
        L: Clone,
    {
        let table = x.into();
        Ok(self.about(&table).log_posterior().run()?.log_posterior)
    }

    /// log p(x) of each row under the mixture of all classes: low for rows unlike anything in the fit.
    ///
    /// # Errors
    /// As [`Fitted::predict_proba`]; a model that has no density, because its common covariance is singular or its rank
    /// reduced.
    ///
    /// ```
    /// use gauda::GaussianNb;
    /// use ndarray::array;
    ///
    /// let model = GaussianNb::params().fit(&array![[-2.0], [-1.0], [1.0], [2.0]], &[0, 0, 1, 1])?;
    /// let density = model.log_density(&array![[1.5], [50.0]])?;
    /// assert!(density[0] > density[1]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn log_density<'a>(&self, x: impl Into<Table<'a>>) -> Result<Array1<f64>>
    where
        L: Clone,
    {
        let table = x.into();
        Ok(self.about(&table).log_density().run()?.log_density)
    }

    fn about<'a>(&'a self, table: &'a Table<'_>) -> Ask<'a, L> {
        Ask::new(self, table.reborrow())
    }

    /// Questions about rows, all of which are answered in one pass.
    ///
    /// ```
    /// use gauda::Lda;
    /// use ndarray::array;
    ///
    /// let model = Lda::params().fit(&array![[-2.0], [-1.0], [1.0], [2.0]], &["a", "a", "b", "b"])?;
    /// let x = array![[-1.5], [0.0]];
    /// let answer = model.ask(&x).label().posterior().reject_below(0.9).run()?;
    /// assert_eq!(answer.label, [Some("a".to_owned()), None]);
    /// assert_eq!(answer.posterior[[1, 0]], 0.5);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn ask<'a>(&'a self, x: impl Into<Table<'a>>) -> Ask<'a, L> {
        Ask::new(self, x.into())
    }
}

impl<L: Clone> Fitted<L> {
    /// The label of each row: the class of the largest posterior, or of the smallest expected cost if the parameters hold
    /// costs. Of equal ones the first class wins.
    ///
    /// # Errors
    /// As [`Fitted::predict_proba`]; parameters by which rows may be left without a label, for which there is
    /// [`Fitted::ask`].
    ///
    /// ```
    /// use gauda::Qda;
    /// use ndarray::array;
    ///
    /// let model = Qda::params().fit(&array![[-2.0], [-1.0], [1.0], [3.0]], &["a", "a", "b", "b"])?;
    /// assert_eq!(model.predict(&array![[-1.5], [2.0]])?, ["a", "b"]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn predict<'a>(&self, x: impl Into<Table<'a>>) -> Result<Vec<L>> {
        let missing = match self.settings.missing {
            Missing::Propagate => Missing::Raise,
            missing => missing,
        };
        let table = x.into();
        let labels = self.about(&table).missing(missing).label().run()?.label;
        labels.into_iter().collect::<Option<_>>().ok_or(Error::Input(InputError::Unsupported(
            "some rows have no label by the model's rules, but predict must give each one; use ask(x).label()",
        )))
    }

    /// The share of rows whose label is right.
    ///
    /// # Errors
    /// As [`Fitted::predict`]; another number of labels than of rows, or no rows.
    ///
    /// ```
    /// use gauda::Qda;
    /// use ndarray::array;
    ///
    /// let (x, y) = (array![[-2.0], [-1.0], [1.0], [3.0]], ["a", "a", "b", "b"]);
    /// assert_eq!(Qda::params().fit(&x, &y)?.accuracy(&x, &["a", "a", "b", "a"])?, 0.75);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn accuracy<'a, Y>(&self, x: impl Into<Table<'a>>, y: &Y) -> Result<f64>
    where
        Y: Labels<Label: Label<Class = L>> + ?Sized,
        L: PartialEq,
    {
        let (labels, predicted) = (y.labels(), self.predict(x)?);
        same_size("number of labels", labels.len(), predicted.len())?;
        not_empty("number of rows", labels.len())?;
        let right = labels.iter().zip(&predicted).filter(|(label, predicted)| label.class() == **predicted);
        Ok(right.count() as f64 / labels.len() as f64)
    }
}
