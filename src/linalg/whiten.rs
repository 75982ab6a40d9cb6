//! Whitening matrices W with W Σ Wᵀ = I, and the judgment of rank.
//!
//! Rank is judged on the correlation scale, Σ_ij / (σ_i σ_j), so that the units of a column do not matter: a
//! covariance is singular if an eigenvalue there is at most tol².

use ndarray::{Array1, Array2, ArrayView2, Axis, Zip, s};

use super::eigen::{Eigen, symmetric_eigen};
use super::factor::{Factor, factor_owned};

/// Entries of a null vector below this do not count a column among the dependent ones.
const TAKES_PART: f64 = 1e-3;

/// W with W Σ Wᵀ = I, and what the density needs besides.
#[derive(Debug, Clone, PartialEq)]
pub struct Whitening {
    /// rank × d; lower triangular if Σ has full rank.
    pub matrix: Array2<f64>,
    /// log det Σ; not a number if Σ has not full rank.
    pub log_det: f64,
}

/// Why a covariance has no inverse.
#[derive(Debug, Clone, PartialEq)]
pub struct Deficiency {
    /// Rank on the correlation scale.
    pub rank: usize,
    /// Columns without variance.
    pub constant: Vec<usize>,
    /// Columns that take part in a linear dependence.
    pub dependent: Vec<usize>,
}

/// √Σ_jj, and 0 where that does not exceed the rounding of values around `magnitude_j`.
pub fn standard_deviations(covariance: ArrayView2<'_, f64>, magnitudes: &[f64]) -> Array1<f64> {
    let deviations = covariance.diag().mapv(f64::sqrt);
    deviations
        .into_iter()
        .zip(magnitudes)
        .map(|(deviation, magnitude)| match deviation > f64::EPSILON * magnitude.abs() {
            true => deviation,
            false => 0.0,
        })
        .collect()
}

/// The triangular whitening matrix; none if the covariance is singular by `tol` or a deviation is 0.
pub fn whiten(covariance: ArrayView2<'_, f64>, deviations: &Array1<f64>, tol: f64) -> Option<Whitening> {
    if deviations.iter().any(|&deviation| deviation == 0.0) {
        return None;
    }
    let Factor { lower, mut inverse } = factor_owned(lower_correlation(covariance, deviations))?;
    if !exceeds(covariance, deviations, &inverse, tol * tol) {
        return None;
    }
    let log_det = lower.diag().iter().zip(deviations).map(|(l, s)| 2.0 * (l.ln() + s.ln())).sum();
    let mut finite = true;
    for (i, mut row) in inverse.outer_iter_mut().enumerate() {
        Zip::from(row.slice_mut(s![..=i])).and(deviations.slice(s![..=i])).for_each(|entry, deviation| {
            *entry /= deviation;
            finite &= entry.is_finite();
        });
    }
    finite.then_some(Whitening { matrix: inverse, log_det })
}

/// Σ_ij / (s_i s_j) for j ≤ i, and 0 above.
fn lower_correlation(covariance: ArrayView2<'_, f64>, deviations: &Array1<f64>) -> Array2<f64> {
    let mut lower = Array2::zeros(covariance.raw_dim());
    for (i, mut row) in lower.outer_iter_mut().enumerate() {
        Zip::from(row.slice_mut(s![..=i]))
            .and(covariance.slice(s![i, ..=i]))
            .and(deviations.slice(s![..=i]))
            .for_each(|entry, covariance, deviation| *entry = covariance / deviations[i] / deviation);
    }
    lower
}

/// Whether the smallest eigenvalue of the correlations exceeds `bound`. It is 1 / ‖W‖₂², W whitening them, and
/// ‖W‖_F² / d ≤ ‖W‖₂² ≤ ‖W‖_F² mostly tells without an eigenvalue decomposition.
fn exceeds(
    covariance: ArrayView2<'_, f64>,
    deviations: &Array1<f64>,
    whitening: &Array2<f64>,
    bound: f64,
) -> bool {
    let frobenius: f64 = whitening.outer_iter().map(|row| row.dot(&row)).sum();
    if frobenius * bound < 1.0 {
        return true;
    }
    if frobenius * bound > whitening.nrows() as f64 {
        return false;
    }
    let eigen = symmetric_eigen(standardize(covariance, deviations).view());
    eigen.is_some_and(|eigen| eigen.values.last().is_none_or(|&smallest| smallest > bound))
}

/// The whitening matrix Λ^(−1/2) Vᵀ D⁻¹ of the directions whose eigenvalue on the correlation scale exceeds tol²;
/// the others are dropped. None if the eigenvalues do not converge.
pub fn spectral_whitening(
    covariance: ArrayView2<'_, f64>,
    deviations: &Array1<f64>,
    tol: f64,
) -> Option<Whitening> {
    let (correlation, scales) = correlation_of_varying(covariance, deviations);
    let eigen = symmetric_eigen(correlation.view())?;
    Some(keep_above(&eigen, tol * tol, scales))
}

/// The whitening matrix of the directions in which the covariance itself, not its correlations, is positive beyond
/// rounding: WᵀW is the pseudo-inverse. None if the eigenvalues do not converge.
pub fn pseudo_whitening(covariance: ArrayView2<'_, f64>) -> Option<Whitening> {
    let eigen = symmetric_eigen(covariance)?;
    let largest = eigen.values.first().copied().unwrap_or(0.0);
    let bound = resolvable(covariance.nrows()).powi(2) * largest;
    Some(keep_above(&eigen, bound, Array1::ones(covariance.nrows())))
}

fn keep_above(eigen: &Eigen, bound: f64, scales: Array1<f64>) -> Whitening {
    let kept: Vec<f64> = eigen.values.iter().copied().filter(|&value| value > bound).collect();
    let log_det = match kept.len() < scales.len() {
        true => f64::NAN,
        false => kept.iter().zip(&scales).map(|(value, scale)| value.ln() + 2.0 * scale.ln()).sum(),
    };
    let vectors = eigen.vectors.slice(s![..kept.len(), ..]);
    let roots: Array1<f64> = kept.iter().map(|value| value.sqrt()).collect();
    Whitening { matrix: &vectors / &roots.insert_axis(Axis(1)) / &scales.insert_axis(Axis(0)), log_det }
}

/// The smallest singular value of standardized data that their moments still show: below it lies rounding.
pub fn resolvable(features: usize) -> f64 {
    (features as f64 * f64::EPSILON).sqrt()
}

/// The rank of a singular covariance and the columns to blame. None if the eigenvalues do not converge.
pub fn diagnose(covariance: ArrayView2<'_, f64>, deviations: &Array1<f64>, tol: f64) -> Option<Deficiency> {
    let constant: Vec<usize> = (0..deviations.len()).filter(|&j| deviations[j] == 0.0).collect();
    let (correlation, _) = correlation_of_varying(covariance, deviations);
    let eigen = symmetric_eigen(correlation.view())?;
    let rank = eigen.values.iter().filter(|&&value| value > tol * tol).count();
    let null = eigen.vectors.slice(s![rank.., ..]);
    let takes_part = |j: &usize| null.column(*j).iter().any(|entry| entry.abs() > TAKES_PART);
    Some(Deficiency {
        rank,
        dependent: (0..deviations.len()).filter(|j| !constant.contains(j)).filter(takes_part).collect(),
        constant,
    })
}

/// Σ_ij / (s_i s_j).
pub fn standardize(covariance: ArrayView2<'_, f64>, scales: &Array1<f64>) -> Array2<f64> {
    &covariance / &scales.view().insert_axis(Axis(1)) / scales.view().insert_axis(Axis(0))
}

/// The correlations, 0 for columns without variance, and the deviations, 1 for those: rounding must not pass for variance.
fn correlation_of_varying(
    covariance: ArrayView2<'_, f64>,
    deviations: &Array1<f64>,
) -> (Array2<f64>, Array1<f64>) {
    let scales = deviations.mapv(|deviation| if deviation > 0.0 { deviation } else { 1.0 });
    let mut correlation = standardize(covariance, &scales);
    for (j, _) in deviations.iter().enumerate().filter(|(_, deviation)| **deviation == 0.0) {
        correlation.row_mut(j).fill(0.0);
        correlation.column_mut(j).fill(0.0);
    }
    (correlation, scales)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn deviations(covariance: &Array2<f64>) -> Array1<f64> {
        standard_deviations(covariance.view(), &vec![0.0; covariance.nrows()])
    }

    #[test]
    fn units_do_not_matter() {
        for unit in [1e-14, 1.0, 1e14] {
            let covariance = array![[unit * unit, 0.5 * unit], [0.5 * unit, 1.0]];
            let whitening = whiten(covariance.view(), &deviations(&covariance), 1e-4).unwrap();
            let identity = whitening.matrix.dot(&covariance).dot(&whitening.matrix.t());
            assert!((identity - Array2::<f64>::eye(2)).iter().all(|gap| gap.abs() < 1e-14));
            assert!((whitening.log_det - (0.75_f64.ln() + 2.0 * unit.ln())).abs() < 1e-13);
        }
    }

    #[test]
    fn rank_is_judged_by_the_smallest_eigenvalue() {
        // eigenvalues 1 ± ρ
        let correlated = |gap: f64| array![[1.0, 1.0 - gap], [1.0 - gap, 1.0]];
        for (gap, tol, regular) in [(1.1e-8, 1e-4, true), (0.9e-8, 1e-4, false), (0.9e-8, 1e-5, true)] {
            let covariance = correlated(gap);
            let whitening = whiten(covariance.view(), &deviations(&covariance), tol);
            assert_eq!(whitening.is_some(), regular, "gap {gap}, tol {tol}");
        }
    }

    #[test]
    fn the_columns_to_blame_are_named() {
        let covariance =
            array![[1.0, 0.0, 2.0, 0.0], [0.0, 1.0, 0.0, 0.0], [2.0, 0.0, 4.0, 0.0], [0.0, 0.0, 0.0, 0.0]];
        let deficiency = diagnose(covariance.view(), &deviations(&covariance), 1e-4).unwrap();
        assert_eq!(deficiency, Deficiency { rank: 2, constant: vec![3], dependent: vec![0, 2] });
    }

    #[test]
    fn dropped_directions_leave_the_rest_white() {
        let covariance = array![[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 9.0]];
        let whitening = spectral_whitening(covariance.view(), &deviations(&covariance), 1e-4).unwrap();
        let identity = whitening.matrix.dot(&covariance).dot(&whitening.matrix.t());
        assert!((identity - Array2::<f64>::eye(2)).iter().all(|gap| gap.abs() < 1e-14));
    }
}
