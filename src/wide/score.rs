//! Rows scored by models of wide data: a tile is projected once, distances are measured along the few directions, and what
//! a row has beyond them adds its square over the level of the class.
//!
//! Sums are in double precision whatever the rows are: the part beyond is a difference of squares.

use std::f64::consts::PI;
use std::ops::Range;

use ndarray::{Array1, Array2, Axis};

use super::model::{WideModel, place_of};
use super::packed::{Packed, PackedSpace};
use crate::error::{Error, Result, ScoresError, same_size};
use crate::kernel::{Double, Lane, Lanes};
use crate::model::{Model, Pack};
use crate::parallel::Parallel;
use crate::rows::Rows;
use crate::scalar::{Scalar, Scorable};
use crate::score::{
    Answered, Answers, Basis, Form, Missing, ModelPrior, Need, Raw, Refuse, Rules, Ruling, Scorer, Worker,
    answer, score_some,
};

impl WideModel {
    /// Answers what was asked of rows, as [`crate::core::score()`] does.
    ///
    /// # Errors
    /// As there.
    pub fn score<T: Scalar>(
        &self,
        rows: &Rows<'_>,
        rules: &Rules<'_>,
        answers: Answers<'_, T>,
        parallel: Parallel<'_>,
    ) -> Result<()> {
        T::score(Scorable::Wide(self), rows, rules, answers, parallel)
    }

    pub(crate) fn answer<T: Pack>(
        &self,
        rows: &Rows<'_>,
        rules: &Rules<'_>,
        mut answers: Answers<'_, T>,
        parallel: Parallel<'_>,
    ) -> Result<()> {
        same_size("number of columns", rows.n_features(), self.n_features())?;
        let (rank, features) = (self.rank(), self.n_features());
        if answers.want_density() && rank < features {
            return Err(Error::Scores(ScoresError::NoDensity { rank, features }));
        }
        let along = |answers, answered| self.answer_along(rows, rules, answers, parallel, answered);
        if rules.missing != Missing::Marginalize || !rows.has_gaps(0..rows.n_rows()) {
            return along(answers, Answered::All);
        }
        let dense = self.to_dense()?;
        // Complete rows have the answers that they have without the others.
        along(answers.reborrow(), Answered::Complete)?;
        score_some((&dense, Answered::Lacking), rows, rules, answers, parallel)
    }

    /// Answers along the few directions, which takes all columns of a row.
    fn answer_along<T: Pack>(
        &self,
        rows: &Rows<'_>,
        rules: &Rules<'_>,
        answers: Answers<'_, T>,
        parallel: Parallel<'_>,
        answered: Answered,
    ) -> Result<()> {
        let by_distances =
            |answers| answer(&WideScorer::<T>::new(self, rows, rules.missing), rules, answers, parallel);
        match self.is_common() {
            true => score_apart((&self.linear()?, answered), rows, rules, answers, parallel, by_distances),
            false => by_distances(answers),
        }
    }
}

/// Answers by a linear model what linear functions tell, and by distances the rest.
pub(super) fn score_apart<'b, T: Pack>(
    linear: (&Model, Answered),
    rows: &Rows<'_>,
    rules: &Rules<'_>,
    mut answers: Answers<'b, T>,
    parallel: Parallel<'_>,
    by_distances: impl FnOnce(Answers<'b, T>) -> Result<()>,
) -> Result<()> {
    let mut others = Answers {
        joint: answers.joint.take(),
        log_density: answers.log_density.take(),
        mahalanobis: answers.mahalanobis.take(),
        typicality: answers.typicality.take(),
        min_mahalanobis: answers.min_mahalanobis.take(),
        ..Answers::default()
    };
    if rules.min_typicality.is_none() && answers.label_typicality.is_none() {
        score_some(linear, rows, rules, answers, parallel)?;
    } else {
        // Labels depend on distances, and what is told with them should be of one piece.
        let decisions = Answers { decision: answers.decision.take(), ..Answers::default() };
        score_some(linear, rows, &Rules { min_typicality: None, ..*rules }, decisions, parallel)?;
        let Answers { joint, log_density, mahalanobis, typicality, min_mahalanobis, .. } = others;
        others = Answers { joint, log_density, mahalanobis, typicality, min_mahalanobis, ..answers };
    }
    if others.asks_nothing() { Ok(()) } else { by_distances(others) }
}

/// A model of wide data bound to rows.
struct WideScorer<'a, 'r, T> {
    rows: &'a Rows<'r>,
    model: &'a WideModel,
    packed: &'a Packed,
    log_prior: Vec<T>,
    log_total: T,
    /// −½ log det Σ_k.
    log_volume: Vec<T>,
    /// Zeros, where distances hold it.
    no_volume: Vec<T>,
    log_unit: T,
    missing: Missing,
}

impl<'a, 'r, T: Lane> WideScorer<'a, 'r, T> {
    fn new(model: &'a WideModel, rows: &'a Rows<'r>, missing: Missing) -> Self {
        let parts = model.parts();
        let total: f64 = model.log_prior().iter().map(|log_prior| log_prior.exp()).sum();
        let volume = |class: usize| -0.5 * parts.log_dets[place_of(class, parts.log_dets.len())];
        Self {
            rows,
            model,
            packed: model.packed(),
            log_prior: model.log_prior().iter().map(|&log_prior| T::rounded(log_prior)).collect(),
            log_total: T::rounded(total.ln()),
            log_volume: (0..model.n_classes()).map(|class| T::rounded(volume(class))).collect(),
            no_volume: vec![T::zero(); model.n_classes()],
            log_unit: T::rounded(-0.5 * model.n_features() as f64 * (2.0 * PI).ln()),
            missing,
        }
    }
}

impl<T> WideScorer<'_, '_, T> {
    /// Adds log det Σ_k to the squared distances of each row, and takes away the smallest of the sums.
    fn make_relative(&self, squares: &mut [f64]) {
        let log_dets = &self.model.parts().log_dets;
        for row in squares.chunks_exact_mut(self.model.n_classes()) {
            if log_dets.len() > 1 {
                row.iter_mut().zip(log_dets).for_each(|(square, log_det)| *square += log_det);
            }
            let least = row.iter().copied().fold(f64::INFINITY, f64::min);
            row.iter_mut().for_each(|square| *square -= least);
        }
    }
}

impl<'r, T: Lane> Scorer<T> for WideScorer<'_, 'r, T> {
    type Worker<'a>
        = WideWorker<'a, 'r, T>
    where
        Self: 'a;

    const HAS_DISTANCES: bool = true;

    fn n_rows(&self) -> usize {
        self.rows.n_rows()
    }

    fn prior(&self) -> ModelPrior<'_, T> {
        ModelPrior { logs: &self.log_prior, log_total: self.log_total }
    }

    fn row_work(&self) -> usize {
        let d = self.model.n_features();
        let spaces = self.packed.spaces.iter();
        spaces.map(|space| (space.size + 2) * d + space.classes.len() * space.size * space.size / 2).sum()
    }

    fn degrees(&self) -> Option<usize> {
        Some(self.model.rank())
    }

    fn worker(&self) -> WideWorker<'_, 'r, T> {
        WideWorker {
            scorer: self,
            indices: vec![],
            x: vec![],
            t: vec![],
            near: vec![],
            q: vec![],
            squares: vec![],
            relative: false,
            left_out: vec![],
        }
    }
}

/// Memory of one task.
struct WideWorker<'a, 'r, T: Lane> {
    scorer: &'a WideScorer<'a, 'r, T>,
    indices: Vec<usize>,
    /// Packed rows: [group][column].
    x: Vec<Double>,
    /// Their coordinates: [group][coordinate].
    t: Vec<Double>,
    /// Squared distances from the class means along the coordinates: [group][class of the space].
    near: Vec<Double>,
    /// Squared distances: [group][class of the space].
    q: Vec<Double>,
    /// The same of all spaces: [row][class].
    squares: Vec<f64>,
    /// Whether the last distances are those of the nearest class less, and hold the volumes.
    relative: bool,
    left_out: Vec<usize>,
}

impl<T: Lane> Worker<T> for WideWorker<'_, '_, T> {
    fn fill(&mut self, rows: Range<usize>, need: Need, _: &Ruling<'_, T>, raw: &mut Raw<T>) -> Result<()> {
        let (classes, d) = (self.scorer.model.n_classes(), self.scorer.model.n_features());
        self.indices.clear();
        self.indices.extend(rows.clone());
        let zero = <Double as Lanes<f64>>::splat(0.0);
        self.x.resize(rows.len().div_ceil(Double::COUNT) * d, zero);
        raw.distances.clear();
        let groups = rows.len().div_ceil(T::Lanes::COUNT);
        raw.distances.resize(groups * classes, T::Lanes::splat(T::zero()));
        self.squares.resize(rows.len() * classes, 0.0);
        let packed = self.scorer.packed;
        for (place, space) in packed.spaces.iter().enumerate() {
            if place == 0 || space.center != packed.spaces[place - 1].center {
                self.scorer.rows.pack(&self.indices, &packed.centers[space.center], &mut self.x);
            }
            self.measure(space, rows.len());
            for (place, &class) in space.classes.iter().enumerate() {
                for row in 0..rows.len() {
                    let groups = &self.q[row / Double::COUNT * space.classes.len()..];
                    self.squares[row * classes + class] = groups[place][row % Double::COUNT];
                }
            }
        }
        // Of many columns distances and volumes are so large that single precision would lose what tells classes apart.
        self.relative = !(need.distances || need.decision);
        if self.relative {
            self.scorer.make_relative(&mut self.squares);
        }
        for (place, &square) in self.squares.iter().enumerate() {
            let (row, class) = (place / classes, place % classes);
            let group = &mut raw.distances[row / T::Lanes::COUNT * classes + class];
            group.set(row % T::Lanes::COUNT, T::rounded(square));
        }
        self.leave_out(rows, raw)
    }

    fn form<'b>(&'b self, ruling: &'b Ruling<'_, T>) -> Form<'b, T> {
        Form {
            basis: Basis::Distances,
            log_volume: if self.relative { &self.scorer.no_volume } else { &self.scorer.log_volume },
            log_unit: self.scorer.log_unit,
            log_prior: &self.scorer.log_prior,
            n_decisions: self.scorer.model.n_classes(),
            tail: ruling.tail(),
            may_be_out: false,
            observes_nothing: false,
        }
    }

    fn left_out(&self) -> &[usize] {
        match self.scorer.missing {
            Missing::Propagate => &self.left_out,
            Missing::Raise | Missing::Marginalize => &[], // which are answered for elsewhere
        }
    }
}

impl<T: Lane> WideWorker<'_, '_, T> {
    /// Squared distances of the packed rows from the means of the classes of a space.
    fn measure(&mut self, space: &PackedSpace, rows: usize) {
        let (d, means) = (self.scorer.model.n_features(), &self.scorer.packed.means);
        let (groups, members) = (rows.div_ceil(Double::COUNT), space.classes.len());
        let zero = <Double as Lanes<f64>>::splat(0.0);
        self.t.resize(groups * space.size, zero);
        self.near.resize(groups * members, zero);
        self.q.resize(groups * members, zero);
        if space.size > 0 {
            space.project.apply(&self.x, d, &mut self.t);
            space.nearest.to_all(&self.t, &mut self.near);
            for (place, whitened) in space.whitened.iter().enumerate() {
                whitened.norms(&self.t, &mut self.q[place..], members);
            }
        } else {
            self.near.fill(zero);
            self.q.fill(zero);
        }
        for group in 0..groups {
            let near = &self.near[group * members..][..members];
            // What a row has beyond the directions is the same about any mean: about the nearest it keeps its digits.
            let nearest: [usize; Double::COUNT] = std::array::from_fn(|lane| {
                let by_distance = |&a: &usize, &b: &usize| near[a][lane].total_cmp(&near[b][lane]);
                (0..members).min_by(by_distance).unwrap_or(0)
            });
            let x = &self.x[group * d..][..d];
            let squares =
                squares(x, nearest.map(|place| space.classes[place]), means, space.squared_scales.as_ref());
            for (place, level) in space.levels.iter().enumerate() {
                let q = &mut self.q[group * members + place];
                for lane in 0..Double::COUNT {
                    let beyond = squares[lane] - near[nearest[lane]][lane];
                    // NaN of a row must stay.
                    let beyond = if beyond < 0.0 { 0.0 } else { beyond };
                    q[lane] += beyond / level;
                }
            }
        }
    }

    /// Finds rows with gaps where these have no answers.
    fn leave_out(&mut self, rows: Range<usize>, raw: &mut Raw<T>) -> Result<()> {
        self.left_out.clear();
        if self.scorer.missing == Missing::Raise {
            return Ok(());
        }
        let classes = self.scorer.model.n_classes();
        for (place, row) in rows.enumerate() {
            let group = &mut raw.distances[place / T::Lanes::COUNT * classes..][..classes];
            let lane = place % T::Lanes::COUNT;
            if group.iter().any(|distance| distance.entries()[lane].is_nan())
                && self.scorer.rows.has_gaps(row..row + 1)
            {
                self.scorer.rows.check_not_infinite(row..row + 1)?;
                group.iter_mut().for_each(|distance| distance.set(lane, T::zero()));
                self.left_out.push(row);
            }
        }
        Ok(())
    }
}

/// ‖(x − m) / σ‖² of each lane, about its own mean.
fn squares(
    x: &[Double],
    nearest: [usize; Double::COUNT],
    means: &Array2<f64>,
    scales: Option<&Array1<f64>>,
) -> Double {
    let mut sums = [0.0; Double::COUNT];
    let means: [_; Double::COUNT] = std::array::from_fn(|lane| means.index_axis(Axis(0), nearest[lane]));
    for (j, x) in x.iter().enumerate() {
        let scale = scales.map_or(1.0, |scales| scales[j]);
        for lane in 0..Double::COUNT {
            let apart = x[lane] - means[lane][j];
            sums[lane] += apart * apart * scale;
        }
    }
    sums
}

impl<T: Lane> Refuse for WideWorker<'_, '_, T> {
    fn check_entries(&self, rows: &mut dyn Iterator<Item = usize>) -> Result<()> {
        for row in rows {
            match self.scorer.missing {
                Missing::Raise => self.scorer.rows.check_finite(row..row + 1)?,
                Missing::Marginalize | Missing::Propagate => {
                    self.scorer.rows.check_not_infinite(row..row + 1)?;
                }
            }
        }
        Ok(())
    }

    fn refuse(&self, row: usize, _: &dyn Fn(usize) -> f64) -> Error {
        Error::Scores(ScoresError::TooFar { row })
    }
}
