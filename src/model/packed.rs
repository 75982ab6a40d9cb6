//! A model laid out for the kernels, in single or double precision.

use std::f64::consts::PI;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::{Parts, Shape};
use crate::kernel::{Affine, Distances, Lane, Whitened};

/// Everything a scoring pass reads.
#[derive(Debug)]
pub(crate) struct Packed<T> {
    /// Subtracted from each row.
    pub(crate) center: Vec<T>,
    /// Distances to the classes.
    pub(crate) metric: Metric<T>,
    pub(crate) log_prior: Vec<T>,
    /// −½ log det Σ_k.
    pub(crate) log_volume: Vec<T>,
    /// −(d / 2) log 2π.
    pub(crate) log_unit: T,
    /// log Σ_k π_k.
    pub(crate) log_total: T,
}

/// How distances are measured.
#[derive(Debug)]
pub(crate) enum Metric<T> {
    /// A full covariance for each class.
    Full(Vec<Whitened<T>>),
    /// A common covariance.
    Tied(Box<Tied<T>>),
    /// A variance for each class and column.
    Diag(Distances<T>),
}

/// Whiten once, then plain distances; or linear functions where a term common to all classes does not matter.
#[derive(Debug)]
pub(crate) struct Tied<T> {
    pub(crate) whiten: Affine<T>,
    pub(crate) distances: Distances<T>,
    /// Scores for the posteriors.
    pub(crate) linear: Affine<T>,
    /// The reported decisions, one row for two classes.
    pub(crate) decision: Affine<T>,
}

impl<T: Lane> Packed<T> {
    /// Rounds the centre, and moves the means by what the rounding took.
    pub(crate) fn new(parts: &Parts) -> Self {
        let center: Vec<T> = parts.center.iter().map(|&m| T::rounded(m)).collect();
        let rounding: Array1<f64> =
            parts.center.iter().zip(&center).map(|(m, rounded)| m - Into::<f64>::into(*rounded)).collect();
        let means = &parts.means + &rounding.view().insert_axis(Axis(0));
        let round = |values: &[f64]| values.iter().map(|&value| T::rounded(value)).collect::<Vec<T>>();
        let total: f64 = parts.log_prior.iter().map(|log_prior| log_prior.exp()).sum();
        let (metric, log_det) = metric(parts, &means, &rounding);
        Self {
            center,
            metric,
            log_prior: round(&parts.log_prior),
            log_volume: log_det.iter().map(|&log_det| T::rounded(-0.5 * log_det)).collect(),
            log_unit: T::rounded(-0.5 * parts.means.ncols() as f64 * (2.0 * PI).ln()),
            log_total: T::rounded(total.ln()),
        }
    }
}

fn metric<T: Lane>(parts: &Parts, means: &Array2<f64>, rounding: &Array1<f64>) -> (Metric<T>, Vec<f64>) {
    let classes = means.nrows();
    match &parts.shape {
        Shape::Full(whitenings) => {
            let whitened = whitenings.iter().zip(means.outer_iter());
            let whitened = whitened.map(|(whitening, mean)| {
                Whitened::new(whitening.matrix.view(), &whitening.matrix.dot(&mean).to_vec())
            });
            let log_det = whitenings.iter().map(|whitening| whitening.log_det).collect();
            (Metric::Full(whitened.collect()), log_det)
        }
        Shape::Tied { whitening, whitened_means, uncentred } => {
            let moved = whitened_means + &whitening.matrix.dot(rounding).insert_axis(Axis(0));
            let matrix = whitening.matrix.view();
            let tied = Tied {
                whiten: Affine::new(matrix, &vec![0.0; matrix.nrows()]),
                distances: Distances::new(moved.view(), Array2::ones(moved.raw_dim()).view()),
                linear: linear(&moved, matrix),
                decision: decision(
                    &moved,
                    uncentred.then(|| Array1::from(parts.center.clone()) - rounding),
                    matrix,
                ),
            };
            (Metric::Tied(Box::new(tied)), vec![whitening.log_det; classes])
        }
        Shape::Diag(deviations) => {
            let log_det = deviations.outer_iter().map(|row| 2.0 * row.mapv(f64::ln).sum()).collect();
            let scales = deviations.mapv(f64::recip);
            (Metric::Diag(Distances::new(means.view(), scales.view())), log_det)
        }
    }
}

/// Slopes bᵀW and constants −½ ‖b‖² of whitened means b.
fn linear<T: Lane>(means: &Array2<f64>, whitening: ArrayView2<'_, f64>) -> Affine<T> {
    let constants: Vec<f64> = means.outer_iter().map(|b| -0.5 * b.dot(&b)).collect();
    Affine::new(means.dot(&whitening).view(), &constants)
}

/// The discriminants that are reported. Uncentred ones for more than two classes have zᵀa + ½ aᵀa added, where z is
/// the whitened row and a the whitened centre.
fn decision<T: Lane>(
    means: &Array2<f64>,
    center: Option<Array1<f64>>,
    whitening: ArrayView2<'_, f64>,
) -> Affine<T> {
    let half_square = |b: ArrayView1<'_, f64>| 0.5 * b.dot(&b);
    match center {
        _ if means.nrows() == 2 => {
            let (first, second) = (means.row(0), means.row(1));
            let slope = (&second - &first).insert_axis(Axis(0));
            Affine::new(slope.dot(&whitening).view(), &[half_square(first) - half_square(second)])
        }
        None => linear(means, whitening),
        Some(center) => {
            let center = whitening.dot(&center);
            let slopes = means + &center.view().insert_axis(Axis(0));
            let constants = means.outer_iter().map(|b| half_square(center.view()) - half_square(b));
            Affine::new(slopes.dot(&whitening).view(), &constants.collect::<Vec<_>>())
        }
    }
}
