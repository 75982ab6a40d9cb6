//! A tile of rows, packed, and the answers to what was asked of them.

use super::TILE_ROWS;
use super::answers::{Answers, decision_width};
use crate::error::{Error, Result};
use crate::kernel::{Affine, Evidence, Lane, Lanes, Terms, Worst, all_finite, exponentials, rate, recentre};
use crate::model::{Metric, Packed};
use crate::rows::Rows;

/// Memory of one task, whatever the number of rows. Rows stand in groups of as many as there are lanes.
pub(super) struct Tile<'a, 'r, T: Lane> {
    rows: &'a Rows<'r>,
    packed: &'a Packed<T>,
    n_classes: usize,
    /// Which rows these are, and which row comes first in the answers.
    indices: Vec<usize>,
    first_answer: usize,
    /// The packed rows: [group][column].
    x: Vec<T::Lanes>,
    /// The rows whitened, or taken about a class's mean.
    whitened: Vec<T::Lanes>,
    /// Distances or linear scores, and what becomes of them: [group][class].
    measured: Vec<T::Lanes>,
    scores: Vec<T::Lanes>,
    exponentials: Vec<T::Lanes>,
    evidence: Vec<Evidence<T::Lanes>>,
    /// As many zeros as classes.
    no_terms: Vec<T>,
}

impl<'a, 'r, T: Lane> Tile<'a, 'r, T> {
    pub(super) fn new(rows: &'a Rows<'r>, packed: &'a Packed<T>, classes: usize) -> Self {
        Self {
            rows,
            packed,
            n_classes: classes,
            indices: Vec::with_capacity(TILE_ROWS),
            first_answer: 0,
            x: vec![],
            whitened: vec![],
            measured: vec![],
            scores: vec![],
            exponentials: vec![],
            no_terms: vec![T::zero(); classes],
            evidence: vec![],
        }
    }

    /// Packs rows whose answers begin with that of row `first_answer`.
    pub(super) fn pack(&mut self, indices: impl Iterator<Item = usize>, first_answer: usize) {
        self.hold(indices, first_answer);
        self.rows.pack(&self.indices, &self.packed.center, &mut self.x);
    }

    /// The same, for rows whose scores are known.
    pub(super) fn hold(&mut self, indices: impl Iterator<Item = usize>, first_answer: usize) {
        self.indices.clear();
        self.indices.extend(indices);
        self.first_answer = first_answer;
        let groups = self.groups();
        let zero = T::Lanes::splat(T::zero());
        let resize = |lanes: &mut Vec<T::Lanes>, count: usize| lanes.resize(groups * count, zero);
        let features = self.packed.center.len();
        resize(&mut self.x, features);
        if matches!(self.packed.metric, Metric::FarApart(_) | Metric::Tied(_)) {
            resize(&mut self.whitened, features);
        }
        resize(&mut self.measured, self.n_classes);
        resize(&mut self.scores, self.n_classes);
        self.evidence.resize(groups, Evidence::none::<T>());
    }

    fn groups(&self) -> usize {
        self.indices.len().div_ceil(T::Lanes::COUNT)
    }

    /// The packed rows: [group][column].
    pub(super) fn packed_rows(&self) -> &[T::Lanes] {
        &self.x
    }

    /// Answers for rows whose largest scores are known, and all scores if they are needed.
    pub(super) fn answer_known(
        &mut self,
        evidence: &[Evidence<T::Lanes>],
        scores: &[T::Lanes],
        answers: &mut Answers<'_, T>,
    ) -> Result<()> {
        self.evidence.copy_from_slice(evidence);
        self.scores[..scores.len()].copy_from_slice(scores);
        self.answer_winners(answers)
    }

    /// The answers to what was asked.
    pub(super) fn answer(&mut self, answers: &mut Answers<'_, T>) -> Result<()> {
        let linear = self.packed.metric.linear();
        let want_scores = answers.want_posterior() || answers.decision.is_some();
        if (want_scores && linear.is_none()) || answers.want_density() || answers.mahalanobis.is_some() {
            self.measure();
        }
        if let Some(out) = &mut answers.mahalanobis {
            self.check_measured(self.n_classes)?;
            self.write(out, self.n_classes, |class, row| at::<T>(&self.measured, self.n_classes, class, row));
        }
        if answers.want_density() {
            self.answer_density(answers)?;
        }
        if answers.want_posterior() {
            linear.into_iter().for_each(|linear| self.apply(linear));
            self.answer_posterior(answers)?;
        }
        if let Some(out) = &mut answers.decision {
            self.packed.metric.decision().into_iter().for_each(|decision| self.apply(decision));
            self.answer_decision(out)?;
        }
        Ok(())
    }

    /// Squared distances to every class.
    fn measure(&mut self) {
        let (classes, features) = (self.n_classes, self.packed.center.len());
        let (x, distances) = (&self.x, &mut self.measured);
        match &self.packed.metric {
            Metric::Full(whitened) => {
                let each = whitened.iter().enumerate();
                each.for_each(|(class, whitened)| whitened.norms(x, &mut distances[class..], classes));
            }
            Metric::FarApart(each) => {
                for (class, (mean, whitened)) in each.iter().enumerate() {
                    recentre(x, mean, &mut self.whitened);
                    whitened.norms(&self.whitened, &mut distances[class..], classes);
                }
            }
            Metric::Diag(to) => to.to_all(x, distances),
            Metric::Tied(tied) => {
                let z = &mut self.whitened[..x.len() / features * tied.whiten.outputs()];
                tied.whiten.apply(x, features, z);
                tied.distances.to_all(z, distances);
            }
        }
    }

    /// Linear scores.
    fn apply(&mut self, linear: &Affine<T>) {
        let outputs = self.groups() * linear.outputs();
        linear.apply(&self.x, self.packed.center.len(), &mut self.measured[..outputs]);
    }

    fn answer_density(&mut self, answers: &mut Answers<'_, T>) -> Result<()> {
        let packed = self.packed;
        let volume = packed.log_prior.iter().zip(&packed.log_volume);
        let tops: Vec<T> =
            volume.map(|(&log_prior, &log_volume)| log_prior + (log_volume + packed.log_unit)).collect();
        let terms = Terms { tops: Some(&tops), terms: &self.no_terms };
        if rate::<T>(&self.measured, terms, &mut self.scores, &mut self.evidence) != Worst::Finite {
            self.check_measured(self.n_classes)?;
        }
        if let Some(out) = &mut answers.joint {
            self.write(out, self.n_classes, |class, row| at::<T>(&self.scores, self.n_classes, class, row));
        }
        if let Some(out) = &mut answers.log_density {
            exponentials::<T>(&mut self.scores, &mut self.evidence);
            self.check_evidence()?;
            self.write(out, 1, |_, row| {
                let [largest, others] = self.evidence_of(row);
                largest + others.ln_one_plus() - packed.log_total
            });
        }
        Ok(())
    }

    fn answer_posterior(&mut self, answers: &mut Answers<'_, T>) -> Result<()> {
        let Packed { metric, log_volume, log_prior, .. } = self.packed;
        let tops = metric.linear().is_none().then_some(&log_volume[..]);
        let terms = Terms { tops, terms: log_prior };
        let worst = rate::<T>(&self.measured, terms, &mut self.scores, &mut self.evidence);
        if worst != Worst::Finite {
            self.check_entries()?;
            // Where classes may be given up, one that is infinitely far away simply is out of the question.
            let may_be_out = answers.want_winners_only() && matches!(metric, Metric::Full(_));
            if worst == Worst::NotANumber || !may_be_out {
                self.check_measured(self.n_classes)?;
            }
        }
        self.answer_winners(answers)
    }

    /// Classes and posteriors, from scores up to a term common to the classes, and their largest.
    fn answer_winners(&mut self, answers: &mut Answers<'_, T>) -> Result<()> {
        self.check_evidence()?;
        if let Some(out) = &mut answers.label {
            self.classes().for_each(|(answer, class)| out[answer] = class as u32);
        }
        if let Some(out) = &mut answers.name {
            out.put(self.classes());
        }
        if answers.posterior.is_none() && answers.log_posterior.is_none() {
            return Ok(());
        }
        let classes = self.n_classes;
        self.exponentials.clone_from(&self.scores);
        exponentials::<T>(&mut self.exponentials, &mut self.evidence);
        if let Some(out) = &mut answers.posterior {
            self.write(out, classes, |class, row| {
                at::<T>(&self.exponentials, classes, class, row) / (T::one() + self.evidence_of(row)[1])
            });
        }
        if let Some(out) = &mut answers.log_posterior {
            self.write(out, classes, |class, row| {
                let [largest, others] = self.evidence_of(row);
                (at::<T>(&self.scores, classes, class, row) - largest) - others.ln_one_plus()
            });
        }
        Ok(())
    }

    fn answer_decision(&mut self, out: &mut [T]) -> Result<()> {
        let Packed { metric, log_volume, log_prior, .. } = self.packed;
        let outputs = metric.decision().map_or(self.n_classes, Affine::outputs);
        self.check_measured(outputs)?;
        let score = |class: usize, row: usize| {
            let measured = at::<T>(&self.measured, outputs, class, row);
            if metric.decision().is_some() {
                measured
            } else {
                log_volume[class] - measured * T::rounded(0.5)
            }
        };
        self.write(out, decision_width(self.n_classes), |class, row| match self.n_classes {
            2 if outputs == 2 => (score(1, row) - score(0, row)) + (log_prior[1] - log_prior[0]),
            2 => score(0, row) + (log_prior[1] - log_prior[0]),
            _ => score(class, row) + log_prior[class],
        });
        Ok(())
    }

    /// For each row the place of its answer, and the class of its largest score.
    fn classes(&self) -> impl Iterator<Item = (usize, usize)> {
        let groups = self.indices.chunks(T::Lanes::COUNT).zip(&self.evidence);
        let rows = groups.flat_map(|(indices, evidence)| indices.iter().zip(evidence.class.entries()));
        rows.map(|(index, &class)| (index - self.first_answer, Into::<f64>::into(class) as usize))
    }

    /// The largest score of a row, and what the others add.
    fn evidence_of(&self, row: usize) -> [T; 2] {
        let (evidence, lane) = (&self.evidence[row / T::Lanes::COUNT], row % T::Lanes::COUNT);
        [evidence.largest.entries()[lane], evidence.others.entries()[lane]]
    }

    /// Writes `width` values per row, each row where its answer belongs.
    fn write(&self, out: &mut [T], width: usize, value: impl Fn(usize, usize) -> T) {
        for (row, &index) in self.indices.iter().enumerate() {
            let out = &mut out[(index - self.first_answer) * width..][..width];
            out.iter_mut().enumerate().for_each(|(class, out)| *out = value(class, row));
        }
    }

    /// Scores overflow only for rows that are absurdly far away: better said than returned as infinity.
    fn check_measured(&self, outputs: usize) -> Result<()> {
        if all_finite::<T>(&self.measured[..self.groups() * outputs]) {
            return Ok(());
        }
        self.check_entries()?;
        self.refuse(|row| {
            (0..outputs).any(|output| !at::<T>(&self.measured, outputs, output, row).is_finite())
        })
    }

    /// Names the first entry of these rows that is not finite: it shows in the scores.
    pub(super) fn check_entries(&self) -> Result<()> {
        self.indices.iter().try_for_each(|&row| self.rows.check_finite(row..row + 1))
    }

    /// Some class must have a finite score.
    fn check_evidence(&self) -> Result<()> {
        let finite =
            |lanes: &T::Lanes| lanes.entries().iter().fold(true, |all, value| all & value.is_finite());
        if self.evidence.iter().all(|evidence| finite(&evidence.largest)) {
            return Ok(());
        }
        self.refuse(|row| !self.evidence_of(row)[0].is_finite())
    }

    fn refuse(&self, far: impl Fn(usize) -> bool) -> Result<()> {
        match (0..self.indices.len()).find(|&row| far(row)) {
            Some(row) => Err(Error::TooFar { row: self.indices[row] }),
            None => Ok(()),
        }
    }
}

/// The value of one row among [group][output].
fn at<T: Lane>(values: &[T::Lanes], outputs: usize, output: usize, row: usize) -> T {
    values[row / T::Lanes::COUNT * outputs + output].entries()[row % T::Lanes::COUNT]
}
