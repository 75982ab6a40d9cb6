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
use crate::error::{Error, Owner, RankError, Result, ScoresError, check_share, same_size};
use crate::kernel::Double;
use crate::moments::Moments;
use crate::moments::check::check_labels;
use crate::parallel::{Job, Parallel, task_range};
use crate::rows::Rows;
use crate::rows::sort_by_code;
use crate::score::{Answers, RowEvidence, Rules, score};

/// How many times what stays a row's squares may be, to be subtracted.
const MAX_REMOVED: f64 = 1e4;

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
            Err(
                Error::Rank(RankError::Singular { .. })
                | Error::Rank(RankError::LeftOut { .. })
                | Error::Rank(RankError::ZeroVariance { .. }),
            ) => {}
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
    /// [γ][row][class].
    scores: Vec<f64>,
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
            self.score(self.range(task), job, |place, row, posteriors| {
                partial[place].record_row(1.0, posteriors, self.labels[row] as usize);
            })?;
            Ok(partial)
        };
        Ok(parallel
            .fold_in_order(self.tasks(), tally, |sums, others| add_tallies(sums, &others))?
            .unwrap_or_default())
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
                    self.measure(rows, &mut work);
                    for (place, scores) in work.scores.chunks_exact_mut(TILE_ROWS * classes).enumerate() {
                        for (scores, &row) in scores.chunks_exact_mut(classes).zip(rows) {
                            match scores.iter().any(|score| score.is_nan()) {
                                true => self.refit(place, row, scores)?,
                                false => self.normalize(scores, row)?,
                            }
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

    /// Scores of rows of one class, without each, for all classes; NaN where a row leaves too few digits.
    fn measure(&self, rows: &[usize], work: &mut Work) {
        let d = self.moments.n_features();
        let left = self.labels[rows[0]] as usize;
        let log_priors = self.family.log_priors(self.moments, Some(left));
        let groups = rows.len().div_ceil(LANES);
        let parts = self.moments.means_in_parts();
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
                let origin = parts.shift.row(origin).to_vec();
                self.rows.pack(rows, &origin, &mut work.x);
                means = parts.about(&origin);
                let used = &work.x[..groups * d];
                match &mixed.spectrum.map {
                    Some(map) => map.apply(used, d, &mut work.z),
                    None => work.z[..groups * d].copy_from_slice(used),
                }
                last = Some(mixed);
            }
            let pair = LeftOutPair::new(self, mixed, (left, scored), &means);
            for place in 0..self.gammas.len() {
                for group in 0..groups {
                    let first = group * LANES;
                    let count = LANES.min(rows.len() - first);
                    let joint = pair.log_joint(place, group, count, work);
                    let classes = self.moments.n_classes();
                    for (lane, joint) in joint.into_iter().enumerate().take(count) {
                        let row = place * TILE_ROWS + first + lane;
                        work.scores[row * classes + scored] = joint + log_priors[scored];
                    }
                }
            }
        }
    }

    /// The log-posteriors of a row under the model of the rows that it leaves, made anew.
    fn refit(&self, place: usize, row: usize, posteriors: &mut [f64]) -> Result<()> {
        self.rows.check_finite(row..row + 1)?;
        if self.family.columns.is_some() && !self.family.is_common_at(self.gammas[place]) {
            let (left, x) = (self.without(row)?, self.entries(row));
            let what = Owner::Class(self.labels[row] as usize);
            let found = self.family.log_joint_beyond(&left, self.gammas[place], x.row(0))?;
            let scores = found.ok_or(Error::Rank(RankError::LeftOut { row, what }))?;
            posteriors.copy_from_slice(&scores);
            return self.normalize(posteriors, row);
        }
        let model =
            self.family.model(&self.without(row)?, self.gammas[place]).map_err(|error| match error {
                Error::Rank(RankError::Singular { what, .. }) => {
                    Error::Rank(RankError::LeftOut { row, what })
                }
                Error::Rank(RankError::ZeroVariance { class, .. }) => {
                    Error::Rank(RankError::LeftOut { row, what: Owner::Class(class) })
                }
                other => other,
            })?;
        let x = self.entries(row);
        let answers = Answers { log_posterior: Some(posteriors), ..Answers::default() };
        let alone = Parallel::default().alone();
        score(&model, &Rows::from(x.view()), &Rules::default(), answers, alone).map_err(|error| match error {
            Error::Scores(ScoresError::TooFar { .. }) => Error::Scores(ScoresError::TooFar { row }),
            other => other,
        })
    }

    fn entries(&self, row: usize) -> Array2<f64> {
        let d = self.moments.n_features();
        let mut x = Array2::zeros((1, d));
        self.rows.read(row, &(0..d).collect::<Vec<_>>(), x.as_slice_mut().unwrap_or_default());
        x
    }

    /// The moments without a row: what it takes must leave digits enough, or the others are summed up anew.
    fn without(&self, row: usize) -> Result<Moments> {
        let (classes, structure, alone) =
            (self.moments.n_classes(), self.moments.structure(), Parallel::default().alone());
        let x = self.entries(row);
        let one = Moments::from_rows(
            &Rows::from(x.view()),
            &self.labels[row..=row],
            classes,
            None,
            structure,
            alone,
        )?;
        let left = self.moments.subtract_at_most(&one, MAX_REMOVED);
        let mut counts = vec![0; classes];
        self.labels.iter().for_each(|&label| counts[label as usize] += 1);
        if left.is_ok() || self.moments.rows() != counts {
            return left;
        }
        let mut weights = vec![1.0; self.labels.len()];
        weights[row] = 0.0;
        Moments::from_rows(self.rows, self.labels, classes, Some(&weights), structure, alone)
    }

    /// Scores to log-posteriors.
    fn normalize(&self, scores: &mut [f64], row: usize) -> Result<()> {
        match RowEvidence::of(scores) {
            Some(evidence) => evidence.to_log_posteriors(scores),
            None => {
                self.rows.check_finite(row..row + 1)?;
                return Err(Error::Scores(ScoresError::TooFar { row }));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
