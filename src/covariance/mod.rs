//! Moments to covariances: divisors, pooling, shrinkage, regularization.

mod check;
mod intensity;
mod ledoit_wolf;
mod regularized;

use ndarray::{Array2, Array3, ArrayView2, Axis};

use crate::error::{Error, InputError, Owner, RankError, Result, ShapeError, check_share};
use crate::moments::{Moments, Structure, check_priors, variance};

pub(crate) use check::{check_covariance, check_semidefinite};
use check::{check_overflow, check_square};
pub use intensity::{ledoit_wolf_intensities, ledoit_wolf_intensities_of_moments, oracle_intensities};
pub(crate) use intensity::{oracle_intensity, wolf_intensity};
pub(crate) use ledoit_wolf::{intensity_of, lw_scale};
pub use ledoit_wolf::{ledoit_wolf, ledoit_wolf_of_moments};
pub(crate) use regularized::Shares;
pub use regularized::{Mixing, Pooling, Target, mixed_variances, regularized};

/// One covariance per class, with divisor n_k, or n_k − 1 if `unbiased`.
///
/// # Errors
/// Moments that are not full, or a class whose divisor would not be positive.
///
/// ```
/// use gauda::core::{Moments, Parallel, Rows, Structure, covariance};
/// use ndarray::array;
///
/// let x = array![[0.0, 0.0], [2.0, 4.0], [1.0, 5.0]];
/// let moments = Moments::from_rows(
///     &Rows::from(x.view()), &[0, 0, 0], 1, None, Structure::Full, Parallel::default(),
/// )?;
/// let unbiased = covariance::of_classes(&moments, true)?;
/// assert_eq!(unbiased[[0, 0, 0]], 1.0);
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn of_classes(moments: &Moments, unbiased: bool) -> Result<Array3<f64>> {
    need(moments, Structure::Full)?;
    let mut covariances = moments.scatter().clone();
    for (class, mut covariance) in covariances.outer_iter_mut().enumerate() {
        let divisor = divisor(moments.weights()[class], class, unbiased)?;
        let variances = covariance.diag().mapv(|square| variance(square, divisor));
        covariance /= divisor;
        covariance.diag_mut().assign(&variances);
        check_overflow(covariance.view(), Owner::Class(class))?;
    }
    Ok(covariances)
}

/// The variances of each class and column, of what is observed; a class without weight has variances 0.
///
/// # Errors
/// Moments that are not diagonal, a column that is never observed in a class, or a divisor that would not be positive.
///
/// ```
/// use gauda::core::{Moments, Parallel, Rows, Structure, covariance};
/// use ndarray::array;
///
/// let x = array![[0.0, 0.0], [2.0, 2.0], [1.0, 4.0], [7.0, 6.0], [8.0, 9.0], [9.0, 6.0]];
/// let (rows, labels) = (Rows::from(&x), [0, 0, 0, 1, 1, 1]);
/// let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Diag, Parallel::default())?;
/// let variances = covariance::variances(&moments, true)?;
/// assert_eq!(variances.row(0).to_vec(), [1.0, 4.0]);
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn variances(moments: &Moments, unbiased: bool) -> Result<Array2<f64>> {
    need(moments, Structure::Diag)?;
    moments.check_seen()?;
    let mut variances = moments.scatter().index_axis(Axis(1), 0).to_owned();
    for (class, mut variances) in variances.outer_iter_mut().enumerate() {
        if moments.weights()[class] > 0.0 {
            for (column, square) in variances.iter_mut().enumerate() {
                let divisor = divisor(moments.column_weight(class, column), class, unbiased)?;
                *square = variance(*square, divisor);
            }
            check_overflow(variances.view().insert_axis(Axis(0)), Owner::Class(class))?;
        }
    }
    Ok(variances)
}

/// The common covariance: the pooled scatter over n, or Σ_k π_k Σ_k for given priors; times n / (n − K) if `unbiased`.
///
/// # Errors
/// Diagonal moments or moments without weight, priors that could not be or with moments that are not full, or a divisor that
/// would not be positive.
///
/// ```
/// use gauda::core::{Moments, Parallel, Rows, Structure, covariance};
/// use ndarray::array;
///
/// let x = array![[0.0, 0.0], [2.0, 2.0], [1.0, 4.0], [7.0, 6.0], [8.0, 9.0], [9.0, 6.0]];
/// let (rows, labels) = (Rows::from(&x), [0, 0, 0, 1, 1, 1]);
/// let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Tied, Parallel::default())?;
/// let unbiased = covariance::pooled(&moments, None, true)?;
/// assert_eq!(unbiased[[0, 0]], 1.0);
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn pooled(moments: &Moments, priors: Option<&[f64]>, unbiased: bool) -> Result<Array2<f64>> {
    let mut pooled = match priors {
        Some(priors) => mix(&of_classes(moments, false)?, priors)?,
        None if moments.structure() == Structure::Diag => {
            return Err(Error::Shape(ShapeError::Incompatible("structures")));
        }
        None if moments.total_weight() == 0.0 => return Err(Error::Input(InputError::NoWeight)),
        None => {
            let (scatter, divisor) = (moments.scatter().sum_axis(Axis(0)), moments.total_weight());
            let mut pooled = &scatter / divisor;
            pooled.diag_mut().assign(&scatter.diag().mapv(|square| variance(square, divisor)));
            pooled
        }
    };
    if unbiased {
        pooled *= pooled_correction(moments)?;
    }
    check_overflow(pooled.view(), Owner::Pooled)?;
    Ok(pooled)
}

/// Σ_k π_k Σ_k.
fn mix(covariances: &Array3<f64>, priors: &[f64]) -> Result<Array2<f64>> {
    check_priors(priors, covariances.len_of(Axis(0)))?;
    let mut mixture = Array2::zeros(covariances.index_axis(Axis(0), 0).raw_dim());
    for (covariance, &prior) in covariances.outer_iter().zip(priors) {
        mixture.scaled_add(prior, &covariance);
    }
    Ok(mixture)
}

/// n / (n − K), which makes a pooled maximum-likelihood covariance unbiased.
///
/// # Errors
/// n ≤ K.
///
/// ```
/// use gauda::core::{Moments, Parallel, Rows, Structure, covariance};
/// use ndarray::array;
///
/// let x = array![[0.0, 0.0], [2.0, 2.0], [1.0, 4.0], [7.0, 6.0], [8.0, 9.0], [9.0, 6.0]];
/// let (rows, labels) = (Rows::from(&x), [0, 0, 0, 1, 1, 1]);
/// let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Tied, Parallel::default())?;
/// assert_eq!(covariance::pooled_correction(&moments)?, 6.0 / 4.0);
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn pooled_correction(moments: &Moments) -> Result<f64> {
    pooled_correction_of(moments.total_weight(), moments.n_classes())
}

/// The same for classes of which the total weight is known.
pub(crate) fn pooled_correction_of(weight: f64, classes: usize) -> Result<f64> {
    let needed = classes as f64;
    if weight > needed {
        Ok(weight / (weight - needed))
    } else {
        Err(Error::Rank(RankError::Divisor { what: Owner::Pooled, weight, needed }))
    }
}

/// (1 − s) Σ + s (tr Σ / d) I.
///
/// # Errors
/// A matrix that is not square, entries that are not finite, or an intensity that is not from 0 to 1.
///
/// ```
/// use gauda::core::covariance::shrink;
/// use ndarray::array;
///
/// assert_eq!(shrink(array![[4.0, 1.0], [1.0, 2.0]].view(), 0.5)?, array![[3.5, 0.5], [0.5, 2.5]]);
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn shrink(covariance: ArrayView2<'_, f64>, intensity: f64) -> Result<Array2<f64>> {
    check_square(covariance)?;
    check_share("the intensity", intensity)?;
    Ok(shrunk(covariance, intensity))
}

/// The same of a covariance and an intensity that are known to be such.
fn shrunk(covariance: ArrayView2<'_, f64>, intensity: f64) -> Array2<f64> {
    let mean_variance = covariance.diag().sum() / covariance.nrows() as f64;
    let mut shrunk = &covariance * (1.0 - intensity);
    shrunk.diag_mut().map_inplace(|variance| *variance += intensity * mean_variance);
    shrunk
}

fn need(moments: &Moments, structure: Structure) -> Result<()> {
    if moments.structure() == structure {
        Ok(())
    } else {
        Err(Error::Shape(ShapeError::Incompatible("structures")))
    }
}

fn divisor(weight: f64, class: usize, unbiased: bool) -> Result<f64> {
    let needed = if unbiased { 1.0 } else { 0.0 };
    if weight > needed {
        return Ok(weight - needed);
    }
    Err(match weight {
        0.0 => Error::Input(InputError::EmptyClass { class }),
        weight => Error::Rank(RankError::Divisor { what: Owner::Class(class), weight, needed }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{Parallel, Rows};
    use ndarray::array;

    fn moments(structure: Structure) -> Moments {
        let x = array![[0.0, 0.0], [2.0, 4.0], [1.0, 1.0], [5.0, 1.0]];
        Moments::from_rows(&Rows::from(x.view()), &[0, 0, 1, 1], 2, None, structure, Parallel::default())
            .unwrap()
    }

    #[test]
    fn pooling_by_the_proportions_is_the_pooled_scatter() {
        let full = pooled(&moments(Structure::Full), Some(&[0.5, 0.5]), false).unwrap();
        let tied = pooled(&moments(Structure::Tied), None, false).unwrap();
        assert_eq!(full, tied);
        assert_eq!(tied, array![[2.5, 1.0], [1.0, 2.0]]);
    }

    #[test]
    fn the_unbiased_divisors_are_those_of_the_textbook() {
        assert_eq!(pooled(&moments(Structure::Tied), None, true).unwrap(), array![[5.0, 2.0], [2.0, 4.0]]);
        assert_eq!(variances(&moments(Structure::Diag), true).unwrap(), array![[2.0, 8.0], [8.0, 0.0]]);
    }

    #[test]
    fn shrinking_keeps_the_trace() {
        let shrunk = shrink(array![[4.0, 1.0], [1.0, 2.0]].view(), 0.5).unwrap();
        assert_eq!(shrunk, array![[3.5, 0.5], [0.5, 2.5]]);
    }

    #[test]
    fn priors_weigh_the_covariances_of_the_classes() {
        // class covariances [1 2; 2 4] and [4 0; 0 0]
        let pooled = pooled(&moments(Structure::Full), Some(&[0.25, 0.75]), false).unwrap();
        assert_eq!(pooled, array![[3.25, 0.5], [0.5, 1.0]]);
    }

    #[test]
    fn as_many_priors_as_classes_are_needed() {
        let error = pooled(&moments(Structure::Full), Some(&[1.0]), false).unwrap_err();
        assert_eq!(error, Error::Shape(ShapeError::Size { what: "number of priors", given: 1, expected: 2 }));
    }

    #[test]
    fn moments_of_another_structure_are_refused() {
        let refused = Error::Shape(ShapeError::Incompatible("structures"));
        for structure in [Structure::Tied, Structure::Diag] {
            assert_eq!(of_classes(&moments(structure), false), Err(refused.clone()));
            assert_eq!(pooled(&moments(structure), Some(&[0.5, 0.5]), false), Err(refused.clone()));
        }
        assert_eq!(pooled(&moments(Structure::Diag), None, false), Err(refused.clone()));
        assert_eq!(variances(&moments(Structure::Full), false), Err(refused));
    }

    #[test]
    fn a_class_without_rows_has_no_covariance_but_variances_of_0() {
        let x = array![[0.0], [2.0]];
        let moments = |structure| {
            Moments::from_rows(&Rows::from(x.view()), &[0, 0], 2, None, structure, Parallel::default())
                .unwrap()
        };
        assert_eq!(
            of_classes(&moments(Structure::Full), false),
            Err(Error::Input(InputError::EmptyClass { class: 1 }))
        );
        assert_eq!(variances(&moments(Structure::Diag), false).unwrap(), array![[1.0], [0.0]]);
    }
}
