//! Priors that rows without labels speak for, where the classes look as they did but are more or less frequent.
//!
//! Expectation maximization after Saerens, Latinne and Decaestecker (2002): the new priors are the averages of the
//! posteriors under the priors before.

use crate::error::{Result, check_number, check_tolerance, not_empty, same_size};
use crate::float::Real;
use crate::moments::check_priors;
use crate::parallel::Parallel;

/// Posteriors that are averaged together.
const BLOCK: usize = 1 << 16;

/// How far rounding may take a posterior above 1.
const TOLERANCE: f64 = 1e-5;

/// Priors, and how they were found.
///
/// There is an example at [`adapt_priors`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Adapted {
    /// One for each class; they sum to 1.
    pub priors: Vec<f64>,
    /// Rounds that were made.
    pub iterations: usize,
    /// Whether the last round changed no prior by more than the tolerance.
    pub converged: bool,
}

/// Adapts priors to rows, given their posteriors (n × K, one row after another) under the priors before.
///
/// Rows whose posteriors are not numbers say nothing; if no row says anything, the priors stay what they were.
///
/// # Errors
/// No rows, sizes that do not fit together, priors, posteriors or a tolerance that could not be, an interrupt.
///
/// ```
/// use gauda::core::{Parallel, adapt_priors};
///
/// // Three of four rows are surely of the second class.
/// let posterior = [1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0];
/// let adapted = adapt_priors(&posterior, &[0.5, 0.5], 1e-8, 100, Parallel::default())?;
/// assert_eq!(adapted.priors, [0.25, 0.75]);
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn adapt_priors<T: Real>(
    posterior: &[T],
    priors: &[f64],
    tol: f64,
    max_iterations: usize,
    parallel: Parallel<'_>,
) -> Result<Adapted> {
    let classes = priors.len();
    check_priors(priors, classes)?;
    check_tolerance(tol)?;
    not_empty("number of posteriors", posterior.len())?;
    let n = posterior.len() / classes;
    same_size("number of posteriors", posterior.len(), n * classes)?;
    // NaN stands in rows of which nothing is known.
    let fits = |posterior: f64| posterior.is_nan() || (0.0..=1.0 + TOLERANCE).contains(&posterior);
    posterior.iter().try_for_each(|&p| check_number("a posterior", "from 0 to 1", p.into(), fits))?;
    let mut adapted = Adapted { priors: priors.to_vec(), iterations: 0, converged: false };
    while !adapted.converged && adapted.iterations < max_iterations {
        // A class that was thought impossible stays so; where it nearly was, its share must not overflow.
        let max_ratio = f64::MAX / (2.0 * classes as f64);
        let ratio =
            |(&now, &before): (&f64, &f64)| if before > 0.0 { (now / before).min(max_ratio) } else { 0.0 };
        let ratios: Vec<f64> = adapted.priors.iter().zip(priors).map(ratio).collect();
        let sums = summed_posteriors(posterior, &ratios, parallel)?;
        let total: f64 = sums.iter().sum();
        // Of rows that say nothing the priors before are as likely as any.
        let next = match total > 0.0 {
            true => sums.iter().map(|sum| sum / total).collect(),
            false => adapted.priors.clone(),
        };
        let change = next.iter().zip(&adapted.priors).map(|(next, now)| (next - now).abs());
        adapted.converged = change.fold(0.0, f64::max) <= tol;
        adapted.priors = next;
        adapted.iterations += 1;
    }
    Ok(adapted)
}

/// The sums over the rows of the posteriors under priors that changed by these ratios.
fn summed_posteriors<T: Real>(posterior: &[T], ratios: &[f64], parallel: Parallel<'_>) -> Result<Vec<f64>> {
    let classes = ratios.len();
    let blocks: Vec<&[T]> = posterior.chunks((BLOCK / classes).max(1) * classes).collect();
    let parts = parallel.map(blocks.len(), |block, _| {
        let (mut sums, mut weighted) = (vec![0.0; classes], vec![0.0; classes]);
        for row in blocks[block].chunks_exact(classes) {
            for ((weighted, &posterior), ratio) in weighted.iter_mut().zip(row).zip(ratios) {
                *weighted = posterior.into() * ratio;
            }
            let total: f64 = weighted.iter().sum();
            if total > 0.0 && total.is_finite() {
                sums.iter_mut().zip(&weighted).for_each(|(sum, weighted)| *sum += weighted / total);
            }
        }
        Ok(sums)
    })?;
    let mut sums = vec![0.0; classes];
    parts.iter().for_each(|part| sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part));
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Posteriors under equal priors, of many shades.
    fn shades(n: usize) -> Vec<f64> {
        let share = |row: usize| ((row * 37 % 101) as f64 + 0.5) / 101.0;
        (0..n).flat_map(|row| [0.8 * share(row), 0.2 * share(row), 1.0 - share(row)]).collect()
    }

    #[test]
    fn the_likelihood_of_the_rows_has_its_maximum_there() {
        // At the maximum over priors that sum to 1 all derivatives Σ_i w_ik / Σ_j π_j w_ij are n, or less where π_k = 0.
        let posterior = shades(1000);
        let before = [0.5, 0.3, 0.2];
        let adapted = adapt_priors(&posterior, &before, 1e-13, 100_000, Parallel::default()).unwrap();
        assert!(adapted.converged);
        let weight = |row: &[f64], class: usize| row[class] / before[class];
        for class in 0..3 {
            let slopes = posterior.chunks(3).map(|row| {
                let total: f64 = (0..3).map(|other| adapted.priors[other] * weight(row, other)).sum();
                weight(row, class) / total
            });
            let slope = slopes.sum::<f64>() / 1000.0;
            assert!(if adapted.priors[class] > 1e-6 { (slope - 1.0).abs() < 1e-6 } else { slope < 1.0 });
        }
    }

    #[test]
    fn a_class_of_prior_0_keeps_it() {
        let adapted =
            adapt_priors(&[0.0, 1.0, 0.0, 1.0], &[0.0, 1.0], 1e-8, 10, Parallel::default()).unwrap();
        assert_eq!(adapted, Adapted { priors: vec![0.0, 1.0], iterations: 1, converged: true });
    }

    #[test]
    fn rows_that_say_nothing_leave_the_priors() {
        let (priors, nothing) = ([0.2, 0.3, 0.5], [f64::NAN; 6]);
        let adapted = adapt_priors(&nothing, &priors, 0.0, 10, Parallel::default()).unwrap();
        assert_eq!(adapted, Adapted { priors: priors.to_vec(), iterations: 1, converged: true });
        let posterior = shades(100);
        let alone = adapt_priors(&posterior, &priors, 1e-9, 99, Parallel::default()).unwrap();
        let among = [&nothing[..], &posterior, &nothing].concat();
        assert_eq!(adapt_priors(&among, &priors, 1e-9, 99, Parallel::default()).unwrap(), alone);
    }

    #[test]
    fn priors_must_be_possible() {
        for priors in [[f64::NAN, 0.5], [-0.5, 1.5], [0.0, 0.0], [f64::INFINITY, 1.0]] {
            assert!(adapt_priors(&[0.5, 0.5], &priors, 1e-8, 9, Parallel::default()).is_err());
        }
    }

    #[test]
    fn threads_change_no_bit() {
        let posterior = shades(100_000);
        let adapt =
            |threads| adapt_priors(&posterior, &[0.2, 0.2, 0.6], 1e-9, 50, Parallel::new(Some(threads)));
        assert_eq!(adapt(1).unwrap(), adapt(5).unwrap());
    }

    #[test]
    fn sizes_must_fit_together() {
        assert!(adapt_priors::<f64>(&[], &[1.0], 1e-8, 9, Parallel::default()).is_err());
        assert!(adapt_priors(&[0.5, 0.5, 1.0], &[0.5, 0.5], 1e-8, 9, Parallel::default()).is_err());
    }
}
