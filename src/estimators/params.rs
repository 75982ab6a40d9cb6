//! Parameters of an estimator, and the fits that they lead to.

use ndarray::Array2;

use super::estimator::{Estimator, GaussianEstimator, GaussianStatistics, Kind, Statistics, Training};
use super::fitted::Fitted;
use super::labels::{ClassOf, Label, Labels};
use super::moments::Moments;
use super::settings::{ClassPriors, Settings};
use super::table::Table;
use crate::error::{Result, not_empty, same_size};
use crate::score::Missing;

/// How an estimator `E` is to be fitted: `Qda::params()`, `Lda::params()` and so on begin with what is usual.
///
/// Each method returns the parameters with one thing changed, so that calls can be chained; `fit` leaves them as they are.
///
/// ```
/// use gauda::{Qda, Shrinkage};
/// use ndarray::array;
///
/// let x = array![[-2.0, -1.0], [-1.0, -1.5], [-1.0, -2.0], [1.0, 1.0], [1.0, 2.0], [2.5, 1.0]];
/// let params = Qda::params().shrinkage(Shrinkage::Fixed(0.1)).priors([0.3, 0.7]).threads(2);
/// let model = params.fit(&x, &["low", "low", "low", "high", "high", "high"])?;
/// assert_eq!(model.predict(&x)?[0], "low");
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[must_use = "parameters do nothing until they are fitted"]
pub struct Params<E> {
    pub(super) estimator: E,
    pub(super) settings: Settings,
}

impl<E: Estimator> Params<E> {
    /// Priors of the classes, in their order; by default the proportions of the data.
    ///
    /// ```
    /// use gauda::{ClassPriors, GaussianNb};
    ///
    /// let params = GaussianNb::params().priors([0.2, 0.8]);
    /// assert_ne!(params, GaussianNb::params().priors(ClassPriors::Uniform));
    /// ```
    pub fn priors(mut self, priors: impl Into<ClassPriors>) -> Self {
        self.settings.priors = priors.into();
        self
    }

    /// Number of threads, in the fit and afterwards; by default what `GAUDA_NUM_THREADS`, `RAYON_NUM_THREADS` or
    /// `OMP_NUM_THREADS` says, or one for each core. Results do not depend on it.
    ///
    /// ```
    /// use gauda::Lda;
    ///
    /// let params = Lda::params().threads(4);
    /// # assert_ne!(params, Lda::params());
    /// ```
    pub fn threads(mut self, threads: usize) -> Self {
        self.settings.threads = Some(threads);
        self
    }

    /// `costs[[i, j]]` is what decision j costs where class i is the truth, in the order of the classes; labels are then
    /// those of the smallest expected cost. A further column is the cost of giving no label.
    ///
    /// ```
    /// use gauda::Lda;
    /// use ndarray::array;
    ///
    /// // to miss "ill" is ten times as bad as a false alarm
    /// let params = Lda::params().costs(array![[0.0, 1.0], [10.0, 0.0]]);
    /// let x = array![[0.0], [1.0], [2.0], [3.0]];
    /// let model = params.fit(&x, &["fine", "fine", "ill", "ill"])?;
    /// assert_eq!(model.predict(&array![[1.3]])?, ["ill"]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn costs(mut self, costs: Array2<f64>) -> Self {
        self.settings.decisions.costs = Some(costs);
        self
    }

    /// Rows whose label has a smaller posterior get none. Labels must then be asked for with
    /// [`ask`](Fitted::ask), as [`predict`](Fitted::predict) has no way to leave one out.
    ///
    /// ```
    /// use gauda::Lda;
    /// use ndarray::array;
    ///
    /// let model = Lda::params().reject_below(0.9).fit(&array![[0.0], [1.0], [2.0], [3.0]], &[0, 0, 1, 1])?;
    /// let answer = model.ask(&array![[0.0], [1.5]]).label().run()?;
    /// assert_eq!(answer.label, [Some(0), None]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn reject_below(mut self, posterior: f64) -> Self {
        self.settings.decisions.min_posterior = Some(posterior);
        self
    }

    /// The model of rows and their labels.
    ///
    /// `x` is any two-dimensional array of ndarray, owned or a view, in any order of memory, of any type that is an
    /// [`Entry`](crate::Entry), or [`Sparse`](crate::Sparse) rows for estimators that take them; `y` holds a label for each
    /// row.
    ///
    /// # Errors
    /// NaN or infinity in a row, another number of labels than of rows, a single class, parameters that could not be, and
    /// whatever makes a covariance singular.
    ///
    /// ```
    /// use gauda::Qda;
    /// use ndarray::array;
    ///
    /// let x = array![[-2_i32], [-1], [1], [3]];
    /// let model = Qda::params().fit(&x, &[10, 10, 20, 20])?;
    /// assert_eq!(model.classes(), [10, 20]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn fit<'a, Y: Labels + ?Sized>(&self, x: impl Into<Table<'a>>, y: &Y) -> Result<Fitted<ClassOf<Y>>> {
        self.fit_rows(&x.into(), y, None)
    }

    /// The same with a weight for each row: one of weight 2 counts like two rows, one of weight 0 like none.
    ///
    /// # Errors
    /// As [`Params::fit`]; a weight that is negative or not finite, or another number of them than of rows.
    ///
    /// ```
    /// use gauda::GaussianNb;
    /// use ndarray::array;
    ///
    /// let x = array![[-2.0], [-1.0], [1.0], [3.0], [99.0]];
    /// let model = GaussianNb::params().fit_weighted(&x, &[0, 0, 1, 1, 1], &[1.0, 1.0, 1.0, 1.0, 0.0])?;
    /// assert_eq!(model.moments().unwrap().means(), array![[-1.5], [2.0]]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn fit_weighted<'a, Y: Labels + ?Sized>(
        &self,
        x: impl Into<Table<'a>>,
        y: &Y,
        weights: &[f64],
    ) -> Result<Fitted<ClassOf<Y>>> {
        self.fit_rows(&x.into(), y, Some(weights))
    }

    fn fit_rows<Y: Labels + ?Sized>(
        &self,
        table: &Table<'_>,
        y: &Y,
        weights: Option<&[f64]>,
    ) -> Result<Fitted<ClassOf<Y>>> {
        let labels = y.labels();
        same_size("number of labels", labels.len(), table.n_rows())?;
        not_empty("number of rows", table.n_rows())?;
        not_empty("number of columns", table.n_features())?;
        let (classes, codes) = Label::encode(&labels, self.settings.parallel())?;
        let settings = &self.settings;
        let table = &table.reborrow();
        let training = Training { table, codes: &codes, classes: classes.len(), weights, settings };
        let statistics = self.estimator.learn(&training)?;
        Fitted::of(classes, self.estimator.kind(), self.settings.clone(), statistics)
    }
}

impl<E: GaussianEstimator> Params<E> {
    /// What becomes of rows in which NaN stands for a missing value, in the fit and afterwards. With
    /// [`Missing::Marginalize`] the fit is by EM, and scores integrate out what is missing.
    ///
    /// ```
    /// use gauda::{GaussianNb, Missing};
    /// use ndarray::array;
    ///
    /// let x = array![[1.0, f64::NAN], [2.0, 5.0], [f64::NAN, 4.0], [7.0, 1.0], [8.0, 0.0]];
    /// let model = GaussianNb::params().missing(Missing::Marginalize).fit(&x, &[0, 0, 0, 1, 1])?;
    /// assert_eq!(model.predict(&array![[f64::NAN, 4.0], [7.5, f64::NAN]])?, [0, 1]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn missing(mut self, missing: Missing) -> Self {
        self.settings.missing = missing;
        self
    }

    /// Rows that are less typical of their label get none: of the rows of that class, no more than this share lies farther
    /// from its mean. Labels must then be asked for with [`ask`](Fitted::ask).
    ///
    /// ```
    /// use gauda::Lda;
    /// use ndarray::array;
    ///
    /// let params = Lda::params().reject_typicality_below(0.01);
    /// let model = params.fit(&array![[0.0], [1.0], [2.0], [3.0]], &[0, 0, 1, 1])?;
    /// assert_eq!(model.ask(&array![[0.0], [99.0]]).label().run()?.label, [Some(0), None]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn reject_typicality_below(mut self, typicality: f64) -> Self {
        self.settings.decisions.min_typicality = Some(typicality);
        self
    }

    /// The model of moments: the same as that of their rows.
    ///
    /// # Errors
    /// Moments of a structure that tells too little, or of second order for Ledoit and Wolf's shrinkage, and all that a fit
    /// refuses.
    ///
    /// ```
    /// use gauda::{Moments, Qda, Structure};
    /// use ndarray::array;
    ///
    /// let (x, y) = (array![[-2.0], [-1.0], [1.0], [3.0]], [0, 0, 1, 1]);
    /// let moments = Moments::from_rows(&x, &y, Structure::Full)?;
    /// let model = Qda::params().fit_moments(&moments)?;
    /// assert_eq!(model.predict(&x)?, y);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn fit_moments<L: Clone + Ord>(&self, moments: &Moments<L>) -> Result<Fitted<L>> {
        self.estimator.check_moments(&moments.core)?;
        let needed = self.estimator.structure(&self.settings);
        let statistics = GaussianStatistics {
            has_gaps: moments.has_gaps,
            unweighted: moments.unweighted.clone(),
            ..GaussianStatistics::of(moments.core.to(needed)?)
        };
        let kind: Kind = self.estimator.kind();
        Fitted::of(
            moments.classes.clone(),
            kind,
            self.settings.clone(),
            Statistics::Gaussian(Box::new(statistics)),
        )
    }
}
