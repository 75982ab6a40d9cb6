//! What moments tell of themselves.

use ndarray::{Array1, Array2, Array3};

use super::moments::Moments;
use crate::moments::{Moments as Core, Structure};

impl<L> Moments<L> {
    /// The classes, in ascending order.
    ///
    /// ```
    /// use gauda::{Moments, Structure};
    /// use ndarray::array;
    ///
    /// let moments = Moments::from_rows(&array![[1.0, 0.0], [3.0, 2.0]], &["a", "a"], Structure::Full)?;
    /// assert_eq!(moments.classes(), ["a"]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn classes(&self) -> &[L] {
        &self.classes
    }

    /// Number of columns.
    ///
    /// ```
    /// use gauda::{Moments, Structure};
    /// use ndarray::array;
    ///
    /// let moments = Moments::from_rows(&array![[1.0, 0.0], [3.0, 2.0]], &["a", "a"], Structure::Full)?;
    /// assert_eq!(moments.n_features(), 2);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn n_features(&self) -> usize {
        self.core.n_features()
    }

    /// What is known of second moments.
    ///
    /// ```
    /// use gauda::{Moments, Structure};
    /// use ndarray::array;
    ///
    /// let moments = Moments::from_rows(&array![[1.0, 0.0], [3.0, 2.0]], &["a", "a"], Structure::Tied)?;
    /// assert_eq!(moments.structure(), Structure::Tied);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn structure(&self) -> Structure {
        self.core.structure()
    }

    /// Sum of the weights of each class; without weights, its rows.
    ///
    /// ```
    /// use gauda::{Moments, Structure};
    /// use ndarray::array;
    ///
    /// let moments = Moments::from_rows(&array![[1.0, 0.0], [3.0, 2.0]], &["a", "a"], Structure::Full)?;
    /// assert_eq!(moments.weights(), array![2.0]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn weights(&self) -> &Array1<f64> {
        self.core.weights()
    }

    /// The class means, K × d.
    ///
    /// ```
    /// use gauda::{Moments, Structure};
    /// use ndarray::array;
    ///
    /// let moments = Moments::from_rows(&array![[1.0, 0.0], [3.0, 2.0]], &["a", "a"], Structure::Full)?;
    /// assert_eq!(moments.means(), array![[2.0, 1.0]]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn means(&self) -> Array2<f64> {
        self.core.means()
    }

    /// Sums of squares and products about the class means: K × d × d, 1 × d × d or K × 1 × d, as the structure says.
    ///
    /// ```
    /// use gauda::{Moments, Structure};
    /// use ndarray::array;
    ///
    /// let moments = Moments::from_rows(&array![[1.0, 0.0], [3.0, 2.0]], &["a", "a"], Structure::Diag)?;
    /// assert_eq!(moments.scatter(), array![[[2.0, 2.0]]]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn scatter(&self) -> &Array3<f64> {
        self.core.scatter()
    }

    /// The same without names.
    ///
    /// ```
    /// use gauda::{Moments, Structure};
    /// use ndarray::array;
    ///
    /// let moments = Moments::from_rows(&array![[1.0, 0.0], [3.0, 2.0]], &["a", "a"], Structure::Full)?;
    /// assert_eq!(moments.as_core().n_classes(), 1);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn as_core(&self) -> &Core {
        &self.core
    }
}
