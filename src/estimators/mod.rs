//! The estimators as a user sees them: parameters, a fit, questions. They own names and choices; all that is computed is
//! computed by the modules before.

mod answer;
mod ask;
mod bernoulli_nb;
mod categorical_nb;
mod estimator;
mod facts;
#[cfg(feature = "files")]
mod files;
mod fitted;
mod gaussian_nb;
mod labels;
mod lda;
mod linear;
mod mixed_nb;
mod moment_facts;
mod moments;
mod params;
mod qda;
mod rda;
mod scores;
mod settings;
mod shrinkage;
mod table;
mod text_nb;

pub use answer::Answer;
pub use ask::Ask;
pub use bernoulli_nb::BernoulliNb;
pub use categorical_nb::CategoricalNb;
pub use estimator::{Estimator, GaussianEstimator};
#[cfg(feature = "files")]
pub use files::{FileError, FileLabel};
pub use fitted::Fitted;
pub use gaussian_nb::GaussianNb;
pub use labels::{ClassOf, Label, Labels};
pub use lda::{Lda, Solver};
pub use mixed_nb::MixedNb;
pub use moments::Moments;
pub use params::Params;
pub use qda::Qda;
pub use rda::{Gamma, Rda};
pub use settings::ClassPriors;
pub use shrinkage::Shrinkage;
pub use table::Table;
pub use text_nb::{ComplementNb, MultinomialNb};
