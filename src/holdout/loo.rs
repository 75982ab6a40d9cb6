//! Every row under the model of all other rows, from the moments of all.

use std::ops::Range;

use ndarray::Array2;

use super::family::Family;
use super::left_out_pair::LeftOutPair;
use super::mixed_covariances::{Builder, MixedCovariance, MixedCovariances, Route};
use super::smoothing::Smoothing;
use super::tally::{Tally, add_tallies};
use super::{LANES, TILE_ROWS};
use crate::covariance::Target;
use crate::error::{Error, RankError, Result, check_share, same_size};
use crate::kernel::Double;
use crate::moments::Moments;
use crate::moments::check::check_labels;
use crate::parallel::{Job, Parallel, task_range};
use crate::rows::Rows;
use crate::rows::sort_by_code;
use crate::score::{Answers, Form, Need, Response, Ruling};

/// Groups of rows that go through the pass together.
const TILE_GROUPS: usize = TILE_ROWS / LANES;

/// Rows that are sorted by class together.
const BLOCK_ROWS: usize = 1024;

/// Writes log p(k | x) of each row under the model without it to `out`, n × K. The rows must be among those behind the
/// moments, each of weight 1.
///
/// # Errors
/// Sizes that do not fit together, a class without a second row, a share that is not from 0 to 1, a covariance that is singular
/// without a row, moments that are too simple, NaN in a row.
///
/// ```
/// use gauda::core::covariance::{Mixing, Pooling, Target};
/// use gauda::core::{Family, Moments, Parallel, Rows, Structure, leave_one_out};
/// use ndarray::array;
///
/// let x = array![[-3.0], [-2.0], [-1.0], [1.0], [2.0], [3.0]];
/// let (rows, labels) = (Rows::from(x.view()), [0, 0, 0, 1, 1, 1]);
/// let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Full, Parallel::default())?;
/// let mixing = Mixing { alpha: 0.0, pooling: Pooling::Covariance, unbiased: false };
/// let family =
///     Family { mixing, weights: None, target: Target::Spherical, priors: None, tol: 1e-4, smoothing: 0.0, columns: None };
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
    same_size("length of the output", out.len(), rows.n_rows().saturating_mul(classes))?;
    let gammas = [gamma];
    let pass = Pass::new(moments, rows, labels, family, &gammas, parallel)?;
    let mut rest = out;
    let parts = (0..pass.tasks())
        .map(|task| rest.split_off_mut(..pass.range(task).len() * classes).unwrap_or_default());
    parallel.for_each_part(parts, |task, out, job| {
        let mut answers = Answers { log_posterior: Some(out), ..Answers::default() };
        pass.for_each_tile(pass.range(task), job, |_, response| {
            response.answer(Form::of_log_likelihoods(&[]), rows, &mut answers)
        })
    })?;
    Ok(())
}

/// How each γ does on rows that are left out one by one; none where a covariance is or becomes singular.
///
/// # Errors
/// As [`leave_one_out`] otherwise.
///
/// ```
/// use gauda::core::covariance::{Mixing, Pooling, Target};
/// use gauda::core::{Family, Moments, Parallel, Rows, Structure, tally_left_out};
/// use ndarray::array;
///
/// let x = array![[-3.0], [-2.0], [-1.0], [1.0], [2.0], [3.0]];
/// let (rows, labels, parallel) = (Rows::from(x.view()), [0, 0, 0, 1, 1, 1], Parallel::default());
/// let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Full, parallel)?;
/// let mixing = Mixing { alpha: 1.0, pooling: Pooling::Covariance, unbiased: false };
/// let family =
///     Family { mixing, weights: None, target: Target::Spherical, priors: None, tol: 1e-4, smoothing: 0.0, columns: None };
/// let tally = tally_left_out(&moments, &rows, &labels, &family, &[0.0], parallel)?[0].unwrap();
/// assert_eq!(tally.hits, 6.0); // each row is nearer to its own class, also without it
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn tally_left_out(
    moments: &Moments,
    rows: &Rows<'_>,
    labels: &[u32],
    family: &Family<'_>,
    gammas: &[f64],
    parallel: Parallel<'_>,
) -> Result<Vec<Option<Tally>>> {
    let mut tallies = vec![None; gammas.len()];
    let mut groups = by_route(family.target, gammas);
    while let Some(places) = groups.pop() {
        let chosen: Vec<f64> = places.iter().map(|&place| gammas[place]).collect();
        let summed =
            Pass::new(moments, rows, labels, family, &chosen, parallel).and_then(|pass| pass.tally(parallel));
        match summed {
            Ok(sums) => places.iter().zip(sums).for_each(|(&place, sum)| tallies[place] = Some(sum)),
            Err(
                Error::Rank(RankError::Singular { .. })
                | Error::Rank(RankError::LeftOut { .. })
                | Error::Rank(RankError::ZeroVariance { .. }),
            ) => {
                // What is singular with one γ need not be so with others.
                let several = places.len() > 1;
                groups.extend(places.into_iter().filter(|_| several).map(|place| vec![place]));
            }
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
pub(super) struct Pass<'a, 'r> {
    pub(super) rows: &'a Rows<'r>,
    pub(super) labels: &'a [u32],
    pub(super) moments: &'a Moments,
    pub(super) family: &'a Family<'a>,
    pub(super) gammas: &'a [f64],
    pub(super) route: Route,
    pub(super) mixed: MixedCovariances,
    pub(super) center: Vec<f64>,
    pub(super) smoothing: Option<Smoothing>,
}

/// Memory of one task.
pub(super) struct Work {
    /// Packed rows, then their coordinates: [group][coordinate].
    x: Vec<Double>,
    pub(super) z: Vec<Double>,
    /// [γ][group][class].
    scores: Vec<Double>,
    /// What is added to variances beyond what all rows would add.
    pub(super) gains: Vec<Double>,
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
        gammas.iter().try_for_each(|&gamma| check_share("gamma", gamma))?;
        let mut left = vec![false; moments.n_classes()];
        labels.iter().for_each(|&label| left[label as usize] = true);
        let center = moments.mean_of_means(&moments.priors()?);
        let route = Route::of(family.target, gammas[0]);
        let smoothed = family.smoothing > 0.0 && route == Route::Columns;
        let smoothing = match smoothed {
            true => Some(Smoothing::of(moments, family.smoothing, &center)?),
            false => None,
        };
        let added = smoothing.as_ref().map_or(0.0, Smoothing::of_all);
        let builder = Builder { moments, family, route, gammas, smoothing: added };
        let mixed = builder.build(&left, parallel)?;
        Ok(Self { rows, labels, moments, family, gammas, route, mixed, center, smoothing })
    }

    fn tasks(&self) -> usize {
        (self.labels.len() / BLOCK_ROWS).clamp(1, 64)
    }

    fn range(&self, task: usize) -> Range<usize> {
        task_range(task, self.tasks(), self.labels.len(), 1)
    }

    fn tally(&self, parallel: Parallel<'_>) -> Result<Vec<Tally>> {
        let tally = |task: usize, job: &Job<'_>| {
            let mut partial = vec![Tally::default(); self.gammas.len()];
            self.for_each_tile(self.range(task), job, |place, response| {
                let count = |_, outcome| partial[place].record(1.0, outcome);
                response.give_outcomes(Form::of_log_likelihoods(&[]), self.rows, self.labels, count)
            })?;
            Ok(partial)
        };
        Ok(parallel
            .fold_in_order(self.tasks(), tally, |sums, others| add_tallies(sums, &others))?
            .unwrap_or_default())
    }

    /// Gives the scores of tiles of rows for each γ, by its place, held by what answers for them.
    fn for_each_tile(
        &self,
        range: Range<usize>,
        job: &Job<'_>,
        mut give: impl FnMut(usize, &mut Response<'_, '_, f64>) -> Result<()>,
    ) -> Result<()> {
        let classes = self.moments.n_classes();
        let block = BLOCK_ROWS.max(16 * classes);
        let mut work = self.work();
        let log_prior = vec![0.0; classes]; // they depend on the class of the row, and are in the scores
        let ruling = Ruling::of_log_prior(&log_prior);
        let mut response = Response::new(&ruling, Need::POSTERIORS);
        let mut order = vec![];
        for start in range.clone().step_by(block) {
            let now = start..(start + block).min(range.end);
            sort_by_code(now.start, &self.labels[now], classes, &mut order);
            for of_class in order.chunk_by(|&a, &b| self.labels[a] == self.labels[b]) {
                for rows in of_class.chunks(TILE_ROWS) {
                    job.check()?;
                    self.measure(rows, &mut work);
                    for (place, scores) in work.scores.chunks_exact(TILE_GROUPS * classes).enumerate() {
                        response.hold_picked(rows, range.start);
                        response.raw.linear.clear();
                        response.raw.linear.extend(&scores[..rows.len().div_ceil(LANES) * classes]);
                        for lost in response.raw.rows_with_nan(rows.len(), classes) {
                            response.raw.set_linear(lost, &self.refit(place, rows[lost])?);
                        }
                        give(place, &mut response)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn work(&self) -> Work {
        let (classes, d) = (self.moments.n_classes(), self.moments.n_features());
        let lanes = |count: usize| vec![[0.0; LANES]; TILE_GROUPS * count];
        Work { x: lanes(d), z: lanes(d), scores: lanes(self.gammas.len() * classes), gains: lanes(1) }
    }

    /// Scores of rows of one class, without each, for all classes; NaN where a row leaves too few digits.
    fn measure(&self, rows: &[usize], work: &mut Work) {
        let d = self.moments.n_features();
        let left = self.labels[rows[0]] as usize;
        let log_priors = self.family.log_priors(self.moments, Some(left));
        let groups = rows.len().div_ceil(LANES);
        let mut means = Array2::zeros((0, 0));
        if let Some(smoothing) = &self.smoothing {
            self.rows.pack(rows, &self.center, &mut work.x);
            for (gain, x) in work.gains.iter_mut().zip(work.x.chunks_exact(d)).take(groups) {
                *gain = smoothing.change_without(x);
            }
        }
        let mut last: Option<&MixedCovariance> = None;
        for scored in 0..self.moments.n_classes() {
            let mixed = self.mixed.of(left, scored);
            if !last.is_some_and(|last| std::ptr::eq(last, mixed)) {
                // About the mean of the class that has the covariance, rows keep the digits that matter to it.
                let origin = if matches!(self.mixed, MixedCovariances::Own { .. }) { scored } else { left };
                means = self.turn(rows, mixed, origin, work);
                last = Some(mixed);
            }
            let pair = LeftOutPair::new(self, mixed, (left, scored), &means);
            for place in 0..self.gammas.len() {
                for group in 0..groups {
                    let first = group * LANES;
                    let count = LANES.min(rows.len() - first);
                    let joint = pair.log_joint(place, group, count, work);
                    let to = (place * TILE_GROUPS + group) * self.moments.n_classes() + scored;
                    work.scores[to] = joint.map(|joint| joint + log_priors[scored]);
                }
            }
        }
    }

    /// Brings rows into the coordinates of a covariance, measured from the mean of a class; returns all class means about it.
    fn turn(&self, rows: &[usize], mixed: &MixedCovariance, class: usize, work: &mut Work) -> Array2<f64> {
        let d = self.moments.n_features();
        let means = self.moments.means_in_parts();
        let origin = means.shift.row(class).to_vec();
        self.rows.pack(rows, &origin, &mut work.x);
        let used = &work.x[..rows.len().div_ceil(LANES) * d];
        match &mixed.coordinates.map {
            Some(map) => map.apply(used, d, &mut work.z),
            None => work.z[..used.len()].copy_from_slice(used),
        }
        means.about(&origin)
    }
}

#[cfg(test)]
mod tests;
