//! The fused pass: tiles of rows are packed once, measured against every class, and answered.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::answers::{Answers, decision_width};
use super::posterior::Evidence;
use super::{TILE_ROWS, rows_per_task};
use crate::error::{Error, Result, same_size};
use crate::kernel::{Affine, Lane, Lanes, first_largest, recentre};
use crate::model::{Metric, Model, Pack, Packed};
use crate::parallel::{Parallel, task_range};
use crate::rows::Rows;

/// Answers what was asked of each row.
///
/// # Errors
/// NaN or infinity in a row, arrays of the wrong length, a density of a model that has none, scores that overflow.
///
/// ```
/// use gauda::{Answers, LinearFit, Moments, Parallel, Rows, Structure, score};
/// use ndarray::array;
///
/// let x = array![[0.0, 1.0], [1.0, 0.0], [4.0, 5.0], [5.0, 4.5]];
/// let rows = Rows::from(x.view());
/// let moments = Moments::from_rows(&rows, &[0, 0, 1, 1], 2, None, Structure::Tied, Parallel::default())?;
/// let model = LinearFit::svd(&moments, &moments.priors(), 1e-4, false)?.model;
/// let mut label = [0; 4];
/// let answers = Answers::<f64> { label: Some(&mut label), ..Answers::default() };
/// score(&model, &rows, answers, Parallel::default())?;
/// assert_eq!(label, [0, 0, 1, 1]);
/// # Ok::<(), gauda::Error>(())
/// ```
#[expect(private_bounds, reason = "the two packable types are f32 and f64; the trait shows internals")]
pub fn score<T: Pack>(
    model: &Model,
    rows: &Rows<'_>,
    mut answers: Answers<'_, T>,
    parallel: Parallel<'_>,
) -> Result<()> {
    let (n, classes) = (rows.n_rows(), model.n_classes());
    same_size("number of columns", rows.n_features(), model.n_features())?;
    for (name, length, width) in answers.lengths(classes) {
        same_size(name, length, n * width)?;
    }
    if answers.want_density() {
        model.check_density()?;
    }
    let pass = Pass { rows, packed: T::packed(model), classes };
    let tasks = n.div_ceil(rows_per_task(pass.row_work())).max(1);
    let range = |task| task_range(task, tasks, n, TILE_ROWS);
    let parts: Vec<_> = (0..tasks).map(|task| Mutex::new(answers.take(range(task).len(), classes))).collect();
    parallel.map(tasks, |task, job| {
        let mut answers = parts[task].lock().unwrap_or_else(PoisonError::into_inner);
        let mut scratch = Scratch::<T>::new(model.n_features(), classes);
        let range = range(task);
        for start in range.clone().step_by(TILE_ROWS) {
            job.check()?;
            let tile = start..(start + TILE_ROWS).min(range.end);
            let part = answers.take(tile.len(), classes);
            pass.answer(tile, part, &mut scratch)?;
        }
        Ok(())
    })?;
    Ok(())
}

struct Pass<'a, 'r, T> {
    rows: &'a Rows<'r>,
    packed: &'a Packed<T>,
    classes: usize,
}

/// Memory of one task, whatever the number of rows. Rows stand in groups of as many as there are lanes.
struct Scratch<T: Lane> {
    /// The packed rows: [group][column].
    tile: Vec<T::Lanes>,
    /// The rows whitened, or taken about a class's mean.
    whitened: Vec<T::Lanes>,
    /// Distances, and scores: [group][class].
    distances: Vec<T::Lanes>,
    scores: Vec<T::Lanes>,
    /// The scores of one row.
    row: Vec<T>,
}

impl<T: Lane> Scratch<T> {
    fn new(features: usize, classes: usize) -> Self {
        let groups = TILE_ROWS / T::Lanes::COUNT;
        let lanes = |count: usize| vec![T::Lanes::splat(T::zero()); groups * count];
        Self {
            tile: lanes(features),
            whitened: lanes(features),
            distances: lanes(classes),
            scores: lanes(classes),
            row: vec![T::zero(); classes],
        }
    }
}

/// The value of one row among [group][output].
fn at<T: Lane>(values: &[T::Lanes], outputs: usize, output: usize, row: usize) -> T {
    values[row / T::Lanes::COUNT * outputs + output].entries()[row % T::Lanes::COUNT]
}

impl<T: Lane> Pass<'_, '_, T> {
    /// Multiply-adds that a row costs.
    fn row_work(&self) -> usize {
        let d = self.packed.center.len();
        match self.packed.metric {
            Metric::Full(_) | Metric::FarApart(_) => self.classes * d * d / 2,
            Metric::Tied(_) | Metric::Diag(_) => self.classes * d,
        }
    }

    fn answer(
        &self,
        range: Range<usize>,
        mut answers: Answers<'_, T>,
        scratch: &mut Scratch<T>,
    ) -> Result<()> {
        let indices: Vec<usize> = range.clone().collect();
        self.rows.pack(&indices, &self.packed.center, &mut scratch.tile)?;
        let want_scores = answers.want_posterior() || answers.decision.is_some();
        let from_distances = want_scores && self.packed.metric.linear().is_none();
        if from_distances || answers.want_density() || answers.mahalanobis.is_some() {
            self.measure(&range, scratch)?;
        }
        if let Some(out) = &mut answers.mahalanobis {
            self.write(out, range.len(), |class, row| at(&scratch.distances, self.classes, class, row));
        }
        if answers.want_density() {
            self.answer_density(&range, &mut answers, scratch)?;
        }
        if answers.want_posterior() {
            self.answer_posterior(&range, &mut answers, scratch)?;
        }
        if let Some(out) = &mut answers.decision {
            self.answer_decision(&range, out, scratch)?;
        }
        Ok(())
    }

    /// Squared distances of the tile to every class.
    fn measure(&self, range: &Range<usize>, scratch: &mut Scratch<T>) -> Result<()> {
        let (features, classes) = (self.packed.center.len(), self.classes);
        let groups = range.len().div_ceil(T::Lanes::COUNT);
        let x = &scratch.tile[..groups * features];
        let distances = &mut scratch.distances[..groups * classes];
        match &self.packed.metric {
            Metric::Full(whitened) => {
                let each = whitened.iter().enumerate();
                each.for_each(|(class, whitened)| whitened.norms(x, &mut distances[class..], classes));
            }
            Metric::FarApart(each) => {
                let about = &mut scratch.whitened[..groups * features];
                for (class, (mean, whitened)) in each.iter().enumerate() {
                    recentre(x, mean, about);
                    whitened.norms(about, &mut distances[class..], classes);
                }
            }
            Metric::Diag(to) => {
                to.to_all(x, distances);
            }
            Metric::Tied(tied) => {
                let z = &mut scratch.whitened[..groups * tied.whiten.outputs()];
                tied.whiten.apply(x, features, z);
                tied.distances.to_all(z, distances);
            }
        }
        check_finite::<T>(&scratch.distances, classes, range)
    }

    /// The scores that give posteriors and decisions, up to a term common to the classes, priors left out: by linear
    /// functions where there are such, else from the distances. Returns how many there are for each row.
    fn score(
        &self,
        range: &Range<usize>,
        linear: Option<&Affine<T>>,
        scratch: &mut Scratch<T>,
    ) -> Result<usize> {
        let groups = range.len().div_ceil(T::Lanes::COUNT);
        let Some(affine) = linear else {
            let scores = scratch.scores.iter_mut().zip(&scratch.distances).take(groups * self.classes);
            for ((score, distance), &log_volume) in scores.zip(self.packed.log_volume.iter().cycle()) {
                *score = distance.halved_below(log_volume);
            }
            return Ok(self.classes);
        };
        let features = self.packed.center.len();
        let (x, outputs) = (&scratch.tile[..groups * features], affine.outputs());
        affine.apply(x, features, &mut scratch.scores[..groups * outputs]);
        check_finite::<T>(&scratch.scores, outputs, range)?;
        Ok(outputs)
    }

    fn answer_density(
        &self,
        range: &Range<usize>,
        answers: &mut Answers<'_, T>,
        scratch: &mut Scratch<T>,
    ) -> Result<()> {
        let packed = self.packed;
        let constants: Vec<T> = (0..self.classes)
            .map(|class| packed.log_prior[class] + (packed.log_volume[class] + packed.log_unit))
            .collect();
        let distances = &scratch.distances;
        let joint = |class: usize, row: usize| {
            constants[class] - at::<T>(distances, self.classes, class, row) / T::rounded(2.0)
        };
        if let Some(out) = &mut answers.joint {
            self.write(out, range.len(), joint);
        }
        if let Some(out) = &mut answers.log_density {
            for (row, out) in out.iter_mut().enumerate() {
                scratch.row.iter_mut().enumerate().for_each(|(class, score)| *score = joint(class, row));
                let evidence = Evidence::new(&scratch.row).ok_or(Error::TooFar { row: range.start + row })?;
                *out = evidence.log_sum() - packed.log_total;
            }
        }
        Ok(())
    }

    fn answer_posterior(
        &self,
        range: &Range<usize>,
        answers: &mut Answers<'_, T>,
        scratch: &mut Scratch<T>,
    ) -> Result<()> {
        let classes = self.score(range, self.packed.metric.linear(), scratch)?;
        let log_prior = &self.packed.log_prior;
        if let Some(out) = &mut answers.label {
            first_largest(&scratch.scores, log_prior, out);
        }
        if answers.posterior.is_none() && answers.log_posterior.is_none() {
            return Ok(());
        }
        for row in 0..range.len() {
            for (class, score) in scratch.row.iter_mut().enumerate() {
                *score = at::<T>(&scratch.scores, classes, class, row) + log_prior[class];
            }
            let evidence = Evidence::new(&scratch.row).ok_or(Error::TooFar { row: range.start + row })?;
            if let Some(out) = &mut answers.posterior {
                let out = out[row * classes..].iter_mut().zip(&scratch.row);
                out.for_each(|(out, &score)| *out = evidence.posterior(score));
            }
            if let Some(out) = &mut answers.log_posterior {
                let out = out[row * classes..].iter_mut().zip(&scratch.row);
                out.for_each(|(out, &score)| *out = evidence.log_posterior(score));
            }
        }
        Ok(())
    }

    fn answer_decision(&self, range: &Range<usize>, out: &mut [T], scratch: &mut Scratch<T>) -> Result<()> {
        let outputs = self.score(range, self.packed.metric.decision(), scratch)?;
        let log_prior = &self.packed.log_prior;
        let at = |class: usize, row: usize| at::<T>(&scratch.scores, outputs, class, row);
        for (row, out) in out.chunks_exact_mut(decision_width(self.classes)).enumerate() {
            match out {
                [out] if outputs == 2 => *out = (at(1, row) - at(0, row)) + (log_prior[1] - log_prior[0]),
                [out] if self.classes == 2 => *out = at(0, row) + (log_prior[1] - log_prior[0]),
                out => {
                    let each = out.iter_mut().enumerate();
                    each.for_each(|(class, out)| *out = at(class, row) + log_prior[class]);
                }
            }
        }
        Ok(())
    }

    /// Writes one value per class and row, row after row.
    fn write(&self, out: &mut [T], rows: usize, value: impl Fn(usize, usize) -> T) {
        for (row, out) in (0..rows).zip(out.chunks_exact_mut(self.classes)) {
            out.iter_mut().enumerate().for_each(|(class, out)| *out = value(class, row));
        }
    }
}

/// Scores overflow only for rows that are absurdly far away: better said than returned as infinity.
fn check_finite<T: Lane>(values: &[T::Lanes], outputs: usize, range: &Range<usize>) -> Result<()> {
    let groups = range.len().div_ceil(T::Lanes::COUNT);
    let finite = |lanes: &T::Lanes| lanes.entries().iter().fold(true, |all, value| all & value.is_finite());
    if values[..groups * outputs].iter().fold(true, |all, lanes| all & finite(lanes)) {
        return Ok(());
    }
    let far = |row: &usize| (0..outputs).any(|output| !at::<T>(values, outputs, output, *row).is_finite());
    // Lanes without a row hold the centre, whose scores may overflow too.
    match (0..range.len()).find(far) {
        Some(row) => Err(Error::TooFar { row: range.start + row }),
        None => Ok(()),
    }
}
