//! What a fitted model tells of itself.

use std::sync::Arc;

use super::estimator::{Scorer, Statistics};
use super::fitted::Fitted;
use super::moments::Moments;
use crate::error::{Error, InputError, Result};
use crate::model::Model;

impl<L> Fitted<L> {
    /// The classes, in ascending order: that of columns of posteriors.
    ///
    /// ```
    /// use gauda::GaussianNb;
    /// use ndarray::array;
    ///
    /// let model = GaussianNb::params().fit(&array![[9.0], [8.0], [1.0], [2.0]], &['z', 'z', 'a', 'a'])?;
    /// assert_eq!(model.classes(), ['a', 'z']);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn classes(&self) -> &[L] {
        &self.classes
    }

    /// The same model with other names of its classes, in the same order.
    ///
    /// # Errors
    /// Names that are not in ascending order.
    ///
    /// ```
    /// use gauda::GaussianNb;
    /// use ndarray::array;
    ///
    /// let model = GaussianNb::params().fit(&array![[9.0], [8.0], [1.0], [2.0]], &[1_usize, 1, 0, 0])?;
    /// let named = model.map_classes(|&class| ["few", "many"][class].to_owned())?;
    /// assert_eq!(named.predict(&array![[8.5]])?, ["many"]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn map_classes<M: Ord>(&self, name: impl FnMut(&L) -> M) -> Result<Fitted<M>> {
        let classes: Vec<M> = self.classes.iter().map(name).collect();
        if !classes.is_sorted_by(|a, b| a < b) {
            return Err(Error::Input(InputError::Unsupported(
                "names of classes must be in ascending order, as the classes are",
            )));
        }
        Ok(Fitted {
            classes,
            kind: self.kind.clone(),
            settings: self.settings.clone(),
            statistics: self.statistics.clone(),
            solution: Arc::clone(&self.solution),
            feature_names: self.feature_names.clone(),
        })
    }

    /// Names of the columns, if the model comes from a file that has some.
    ///
    /// ```
    /// use gauda::GaussianNb;
    /// use ndarray::array;
    ///
    /// let model = GaussianNb::params().fit(&array![[9.0], [8.0], [1.0], [2.0]], &[1, 1, 0, 0])?;
    /// assert_eq!(model.feature_names(), None);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn feature_names(&self) -> Option<&[String]> {
        self.feature_names.as_deref()
    }

    /// Number of columns.
    ///
    /// ```
    /// use gauda::GaussianNb;
    /// use ndarray::array;
    ///
    /// let model = GaussianNb::params().fit(&array![[9.0, 1.0], [8.0, 1.5], [1.0, 0.0], [2.0, 0.2]], &[1, 1, 0, 0])?;
    /// assert_eq!(model.n_features(), 2);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn n_features(&self) -> usize {
        self.statistics.n_features()
    }

    /// Priors of the classes; they sum to 1.
    ///
    /// ```
    /// use gauda::GaussianNb;
    /// use ndarray::array;
    ///
    /// let model = GaussianNb::params().fit(&array![[9.0], [8.0], [7.0], [7.5], [1.0], [2.0]], &[1, 1, 1, 1, 0, 0])?;
    /// assert!((model.priors()[1] - 2.0 / 3.0).abs() < 1e-15);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn priors(&self) -> Vec<f64> {
        let weights = self.statistics.class_weights();
        self.settings.priors.of(weights.view()).expect("the fit has checked them")
    }

    /// The moments of the rows of the fit. Not of discrete models.
    ///
    /// ```
    /// use gauda::{GaussianNb, Lda};
    /// use ndarray::array;
    ///
    /// let model = Lda::params().fit(&array![[-2.0], [-1.0], [1.0], [2.0]], &[0, 0, 1, 1])?;
    /// assert_eq!(model.moments().unwrap().means(), array![[-1.5], [1.5]]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn moments(&self) -> Option<Moments<L>>
    where
        L: Clone,
    {
        match &self.statistics {
            Statistics::Gaussian(gaussian) => Some(Moments {
                classes: self.classes.clone(),
                core: gaussian.moments.clone(),
                has_gaps: gaussian.has_gaps,
                unweighted: gaussian.unweighted.clone(),
            }),
            Statistics::Presence(_) | Statistics::Levels(_) | Statistics::Mixed(_) | Statistics::Terms(_) => {
                None
            }
        }
    }

    /// Whether EM, if values were missing in the fit, ended by itself.
    ///
    /// ```
    /// use gauda::{Missing, Qda};
    /// use ndarray::array;
    ///
    /// let x = array![[1.0, 1.0], [2.0, 3.0], [4.0, 4.0], [3.0, f64::NAN], [9.0, 7.0], [8.0, 9.0], [7.0, 8.5]];
    /// let model = Qda::params().missing(Missing::Marginalize).fit(&x, &[0, 0, 0, 0, 1, 1, 1])?;
    /// assert!(model.converged());
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn converged(&self) -> bool {
        match &self.statistics {
            Statistics::Gaussian(gaussian) => gaussian.converged,
            Statistics::Presence(_) | Statistics::Levels(_) | Statistics::Mixed(_) | Statistics::Terms(_) => {
                true
            }
        }
    }

    /// The model beneath, for what the core can do besides. Not of discrete models.
    ///
    /// ```
    /// use gauda::{Lda, core};
    /// use ndarray::array;
    ///
    /// let fitted = Lda::params().fit(&array![[-2.0], [-1.0], [1.0], [2.0]], &[0, 0, 1, 1])?;
    /// let mut drawn = [0; 10];
    /// core::sample_classes(fitted.as_core().unwrap(), &mut drawn, 7, core::Parallel::default())?;
    /// assert!(drawn.iter().all(|&class| class < 2));
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn as_core(&self) -> Option<&Model> {
        match &self.solution.scorer {
            Scorer::Gaussian(model) => Some(model),
            Scorer::Presence(_) | Scorer::Weights(_) | Scorer::Columns(_) => None,
        }
    }
}
