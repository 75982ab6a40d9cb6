//! Gaussian discriminant analysis and naive Bayes: rows and labels in, labels and posteriors out. Exact, parallel, in bounded
//! memory.
//!
//! ```
//! use gauda::{Qda, Shrinkage};
//! use ndarray::array;
//!
//! let x = array![[-2.0, -1.0], [-1.0, -1.5], [-1.0, -2.0], [1.0, 1.0], [1.0, 2.0], [2.5, 1.0]];
//! let y = ["low", "low", "low", "high", "high", "high"];
//! let model = Qda::params().shrinkage(Shrinkage::Fixed(0.1)).fit(&x, &y)?;
//!
//! assert_eq!(model.predict(&array![[-1.5, -1.0], [2.0, 2.0]])?, ["low", "high"]);
//! let posteriors = model.predict_proba(&x)?; // one column for each of model.classes()
//! let answer = model.ask(&x).label().log_density().reject_below(0.9).run()?;
//! # assert_eq!((posteriors.dim(), answer.label.len()), ((6, 2), 6));
//! # Ok::<(), gauda::Error>(())
//! ```
//!
//! # Estimators
//!
//! | | |
//! |-|-|
//! | [`Qda`] | Gaussian classes, each with its own covariance |
//! | [`Lda`] | Gaussian classes with a common covariance; projections on discriminant axes |
//! | [`Rda`] | Covariances between those of the others, regularized |
//! | [`GaussianNb`] | Gaussian classes of independent columns |
//! | [`BernoulliNb`] | Columns in which something is present or absent |
//! | [`MultinomialNb`], [`ComplementNb`] | Counts of terms in texts |
//! | [`CategoricalNb`] | Columns of categories |
//! | [`MixedNb`] | Columns of numbers and of categories |
//!
//! Each has `params()`, which returns [`Params`] to be changed and fitted: to rows and labels ([`Params::fit`]), with weights
//! ([`Params::fit_weighted`]), or to [`Moments`] ([`Params::fit_moments`]) that were gathered batch by batch. A [`Fitted`] model
//! answers.
//!
//! # Data
//!
//! Rows are two-dimensional arrays of [`ndarray`], given as `&x`: owned or views, in any order of memory, of `f32`, `f64`,
//! integers or `bool`. They are read in place. Labels are integers, `bool`, text or a type of yours ([`Label`]).
//!
//! Sums are taken in `f64` about provisional means, so that data far from zero keep their digits; results do not depend on the
//! number of threads, to the bit.
//!
//! # Files
//!
//! With the feature `files`, which is on unless it is turned off, models and moments can be saved; the files are those of the
//! Python package, in both directions.
//!
//! # Beneath
//!
//! [`core`] has the parts: passes that write into arrays of yours, in single or double precision; leave-one-out and
//! cross-validation without new fits; missing values; sampling.

#[cfg(doctest)]
#[doc = include_str!("../docs/howto/rust.md")]
struct FromRust;

mod chi_square;
mod covariance;
mod discrete;
mod error;
mod estimators;
mod float;
mod holdout;
mod kernel;
mod label_shift;
mod labels;
mod linalg;
mod memory;
mod missing;
mod model;
mod moments;
#[cfg(test)]
mod oracle;
mod parallel;
mod project;
#[cfg(feature = "python")]
mod python;
mod rows;
mod sample;
mod scalar;
mod score;
#[cfg(test)]
mod tests;
mod wide;

pub mod core;

pub use covariance::{Pooling, Target};
pub use discrete::Sparse;
pub use error::{Error, InputError, Owner, RankError, Result, ScoresError, ShapeError};
pub use estimators::{
    Answer, Ask, BernoulliNb, CategoricalNb, ClassOf, ClassPriors, ComplementNb, Estimator, Fitted, Gamma,
    GaussianEstimator, GaussianNb, Label, Labels, Lda, MixedNb, Moments, MultinomialNb, Params, Qda, Rda,
    Shrinkage, Solver, Table,
};
#[cfg(feature = "files")]
pub use estimators::{FileError, FileLabel};
pub use float::Flag;
pub use moments::Structure;
pub use rows::{Entry, Rows};
pub use score::{Missing, Priors};
