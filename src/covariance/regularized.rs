//! Regularized covariances (Friedman, J. American Statistical Association 84, 1989): between the covariance of a class and
//! the pooled one, then toward a simple target,
//!
//! Σ_k = (1 − γ) B_k + γ T(B_k),  B_k = (1 − α) S_k + α S.
//!
//! All B_k are sums a_k W_k + b_k W of the scatter of the class and that of all classes.

use ndarray::{Array1, Array2, Array3, ArrayView2, Axis};

use super::check::{check_overflow, check_square};
use super::{need, of_classes};
use crate::error::{Error, InputError, Owner, RankError, Result, check_share, same_size};
use crate::moments::{Moments, Structure, rounded_up};

/// What is mixed.
///
/// ```
/// use gauda::{Pooling, Rda};
/// use ndarray::array;
///
/// let x = array![[1.0], [2.0], [4.0], [7.0], [5.0], [6.0], [9.0]];
/// let params = Rda::params().alpha(0.5).pooling(Pooling::Scatter); // as Friedman (1989)
/// assert_eq!(params.fit(&x, &[0, 0, 0, 0, 1, 1, 1])?.predict(&array![[2.0]])?, [0]);
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pooling {
    /// Covariances, each with its own divisor.
    Covariance,
    /// Scatters and divisors apart, so that classes of few rows borrow more.
    Scatter,
}

/// What covariances are moved toward.
///
/// ```
/// use gauda::{Rda, Target};
/// use ndarray::array;
///
/// let x = array![[1.0, 1.0], [2.0, 2.0], [4.0, 4.0], [7.0, 5.0], [9.0, 6.0], [8.0, 9.0]];
/// let params = Rda::params().gamma(0.5).target(Target::Diagonal); // halfway to naive Bayes
/// assert_eq!(params.fit(&x, &[0, 0, 0, 1, 1, 1])?.predict(&array![[2.0, 1.0]])?, [0]);
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// The multiple of the identity with the same trace.
    Spherical,
    /// The diagonal.
    Diagonal,
    /// The identity.
    Identity,
}

/// How the covariance of a class and the pooled one are mixed.
///
/// There is an example at [`regularized`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mixing {
    /// Share of the pooled covariance, 0 to 1.
    pub alpha: f64,
    /// What is mixed.
    pub pooling: Pooling,
    /// Whether divisors are n_k − 1 and n − K instead of n_k and n.
    pub unbiased: bool,
}

/// Factors of the scatter of a class and of that of all classes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shares {
    pub(crate) own: f64,
    pub(crate) pooled: f64,
}

impl Mixing {
    /// An error unless α is a share.
    pub(crate) fn check(&self) -> Result<()> {
        check_share("alpha", self.alpha)
    }

    /// The factors for a class, given the weight of each.
    ///
    /// # Errors
    /// A class without weight, a divisor that is not positive.
    pub(crate) fn shares(&self, weights: &Array1<f64>, class: usize) -> Result<Shares> {
        match weights.iter().position(|&weight| weight == 0.0) {
            Some(class) => Err(Error::Input(InputError::EmptyClass { class })),
            None => self.shares_of(class, weights[class], weights.sum(), weights.len()),
        }
    }

    /// The factors for a class of some weight among so many that have a total weight.
    pub(crate) fn shares_of(&self, class: usize, weight: f64, total: f64, classes: usize) -> Result<Shares> {
        let (taken, taken_pooled) = if self.unbiased { (1.0, classes as f64) } else { (0.0, 0.0) };
        let own = (Owner::Class(class), weight, taken);
        let pooled = (Owner::Pooled, total, taken_pooled);
        match self.pooling {
            Pooling::Covariance => {
                Ok(Shares { own: share(1.0 - self.alpha, own)?, pooled: share(self.alpha, pooled)? })
            }
            Pooling::Scatter => {
                let divisor = (1.0 - self.alpha) * (weight - taken) + self.alpha * (total - taken_pooled);
                let of = if self.alpha == 0.0 { own } else { pooled };
                let scale = share(1.0, (of.0, divisor + of.2, of.2))?;
                Ok(Shares { own: (1.0 - self.alpha) * scale, pooled: self.alpha * scale })
            }
        }
    }

    /// B_k for every class, K × d × d.
    ///
    /// # Errors
    /// Moments that are not full, no class, a class without weight, an α that is not a share, a divisor that is not positive,
    /// variances that overflow.
    pub(crate) fn mixed_covariances(&self, moments: &Moments) -> Result<Array3<f64>> {
        need(moments, Structure::Full)?;
        self.check()?;
        moments.check_no_class_empty()?;
        if self.alpha == 0.0 {
            return of_classes(moments, self.unbiased);
        }
        let pooled = moments.scatter().sum_axis(Axis(0));
        let mut mixed = moments.scatter().clone();
        for (class, mut mixed) in mixed.outer_iter_mut().enumerate() {
            let shares = self.shares(moments.weights(), class)?;
            mixed *= shares.own;
            mixed.scaled_add(shares.pooled, &pooled);
            check_range(mixed.view(), Owner::Class(class))?;
        }
        Ok(mixed)
    }
}

/// The diagonals of B_k for every class, K × d, from diagonal moments alone.
///
/// # Errors
/// As [`regularized`], moments that are not diagonal, or a column that is never observed in a class.
///
/// ```
/// use gauda::core::covariance::{Mixing, Pooling, mixed_variances};
/// use gauda::core::{Moments, Parallel, Rows, Structure};
/// use ndarray::array;
///
/// let x = array![[0.0], [2.0], [1.0], [7.0]];
/// let rows = Rows::from(x.view());
/// let moments = Moments::from_rows(&rows, &[0, 0, 1, 1], 2, None, Structure::Diag, Parallel::default())?;
/// let mixing = Mixing { alpha: 0.5, pooling: Pooling::Covariance, unbiased: false };
/// assert_eq!(mixed_variances(&moments, mixing)?, array![[3.0], [7.0]]);
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn mixed_variances(moments: &Moments, mixing: Mixing) -> Result<Array2<f64>> {
    need(moments, Structure::Diag)?;
    mixing.check()?;
    moments.check_no_class_empty()?;
    moments.check_seen()?;
    let squares = moments.scatter().index_axis(Axis(1), 0);
    let pooled = squares.sum_axis(Axis(0));
    let mut variances = Array2::zeros(squares.raw_dim());
    let classes = moments.n_classes();
    let shares = |class: usize, column: usize| {
        let total = (0..classes).map(|k| moments.column_weight(k, column)).sum();
        mixing.shares_of(class, moments.column_weight(class, column), total, classes)
    };
    for (class, mut row) in variances.outer_iter_mut().enumerate() {
        let mut shared = shares(class, 0)?;
        for (column, variance) in row.iter_mut().enumerate() {
            if moments.has_gaps() {
                shared = shares(class, column)?;
            }
            let (own, all) = (squares[(class, column)], pooled[column]);
            // What has no share may overflow.
            let own = if shared.own > 0.0 { shared.own * own } else { 0.0 };
            let all = if shared.pooled > 0.0 { shared.pooled * all } else { 0.0 };
            let varies = (shared.own > 0.0 && squares[(class, column)] > 0.0)
                || (shared.pooled > 0.0 && pooled[column] > 0.0);
            *variance = rounded_up(own + all, varies);
        }
        check_overflow(row.view().insert_axis(Axis(0)), Owner::Class(class))?;
    }
    Ok(variances)
}

/// An error if a variance is too large for a double.
fn check_range(covariance: ArrayView2<'_, f64>, what: Owner) -> Result<()> {
    match covariance.diag().iter().position(|variance| !variance.is_finite()) {
        Some(column) => Err(Error::Input(InputError::Overflow { what, column })),
        None => Ok(()),
    }
}

/// A share over a divisor; what has no share needs none.
fn share(share: f64, (what, weight, taken): (Owner, f64, f64)) -> Result<f64> {
    if share == 0.0 {
        return Ok(0.0);
    }
    if weight > taken {
        return Ok(share / (weight - taken));
    }
    Err(Error::Rank(RankError::Divisor { what, weight, needed: taken }))
}

impl Target {
    /// (1 − γ) B + γ T(B).
    ///
    /// # Errors
    /// A matrix that is not square, entries that are not finite, or a γ that is not from 0 to 1.
    ///
    /// ```
    /// use gauda::core::covariance::Target;
    /// use ndarray::array;
    ///
    /// let covariance = array![[4.0, 2.0], [2.0, 2.0]];
    /// assert_eq!(Target::Spherical.approach(covariance.view(), 0.5)?, array![[3.5, 1.0], [1.0, 2.5]]);
    /// assert_eq!(Target::Diagonal.approach(covariance.view(), 0.5)?, array![[4.0, 1.0], [1.0, 2.0]]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn approach(self, covariance: ArrayView2<'_, f64>, gamma: f64) -> Result<Array2<f64>> {
        check_square(covariance)?;
        check_share("gamma", gamma)?;
        Ok(self.shrink(covariance, gamma))
    }

    /// The same of a matrix and a γ that are known to be such.
    pub(crate) fn shrink(self, covariance: ArrayView2<'_, f64>, gamma: f64) -> Array2<f64> {
        let d = covariance.nrows() as f64;
        let diagonal = match self {
            Self::Spherical => Array1::from_elem(covariance.nrows(), covariance.diag().sum() / d),
            Self::Diagonal => covariance.diag().to_owned(),
            Self::Identity => Array1::ones(covariance.nrows()),
        };
        let mut moved = &covariance * (1.0 - gamma);
        moved.diag_mut().scaled_add(gamma, &diagonal);
        if self == Self::Diagonal {
            moved.diag_mut().assign(&diagonal);
        }
        moved
    }
}

/// Σ_k for every class, K × d × d; `gammas` holds one γ for each.
///
/// # Errors
/// Moments that are not full, a class without weight, an α or γ that is not from 0 to 1, a divisor that is not positive,
/// variances that overflow.
///
/// ```
/// use gauda::core::covariance::{Mixing, Pooling, Target, regularized};
/// use gauda::core::{Moments, Parallel, Rows, Structure};
/// use ndarray::array;
///
/// let x = array![[0.0], [2.0], [1.0], [7.0]];
/// let rows = Rows::from(x.view());
/// let moments = Moments::from_rows(&rows, &[0, 0, 1, 1], 2, None, Structure::Full, Parallel::default())?;
/// let mixing = Mixing { alpha: 0.5, pooling: Pooling::Covariance, unbiased: false };
/// let covariances = regularized(&moments, mixing, Target::Identity, &[0.0, 0.5])?;
/// assert_eq!(covariances.into_raw_vec_and_offset().0, [3.0, 4.0]);
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn regularized(moments: &Moments, mixing: Mixing, target: Target, gammas: &[f64]) -> Result<Array3<f64>> {
    same_size("number of gammas", gammas.len(), moments.n_classes())?;
    gammas.iter().try_for_each(|&gamma| check_share("gamma", gamma))?;
    let mut covariances = mixing.mixed_covariances(moments)?;
    for (class, (mut covariance, &gamma)) in covariances.outer_iter_mut().zip(gammas).enumerate() {
        if gamma > 0.0 {
            let moved = target.shrink(covariance.view(), gamma);
            check_range(moved.view(), Owner::Class(class))?;
            covariance.assign(&moved);
        }
    }
    Ok(covariances)
}

#[cfg(test)]
mod tests;
