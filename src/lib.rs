//! Gaussian discriminant analysis: labelled rows in, a prior and a Gaussian per class, posteriors out.
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
//! use gauda::{Answers, Model, Moments, Parallel, Rows, Rules, Structure, covariance, score};
//! use ndarray::array;
//!
//! let x = array![[-2.0, -1.0], [-1.0, -1.5], [-1.0, -2.0], [1.0, 1.0], [1.0, 2.0], [2.5, 1.0]];
//! let labels = [0, 0, 0, 1, 1, 1];
//! let rows = Rows::from(x.view());
//!
//! let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Full, Parallel::default())?;
//! let covariances = covariance::of_classes(&moments, false)?;
//! let model = Model::quadratic(&moments, covariances.view(), &moments.priors()?, 1e-4, Parallel::default())?;
//!
//! let mut label = [0; 6];
//! let mut log_density = [0.0; 6];
//! let answers = Answers {
//!     label: Some(&mut label),
//!     log_density: Some(&mut log_density),
//!     ..Answers::default()
//! };
//! score(&model, &rows, &Rules::default(), answers, Parallel::default())?;
//! assert_eq!(label, labels);
//! # Ok::<(), gauda::Error>(())
//! ```

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod covariance;
pub mod discrete;
mod error;
mod float;
mod holdout;
mod kernel;
pub mod labels;
mod linalg;
mod memory;
pub mod missing;
mod model;
mod moments;
#[cfg(test)]
mod oracle;
mod parallel;
#[cfg(feature = "python")]
mod python;
mod rows;
mod sample;
mod score;
#[cfg(test)]
mod tests;

pub use error::{Error, Owner, Result};
pub use float::{Element, Flag, Real};
pub use holdout::{Family, Tally, cross_validate, leave_one_out, tally_left_out};
pub use linalg::Whitening;
pub use model::{LinearFit, Model, Parts, Shape};
pub use moments::{Means, Moments, Structure};
pub use parallel::{Parallel, Watch};
pub use rows::Rows;
pub use sample::{sample_classes, sample_rows};
pub use score::{Adapted, Answers, Best, Missing, Named, Names, Priors, Rules, adapt_priors, project, score};
