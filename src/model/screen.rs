//! Bounds on the scores of classes with a covariance each, from a few directions in which the classes differ most.
//!
//! Let R be these directions and V_k whiten R Σ_k Rᵀ. Then N_k = V_k R W_k⁻¹ has orthonormal rows, so the distance in these
//! directions alone, ‖V_k R x − N_k b_k‖² = ‖N_k (W_k x − b_k)‖², is at most the whole one, ‖W_k x − b_k‖².
//!
//! So much for exact numbers. Rounded, the root of the first exceeds that of the second by at most δ = α ‖D⁻¹ x‖ + β ‖R x‖ + γ,
//! D the standard deviations: each dot product errs by so many units of its absolute terms (Higham, Accuracy and Stability
//! of Numerical Algorithms, §3.1). As (a + δ)² ≤ a² / (1 − η) + δ² / η, distances in the directions are shortened by 1 − η, and
//! what is left is a slack of δ² / η. R x is as precise as the scores; from there on all is white, and single precision does.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};

use super::directions::directions;
use super::{Parts, Shape};
use crate::kernel::{Affine, Distances, Lane, Whitened, rounded_center};
use crate::linalg::factor;

/// By how much distances are shortened: η.
const SHORTENING: f64 = 1.0 / 256.0;

/// More than a score and its bound lose when terms are added to half a distance.
const ROUNDING: f64 = 32.0 * f32::EPSILON as f64;

/// What bounds the scores of rows less the center.
#[derive(Debug)]
pub(crate) struct Screen<T> {
    pub(crate) directions: Affine<T>,
    /// Distances in these directions, shortened.
    pub(crate) classes: Vec<Whitened<f32>>,
    /// −½ log det Σ_k and the logarithms of the priors.
    pub(crate) tops: Vec<f32>,
    pub(crate) terms: Vec<f32>,
    /// How far rounding may lift a score over its bound: for the row, for the row in the directions, and the rest.
    pub(crate) row_slack: Distances<T>,
    pub(crate) slack: Distances<f32>,
    pub(crate) min_slack: f32,
}

impl<T: Lane> Screen<T> {
    /// None if a class is so nearly singular that nothing can be said.
    pub(super) fn new(parts: &Parts, log_prior: &[f64], average: &Array2<f64>) -> Option<Self> {
        let Shape::Full(whitenings) = &parts.shape else {
            return None;
        };
        let directions = directions(parts, log_prior, average)?;
        let (_, taken) = rounded_center::<T>(&parts.center);
        let means = parts.means.about(&parts.center) + taken.insert_axis(Axis(0));
        let deviations = average.diag().mapv(f64::sqrt);
        let rounding = Rounding::new::<T>(&directions, deviations);
        let (mut classes, mut worst) = (vec![], Error::default());
        for (whitening, mean) in whitenings.iter().zip(means.outer_iter()) {
            let marginal = Marginal::new(whitening.matrix.view(), mean, &directions)?;
            let error = rounding.of(whitening.matrix.view(), &marginal, &directions);
            if !error.is_tolerable() {
                return None;
            }
            worst = worst.or(error);
            let short = (1.0 - SHORTENING).sqrt();
            classes.push(Whitened::new(
                (marginal.whitening * short).view(),
                &(marginal.offset * short).to_vec(),
            ));
        }
        let tops = whitenings.iter().map(|whitening| -0.5 * whitening.log_det);
        let finite = log_prior.iter().copied().filter(|log_prior| log_prior.is_finite());
        let largest = tops.clone().chain(finite).fold(0.0, |largest: f64, term| largest.max(term.abs()));
        // δ² ≤ 3 (α² ‖D⁻¹ x‖² + β² ‖R x‖² + γ²); all of them twice, for what the bounds themselves err.
        let scale = 12.0 / SHORTENING;
        let row_scales = rounding.deviations.recip() * (worst.of_row * scale.sqrt());
        let scales = Array1::from_elem(directions.nrows(), worst.of_directions * scale.sqrt());
        Some(Self {
            directions: Affine::new(directions.view(), &vec![0.0; directions.nrows()]),
            classes,
            tops: tops.map(|top| top as f32).collect(),
            terms: log_prior.iter().map(|&log_prior| log_prior as f32).collect(),
            row_slack: squares(row_scales),
            slack: squares(scales),
            min_slack: (scale * worst.constant * worst.constant + ROUNDING * largest) as f32,
        })
    }

    /// What a bound must reach so that its class may have this score.
    pub(crate) fn mark(&self, score: T, slack: f32) -> f32 {
        let score = Into::<f64>::into(score);
        (score - f64::from(slack + self.min_slack) - ROUNDING * score.abs()) as f32
    }
}

/// Σ_j (s_j x_j)².
fn squares<T: Lane>(scales: Array1<f64>) -> Distances<T> {
    let zeros = Array2::zeros((1, scales.len()));
    Distances::new(&zeros, &zeros, &scales.insert_axis(Axis(0)))
}

/// A class in a few directions.
struct Marginal {
    /// V, lower triangular.
    whitening: Array2<f64>,
    /// N.
    rows: Array2<f64>,
    /// N b, and the length of b.
    offset: Array1<f64>,
    size: f64,
}

impl Marginal {
    fn new(
        whitening: ArrayView2<'_, f64>,
        mean: ArrayView1<'_, f64>,
        directions: &Array2<f64>,
    ) -> Option<Self> {
        let spread = times_inverse(directions, whitening);
        let inverse = factor(spread.dot(&spread.t()).view())?.inverse;
        let rows = inverse.dot(&spread);
        let offset = whitening.dot(&mean);
        Some(Self { offset: rows.dot(&offset), size: offset.dot(&offset).sqrt(), whitening: inverse, rows })
    }
}

/// R W⁻¹ for a lower triangular W.
fn times_inverse(directions: &Array2<f64>, whitening: ArrayView2<'_, f64>) -> Array2<f64> {
    let mut solved = directions.t().as_standard_layout().into_owned();
    for column in (0..whitening.ncols()).rev() {
        let (mut before, mut rest) = solved.view_mut().split_at(Axis(0), column);
        let mut now = rest.row_mut(0);
        now /= whitening[(column, column)];
        for (mut before, &entry) in before.outer_iter_mut().zip(whitening.slice(s![column, ..column])) {
            before.scaled_add(-entry, &now);
        }
    }
    solved.reversed_axes()
}

/// How numbers are rounded.
struct Rounding {
    /// More than the relative errors of sums: over a row, in the directions.
    row_unit: f64,
    unit: f64,
    deviations: Array1<f64>,
}

/// How much the root of a distance may err: relatively, in proportion to ‖D⁻¹ x‖, to ‖R x‖, and besides.
#[derive(Debug, Default)]
struct Error {
    relative: f64,
    of_row: f64,
    of_directions: f64,
    constant: f64,
}

impl Error {
    /// NaN is not.
    fn is_tolerable(&self) -> bool {
        let lengths = [self.of_row, self.of_directions, self.constant];
        self.relative <= SHORTENING / 16.0 && lengths.iter().all(|length| length.is_finite())
    }

    fn or(self, other: Self) -> Self {
        Self {
            relative: self.relative.max(other.relative),
            of_row: self.of_row.max(other.of_row),
            of_directions: self.of_directions.max(other.of_directions),
            constant: self.constant.max(other.constant),
        }
    }
}

impl Rounding {
    fn new<T: Lane>(directions: &Array2<f64>, deviations: Array1<f64>) -> Self {
        let units = |epsilon: f64, terms: usize| epsilon * (terms + 8) as f64;
        Self {
            row_unit: units(T::epsilon().into(), directions.ncols()),
            unit: units(f32::EPSILON.into(), directions.nrows()),
            deviations,
        }
    }

    fn of(&self, whitening: ArrayView2<'_, f64>, marginal: &Marginal, directions: &Array2<f64>) -> Error {
        let Marginal { whitening: inverse, rows, offset, size } = marginal;
        let norm = |matrix: Array2<f64>| matrix.iter().map(|x| x * x).sum::<f64>().sqrt();
        let in_deviations = |matrix: Array2<f64>| norm(matrix * &self.deviations);
        let beyond = rows.dot(&rows.t()) - Array2::<f64>::eye(rows.nrows());
        let apart = inverse.dot(directions) - rows.dot(&whitening);
        let magnitudes = inverse.mapv(f64::abs).dot(&directions.mapv(f64::abs));
        let of_both = in_deviations(whitening.to_owned()) + in_deviations(magnitudes);
        Error {
            relative: norm(beyond) + self.row_unit + self.unit,
            of_row: self.row_unit * of_both + in_deviations(apart),
            of_directions: self.unit * norm(inverse.clone()),
            constant: (self.row_unit * rows.nrows() as f64) * size
                + self.unit * (1.0 + offset.dot(offset).sqrt()),
        }
    }
}
