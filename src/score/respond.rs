//! The answers for a tile of rows, written where they belong.

use super::answers::{Answers, decision_width};
use super::best::{Best, find_best};
use super::tail::ChiSquareTail;
use super::tile::{Measure, Tile, at};
use crate::error::Result;
use crate::kernel::{Evidence, Lane, Lanes, Terms, Worst, rate};
use crate::model::{Metric, Packed};

impl<T: Lane> Tile<'_, '_, '_, T> {
    /// Answers for rows whose largest scores are known, and all scores if they are needed.
    pub(super) fn answer_known(
        &mut self,
        evidence: &[Evidence<T::Lanes>],
        scores: &[T::Lanes],
        answers: &mut Answers<'_, T>,
    ) -> Result<()> {
        self.take_scores(evidence, scores);
        self.answer_scores(answers)
    }

    /// The answers to what was asked.
    pub(super) fn answer(&mut self, answers: &mut Answers<'_, T>) -> Result<()> {
        let linear = self.packed.metric.is_linear();
        // Priors of rows are checked where scores are made of them.
        let want_scores =
            answers.want_posterior() || answers.log_density.is_some() || self.ruling.has_row_priors();
        let want_distances = answers.want_density() || answers.mahalanobis.is_some() || self.tail.is_some();
        let by_distances = !linear && (want_scores || answers.decision.is_some());
        if want_distances || by_distances {
            self.measure();
        }
        if want_distances {
            self.answer_distances(answers)?;
        }
        if want_scores {
            match linear {
                true => self.rate_linear()?,
                false => self.rate_distances(answers.want_winners_only())?,
            }
            self.answer_scores(answers)?;
        }
        self.answer_decision(answers)
    }

    /// Scores from distances. If some classes may be out, one that is infinitely far away simply is out of the question.
    fn rate_distances(&mut self, some_may_be_out: bool) -> Result<()> {
        let worst = self.rate(Measure::Distances)?;
        if worst != Worst::Finite {
            self.check_entries()?;
            let may_be_out = some_may_be_out && matches!(self.packed.metric, Metric::Full(_));
            if worst == Worst::NotANumber || !may_be_out {
                self.check_measured(Measure::Distances, self.n_classes)?;
            }
        }
        Ok(())
    }

    fn rate_linear(&mut self) -> Result<()> {
        self.apply_linear();
        match self.rate(Measure::Linear)? {
            Worst::Finite => Ok(()),
            Worst::Infinite | Worst::NotANumber => self.check_measured(Measure::Linear, self.n_classes),
        }
    }

    /// What follows from distances alone.
    fn answer_distances(&self, answers: &mut Answers<'_, T>) -> Result<()> {
        let classes = self.n_classes;
        self.check_measured(Measure::Distances, classes)?;
        if let Some(out) = &mut answers.mahalanobis {
            self.write_lanes(out, classes, &self.distances);
        }
        if let (Some(out), Some(tail)) = (&mut answers.typicality, self.tail) {
            self.write(out, classes, |class, row| self.typicality(tail, class, row));
        }
        if let Some(out) = &mut answers.joint {
            self.write(out, classes, |class, row| self.joint(class, row));
        }
        Ok(())
    }

    /// What follows from the scores.
    fn answer_scores(&mut self, answers: &mut Answers<'_, T>) -> Result<()> {
        self.check_evidence()?;
        let judged = answers.want_class() && self.ruling.needs_posterior();
        let want_posteriors = answers.want_shares() || judged;
        let want_logarithms = answers.log_posterior.is_some() || answers.log_density.is_some();
        if want_posteriors || want_logarithms {
            self.share(want_posteriors, want_logarithms);
        }
        self.weigh();
        self.answer_labels(answers);
        let classes = self.n_classes;
        if let Some(out) = &mut answers.posterior {
            self.write_lanes(out, classes, &self.posteriors);
        }
        if let Some(out) = &mut answers.log_posterior {
            self.write(out, classes, |class, row| {
                (self.score(class, row) - self.largest_of(row)) - self.log_sum_of(row)
            });
        }
        if let Some(out) = &mut answers.log_density {
            self.answer_density(out);
        }
        if let Some(out) = &mut answers.cost {
            let decisions = self.ruling.n_decisions;
            // A difference, as a change of sign would turn costs of 0 into -0.
            self.write(out, decisions, |decision, row| {
                T::zero() - at::<T>(&self.gains, decisions, decision, row)
            });
        }
        if let Some(best) = &mut answers.best {
            self.answer_best(best);
        }
        Ok(())
    }

    /// log p(x) = log p(x, k) − log p(k | x), for the class k of the largest posterior.
    fn answer_density(&self, out: &mut [T]) {
        let by_distances = !self.packed.metric.is_linear();
        if self.observes_nothing() {
            return self.write(out, 1, |_, _| T::zero());
        }
        for (row, (place, class)) in self.largest(&self.evidence).enumerate() {
            let joint = match by_distances {
                true => self.largest_of(row) + self.packed.log_unit,
                false => self.joint(class, row),
            };
            out[place] = joint + (self.log_sum_of(row) - self.ruling.log_total);
        }
    }

    /// What each decision is expected to cost, with its sign changed, and the least.
    fn weigh(&mut self) {
        let Some(gain) = &self.ruling.gain else {
            return;
        };
        let (groups, decisions) = (self.groups(), self.ruling.n_decisions);
        let zero = T::Lanes::splat(T::zero());
        self.weighed.resize(groups * decisions, zero);
        self.gains.resize(groups * decisions, zero);
        self.gain_evidence.resize(groups, Evidence::none::<T>());
        gain.apply(&self.posteriors, self.n_classes, &mut self.weighed);
        let terms = Terms { tops: None, terms: &self.ruling.no_terms[..decisions] };
        rate::<T>(&self.weighed, terms, &mut self.gains, &mut self.gain_evidence);
    }

    fn answer_labels(&self, answers: &mut Answers<'_, T>) {
        let evidence = if self.ruling.by_cost { &self.gain_evidence } else { &self.evidence };
        if self.ruling.has_thresholds() {
            let decided = self.largest(evidence).enumerate();
            put_labels(answers, decided.map(|(row, (place, label))| (place, self.judge(label, row))));
        } else {
            put_labels(answers, self.largest(evidence));
        }
    }

    /// The label of a row, unless it is to be rejected.
    fn judge(&self, label: usize, row: usize) -> usize {
        let unlikely = |least: T| self.posterior(label, row) < least;
        let untypical = |(least, tail): (T, &ChiSquareTail)| self.typicality(tail, label, row) < least;
        let rejected = label < self.n_classes
            && (self.ruling.least_posterior.is_some_and(unlikely)
                || self.ruling.least_typicality.zip(self.tail).is_some_and(untypical));
        if rejected { self.n_classes } else { label }
    }

    fn answer_best(&self, best: &mut Best<'_, T>) {
        for (row, &index) in self.indices.iter().enumerate() {
            let places =
                (index - self.first_answer) * best.count..(index - self.first_answer + 1) * best.count;
            let (classes, posterior) = (&mut best.classes[places.clone()], &mut best.posterior[places]);
            find_best(|class| self.score(class, row), self.n_classes, classes);
            let best = posterior.iter_mut().zip(classes.iter());
            best.for_each(|(posterior, &class)| *posterior = self.posterior(class as usize, row));
        }
    }

    fn answer_decision(&mut self, answers: &mut Answers<'_, T>) -> Result<()> {
        let Some(out) = &mut answers.decision else {
            return Ok(());
        };
        let Packed { metric, log_volume, log_prior, .. } = self.packed;
        let linear = metric.is_linear();
        let outputs = if linear { self.apply_decision() } else { self.n_classes };
        self.check_measured(if linear { Measure::Linear } else { Measure::Distances }, outputs)?;
        let score = |class: usize, row: usize| match linear {
            true => at::<T>(&self.linear, outputs, class, row),
            false => log_volume[class] - self.distance(class, row) * T::rounded(0.5),
        };
        self.write(out, decision_width(self.n_classes), |class, row| match self.n_classes {
            2 if outputs == 2 => (score(1, row) - score(0, row)) + (log_prior[1] - log_prior[0]),
            2 => score(0, row) + (log_prior[1] - log_prior[0]),
            _ => score(class, row) + log_prior[class],
        });
        Ok(())
    }

    fn distance(&self, class: usize, row: usize) -> T {
        at::<T>(&self.distances, self.n_classes, class, row)
    }

    fn score(&self, class: usize, row: usize) -> T {
        at::<T>(&self.scores, self.n_classes, class, row)
    }

    /// log p(x, k), from the distance.
    fn joint(&self, class: usize, row: usize) -> T {
        let top = self.packed.log_volume[class] + self.packed.log_unit;
        (top - self.distance(class, row) * T::rounded(0.5))
            + self.ruling.log_prior_at(class, self.indices[row])
    }

    /// The posterior of a class, once they are shared out.
    fn posterior(&self, class: usize, row: usize) -> T {
        at::<T>(&self.posteriors, self.n_classes, class, row)
    }

    fn typicality(&self, tail: &ChiSquareTail, class: usize, row: usize) -> T {
        T::rounded(tail.above(self.distance(class, row).into()))
    }

    /// For each row the place of its answer, and what has the largest score.
    fn largest(&self, evidence: &[Evidence<T::Lanes>]) -> impl Iterator<Item = (usize, usize)> + Clone {
        let groups = self.indices.chunks(T::Lanes::COUNT).zip(evidence);
        let rows = groups.flat_map(|(indices, evidence)| indices.iter().zip(evidence.class.entries()));
        rows.map(|(index, &class)| (index - self.first_answer, Into::<f64>::into(class) as usize))
    }

    /// Writes lanes ([group][column]) row by row, each row where its answer belongs.
    fn write_lanes(&self, out: &mut [T], width: usize, lanes: &[T::Lanes]) {
        for (indices, group) in self.indices.chunks(T::Lanes::COUNT).zip(lanes.chunks_exact(width)) {
            for (lane, &index) in indices.iter().enumerate() {
                let out = &mut out[(index - self.first_answer) * width..][..width];
                out.iter_mut().zip(group).for_each(|(out, column)| *out = column.entries()[lane]);
            }
        }
    }

    /// Writes `width` values per row, each row where its answer belongs.
    fn write(&self, out: &mut [T], width: usize, value: impl Fn(usize, usize) -> T) {
        for (row, &index) in self.indices.iter().enumerate() {
            let out = &mut out[(index - self.first_answer) * width..][..width];
            out.iter_mut().enumerate().for_each(|(column, out)| *out = value(column, row));
        }
    }
}

/// Writes labels as codes, or names.
fn put_labels<T>(answers: &mut Answers<'_, T>, labels: impl Iterator<Item = (usize, usize)> + Clone) {
    if let Some(out) = &mut answers.label {
        labels.clone().for_each(|(place, label)| out[place] = label as u32);
    }
    if let Some(out) = &mut answers.name {
        out.put(labels);
    }
}
