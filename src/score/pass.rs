//! The one pass: rows are cut into tasks, tasks into tiles that are measured once and answered.

use std::ops::Range;

use super::answers::Answers;
use super::gaussian::Gaussian;
use super::marginal::{Marginals, Missing, SORTED_ROWS};
use super::no_data::answer_data;
use super::respond::Response;
use super::rules::{Rules, Ruling};
use super::scorer::{Need, Scorer, Worker};
use super::screened::Trial;
use super::{TILE_ROWS, rows_per_task};
use crate::error::{Error, Result, ScoresError, not_empty, same_size};
use crate::kernel::Lane;
use crate::model::{Model, Pack};
use crate::parallel::{Job, Parallel, task_range};
use crate::rows::Rows;

/// Which rows a pass answers for, where gaps are integrated out; answers for the others stay as they are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Answered {
    All,
    Complete,
    Lacking,
}

/// The pass in one precision: see [`crate::core::score()`].
pub(crate) fn score<T: Pack>(
    model: &Model,
    rows: &Rows<'_>,
    rules: &Rules<'_>,
    answers: Answers<'_, T>,
    parallel: Parallel<'_>,
) -> Result<()> {
    score_some((model, Answered::All), rows, rules, answers, parallel)
}

/// The same for some rows.
pub(crate) fn score_some<T: Pack>(
    (model, answered): (&Model, Answered),
    rows: &Rows<'_>,
    rules: &Rules<'_>,
    mut answers: Answers<'_, T>,
    parallel: Parallel<'_>,
) -> Result<()> {
    let (n, classes) = (rows.n_rows(), model.n_classes());
    same_size("number of columns", rows.n_features(), model.n_features())?;
    check(rules, &answers, n, classes)?;
    check_no_data(rules, rows.n_features())?;
    if answers.want_density() {
        model.check_density()?;
    }
    let missing = rules.missing;
    let scorer = Gaussian::new(model, rows, missing);
    scorer.packed.check_scales()?;
    let ruling = Ruling::new(rules, scorer.prior(), Some(model.rank()), &answers);
    let marginals = (missing != Missing::Raise).then(|| Marginals::new(model));
    let pass = Pass { scorer, ruling: &ruling, trial: Trial::default(), marginals, answered };
    let screening = pass.screening(&answers).filter(|_| answered == Answered::All);
    let task_rows = match screening {
        Some(_) => pass.screened_rows(),
        None => rows_per_task(scorer.row_work(), TILE_ROWS),
    };
    let task_rows =
        if missing == Missing::Raise { task_rows } else { task_rows.max(SORTED_ROWS.min(n / 16)) };
    let split = Split::new(n, task_rows, TILE_ROWS);
    let work = |task, range: Range<usize>, answers: &mut Answers<'_, T>, job: &Job<'_>| match &screening {
        Some(screening) if pass.is_worth_screening(task, range.clone()) => {
            pass.answer_screened(screening, range, answers, job)
        }
        _ => pass.answer_in_order(range, answers, job),
    };
    split.run(&mut answers, &ruling, parallel, |task, range, answers, job| match rules.no_data {
        None => work(task, range, answers, job),
        Some(no_data) => answer_data(&scorer, (no_data, &ruling), range, answers, |range, answers| {
            work(task, range, answers, job)
        }),
    })
}

/// Answers what was asked of the rows of a scorer.
///
/// # Errors
/// As [`score`] has them; what takes distances, of a scorer without any.
pub(crate) fn answer<T: Lane, S: Scorer<T>>(
    scorer: &S,
    rules: &Rules<'_>,
    mut answers: Answers<'_, T>,
    parallel: Parallel<'_>,
) -> Result<()> {
    let (n, tile_rows) = (scorer.n_rows(), scorer.tile_rows());
    check(rules, &answers, n, scorer.prior().logs.len())?;
    if !S::HAS_DISTANCES {
        check_without_distances(rules, &answers)?;
    }
    let ruling = Ruling::new(rules, scorer.prior(), scorer.degrees(), &answers);
    let split = Split::new(n, rows_per_task(scorer.row_work(), tile_rows), tile_rows);
    split.run(&mut answers, &ruling, parallel, |_, range, answers, job| match rules.no_data {
        None => answer_in_order(scorer, &ruling, range, answers, job),
        Some(no_data) => answer_data(scorer, (no_data, &ruling), range, answers, |range, answers| {
            answer_in_order(scorer, &ruling, range, answers, job)
        }),
    })
}

/// Refuses values for no data that are those of more or fewer columns.
pub(crate) fn check_no_data(rules: &Rules<'_>, columns: usize) -> Result<()> {
    rules.no_data.map_or(Ok(()), |no_data| same_size("number of values for no data", no_data.len(), columns))
}

/// Refuses rules and answers that do not fit the rows and classes.
fn check<T: Lane>(rules: &Rules<'_>, answers: &Answers<'_, T>, n: usize, classes: usize) -> Result<()> {
    rules.check::<T>(n, classes)?;
    for (name, length, width) in answers.lengths(classes, rules.n_decisions(classes)) {
        same_size(name, length, n.saturating_mul(width))?;
    }
    if let Some(name) = &answers.name {
        same_size("number of names", name.lengths().0, classes + usize::from(rules.may_reject(classes)))?;
    }
    if let Some(best) = &answers.best {
        same_size("number of best classes", best.count, best.count.min(classes))?;
    }
    if answers.cost.is_some() {
        not_empty("cost matrix", usize::from(rules.cost.is_some()))?;
    }
    Ok(())
}

/// Refuses what follows from distances.
fn check_without_distances<T>(rules: &Rules<'_>, answers: &Answers<'_, T>) -> Result<()> {
    let asked = [
        ("typicalities", answers.want_typicality()),
        ("Mahalanobis distances", answers.want_distances()),
        ("decision functions", answers.decision.is_some()),
        ("typicalities", rules.min_typicality.is_some()),
    ];
    match asked.iter().find(|(_, asked)| *asked) {
        Some(&(what, _)) => Err(Error::Scores(ScoresError::NoDistance { what })),
        None => Ok(()),
    }
}

/// How rows are cut into tasks.
#[derive(Debug, Clone, Copy)]
struct Split {
    rows: usize,
    tasks: usize,
    tile_rows: usize,
}

impl Split {
    fn new(rows: usize, task_rows: usize, tile_rows: usize) -> Self {
        Self { rows, tasks: rows.div_ceil(task_rows.max(tile_rows)).max(1), tile_rows }
    }

    fn range(self, task: usize) -> Range<usize> {
        task_range(task, self.tasks, self.rows, self.tile_rows)
    }

    /// Runs all tasks, each with its own part of the answers.
    fn run<T: Lane>(
        self,
        answers: &mut Answers<'_, T>,
        ruling: &Ruling<'_, T>,
        parallel: Parallel<'_>,
        work: impl Fn(usize, Range<usize>, &mut Answers<'_, T>, &Job<'_>) -> Result<()> + Sync,
    ) -> Result<()> {
        let part = |task| answers.take(self.range(task).len(), ruling.n_classes, ruling.n_decisions);
        parallel.for_each_part((0..self.tasks).map(part), |task, answers, job| {
            work(task, self.range(task), answers, job)
        })?;
        Ok(())
    }
}

/// A pass of a Gaussian model: everything that all tasks share.
pub(super) struct Pass<'a, 'r, T: Lane> {
    pub(super) scorer: Gaussian<'a, 'r, T>,
    pub(super) ruling: &'a Ruling<'a, T>,
    pub(super) trial: Trial,
    /// What is made for patterns of gaps, if there may be any.
    pub(super) marginals: Option<Marginals<T>>,
    pub(super) answered: Answered,
}

impl<T: Lane> Pass<'_, '_, T> {
    /// Whether it may pay to screen the classes of some rows, of which none has gaps.
    fn is_worth_screening(&self, task: usize, range: Range<usize>) -> bool {
        let Gaussian { rows, missing, .. } = self.scorer;
        self.trial.is_worth_trying(task) && (missing == Missing::Raise || !rows.has_gaps(range))
    }

    /// Answers for some rows without screening.
    pub(super) fn answer_in_order(
        &self,
        range: Range<usize>,
        answers: &mut Answers<'_, T>,
        job: &Job<'_>,
    ) -> Result<()> {
        match &self.marginals {
            Some(marginals) if self.answered == Answered::Lacking => {
                self.answer_lacking(marginals, range, answers, job)
            }
            Some(marginals) => self.answer_gapped(marginals, range, answers, job),
            None => answer_in_order(&self.scorer, self.ruling, range, answers, job),
        }
    }
}

/// Answers for some rows, in their order.
pub(super) fn answer_in_order<T: Lane, S: Scorer<T>>(
    scorer: &S,
    ruling: &Ruling<'_, T>,
    range: Range<usize>,
    answers: &mut Answers<'_, T>,
    job: &Job<'_>,
) -> Result<()> {
    let (need, tile_rows) = (Need::of(answers, ruling), scorer.tile_rows());
    let (mut worker, mut response) = (scorer.worker(), Response::new(ruling, need));
    for start in range.clone().step_by(tile_rows) {
        job.check()?;
        let rows = start..(start + tile_rows).min(range.end);
        response.hold(rows.clone(), range.start);
        worker.fill(rows, need, ruling, &mut response.raw)?;
        response.answer(worker.form(ruling), &worker, answers)?;
        for row in worker.left_out() {
            answers.leave_out(row - range.start, ruling.n_classes, ruling.n_decisions);
        }
    }
    Ok(())
}
