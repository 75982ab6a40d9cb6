//! The pass that answers one question of every row, whatever scores it.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::rows_per_task;
use crate::error::{Error, Result, same_size};
use crate::kernel::{Evidence, Lanes, Terms, divide, exponentials, logarithms, rate};
use crate::parallel::{Parallel, task_range};
use crate::score::Names;

type Group = [f64; 8];

/// Rows that are scored together, in groups side by side: as many as stay in cache with the scores of so many classes.
pub(super) fn tile_rows(classes: usize) -> usize {
    (4096 / classes).clamp(64, 256).next_multiple_of(Group::COUNT)
}

/// What is asked of each row, and where the answers go: n, or n × K, one row after another.
#[derive(Debug)]
pub enum Question<'a> {
    /// The class of the largest posterior, n; the first of equal ones.
    Label(&'a mut [u32]),
    /// The name of that class, n.
    Name(Names<'a>),
    /// p(k | x), n × K.
    Posterior(&'a mut [f64]),
    /// log p(k | x), n × K.
    LogPosterior(&'a mut [f64]),
    /// log p(x, k), n × K; −∞ where a row is impossible.
    Joint(&'a mut [f64]),
    /// log p(x), n.
    LogDensity(&'a mut [f64]),
}

impl Question<'_> {
    /// Refuses arrays of the wrong length.
    fn check(&self, rows: usize, classes: usize) -> Result<()> {
        match self {
            Self::Label(out) => same_size("label", out.len(), rows),
            Self::Name(names) => {
                same_size("number of names", names.lengths().0, classes)?;
                same_size("name", names.lengths().1, rows)
            }
            Self::LogDensity(out) => same_size("log_density", out.len(), rows),
            Self::Posterior(out) | Self::LogPosterior(out) | Self::Joint(out) => {
                same_size("answers", out.len(), rows.saturating_mul(classes))
            }
        }
    }
}

impl<'a> Question<'a> {
    /// Cuts off the first `rows` rows.
    fn take(&mut self, rows: usize, classes: usize) -> Option<Self> {
        Some(match self {
            Self::Label(out) => Self::Label(out.split_off_mut(..rows)?),
            Self::Name(names) => Self::Name(names.take(rows)?),
            Self::LogDensity(out) => Self::LogDensity(out.split_off_mut(..rows)?),
            Self::Posterior(out) => Self::Posterior(out.split_off_mut(..rows * classes)?),
            Self::LogPosterior(out) => Self::LogPosterior(out.split_off_mut(..rows * classes)?),
            Self::Joint(out) => Self::Joint(out.split_off_mut(..rows * classes)?),
        })
    }
}

/// Rows, and a model that scores them.
pub(super) trait Scores: Sync {
    /// Memory of one task.
    type Scratch;
    fn n_rows(&self) -> usize;
    /// Additions that a row costs.
    fn row_work(&self) -> usize;
    fn log_prior(&self) -> &[f64];
    fn scratch(&self) -> Self::Scratch;
    /// Writes log p(x | k) of up to `tile_rows` rows: [group][class].
    fn measure(&self, rows: Range<usize>, scratch: &mut Self::Scratch, measured: &mut [Group]) -> Result<()>;
    /// Why a row scores −∞ in every class.
    fn impossible(&self, row: usize) -> Error {
        Error::Impossible { row }
    }
}

/// Answers a question in parallel; memory is bounded whatever the number of rows.
pub(super) fn answer<S: Scores>(
    scores: &S,
    mut question: Question<'_>,
    parallel: Parallel<'_>,
) -> Result<()> {
    let (rows, classes) = (scores.n_rows(), scores.log_prior().len());
    question.check(rows, classes)?;
    let tile_rows = tile_rows(classes);
    let tasks = (rows / rows_per_task(scores.row_work())).max(1);
    let range = |task| task_range(task, tasks, rows, tile_rows);
    let parts = (0..tasks).map(|task| Mutex::new(question.take(range(task).len(), classes)));
    let parts: Vec<_> = parts.collect();
    parallel.map(tasks, |task, job| {
        let mut part = parts[task].lock().unwrap_or_else(PoisonError::into_inner);
        let Some(part) = &mut *part else { return Ok(()) };
        let mut tile = Tile::new(scores.log_prior());
        let mut scratch = scores.scratch();
        let first = range(task).start;
        for start in range(task).step_by(tile_rows) {
            job.check()?;
            let few = start..(start + tile_rows).min(range(task).end);
            scores.measure(few.clone(), &mut scratch, tile.measured(few.len()))?;
            tile.answer(scores, few, first, part)?;
        }
        Ok(())
    })?;
    Ok(())
}

/// Scores of a few rows, and what becomes of them: [group][class].
struct Tile<'a> {
    log_prior: &'a [f64],
    measured: Vec<Group>,
    scores: Vec<Group>,
    evidence: Vec<Evidence<Group>>,
    log_sums: Vec<Group>,
}

impl<'a> Tile<'a> {
    fn new(log_prior: &'a [f64]) -> Self {
        Self { log_prior, measured: vec![], scores: vec![], evidence: vec![], log_sums: vec![] }
    }

    /// Where the scores of so many rows go.
    fn measured(&mut self, rows: usize) -> &mut [Group] {
        let groups = rows.div_ceil(Group::COUNT);
        let length = groups * self.log_prior.len();
        self.measured.resize(length, Group::splat(0.0));
        self.scores.resize(length, Group::splat(0.0));
        self.evidence.resize(groups, Evidence::none::<f64>());
        &mut self.measured
    }

    /// Answers for rows; the answers begin with that of row `first`.
    fn answer(
        &mut self,
        scores: &impl Scores,
        rows: Range<usize>,
        first: usize,
        question: &mut Question<'_>,
    ) -> Result<()> {
        let classes = self.log_prior.len();
        let terms = Terms { tops: None, terms: self.log_prior };
        rate::<f64>(&self.measured, terms, &mut self.scores, &mut self.evidence);
        let answers = rows.start - first..rows.end - first;
        let all = answers.start * classes..answers.end * classes;
        self.check_possible(scores, rows.clone(), question)?;
        match question {
            Question::Joint(out) => {
                self.write(&mut out[all], classes, |row, class| self.score(row, class));
            }
            Question::LogDensity(out) => {
                exponentials::<f64>(&mut self.scores, &mut self.evidence);
                self.add_up();
                self.write(&mut out[answers], 1, |row, _| self.largest_of(row) + self.log_sum_of(row));
            }
            _ => self.answer_posterior(rows.len(), (answers.start, all), question),
        }
        Ok(())
    }

    /// Some class must have made each row, if there are to be posteriors; scores that are too low for a double are
    /// refused in any case.
    fn check_possible(
        &self,
        scores: &impl Scores,
        rows: Range<usize>,
        question: &Question<'_>,
    ) -> Result<()> {
        let densities = matches!(question, Question::Joint(_) | Question::LogDensity(_));
        for row in (0..rows.len()).filter(|&row| self.largest_of(row) == f64::NEG_INFINITY) {
            match scores.impossible(rows.start + row) {
                Error::Impossible { .. } if densities => {}
                error => return Err(error),
            }
        }
        Ok(())
    }

    /// What follows from posteriors; answers of one per row begin with `start`, those of one per class lie at `all`.
    fn answer_posterior(
        &mut self,
        rows: usize,
        (start, all): (usize, Range<usize>),
        question: &mut Question<'_>,
    ) {
        let classes = self.log_prior.len();
        match question {
            Question::Label(out) => {
                (0..rows).for_each(|row| out[start + row] = self.class_of(row) as u32);
            }
            Question::Name(names) => {
                names.put((0..rows).map(|row| (start + row, self.class_of(row))));
            }
            Question::LogPosterior(out) => {
                // What was measured is not needed any more.
                self.measured.clone_from(&self.scores);
                exponentials::<f64>(&mut self.measured, &mut self.evidence);
                self.add_up();
                self.write(&mut out[all], classes, |row, class| {
                    (self.score(row, class) - self.largest_of(row)) - self.log_sum_of(row)
                });
            }
            Question::Posterior(out) => {
                exponentials::<f64>(&mut self.scores, &mut self.evidence);
                divide::<f64>(&mut self.scores, &self.evidence);
                self.write(&mut out[all], classes, |row, class| self.score(row, class));
            }
            Question::Joint(_) | Question::LogDensity(_) => {}
        }
    }

    /// Writes `width` values for each row.
    fn write(&self, out: &mut [f64], width: usize, value: impl Fn(usize, usize) -> f64) {
        for (row, out) in out.chunks_exact_mut(width).enumerate() {
            out.iter_mut().enumerate().for_each(|(class, out)| *out = value(row, class));
        }
    }

    fn score(&self, row: usize, class: usize) -> f64 {
        self.scores[row / Group::COUNT * self.log_prior.len() + class][row % Group::COUNT]
    }

    /// Takes the logarithms of the sums of exponentials.
    fn add_up(&mut self) {
        self.log_sums.clear();
        self.log_sums.extend(self.evidence.iter().map(|evidence| evidence.others));
        logarithms::<f64>(&mut self.log_sums);
    }

    fn largest_of(&self, row: usize) -> f64 {
        self.evidence[row / Group::COUNT].largest[row % Group::COUNT]
    }

    /// ln Σ_k exp(score_k − largest) of a row.
    fn log_sum_of(&self, row: usize) -> f64 {
        self.log_sums[row / Group::COUNT][row % Group::COUNT]
    }

    fn class_of(&self, row: usize) -> usize {
        self.evidence[row / Group::COUNT].class[row % Group::COUNT] as usize
    }
}
