//! What models with a common covariance have besides: linear functions, and axes to project on.

use ndarray::Array2;

use super::estimator::Linear;
use super::fitted::Fitted;
use crate::error::{Error, InputError, Result};
use crate::project::project;
use crate::rows::Rows;

impl<L> Fitted<L> {
    /// Rows projected on the axes that separate the classes best, n × components. Only of [`Lda`](crate::Lda).
    ///
    /// # Errors
    /// A model without axes, NaN or infinity in a row, another number of columns.
    ///
    /// ```
    /// use gauda::Lda;
    /// use ndarray::array;
    ///
    /// let model = Lda::params().fit(&array![[-2.0], [-1.0], [1.0], [2.0]], &[0, 0, 1, 1])?;
    /// assert!((model.transform(&array![[0.5]])?[[0, 0]].abs() - 1.0).abs() < 1e-12);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn transform<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Array2<f64>> {
        let rows = x.into();
        let Some(Linear { axes, center, .. }) = self.linear().filter(|linear| linear.axes.ncols() > 0) else {
            return Err(Error::Input(InputError::Unsupported(
                "rows must be projected by an Lda with axes; fit one with Svd or Eigen",
            )));
        };
        let mut out = Array2::zeros((rows.n_rows(), axes.ncols()));
        let place = out.as_slice_mut().expect("rows one after another");
        project::<f64>(axes.view(), center, &rows, place, self.settings.parallel())?;
        Ok(out)
    }

    /// Slopes of the discriminants, K × d; for two classes the second's less the first's, 1 × d. Only of
    /// [`Lda`](crate::Lda).
    ///
    /// ```
    /// use gauda::Lda;
    /// use ndarray::array;
    ///
    /// let model = Lda::params().fit(&array![[-2.0], [-1.0], [1.0], [2.0]], &[0, 0, 1, 1])?;
    /// assert!((model.coefficients().unwrap()[[0, 0]] - 12.0).abs() < 1e-12);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn coefficients(&self) -> Option<&Array2<f64>> {
        self.linear().map(|linear| &linear.coefficients)
    }

    /// Constants of the discriminants, as many. Only of [`Lda`](crate::Lda).
    ///
    /// ```
    /// use gauda::Lda;
    /// use ndarray::array;
    ///
    /// let model = Lda::params().fit(&array![[-2.0], [-1.0], [1.0], [2.0]], &[0, 0, 1, 1])?;
    /// assert_eq!(model.intercepts(), Some(&[0.0][..]));
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn intercepts(&self) -> Option<&[f64]> {
        self.linear().map(|linear| &linear.intercepts[..])
    }

    /// Share of the variance between classes along each axis. Only of [`Lda`](crate::Lda).
    ///
    /// ```
    /// use gauda::Lda;
    /// use ndarray::array;
    ///
    /// let model = Lda::params().fit(&array![[-2.0], [-1.0], [1.0], [2.0]], &[0, 0, 1, 1])?;
    /// assert_eq!(model.explained_variance_ratio(), Some(&[1.0][..]));
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn explained_variance_ratio(&self) -> Option<&[f64]> {
        self.linear().map(|linear| &linear.ratios[..])
    }

    fn linear(&self) -> Option<&Linear> {
        self.solution.linear.as_ref()
    }
}
