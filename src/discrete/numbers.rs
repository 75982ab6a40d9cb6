//! Sums of columns of numbers, class by class, of the entries that are there: NaN is left out.

use std::ops::Range;

use ndarray::Array2;

use super::join::join_parts;
use super::labelled::Labelled;
use super::rows_per_task;
use crate::error::{Error, Result, same_size};
use crate::parallel::{Job, Parallel};
use crate::rows::Rows;

/// Rows of a block.
const BLOCK_ROWS: usize = 1024;

/// Of each class and column: the weight of the entries that are there, their mean, and the sum of squares about it.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberSums {
    /// Weights.
    pub weights: Array2<f64>,
    /// Means; 0 without weight.
    pub means: Array2<f64>,
    /// Sums of squares about the means.
    pub scatter: Array2<f64>,
}

/// Sums up columns of one entry per row, NaN left out.
///
/// # Errors
/// Infinite entries, squares that overflow, labels or weights that do not fit.
///
/// ```
/// use gauda::discrete::{Labelled, sum_numbers};
/// use gauda::{Parallel, Rows};
/// use ndarray::array;
///
/// let x = array![[1.0], [f64::NAN], [5.0]];
/// let labelled = Labelled { labels: &[0, 0, 0], classes: 1, weights: None };
/// let sums = sum_numbers(&Rows::from(x.view()).columns(), labelled, Parallel::default())?;
/// assert_eq!((sums.weights[(0, 0)], sums.means[(0, 0)], sums.scatter[(0, 0)]), (2.0, 3.0, 8.0));
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn sum_numbers(
    columns: &[Rows<'_>],
    labelled: Labelled<'_>,
    parallel: Parallel<'_>,
) -> Result<NumberSums> {
    let rows = labelled.labels.len();
    columns.iter().try_for_each(|column| same_size("number of rows", column.n_rows(), rows))?;
    labelled.check(rows)?;
    let pass = Pass { columns, labelled, shift: first_numbers(columns, labelled) };
    let task_rows = rows_per_task(columns.len()).max(16 * labelled.classes);
    let sums = join_parts(
        rows,
        task_rows,
        parallel,
        |range, job| pass.add(range, job),
        |sums, others| {
            sums.iter_mut().zip(&others).for_each(|(sum, other)| *sum += other);
        },
    )?;
    pass.finish(&sums)
}

/// For each class and column the first entry that is there: sums about it keep their digits.
fn first_numbers(columns: &[Rows<'_>], labelled: Labelled<'_>) -> Array2<f64> {
    let mut shift = Array2::from_elem((labelled.classes, columns.len()), f64::NAN);
    for (j, column) in columns.iter().enumerate() {
        let mut sought = labelled.classes;
        for (row, &label) in labelled.labels.iter().enumerate() {
            let shift = &mut shift[(label as usize, j)];
            if shift.is_nan() {
                *shift = column.entry(row, 0);
                sought -= usize::from(!shift.is_nan());
            }
            if sought == 0 {
                break;
            }
        }
    }
    shift.mapv(|shift| if shift.is_finite() { shift } else { 0.0 })
}

struct Pass<'a, 'r> {
    columns: &'a [Rows<'r>],
    labelled: Labelled<'a>,
    shift: Array2<f64>,
}

impl Pass<'_, '_> {
    /// Sums of w, w (x − shift) and w (x − shift)².
    fn add(&self, range: Range<usize>, job: &Job<'_>) -> Result<[Array2<f64>; 3]> {
        let mut sums = [(); 3].map(|()| Array2::zeros(self.shift.dim()));
        let mut numbers = vec![0.0; BLOCK_ROWS];
        for start in range.clone().step_by(BLOCK_ROWS) {
            job.check()?;
            let block = start..(start + BLOCK_ROWS).min(range.end);
            for (j, column) in self.columns.iter().enumerate() {
                let numbers = &mut numbers[..block.len()];
                column.read_numbers(block.clone(), numbers);
                if let Some(place) = numbers.iter().position(|number| number.is_infinite()) {
                    return Err(Error::NonFinite { row: start + place, column: j, value: numbers[place] });
                }
                for (row, x) in block.clone().zip(numbers).filter(|(_, x)| !x.is_nan()) {
                    let (place, weight) =
                        ((self.labelled.labels[row] as usize, j), self.labelled.weight(row));
                    let apart = *x - self.shift[place];
                    sums[0][place] += weight;
                    sums[1][place] += weight * apart;
                    sums[2][place] += weight * apart * apart;
                }
            }
        }
        Ok(sums)
    }

    fn finish(self, [weights, first, second]: &[Array2<f64>; 3]) -> Result<NumberSums> {
        let (mut means, mut scatter) = (self.shift, second.clone());
        for (place, &weight) in weights.indexed_iter() {
            let offset = if weight > 0.0 { first[place] / weight } else { 0.0 };
            scatter[place] = (second[place] - first[place] * offset).max(0.0);
            means[place] = if weight > 0.0 { means[place] + offset } else { 0.0 };
            if !(scatter[place].is_finite() && means[place].is_finite() && second[place].is_finite()) {
                return Err(Error::Overflow { what: crate::error::Owner::Class(place.0), column: place.1 });
            }
        }
        Ok(NumberSums { weights: weights.clone(), means, scatter })
    }
}
