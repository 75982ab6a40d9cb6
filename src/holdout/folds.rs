//! Held-out rows under a whole grid of regularized models. For each α the covariance of a class is made
//! tridiagonal once for all γ; each row is brought into the coordinates in which it is so once.

use std::ops::Range;

use super::family::Family;
use super::grid::{Class, Grid};
use super::tally::{LARGEST_LOSS, Tally, add_tallies};
use super::{LANES, TILE_ROWS};
use crate::covariance::Mixing;
use crate::error::{Error, RankError, Result, check_share, same_size};
use crate::kernel::Double;
use crate::memory::room_for;
use crate::moments::Moments;
use crate::moments::check::{check_labels, check_weights_of};
use crate::parallel::{Job, Parallel, task_range};
use crate::rows::Rows;
use crate::score::{Answers, Form, Need, Response, Rules, Ruling, score};

/// Multiply-adds of a task.
const TASK_WORK: usize = 1 << 24;

/// How the model of each α and γ, made of the moments of other rows, does on some rows: α by α, and none where a covariance
/// is singular.
///
/// # Errors
/// Sizes that do not fit together, a class without weight, shares that are not from 0 to 1, a divisor that is not positive,
/// NaN in a row, weights so large that losses times weights overflow.
///
/// ```
/// use gauda::core::covariance::{Mixing, Pooling, Target};
/// use gauda::core::{Family, Moments, Parallel, Rows, Structure, cross_validate};
/// use ndarray::array;
///
/// let x = array![[-3.0], [-2.0], [-1.0], [1.0], [2.0], [3.0]];
/// let labels = [0, 0, 0, 1, 1, 1];
/// let moments =
///     Moments::from_rows(&Rows::from(x.view()), &labels, 2, None, Structure::Full, Parallel::default())?;
/// let mixing = Mixing { alpha: 0.0, pooling: Pooling::Covariance, unbiased: false };
/// let family =
///     Family { mixing, weights: None, target: Target::Spherical, priors: None, tol: 1e-4, smoothing: 0.0, columns: None };
/// let held = array![[-2.5], [2.5]];
/// let tallies = cross_validate(
///     &moments, &Rows::from(held.view()), &[0, 1], None, &family, &[0.0, 1.0], &[0.0], Parallel::default(),
/// )?;
/// assert_eq!(tallies.iter().map(|tally| tally.unwrap().hits).collect::<Vec<_>>(), [2.0, 2.0]);
/// # Ok::<(), gauda::Error>(())
/// ```
#[expect(clippy::too_many_arguments, reason = "data, models and the grid")]
pub fn cross_validate(
    train: &Moments,
    rows: &Rows<'_>,
    labels: &[u32],
    weights: Option<&[f64]>,
    family: &Family<'_>,
    alphas: &[f64],
    gammas: &[f64],
    parallel: Parallel<'_>,
) -> Result<Vec<Option<Tally>>> {
    same_size("number of columns", rows.n_features(), train.n_features())?;
    check_labels(labels, rows.n_rows(), train.n_classes())?;
    check_weights_of(weights, rows.n_rows(), LARGEST_LOSS)?;
    family.check(train)?;
    alphas.iter().try_for_each(|&alpha| check_share("alpha", alpha))?;
    gammas.iter().try_for_each(|&gamma| check_share("gamma", gamma))?;
    let origins: Vec<Vec<f64>> =
        train.means_in_parts().shift.outer_iter().map(|shift| shift.to_vec()).collect();
    let log_priors = family.log_priors(train, None).to_vec();
    let held = HeldOut { rows, labels, weights };
    let mut tallies = vec![];
    for &alpha in alphas {
        let family = Family { mixing: Mixing { alpha, ..family.mixing }, ..*family };
        let (whole, others): (Vec<usize>, Vec<usize>) =
            (0..gammas.len()).partition(|&place| is_asked_as_a_whole(&family, gammas[place]));
        let mut at = vec![None; gammas.len()];
        for place in whole {
            at[place] = held.ask(train, &family, gammas[place], parallel)?;
        }
        let gammas: Vec<f64> = others.iter().map(|&place| gammas[place]).collect();
        let grid = Grid { train, family: &family, gammas: &gammas };
        for (place, tally) in
            others.into_iter().zip(held.tally_grid(&grid, &origins, &log_priors, parallel)?)
        {
            at[place] = tally;
        }
        tallies.extend(at);
    }
    Ok(tallies)
}

/// Whether a point of the grid is tried by a model of its own: where all classes have the same covariance, distances tell
/// nothing of rows far off, but linear functions do; and independent columns may be smoothed.
fn is_asked_as_a_whole(family: &Family<'_>, gamma: f64) -> bool {
    family.is_common_at(gamma) || family.is_independent_at(gamma)
}

/// Rows that models are tried on.
#[derive(Clone, Copy)]
struct HeldOut<'a, 'r> {
    rows: &'a Rows<'r>,
    labels: &'a [u32],
    weights: Option<&'a [f64]>,
}

impl HeldOut<'_, '_> {
    /// How the model with this share of the target does; none if a covariance is singular.
    fn ask(
        &self,
        train: &Moments,
        family: &Family<'_>,
        gamma: f64,
        parallel: Parallel<'_>,
    ) -> Result<Option<Tally>> {
        let model = match family.model(train, gamma) {
            Ok(model) => model,
            Err(Error::Rank(RankError::Singular { .. }) | Error::Rank(RankError::ZeroVariance { .. })) => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let classes = train.n_classes();
        room_for(self.labels.len().checked_mul(classes))?;
        let mut posteriors = vec![0.0; self.labels.len() * classes];
        let answers = Answers { log_posterior: Some(posteriors.as_mut_slice()), ..Answers::default() };
        score(&model, self.rows, &Rules::default(), answers, parallel)?;
        let mut tally = Tally::default();
        for (row, posteriors) in posteriors.chunks_exact(classes).enumerate() {
            tally.record_row(self.weight(row), posteriors, self.labels[row] as usize);
        }
        Ok(Some(tally))
    }

    /// How the models of a grid do; none where a covariance is singular.
    fn tally_grid(
        self,
        grid: &Grid<'_>,
        origins: &[Vec<f64>],
        log_priors: &[f64],
        parallel: Parallel<'_>,
    ) -> Result<Vec<Option<Tally>>> {
        let gammas = grid.gammas.len();
        if gammas == 0 {
            return Ok(vec![]);
        }
        let classes = grid.classes(parallel)?;
        let regular: Vec<bool> =
            (0..gammas).map(|place| classes.iter().all(|class| class.is_regular(place))).collect();
        let pass = Pass { held: self, origins, log_priors, classes, gammas };
        let sums = pass.run(parallel, &regular)?;
        Ok(sums.into_iter().zip(regular).map(|(sum, regular)| regular.then_some(sum)).collect())
    }

    fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row])
    }
}

/// Everything that all tasks share.
struct Pass<'a, 'r> {
    held: HeldOut<'a, 'r>,
    /// What rows are measured from in each class.
    origins: &'a [Vec<f64>],
    log_priors: &'a [f64],
    classes: Vec<Class>,
    gammas: usize,
}

/// Memory of one task.
struct Work {
    x: Vec<Double>,
    z: Vec<Double>,
    distances: Vec<Double>,
    /// [γ][group][class].
    measured: Vec<Double>,
}

impl Pass<'_, '_> {
    fn run(&self, parallel: Parallel<'_>, regular: &[bool]) -> Result<Vec<Tally>> {
        let (n, d) = (self.held.labels.len(), self.held.rows.n_features());
        let row_work = self.classes.len() * d * (d + self.gammas);
        let task_rows = (TASK_WORK / row_work.max(1)).max(1).next_multiple_of(TILE_ROWS);
        let tasks = n.div_ceil(task_rows).max(1);
        let sum = |task, job: &Job<'_>| self.sum(task_range(task, tasks, n, TILE_ROWS), regular, job);
        Ok(parallel.fold_in_order(tasks, sum, |sums, others| add_tallies(sums, &others))?.unwrap_or_default())
    }

    fn sum(&self, range: Range<usize>, regular: &[bool], job: &Job<'_>) -> Result<Vec<Tally>> {
        let (classes, d, groups) = (self.classes.len(), self.held.rows.n_features(), TILE_ROWS / LANES);
        let lanes = |count: usize| vec![[0.0; LANES]; count];
        let mut work = Work {
            x: lanes(groups * d),
            z: lanes(groups * d),
            distances: lanes(groups * self.gammas),
            measured: lanes(self.gammas * groups * classes),
        };
        let ruling = Ruling::of_log_prior(self.log_priors);
        let mut response = Response::new(&ruling, Need::POSTERIORS);
        // What measures rows has the logarithms of determinants in it.
        let log_volume = vec![0.0; classes];
        let form = Form::of_distances(&log_volume, self.log_priors);
        let HeldOut { rows: held, labels, .. } = self.held;
        let mut tallies = vec![Tally::default(); self.gammas];
        for start in range.clone().step_by(TILE_ROWS) {
            job.check()?;
            let rows: Vec<usize> = (start..(start + TILE_ROWS).min(range.end)).collect();
            self.measure(&rows, &mut work);
            for (place, tally) in tallies.iter_mut().enumerate().filter(|(place, _)| regular[*place]) {
                response.hold_picked(&rows, range.start);
                let measured = &work.measured[place * groups * classes..];
                response.raw.distances.clear();
                response.raw.distances.extend(&measured[..rows.len().div_ceil(LANES) * classes]);
                response.give_outcomes(form, held, labels, |row, outcome| {
                    tally.record(self.held.weight(row), outcome);
                })?;
            }
        }
        Ok(tallies)
    }

    /// Distances of rows to every class for every γ.
    fn measure(&self, rows: &[usize], work: &mut Work) {
        let (classes, d, groups) =
            (self.classes.len(), self.held.rows.n_features(), rows.len().div_ceil(LANES));
        for (class, made) in self.classes.iter().enumerate() {
            self.held.rows.pack(rows, &self.origins[class], &mut work.x);
            // A view without directions belongs to no regular covariance.
            for (index, view) in made.views.iter().enumerate().filter(|(_, view)| view.width > 0) {
                let z = &mut work.z[..groups * view.width];
                view.map.apply(&work.x[..groups * d], d, z);
                let width = view.distances.outputs();
                view.distances.apply(z, &mut work.distances[..groups * width]);
                for (place, at) in made.places.iter().enumerate() {
                    let Some((_, at)) = at.filter(|(of, _)| *of == index) else { continue };
                    for group in 0..groups {
                        let to = (place * (TILE_ROWS / LANES) + group) * classes + class;
                        work.measured[to] = work.distances[group * width + at];
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
