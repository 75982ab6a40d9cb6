//! The Python module `gauda._core`. Each function extracts its arguments, runs the core without the interpreter lock, and
//! returns; one place does the running, one maps the errors.

mod answers;
mod arrays;
mod copied;
mod discrete;
mod em;
mod error;
mod few;
mod held_model;
mod held_moments;
mod holdout;
mod joining;
mod label_shift;
mod labels;
mod linear_fit;
mod missing;
mod model;
mod model_parts;
mod moment_parts;
mod moments;
mod names;
mod project;
mod regularized;
mod rows;
mod rules;
mod run;
mod sample;
mod wide;

use pyo3::prelude::*;

#[pymodule]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::discrete::{AffineModel, ColumnModel, count_amounts, count_levels, count_presence};
    #[pymodule_export]
    use super::em::{Pass, estimate_moments, estimate_moments_in_passes};
    #[pymodule_export]
    use super::error::CoreError;
    #[pymodule_export]
    use super::holdout::{cross_validate, leave_one_out, leave_one_out_columns, tally_left_out};
    #[pymodule_export]
    use super::joining::{join_amounts, join_levels, join_presence};
    #[pymodule_export]
    use super::label_shift::adapt_priors;
    #[pymodule_export]
    use super::labels::encode_labels;
    #[pymodule_export]
    use super::linear_fit::LinearFit;
    #[pymodule_export]
    use super::missing::{impute, impute_column_draws, impute_columns, impute_draws};
    #[pymodule_export]
    use super::model::Model;
    #[pymodule_export]
    use super::moments::Moments;
    #[pymodule_export]
    use super::project::project;
    #[pymodule_export]
    use super::regularized::{
        ledoit_wolf_intensities, ledoit_wolf_intensities_of_moments, linear_of_covariance, mixed_variances,
        oracle_intensities, regularized_covariances,
    };
    #[pymodule_export]
    use super::sample::{sample_classes, sample_columns, sample_rows};

    #[pymodule_export]
    use super::wide::{
        standardized, turn, wide_linear_lsqr, wide_linear_of_variances, wide_linear_shrunk,
        wide_linear_standardized, wide_model, wide_quadratic_standardized, wide_regularized,
        wide_regularized_common,
    };

    /// Reads from the environment what is read once, while nobody can change it.
    #[pymodule_init]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::kernel::Level::current();
        Ok(())
    }
}
