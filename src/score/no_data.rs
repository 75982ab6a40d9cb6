//! Rows that hold no data: they are found block by block as the pass reaches them, and get no answers.

use std::ops::Range;

use super::answers::Answers;
use super::rules::Ruling;
use super::scorer::Scorer;
use crate::error::{Error, Result};
use crate::kernel::Lane;

/// Entries that are looked through before they are scored: they stay in cache meanwhile.
const BLOCK_ENTRIES: usize = 1 << 15;
const BLOCK_ROWS: [usize; 2] = [256, 4096];

/// Answers for some rows: `work` for those that hold data, and nothing for the others.
pub(super) fn answer_data<T: Lane, S: Scorer<T>>(
    scorer: &S,
    (no_data, ruling): (&[f64], &Ruling<'_, T>),
    range: Range<usize>,
    answers: &mut Answers<'_, T>,
    mut work: impl FnMut(Range<usize>, &mut Answers<'_, T>) -> Result<()>,
) -> Result<()> {
    let [min, max] = BLOCK_ROWS;
    let rows = (BLOCK_ENTRIES / no_data.len().max(1)).clamp(min, max);
    let (classes, decisions) = (ruling.n_classes, ruling.n_decisions);
    let (mut rest, mut marks) = (answers.reborrow(), vec![]);
    for start in range.clone().step_by(rows) {
        let block = start..(start + rows).min(range.end);
        let mut answers = rest.take(block.len(), classes, decisions);
        marks.clear();
        marks.resize(block.len(), false);
        scorer.mark_no_data(block.clone(), no_data, &mut marks);
        let empty = marks.iter().filter(|mark| **mark).count();
        // Few rows are better scored in vain than left out, unless their entries are no numbers to score.
        let scored = 2 * empty <= block.len()
            && match work(block.clone(), &mut answers) {
                Ok(()) => true,
                Err(error) if empty == 0 || matches!(error, Error::Cancelled) => return Err(error),
                Err(_) => false,
            };
        if !scored {
            let mut rest = answers.reborrow();
            let mut first = block.start;
            for run in marks.chunk_by(|a, b| a == b) {
                let mut answers = rest.take(run.len(), classes, decisions);
                if !run[0] {
                    work(first..first + run.len(), &mut answers)?;
                }
                first += run.len();
            }
        }
        for (place, _) in marks.iter().enumerate().filter(|(_, mark)| **mark) {
            answers.leave_out(place, classes, decisions);
        }
    }
    Ok(())
}
