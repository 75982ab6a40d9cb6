//! Densities of rows that are left out of one class and scored for the same or another.

use ndarray::{Array1, Array2, Axis};

use super::LANES;
use super::coordinates::Level;
use super::downdate::{Forms, MIN_LEFT, squared_norms};
use super::loo::{Pass, Work};
use super::mixed_covariances::{MixedCovariance, Route};
use crate::covariance::Target;
use crate::kernel::Double;
use crate::linalg::factor;

/// How far a row may move the mean of its class, in standard deviations, to be taken out of it.
const FARTHEST_MOVE: f64 = 100.0;

/// A class that rows are left out of, and the class that they are scored for.
pub(super) struct LeftOutPair<'a, 'p, 'r> {
    pass: &'a Pass<'p, 'r>,
    mixed: &'a MixedCovariance,
    same: bool,
    /// n / (n − 1) of the class that lost the row: the factor of its scatter's loss, and of the row's distance from its mean.
    ratio: f64,
    kappa: f64,
    /// Coordinates of the mean of the class that is scored, and of that which lost the row.
    scored: Array1<f64>,
    left: Array1<f64>,
}

impl<'a, 'p, 'r> LeftOutPair<'a, 'p, 'r> {
    /// `means` are the class means about what rows are measured from.
    pub(super) fn new(
        pass: &'a Pass<'p, 'r>,
        mixed: &'a MixedCovariance,
        (left, scored): (usize, usize),
        means: &Array2<f64>,
    ) -> Self {
        let weight = pass.moments.weights()[left];
        let ratio = weight / (weight - 1.0);
        let mean = |class: usize| mixed.coordinates.project(means.row(class).to_owned());
        Self {
            pass,
            mixed,
            same: left == scored,
            ratio,
            kappa: mixed.kappa * ratio,
            scored: mean(scored),
            left: mean(left),
        }
    }

    /// log p(x | k) of a group of rows, up to a constant; NaN where a row leaves too few digits.
    pub(super) fn log_joint(&self, place: usize, group: usize, rows: usize, work: &Work) -> Double {
        let width = self.scored.len();
        let z = &work.z[group * width..][..width];
        if let Some(matrix) = &self.mixed.matrix {
            return self.anew(matrix, z, rows);
        }
        if self.pass.family.target == Target::Identity && self.pass.gammas[place] == 1.0 {
            return self.differences(z).map(|difference| -0.5 * difference);
        }
        let level = &self.mixed.levels[place];
        let (forms, kappa) = self.forms(level, z, &work.gains[group]);
        let mut joint = [0.0; LANES];
        for (lane, joint) in joint.iter_mut().enumerate().take(rows) {
            let left = 1.0 - kappa * forms.vv[lane];
            let (distance, log_det) = match self.same {
                true => (self.ratio * self.ratio * forms.vv[lane] / left, left.ln()),
                false if kappa == 0.0 => (forms.uu[lane], 0.0),
                false => (forms.uu[lane] + kappa * forms.uv[lane].powi(2) / left, left.ln()),
            };
            let sound = level.sound && left > MIN_LEFT;
            let sum = distance + log_det + level.log_det + forms.log_ratio[lane];
            *joint = if sound { -0.5 * sum } else { f64::NAN };
        }
        joint
    }

    /// Under the identity, by how much the squared distance of each row exceeds that from the mean of all rows of its class:
    /// of a row far off, the distances themselves would tell nothing. NaN where a row moves the mean of its class too far.
    fn differences(&self, z: &[Double]) -> Double {
        let (mut sum, mut moved) = ([0.0; LANES], [0.0; LANES]);
        for (z, (&u, &v)) in z.iter().zip(self.scored.iter().zip(&self.left)) {
            for lane in 0..LANES {
                let apart = v - u;
                let (u, v) = (z[lane] - u, z[lane] - v);
                let step = (self.ratio - 1.0) * v;
                moved[lane] += step * step;
                sum[lane] += if self.same { (self.ratio + 1.0) * step * v } else { apart * (u + v) };
            }
        }
        std::array::from_fn(|lane| if moved[lane] > FARTHEST_MOVE.powi(2) { f64::NAN } else { sum[lane] })
    }

    /// The quadratic forms without the rank-one term, and the factor of that.
    fn forms(&self, level: &Level, z: &[Double], gain: &Double) -> (Forms, f64) {
        let (u, v) = (self.scored.as_slice().unwrap_or_default(), self.left.as_slice().unwrap_or_default());
        match self.pass.route {
            Route::Columns => (Forms::of_columns(z, u, v, &level.diagonal, (self.kappa, gain)), 0.0),
            Route::Turned if self.pass.family.target == Target::Spherical && self.kappa > 0.0 => {
                // The target is the mean variance, which falls too.
                let columns = z.len() + self.mixed.coordinates.beyond;
                let share = level.gamma * self.kappa / columns as f64;
                let loss = squared_norms(z, v).map(|square| share * square);
                let least = level.gamma * self.mixed.coordinates.anchor;
                let mut forms = Forms::lowered(z, [u, v], level, least, &loss);
                if self.mixed.coordinates.beyond > 0 {
                    let beyond = self.mixed.coordinates.beyond as f64;
                    for (log_ratio, loss) in forms.log_ratio.iter_mut().zip(loss) {
                        let left = 1.0 - loss / least;
                        *log_ratio += if left > MIN_LEFT { beyond * left.ln() } else { f64::NAN };
                    }
                }
                (forms, (1.0 - level.gamma) * self.kappa)
            }
            _ => (Forms::fixed(z, [u, v], level), (1.0 - level.gamma) * self.kappa),
        }
    }

    /// The same by a factorization for each row.
    fn anew(&self, matrix: &Array2<f64>, z: &[Double], rows: usize) -> Double {
        let mut joint = [f64::NAN; LANES];
        for (lane, joint) in joint.iter_mut().enumerate().take(rows) {
            let x: Array1<f64> = z.iter().map(|z| z[lane]).collect();
            let (u, v) = (&x - &self.scored, &x - &self.left);
            let u = if self.same { &v * self.ratio } else { u };
            let lost = &v.view().insert_axis(Axis(1)) * &v.view().insert_axis(Axis(0)) * self.kappa;
            let left = matrix - &lost;
            let sound = left.diag().iter().zip(matrix.diag()).all(|(left, all)| *left > MIN_LEFT * all);
            let covariance = self.pass.family.target.shrink(left.view(), self.pass.gammas[0]);
            let Some(factor) = factor(covariance.view()).filter(|_| sound) else { continue };
            let white = factor.inverse.dot(&u);
            *joint = -0.5 * (white.dot(&white) + factor.log_det());
        }
        joint
    }
}
