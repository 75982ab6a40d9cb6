//! Dense factorizations on nalgebra's: whitening matrices, rank, symmetric eigenvalues, singular values.

mod eigen;
mod factor;
mod invert;
mod singular;
mod tridiagonal;
mod whiten;

pub use eigen::symmetric_eigen;
pub use factor::{Factor, factor, factor_of_rows};
pub use invert::invert;
pub use singular::right_singular;
pub use tridiagonal::{Tridiagonal, tridiagonal};
pub use whiten::{
    Deficiency, Whitening, diagnose, pseudo_whitening, resolvable, spectral_whitening, standard_deviations,
    standardize, whiten,
};
