//! Partial results joined in the order of the rows, each as soon as its turn has come: few exist at a time.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::error::Result;
use crate::parallel::{Job, Parallel, task_range};

/// Partial results that wait for their turn, and the sum of those before.
struct Joined<S> {
    total: Option<S>,
    next: usize,
    waiting: BTreeMap<usize, S>,
}

/// Runs `part` on ranges of about `task_rows` rows, and joins the results; there is at least one range.
pub(super) fn join_parts<S: Send>(
    rows: usize,
    task_rows: usize,
    parallel: Parallel<'_>,
    part: impl Fn(Range<usize>, &Job<'_>) -> Result<S> + Sync,
    join: impl Fn(&mut S, S) + Sync,
) -> Result<S> {
    let tasks = (rows / task_rows).max(1);
    let joined = Mutex::new(Joined { total: None, next: 0, waiting: BTreeMap::new() });
    parallel.map(tasks, |task, job| {
        let result = part(task_range(task, tasks, rows, 1), job)?;
        let mut joined = joined.lock().unwrap_or_else(PoisonError::into_inner);
        let Joined { total, next, waiting } = &mut *joined;
        waiting.insert(task, result);
        while let Some(result) = waiting.remove(next) {
            match total {
                Some(total) => join(total, result),
                None => *total = Some(result),
            }
            *next += 1;
        }
        Ok(())
    })?;
    let joined = joined.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(joined.total.expect("there is at least one part"))
}
