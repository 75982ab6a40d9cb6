//! Every row under the model of all other rows, from the moments of all.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use ndarray::{Array1, Array2, Axis};

use super::brackets::{Bracket, Brackets, Builder, Route};
use super::downdate::{Forms, squared_norms};
use super::family::Family;
use super::spectrum::Level;
use super::tally::Tally;
use super::{Group, LANES, TILE_ROWS};
use crate::covariance::Target;
use crate::error::{Error, Result, same_size};
use crate::labels::sort_by_code;
use crate::linalg::factor;
use crate::moments::check::check_labels;
use crate::moments::{Moments, Structure};
use crate::parallel::{Job, Parallel, task_range};
use crate::rows::Rows;

/// What must be left of a covariance along a row that it loses: less is rounding.
const LEAST_LEFT: f64 = 1e-10;

/// Rows that are sorted by class together.
const BLOCK_ROWS: usize = 1024;

/// Writes log p(k | x) of each row under the model without it to `out`, n × K. The rows must be among those behind the
/// moments, each of weight 1.
///
/// # Errors
/// A class without a second row, a covariance that is singular without a row, moments that are too simple, NaN in a row.
///
/// ```
/// use gauda::covariance::{Mixing, Pooling, Target};
/// use gauda::{Family, Moments, Parallel, Rows, Structure, leave_one_out};
/// use ndarray::array;
///
/// let x = array![[-3.0], [-2.0], [-1.0], [1.0], [2.0], [3.0]];
/// let (rows, labels) = (Rows::from(x.view()), [0, 0, 0, 1, 1, 1]);
/// let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Full, Parallel::default())?;
/// let mixing = Mixing { alpha: 0.0, pooling: Pooling::Covariance, unbiased: false };
/// let family =
///     Family { mixing, weights: None, target: Target::Spherical, priors: None, tol: 1e-4, smoothing: 0.0 };
/// let mut out = [0.0; 12];
/// leave_one_out(&moments, &rows, &labels, &family, 0.0, &mut out, Parallel::default())?;
/// // without −3 its class has mean −1.5, variance 1/4 and prior 2/5; the other 2, 2/3 and 3/5
/// let joint = |prior: f64, apart: f64, variance: f64| prior.ln() - (apart * apart / variance + variance.ln()) / 2.0;
/// let (own, other) = (joint(0.4, 1.5, 0.25), joint(0.6, 5.0, 2.0 / 3.0));
/// assert!((out[1] - out[0] - (other - own)).abs() < 1e-12);
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn leave_one_out(
    moments: &Moments,
    rows: &Rows<'_>,
    labels: &[u32],
    family: &Family<'_>,
    gamma: f64,
    out: &mut [f64],
    parallel: Parallel<'_>,
) -> Result<()> {
    let classes = moments.n_classes();
    same_size("length of the output", out.len(), rows.n_rows() * classes)?;
    let gammas = [gamma];
    let pass = Pass::new(moments, rows, labels, family, &gammas, parallel)?;
    let tasks = pass.tasks();
    let mut rest = out;
    let parts: Vec<_> = (0..tasks)
        .map(|task| rest.split_off_mut(..pass.range(task).len() * classes).unwrap_or_default())
        .map(Mutex::new)
        .collect();
    parallel.map(tasks, |task, job| {
        let mut out = parts[task].lock().unwrap_or_else(PoisonError::into_inner);
        let range = pass.range(task);
        let first = range.start;
        pass.score(range, job, |_, row, posteriors| {
            out[(row - first) * classes..][..classes].copy_from_slice(posteriors);
        })
    })?;
    Ok(())
}

/// How each γ does on rows that are left out one by one; none where a covariance is or becomes singular.
///
/// # Errors
/// As [`leave_one_out`] otherwise.
pub fn tally_left_out(
    moments: &Moments,
    rows: &Rows<'_>,
    labels: &[u32],
    family: &Family<'_>,
    gammas: &[f64],
    parallel: Parallel<'_>,
) -> Result<Vec<Option<Tally>>> {
    let mut tallies = vec![None; gammas.len()];
    for places in by_route(family.target, gammas) {
        let chosen: Vec<f64> = places.iter().map(|&place| gammas[place]).collect();
        let summed =
            Pass::new(moments, rows, labels, family, &chosen, parallel).and_then(|pass| pass.tally(parallel));
        match summed {
            Ok(sums) => places.iter().zip(sums).for_each(|(&place, sum)| tallies[place] = Some(sum)),
            Err(Error::Singular { .. } | Error::LeftOut { .. } | Error::ZeroVariance { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(tallies)
}

/// Places of γs that take the same coordinates.
fn by_route(target: Target, gammas: &[f64]) -> Vec<Vec<usize>> {
    let mut together: Vec<(Route, Vec<usize>)> = vec![];
    for (place, &gamma) in gammas.iter().enumerate() {
        let route = Route::of(target, gamma);
        match together.iter_mut().find(|(known, _)| *known == route && route != Route::Anew) {
            Some((_, places)) => places.push(place),
            None => together.push((route, vec![place])),
        }
    }
    together.into_iter().map(|(_, places)| places).collect()
}

/// Everything that all tasks share.
struct Pass<'a, 'r> {
    rows: &'a Rows<'r>,
    labels: &'a [u32],
    moments: &'a Moments,
    family: &'a Family<'a>,
    gammas: &'a [f64],
    route: Route,
    brackets: Brackets,
    center: Vec<f64>,
    /// Class means about the centre.
    means: Array2<f64>,
    smoothing: Option<Smoothing>,
}

/// What is added to variances: a share of the largest of all rows, which a row less may change.
struct Smoothing {
    share: f64,
    weight: f64,
    /// The mean of all rows about the centre.
    mean: Array1<f64>,
    squares: Array1<f64>,
}

impl Smoothing {
    fn of(moments: &Moments, share: f64, center: &[f64]) -> Result<Self> {
        let total = moments.to(Structure::Diag)?.total()?;
        let mean = total.means_in_parts().about(center).row(0).to_owned();
        Ok(Self { share, weight: total.total_weight(), mean, squares: total.scatter_diagonal(0) })
    }

    fn of_all(&self) -> f64 {
        self.share * self.squares.iter().copied().fold(0.0, f64::max) / self.weight
    }

    /// What a row less takes from it, for a group of rows about the centre.
    fn change_without(&self, x: &[Group]) -> Group {
        let rest = self.weight - 1.0;
        let mut largest = [0.0_f64; LANES];
        for ((x, &mean), &squares) in x.iter().zip(&self.mean).zip(&self.squares) {
            for lane in 0..LANES {
                let apart = x[lane] - mean;
                largest[lane] = largest[lane].max(squares - apart * apart * self.weight / rest);
            }
        }
        largest.map(|largest| self.share * largest / rest - self.of_all())
    }
}

/// Memory of one task.
struct Work {
    /// Packed rows, then their coordinates: [group][coordinate].
    x: Vec<Group>,
    z: Vec<Group>,
    /// [γ][row][class].
    scores: Vec<f64>,
    /// What is added to variances beyond what all rows would add.
    gains: Vec<Group>,
}

impl<'a, 'r> Pass<'a, 'r> {
    fn new(
        moments: &'a Moments,
        rows: &'a Rows<'r>,
        labels: &'a [u32],
        family: &'a Family<'a>,
        gammas: &'a [f64],
        parallel: Parallel<'_>,
    ) -> Result<Self> {
        same_size("number of columns", rows.n_features(), moments.n_features())?;
        check_labels(labels, rows.n_rows(), moments.n_classes())?;
        family.check(moments)?;
        let mut left = vec![false; moments.n_classes()];
        labels.iter().for_each(|&label| left[label as usize] = true);
        let center = moments.mean_of_means(&moments.priors());
        let route = Route::of(family.target, gammas[0]);
        let smoothed = family.smoothing > 0.0 && route == Route::Columns;
        let smoothing = match smoothed {
            true => Some(Smoothing::of(moments, family.smoothing, &center)?),
            false => None,
        };
        let added = smoothing.as_ref().map_or(0.0, Smoothing::of_all);
        let builder = Builder { moments, family, route, gammas, smoothing: added };
        let brackets = builder.build(&left, parallel)?;
        let means = moments.means_in_parts().about(&center);
        Ok(Self { rows, labels, moments, family, gammas, route, brackets, center, means, smoothing })
    }

    fn tasks(&self) -> usize {
        (self.labels.len() / BLOCK_ROWS).clamp(1, 64)
    }

    fn range(&self, task: usize) -> Range<usize> {
        task_range(task, self.tasks(), self.labels.len(), 1)
    }

    fn tally(&self, parallel: Parallel<'_>) -> Result<Vec<Tally>> {
        let partials = parallel.map(self.tasks(), |task, job| {
            let mut partial = vec![Tally::default(); self.gammas.len()];
            self.score(self.range(task), job, |place, row, posteriors| {
                partial[place].meet_row(posteriors, self.labels[row] as usize);
            })?;
            Ok(partial)
        })?;
        let mut sums = vec![Tally::default(); self.gammas.len()];
        for partial in partials {
            sums.iter_mut().zip(&partial).for_each(|(sum, partial)| sum.add(partial));
        }
        Ok(sums)
    }

    /// Gives the log-posteriors of each row of a range for each γ: (place of γ, row, log-posteriors).
    fn score(
        &self,
        range: Range<usize>,
        job: &Job<'_>,
        mut give: impl FnMut(usize, usize, &[f64]),
    ) -> Result<()> {
        let classes = self.moments.n_classes();
        let block = BLOCK_ROWS.max(16 * classes);
        let mut work = self.work();
        let mut order = vec![];
        for start in range.clone().step_by(block) {
            let now = start..(start + block).min(range.end);
            sort_by_code(now.start, &self.labels[now], classes, &mut order);
            for of_class in order.chunk_by(|&a, &b| self.labels[a] == self.labels[b]) {
                for rows in of_class.chunks(TILE_ROWS) {
                    job.check()?;
                    self.measure(rows, &mut work)?;
                    for (place, scores) in work.scores.chunks_exact_mut(TILE_ROWS * classes).enumerate() {
                        for (scores, &row) in scores.chunks_exact_mut(classes).zip(rows) {
                            self.normalise(scores, row)?;
                            give(place, row, scores);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn work(&self) -> Work {
        let (classes, d) = (self.moments.n_classes(), self.moments.n_features());
        let lanes = || vec![[0.0; LANES]; TILE_ROWS / LANES * d];
        let gains = vec![[0.0; LANES]; TILE_ROWS / LANES];
        Work { x: lanes(), z: lanes(), scores: vec![0.0; self.gammas.len() * TILE_ROWS * classes], gains }
    }

    /// Scores of rows of one class, without each, for all classes.
    fn measure(&self, rows: &[usize], work: &mut Work) -> Result<()> {
        let d = self.moments.n_features();
        let left = self.labels[rows[0]] as usize;
        let log_priors = self.family.log_priors(self.moments, Some(left));
        let groups = rows.len().div_ceil(LANES);
        self.rows.pack(rows, &self.center, &mut work.x);
        if let Some(smoothing) = &self.smoothing {
            for (gain, x) in work.gains.iter_mut().zip(work.x.chunks_exact(d)).take(groups) {
                *gain = smoothing.change_without(x);
            }
        }
        let mut last: Option<&Bracket> = None;
        for scored in 0..self.moments.n_classes() {
            let bracket = self.brackets.of(left, scored);
            if !last.is_some_and(|last| std::ptr::eq(last, bracket)) {
                let used = &work.x[..groups * d];
                match &bracket.spectrum.map {
                    Some(map) => map.apply(used, d, &mut work.z),
                    None => work.z[..groups * d].copy_from_slice(used),
                }
                last = Some(bracket);
            }
            let met = Met::new(self, bracket, left, scored);
            for place in 0..self.gammas.len() {
                for group in 0..groups {
                    let first = group * LANES;
                    let rows = &rows[first..(first + LANES).min(rows.len())];
                    let joint = met.log_joint(place, group, rows, work)?;
                    let classes = self.moments.n_classes();
                    for (lane, joint) in joint.into_iter().enumerate().take(rows.len()) {
                        let row = place * TILE_ROWS + first + lane;
                        work.scores[row * classes + scored] = joint + log_priors[scored];
                    }
                }
            }
        }
        Ok(())
    }

    /// Scores to log-posteriors.
    fn normalise(&self, scores: &mut [f64], row: usize) -> Result<()> {
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !largest.is_finite() || scores.iter().any(|score| score.is_nan()) {
            self.rows.check_finite(row..row + 1)?;
            return Err(Error::TooFar { row });
        }
        let first = scores.iter().position(|&score| score == largest);
        let others = scores.iter().enumerate().filter(|(place, _)| Some(*place) != first);
        let others: f64 = others.map(|(_, score)| (score - largest).exp()).sum();
        let log_total = largest + others.ln_1p();
        // Near certainty the largest is ln(1 − others), whose digits a difference would lose.
        scores.iter_mut().for_each(|score| *score -= log_total);
        if let Some(first) = first {
            scores[first] = -others.ln_1p();
        }
        Ok(())
    }
}

/// A class that rows are left out of, and the class that they are scored for.
struct Met<'a, 'p, 'r> {
    pass: &'a Pass<'p, 'r>,
    bracket: &'a Bracket,
    same: bool,
    /// n / (n − 1) of the class that lost the row: the factor of its scatter's loss, and of the row's distance from its mean.
    ratio: f64,
    kappa: f64,
    /// Coordinates of the mean of the class that is scored, and of that which lost the row.
    scored: Array1<f64>,
    left: Array1<f64>,
}

impl<'a, 'p, 'r> Met<'a, 'p, 'r> {
    fn new(pass: &'a Pass<'p, 'r>, bracket: &'a Bracket, left: usize, scored: usize) -> Self {
        let weight = pass.moments.weights()[left];
        let ratio = weight / (weight - 1.0);
        let mean = |class: usize| bracket.spectrum.project(pass.means.row(class).to_owned());
        Self {
            pass,
            bracket,
            same: left == scored,
            ratio,
            kappa: bracket.kappa * ratio,
            scored: mean(scored),
            left: mean(left),
        }
    }

    /// log p(x | k) of a group of rows, up to a constant.
    fn log_joint(&self, place: usize, group: usize, rows: &[usize], work: &Work) -> Result<Group> {
        let width = self.scored.len();
        let z = &work.z[group * width..][..width];
        if let Some(matrix) = &self.bracket.matrix {
            return self.anew(matrix, z, rows);
        }
        let level = &self.bracket.levels[place];
        let (forms, kappa) = self.forms(level, z, &work.gains[group]);
        let mut joint = [0.0; LANES];
        for lane in 0..rows.len() {
            let left = 1.0 - kappa * forms.vv[lane];
            let (distance, log_det) = match self.same {
                true => (self.ratio * self.ratio * forms.vv[lane] / left, left.ln()),
                false if kappa == 0.0 => (forms.uu[lane], 0.0),
                false => (forms.uu[lane] + kappa * forms.uv[lane].powi(2) / left, left.ln()),
            };
            let sound = left > LEAST_LEFT && !forms.log_ratio[lane].is_nan();
            if !sound {
                self.pass.rows.check_finite(rows[lane]..rows[lane] + 1)?;
                return Err(Error::LeftOut { row: rows[lane], what: self.bracket.what });
            }
            joint[lane] = -0.5 * (distance + log_det + level.log_det + forms.log_ratio[lane]);
        }
        Ok(joint)
    }

    /// The quadratic forms without the rank-one term, and the factor of that.
    fn forms(&self, level: &Level, z: &[Group], gain: &Group) -> (Forms, f64) {
        let (u, v) = (self.scored.as_slice().unwrap_or_default(), self.left.as_slice().unwrap_or_default());
        match self.pass.route {
            Route::Columns => (Forms::of_columns(z, u, v, &level.values, (self.kappa, gain)), 0.0),
            Route::Turned if self.pass.family.target == Target::Spherical && self.kappa > 0.0 => {
                // The target is the mean variance, which falls too.
                let share = level.gamma * self.kappa / z.len() as f64;
                let loss = squared_norms(z, v).map(|square| share * square);
                (Forms::lowered(z, u, v, &level.values, &loss), (1.0 - level.gamma) * self.kappa)
            }
            _ => (Forms::fixed(z, u, v, &level.inverses), (1.0 - level.gamma) * self.kappa),
        }
    }

    /// The same by a factorisation for each row.
    fn anew(&self, matrix: &Array2<f64>, z: &[Group], rows: &[usize]) -> Result<Group> {
        let mut joint = [0.0; LANES];
        for (lane, &row) in rows.iter().enumerate() {
            let x: Array1<f64> = z.iter().map(|z| z[lane]).collect();
            let (u, v) = (&x - &self.scored, &x - &self.left);
            let u = if self.same { &v * self.ratio } else { u };
            let lost = &v.view().insert_axis(Axis(1)) * &v.view().insert_axis(Axis(0)) * self.kappa;
            let covariance = self.pass.family.target.approach((matrix - &lost).view(), self.pass.gammas[0]);
            let factor = factor(covariance.view()).ok_or(Error::LeftOut { row, what: self.bracket.what })?;
            let white = factor.inverse.dot(&u);
            let log_det: f64 = factor.lower.diag().iter().map(|entry| 2.0 * entry.ln()).sum();
            joint[lane] = -0.5 * (white.dot(&white) + log_det);
        }
        Ok(joint)
    }
}

#[cfg(test)]
mod tests;
