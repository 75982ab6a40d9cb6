//! Labels and weights, checked against the rows they belong to.

use crate::error::{Error, Result, same_size};

/// One weight for each row, finite and not negative, and a finite sum.
pub(crate) fn check_weights(weights: Option<&[f64]>, rows: usize) -> Result<()> {
    let Some(weights) = weights else {
        return Ok(());
    };
    same_size("number of weights", weights.len(), rows)?;
    let bad = |weight: &f64| !(weight.is_finite() && *weight >= 0.0);
    let too_many = || !weights.iter().sum::<f64>().is_finite();
    let largest = || (0..weights.len()).max_by(|&a, &b| weights[a].total_cmp(&weights[b]));
    match weights.iter().position(bad).or_else(|| too_many().then(largest).flatten()) {
        Some(row) => Err(Error::Weight { row, value: weights[row] }),
        None => Ok(()),
    }
}

/// One label for each row, below the number of classes.
pub(crate) fn check_labels(labels: &[u32], rows: usize, classes: usize) -> Result<()> {
    same_size("number of labels", labels.len(), rows)?;
    match labels.iter().position(|&label| label as usize >= classes) {
        Some(row) => Err(Error::Label { row, label: labels[row], classes }),
        None => Ok(()),
    }
}
