//! The answers for a tile of rows, whatever measured them.

use std::ops::Range;

use super::answers::{Answers, decision_width};
use super::best::{Best, find_best};
use super::rules::Ruling;
use super::scorer::{Basis, Form, Need, Raw, Refuse};
use super::scores::{Decisions, Posteriors, Scores, Wanted};
use super::writer::{Writer, at, write_largest};
use crate::chi_square::ChiSquareTail;
use crate::error::{Error, Result, ScoresError};
use crate::kernel::{Evidence, Lane, Lanes, Worst, all_finite};

/// Memory of one task, whatever the number of rows. Rows stand in groups of as many as there are lanes.
pub(crate) struct Response<'a, 'p, T: Lane> {
    ruling: &'a Ruling<'p, T>,
    pub(super) classes: usize,
    need: Need,
    /// What a worker measured.
    pub(crate) raw: Raw<T>,
    pub(super) scores: Scores<T>,
    pub(super) posteriors: Posteriors<T>,
    decisions: Decisions<T>,
    pub(super) writer: Writer,
}

impl<'a, 'p, T: Lane> Response<'a, 'p, T> {
    pub(crate) fn new(ruling: &'a Ruling<'p, T>, need: Need) -> Self {
        Self {
            ruling,
            classes: ruling.n_classes,
            need,
            raw: Raw::default(),
            scores: Scores::new(),
            posteriors: Posteriors::new(),
            decisions: Decisions::new(),
            writer: Writer::default(),
        }
    }

    /// Turns to rows whose answers begin with that of row `first_row`.
    pub(crate) fn hold(&mut self, rows: Range<usize>, first_row: usize) {
        self.writer.hold(rows, first_row);
        self.resize();
    }

    /// The same, for any rows.
    pub(crate) fn hold_picked(&mut self, rows: &[usize], first_row: usize) {
        self.writer.hold_picked(rows, first_row);
        self.resize();
    }

    fn resize(&mut self) {
        self.scores.resize(self.writer.len().div_ceil(T::Lanes::COUNT), self.classes);
    }

    /// Answers for rows whose largest scores are known, and all scores if they are needed.
    pub(super) fn answer_known(
        &mut self,
        evidence: &[Evidence<T::Lanes>],
        scores: &[T::Lanes],
        form: Form<'_, T>,
        rows: &dyn Refuse,
        answers: &mut Answers<'_, T>,
    ) -> Result<()> {
        self.scores.take(evidence, scores);
        self.answer_scores(form, rows, answers)
    }

    /// The answers to what was asked of rows that were measured.
    pub(crate) fn answer(
        &mut self,
        form: Form<'_, T>,
        rows: &dyn Refuse,
        answers: &mut Answers<'_, T>,
    ) -> Result<()> {
        let Need { scores, distances, .. } = self.need;
        let likelihoods = form.basis == Basis::LogLikelihoods;
        if distances && !likelihoods {
            self.answer_distances(form, rows, answers)?;
        }
        if scores || (distances && likelihoods) {
            self.rate(form, rows, answers.want_winners_only())?;
            self.answer_scores(form, rows, answers)?;
        }
        match likelihoods {
            true => Ok(()),
            false => self.answer_decision(form, rows, answers),
        }
    }

    /// Scores from what was measured. If some classes may be out, one that is infinitely far away simply is out of the
    /// question.
    pub(super) fn rate(&mut self, form: Form<'_, T>, rows: &dyn Refuse, some_may_be_out: bool) -> Result<()> {
        match form.basis {
            Basis::LogLikelihoods => {
                self.scores.rate(&self.raw.linear, None, self.ruling, &self.writer).map(drop)
            }
            Basis::Linear => self.rate_linear(rows),
            Basis::Distances => self.rate_distances(form, rows, some_may_be_out),
        }
    }

    fn rate_distances(&mut self, form: Form<'_, T>, rows: &dyn Refuse, some_may_be_out: bool) -> Result<()> {
        let (distances, tops) = (&self.raw.distances, Some(form.log_volume));
        let worst = self.scores.rate(distances, tops, self.ruling, &self.writer)?;
        if worst != Worst::Finite {
            rows.check_entries(&mut self.writer.rows())?;
            if worst == Worst::NotANumber || !(some_may_be_out && form.may_be_out) {
                self.check_measured(&self.raw.distances, self.classes, rows)?;
            }
        }
        Ok(())
    }

    fn rate_linear(&mut self, rows: &dyn Refuse) -> Result<()> {
        match self.scores.rate(&self.raw.linear, None, self.ruling, &self.writer)? {
            Worst::Finite => Ok(()),
            Worst::Infinite | Worst::NotANumber => self.check_measured(&self.raw.linear, self.classes, rows),
        }
    }

    /// What follows from distances alone.
    fn answer_distances(
        &self,
        form: Form<'_, T>,
        rows: &dyn Refuse,
        answers: &mut Answers<'_, T>,
    ) -> Result<()> {
        let classes = self.classes;
        self.check_measured(&self.raw.distances, classes, rows)?;
        if let Some(out) = &mut answers.mahalanobis {
            self.writer.write_lanes::<T>(out, classes, &self.raw.distances);
        }
        if let Some(out) = &mut answers.min_mahalanobis {
            let group_minimum = |group| minima::<T>(group);
            let minima: Vec<T::Lanes> = self.raw.distances.chunks_exact(classes).map(group_minimum).collect();
            self.writer.write_lanes::<T>(out, 1, &minima);
        }
        if let (Some(out), Some(tail)) = (&mut answers.typicality, form.tail) {
            self.writer.write(out, classes, |class, row| self.typicality(tail, class, row));
        }
        if let Some(out) = &mut answers.joint {
            self.writer.write(out, classes, |class, row| self.joint(form, class, row));
        }
        Ok(())
    }

    /// What follows from the scores.
    fn answer_scores(
        &mut self,
        form: Form<'_, T>,
        rows: &dyn Refuse,
        answers: &mut Answers<'_, T>,
    ) -> Result<()> {
        self.check_scores(rows, form.basis == Basis::LogLikelihoods && !answers.want_posterior())?;
        let classes = self.classes;
        if form.basis == Basis::LogLikelihoods
            && let Some(out) = &mut answers.joint
        {
            self.writer.write_lanes::<T>(out, classes, &self.scores.values);
        }
        let judged = answers.want_class() && self.ruling.needs_posterior();
        let wanted = Wanted {
            shares: answers.want_shares() || judged,
            log_sums: answers.log_posterior.is_some() || answers.log_density.is_some(),
            scores: answers.log_posterior.is_some() || answers.best.is_some(),
        };
        if wanted.shares || wanted.log_sums {
            self.posteriors.normalize(&mut self.scores, wanted);
        }
        if wanted.shares {
            self.decisions.expect(self.ruling, &self.posteriors);
        }
        self.answer_labels(form, answers);
        if let Some(out) = &mut answers.posterior {
            self.writer.write_lanes::<T>(out, classes, &self.posteriors.shares);
        }
        if let Some(out) = &mut answers.log_posterior {
            self.writer.write(out, classes, |class, row| {
                (self.score(class, row) - self.scores.largest_of(row)) - self.posteriors.log_sum_of(row)
            });
        }
        if let Some(out) = &mut answers.log_density {
            self.answer_density(form, out);
        }
        if let Some(out) = &mut answers.cost {
            let (decisions, unit) = (self.ruling.n_decisions, self.ruling.cost_unit);
            self.writer
                .write(out, decisions, |decision, row| self.decisions.cost(decisions, decision, row) * unit);
        }
        if let Some(best) = &mut answers.best {
            self.answer_best(best);
        }
        Ok(())
    }

    /// log p(x) = log p(x, k) − log p(k | x), for the class k of the largest posterior.
    fn answer_density(&self, form: Form<'_, T>, out: &mut [T]) {
        if form.observes_nothing {
            return self.writer.write(out, 1, |_, _| T::zero());
        }
        for (row, (place, class)) in self.writer.largest::<T>(&self.scores.evidence).enumerate() {
            let joint = match form.basis {
                Basis::Distances | Basis::LogLikelihoods => self.scores.largest_of(row) + form.log_unit,
                Basis::Linear => self.joint(form, class, row),
            };
            out[place] = joint + (self.posteriors.log_sum_of(row) - self.ruling.log_total);
        }
    }

    fn answer_labels(&self, form: Form<'_, T>, answers: &mut Answers<'_, T>) {
        if !answers.want_class() {
            return;
        }
        let evidence = if self.ruling.by_cost { &self.decisions.evidence } else { &self.scores.evidence };
        let largest = self.writer.largest::<T>(evidence);
        if let (Some(out), Some(tail)) = (&mut answers.label_typicality, form.tail) {
            for (row, (place, label)) in largest.clone().enumerate() {
                let label = self.judge(form.tail, label, row);
                out[place] = if label < self.classes { self.typicality(tail, label, row) } else { T::nan() };
            }
        }
        if !self.ruling.has_thresholds()
            && let Some(rows) = self.writer.in_order()
        {
            if let Some(out) = &mut answers.label {
                write_largest::<T, _>(&mut out[rows.clone()], evidence, |label| label as u32);
            }
            if let Some(out) = &mut answers.name {
                out.put_largest::<T>(rows, evidence);
            }
        } else if self.ruling.has_thresholds() {
            let decided = largest.enumerate();
            put_labels(
                answers,
                decided.map(|(row, (place, label))| (place, self.judge(form.tail, label, row))),
            );
        } else {
            put_labels(answers, largest);
        }
    }

    /// The label of a row, unless it is to be rejected.
    fn judge(&self, tail: Option<&ChiSquareTail>, label: usize, row: usize) -> usize {
        let unlikely = |min: T| self.posterior(label, row) < min;
        let untypical = |(min, tail): (T, &ChiSquareTail)| self.typicality(tail, label, row) < min;
        let rejected = label < self.classes
            && (self.ruling.min_posterior.is_some_and(unlikely)
                || self.ruling.min_typicality.zip(tail).is_some_and(untypical));
        if rejected { self.classes } else { label }
    }

    fn answer_best(&self, best: &mut Best<'_, T>) {
        for (row, place) in self.writer.places().enumerate() {
            let places = place * best.count..(place + 1) * best.count;
            let (classes, posterior) = (&mut best.classes[places.clone()], &mut best.posterior[places]);
            find_best(|class| self.score(class, row), self.classes, classes);
            let best = posterior.iter_mut().zip(classes.iter());
            best.for_each(|(posterior, &class)| *posterior = self.posterior(class as usize, row));
        }
    }

    fn answer_decision(
        &self,
        form: Form<'_, T>,
        rows: &dyn Refuse,
        answers: &mut Answers<'_, T>,
    ) -> Result<()> {
        let Some(out) = &mut answers.decision else {
            return Ok(());
        };
        let Form { log_volume, log_prior, n_decisions, .. } = form;
        let linear = form.basis == Basis::Linear;
        let measured = if linear { &self.raw.decision } else { &self.raw.distances };
        self.check_measured(measured, n_decisions, rows)?;
        let score = |class: usize, row: usize| match linear {
            true => at::<T>(measured, n_decisions, class, row),
            false => log_volume[class] - self.distance(class, row) * T::rounded(0.5),
        };
        self.writer.write(out, decision_width(self.classes), |class, row| match self.classes {
            2 if n_decisions == 2 => (score(1, row) - score(0, row)) + (log_prior[1] - log_prior[0]),
            2 => score(0, row) + (log_prior[1] - log_prior[0]),
            _ => score(class, row) + log_prior[class],
        });
        Ok(())
    }

    /// Infinite measures are better said than returned.
    fn check_measured(&self, measured: &[T::Lanes], outputs: usize, rows: &dyn Refuse) -> Result<()> {
        if all_finite::<T>(measured) {
            return Ok(());
        }
        rows.check_entries(&mut self.writer.rows())?;
        let far =
            |row: usize| (0..outputs).any(|output| !at::<T>(measured, outputs, output, row).is_finite());
        match (0..self.writer.len()).find(|&row| far(row)) {
            Some(row) => Err(Error::Scores(ScoresError::TooFar { row: self.writer.row(row) })),
            None => Ok(()),
        }
    }

    /// Some class must have a finite score, unless only densities are asked of a row that is impossible.
    pub(super) fn check_scores(&self, rows: &dyn Refuse, may_be_impossible: bool) -> Result<()> {
        let refused = self.scores.find_non_finite(self.writer.len(), |row| {
            let row = self.writer.row(row);
            let log_prior = |class: usize| self.ruling.log_prior_at(class, row).into();
            match rows.refuse(row, &log_prior) {
                Error::Scores(ScoresError::Impossible { .. }) if may_be_impossible => None,
                error => Some(error),
            }
        });
        refused.map_or(Ok(()), Err)
    }

    fn distance(&self, class: usize, row: usize) -> T {
        at::<T>(&self.raw.distances, self.classes, class, row)
    }

    fn score(&self, class: usize, row: usize) -> T {
        at::<T>(&self.scores.values, self.classes, class, row)
    }

    /// log p(x, k), from the distance.
    fn joint(&self, form: Form<'_, T>, class: usize, row: usize) -> T {
        let top = form.log_volume[class] + form.log_unit;
        let log_prior = match self.ruling.has_row_priors() {
            true => self.ruling.log_prior_at(class, self.writer.row(row)),
            false => self.ruling.log_prior[class],
        };
        (top - self.distance(class, row) * T::rounded(0.5)) + log_prior
    }

    /// The posterior of a class, once they are normalized.
    fn posterior(&self, class: usize, row: usize) -> T {
        at::<T>(&self.posteriors.shares, self.classes, class, row)
    }

    fn typicality(&self, tail: &ChiSquareTail, class: usize, row: usize) -> T {
        T::rounded(tail.above(self.distance(class, row).into()))
    }
}

/// The smallest value of each lane.
fn minima<T: Lane>(values: &[T::Lanes]) -> T::Lanes {
    values.iter().fold(T::Lanes::splat(T::infinity()), |least, value| {
        T::Lanes::from_fn(|lane| least.entries()[lane].min(value.entries()[lane]))
    })
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
