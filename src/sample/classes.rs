//! Classes drawn from the priors.

use rand_distr::Distribution;
use rand_distr::weighted::WeightedIndex;

use super::streams::{Purpose, stream};
use crate::error::{Error, InputError, Result, not_empty};
use crate::model::Model;
use crate::parallel::Parallel;

/// Classes that are drawn from one stream.
const BLOCK: usize = 1 << 14;

/// Draws a class for each entry of `classes`.
///
/// # Errors
/// Priors of which none is positive.
///
/// ```
/// use gauda::core::{Model, Moments, Parallel, Rows, Structure, sample_classes, sample_rows};
/// use ndarray::array;
///
/// let x = array![[-2.0], [-1.0], [1.0], [3.0]];
/// let rows = Rows::from(x.view());
/// let moments = Moments::from_rows(&rows, &[0, 0, 1, 1], 2, None, Structure::Diag, Parallel::default())?;
/// let model = Model::naive(&moments, array![[0.25], [1.0]].view(), &[0.9, 0.1])?;
///
/// let mut classes = [0; 100];
/// sample_classes(&model, &mut classes, 7, Parallel::default())?;
/// let mut drawn = [0.0; 100];
/// sample_rows(&model, &classes, &mut drawn, 7, Parallel::default())?;
/// assert!(classes.iter().filter(|&&class| class == 0).count() > 80);
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn sample_classes(model: &Model, classes: &mut [u32], seed: u64, parallel: Parallel<'_>) -> Result<()> {
    sample_by_priors(model.log_prior(), classes, seed, parallel)
}

/// The same from the logarithms of the priors.
pub(crate) fn sample_by_priors(
    log_prior: &[f64],
    classes: &mut [u32],
    seed: u64,
    parallel: Parallel<'_>,
) -> Result<()> {
    not_empty("number of classes", log_prior.len())?;
    let priors: Vec<f64> = log_prior.iter().map(|log_prior| log_prior.exp()).collect();
    let class = WeightedIndex::new(&priors)
        .map_err(|_| Error::Input(InputError::Prior { class: 0, value: priors[0] }))?;
    parallel.for_each_part(classes.chunks_mut(BLOCK), |block, classes, _| {
        let mut generator = stream(seed, Purpose::Classes, block);
        classes.fill_with(|| class.sample(&mut generator) as u32);
        Ok(())
    })?;
    Ok(())
}
