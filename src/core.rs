//! What the façade is made of: passes over rows, sufficient statistics, models, scores. Labels are codes 0, 1, 2, … and outputs
//! are arrays of the caller, so that nothing is copied or allocated that need not be.
//!
//! Data go one way, and so do the modules:
//!
//! | | |
//! |-|-|
//! | [`Rows`], [`labels`] | borrowed data of any element type and memory order |
//! | [`Moments`] | one parallel pass: weight, mean and scatter of each class |
//! | [`covariance`] | divisors, pooling, shrinkage |
//! | [`Model`], [`LinearFit`] | one covariance per class, a common one, or independent columns |
//! | [`score()`], [`project()`] | one parallel pass over new rows: label, posterior, density, distance, projection |
//! | [`leave_one_out()`], [`cross_validate()`] | how models do on rows that they have not seen, without fitting them anew |
//! | [`discrete`] | counts of levels, and naive Bayes on discrete and mixed columns |
//! | [`sample_classes()`], [`sample_rows()`] | new rows, drawn in parallel |
//!
//! Sums are taken in `f64` about provisional means, so that data far from zero keep their digits; results do not depend
//! on the number of threads, to the bit.
//!
//! ```
//! use gauda::core::{Answers, Model, Moments, Parallel, Rows, Rules, Structure, covariance, score};
//! use ndarray::array;
//!
//! let x = array![[-2.0, -1.0], [-1.0, -1.5], [-1.0, -2.0], [1.0, 1.0], [1.0, 2.0], [2.5, 1.0]];
//! let labels = [0, 0, 0, 1, 1, 1];
//! let rows = Rows::from(&x);
//!
//! let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Full, Parallel::default())?;
//! let covariances = covariance::of_classes(&moments, false)?;
//! let model = Model::quadratic(&moments, covariances.view(), &moments.priors()?, 1e-4, Parallel::default())?;
//!
//! let mut label = [0; 6];
//! let mut log_density = [0.0; 6];
//! let answers = Answers::default().label(&mut label).log_density(&mut log_density);
//! score(&model, &rows, &Rules::default(), answers, Parallel::default())?;
//! assert_eq!(label, labels);
//! # Ok::<(), gauda::Error>(())
//! ```

pub use crate::error::{Error, InputError, Owner, RankError, Result, ScoresError, ShapeError};
pub use crate::float::{Element, Flag, Real};
pub use crate::holdout::{
    ColumnFamily, ColumnSums, Family, Tally, cross_validate, leave_one_out, leave_one_out_columns,
    tally_left_out,
};
pub use crate::label_shift::{Adapted, adapt_priors};
pub use crate::linalg::Whitening;
pub use crate::model::{LinearFit, Model, Parts, Shape};
pub use crate::moments::{Means, Moments, Structure};
pub use crate::parallel::{Parallel, ShouldStop};
pub use crate::rows::Rows;
pub use crate::sample::{sample_classes, sample_rows};
pub use crate::scalar::{Scalar, project, score};
pub use crate::score::{Answers, Best, Missing, Named, Names, Priors, Rules};
// Models of few rows and many columns are Python's so far: what they show may change.
#[doc(hidden)]
pub use crate::wide::{Space, SpanModel, Standardized, WideLinearFit, WideModel, WideMoments, WideParts};

/// Moments to covariances: divisors, pooling, shrinkage, regularization.
pub mod covariance {
    pub use crate::covariance::*;
}

/// Naive Bayes on discrete and mixed columns: counts of levels, and models that look probabilities up.
pub mod discrete {
    pub use crate::discrete::*;
}

/// Labels to codes: the sorted distinct labels, and for every row the index of its label among them.
pub mod labels {
    pub use crate::labels::*;
}

/// Rows that lack some of their values: learning from them, and filling them in.
pub mod missing {
    pub use crate::missing::*;
}
