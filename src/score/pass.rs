//! The fused pass: rows are cut into tasks, tasks into tiles that are packed once, measured and answered.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::answers::Answers;
use super::marginal::{Gapped, Missing, SORTED_ROWS};
use super::rules::{Rules, Ruling};
use super::screened::Trial;
use super::tile::Tile;
use super::{TILE_ROWS, rows_per_task};
use crate::error::{Result, not_empty, same_size};
use crate::kernel::Lane;
use crate::model::{Metric, Model, Pack, Packed};
use crate::parallel::{Job, Parallel, task_range};
use crate::rows::Rows;

/// Answers what was asked of each row; labels follow from the rules.
///
/// # Errors
/// NaN or infinity in a row, arrays of the wrong length, a density of a model that has none, scores that overflow, rules
/// that do not fit the model, costs without a cost matrix.
///
/// ```
/// use gauda::{Answers, LinearFit, Moments, Parallel, Rows, Rules, Structure, score};
/// use ndarray::array;
///
/// let x = array![[0.0, 1.0], [1.0, 0.0], [4.0, 5.0], [5.0, 4.5]];
/// let rows = Rows::from(x.view());
/// let moments = Moments::from_rows(&rows, &[0, 0, 1, 1], 2, None, Structure::Tied, Parallel::default())?;
/// let model = LinearFit::svd(&moments, &moments.priors()?, 1e-4, false)?.model;
/// let mut label = [0; 4];
/// let answers = Answers::<f64> { label: Some(&mut label), ..Answers::default() };
/// score(&model, &rows, &Rules::default(), answers, Parallel::default())?;
/// assert_eq!(label, [0, 0, 1, 1]);
/// # Ok::<(), gauda::Error>(())
/// ```
#[expect(private_bounds, reason = "the two packable types are f32 and f64; the trait shows internals")]
pub fn score<T: Pack>(
    model: &Model,
    rows: &Rows<'_>,
    rules: &Rules<'_>,
    mut answers: Answers<'_, T>,
    parallel: Parallel<'_>,
) -> Result<()> {
    let (n, classes) = (rows.n_rows(), model.n_classes());
    same_size("number of columns", rows.n_features(), model.n_features())?;
    rules.check::<T>(n, classes)?;
    let decisions = rules.n_decisions(classes);
    for (name, length, width) in answers.lengths(classes, decisions) {
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
    if answers.want_density() {
        model.check_density()?;
    }
    let packed = T::packed(model);
    let ruling = Ruling::new(rules, model, packed, &answers);
    let pass = Pass { rows, model, packed, ruling: &ruling, trial: Trial::default() };
    let gapped = (rules.missing != Missing::Raise).then(|| Gapped::new(&pass, rules.missing));
    let screening = pass.screening(&answers);
    let task_rows = match screening {
        Some(_) => pass.screened_rows(),
        None => rows_per_task(pass.row_work()),
    };
    let task_rows = if gapped.is_some() { task_rows.max(SORTED_ROWS.min(n / 16)) } else { task_rows };
    let tasks = n.div_ceil(task_rows.max(TILE_ROWS)).max(1);
    let range = |task| task_range(task, tasks, n, TILE_ROWS);
    let parts: Vec<_> =
        (0..tasks).map(|task| Mutex::new(answers.take(range(task).len(), classes, decisions))).collect();
    parallel.map(tasks, |task, job| {
        let mut answers = parts[task].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(gapped) = gapped.as_ref().filter(|_| rows.has_gaps(range(task))) {
            return gapped.answer(range(task), &mut answers, job);
        }
        match &screening {
            Some(screening) if pass.trial.is_worth_trying(task) => {
                pass.answer_screened(screening, range(task), &mut answers, job)
            }
            _ => pass.answer_in_order(range(task), &mut answers, job),
        }
    })?;
    Ok(())
}

/// Everything that all tasks share.
pub(super) struct Pass<'a, 'r, T: Lane> {
    pub(super) rows: &'a Rows<'r>,
    pub(super) model: &'a Model,
    pub(super) packed: &'a Packed<T>,
    pub(super) ruling: &'a Ruling<'a, T>,
    pub(super) trial: Trial,
}

impl<T: Lane> Pass<'_, '_, T> {
    /// Multiply-adds that a row costs.
    fn row_work(&self) -> usize {
        let (classes, d) = (self.model.n_classes(), self.model.n_features());
        match self.packed.metric {
            Metric::Full(_) | Metric::FarApart(_) | Metric::Sides(_) => classes * d * d / 2,
            Metric::Tied(_) | Metric::TiedFarApart(_) | Metric::Diag(_) => classes * d,
        }
    }

    pub(super) fn answer_in_order(
        &self,
        range: Range<usize>,
        answers: &mut Answers<'_, T>,
        job: &Job<'_>,
    ) -> Result<()> {
        let mut tile = Tile::new(self.rows, self.packed, self.ruling);
        for start in range.clone().step_by(TILE_ROWS) {
            job.check()?;
            let end = (start + TILE_ROWS).min(range.end);
            tile.pack(start..end, range.start);
            self.rows.prefetch(end..(end + TILE_ROWS).min(range.end));
            tile.answer(answers)?;
        }
        Ok(())
    }
}
