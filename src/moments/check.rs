//! Labels, weights and priors, checked against what they belong to.

use crate::error::{Error, InputError, Result, not_empty, same_size};
use crate::memory::room_for;

/// One weight for each row, finite and not negative, and a finite sum.
pub(crate) fn check_weights(weights: Option<&[f64]>, rows: usize) -> Result<()> {
    check_weights_of(weights, rows, 1.0)
}

/// The same for sums of weights times values that are no larger than this.
pub(crate) fn check_weights_of(weights: Option<&[f64]>, rows: usize, largest_value: f64) -> Result<()> {
    let Some(weights) = weights else {
        return Ok(());
    };
    same_size("number of weights", weights.len(), rows)?;
    let bad = |weight: &f64| !(weight.is_finite() && *weight >= 0.0);
    let too_many = || !(weights.iter().sum::<f64>() * largest_value).is_finite();
    let largest = || (0..weights.len()).max_by(|&a, &b| weights[a].total_cmp(&weights[b]));
    match weights.iter().position(bad).or_else(|| too_many().then(largest).flatten()) {
        Some(row) => Err(Error::Input(InputError::Weight { row, value: weights[row] })),
        None => Ok(()),
    }
}

/// One label for each row, below the number of classes.
pub(crate) fn check_labels(labels: &[u32], rows: usize, classes: usize) -> Result<()> {
    same_size("number of labels", labels.len(), rows)?;
    // A loop without a way out runs on several at once.
    if labels.iter().fold(0, |largest, &label| largest.max(label)) < classes.try_into().unwrap_or(u32::MAX) {
        return Ok(());
    }
    match labels.iter().position(|&label| label as usize >= classes) {
        Some(row) => Err(Error::Input(InputError::Label { row, label: labels[row], classes })),
        None => Ok(()),
    }
}

/// Asks for what classes take before anything is summed up: shifts, the first rows, counts, units of weights.
pub(crate) fn check_room(classes: usize, features: usize) -> Result<()> {
    const WORDS_PER_CLASS: usize = 16;
    room_for(classes.checked_mul(features.saturating_add(WORDS_PER_CLASS)))
}

/// Priors that could be: as many as classes, of which there is one, finite with a finite sum, none negative, not all 0.
pub(crate) fn check_priors(priors: &[f64], classes: usize) -> Result<()> {
    not_empty("number of classes", classes)?;
    same_size("number of priors", priors.len(), classes)?;
    let sum: f64 = priors.iter().sum();
    let bad = priors.iter().position(|prior| !(prior.is_finite() && *prior >= 0.0));
    let none = (sum == 0.0).then_some(0);
    let largest =
        || (0..classes).max_by(|&a, &b| priors[a].total_cmp(&priors[b])).filter(|_| !sum.is_finite());
    match bad.or(none).or_else(largest) {
        Some(class) => Err(Error::Input(InputError::Prior { class, value: priors[class] })),
        None => Ok(()),
    }
}

/// The same of their logarithms.
pub(crate) fn check_log_priors(log_priors: &[f64], classes: usize) -> Result<()> {
    let priors: Vec<f64> = log_priors.iter().map(|log_prior| log_prior.exp()).collect();
    check_priors(&priors, classes)
}
