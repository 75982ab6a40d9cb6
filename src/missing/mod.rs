//! Rows that lack some of their values: learning from them, and filling them in.
//!
//! Rows that lack the same columns share a pattern, and what a covariance says of it is found once for all of them:
//! with o observed and m missing columns, x_m given x_o is Gaussian with mean μ_m + Σ_mo Σ_oo⁻¹ (x_o − μ_o) and
//! covariance Σ_mm − Σ_mo Σ_oo⁻¹ Σ_om.

mod available;
mod conditional;
mod em;
mod expectation;
mod groups;
mod impute;
mod kept;
mod mixture;
mod pass_parts;
mod passes;
mod regression;
mod statistics;
#[cfg(test)]
mod tests;

pub use em::{Em, Estimate, Regularize, Regularized, estimate};
pub use impute::{impute, impute_draws};
pub use pass_parts::PassParts;
pub use passes::{Pass, estimate_in_passes};
