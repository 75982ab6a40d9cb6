//! The few classes of largest posteriors, for each row.

use crate::float::Real;

/// Where the best classes of each row go, those of larger posteriors first, of equal ones the first class first.
///
/// ```
/// use gauda::core::{Answers, Best, Model, Moments, Parallel, Rows, Rules, Structure, covariance, score};
/// use ndarray::array;
///
/// let x = array![[0.0], [1.0], [4.0], [5.0], [20.0], [21.0]];
/// let (rows, parallel) = (Rows::from(x.view()), Parallel::default());
/// let moments = Moments::from_rows(&rows, &[0, 0, 1, 1, 2, 2], 3, None, Structure::Full, parallel)?;
/// let covariances = covariance::of_classes(&moments, false)?;
/// let model = Model::quadratic(&moments, covariances.view(), &moments.priors()?, 1e-4, parallel)?;
/// let (mut classes, mut posterior) = ([9; 2], [0.0; 2]);
/// let best = Best { count: 2, classes: &mut classes, posterior: &mut posterior };
/// let one = array![[3.0]];
/// let answers = Answers::default().best(best);
/// score(&model, &Rows::from(one.view()), &Rules::default(), answers, parallel)?;
/// assert_eq!(classes, [1, 0]); // the nearest class first
/// assert!(posterior[0] > posterior[1]);
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug)]
pub struct Best<'a, T> {
    /// Classes for each row.
    pub count: usize,
    /// The classes, n × `count`.
    pub classes: &'a mut [u32],
    /// Their posteriors, n × `count`.
    pub posterior: &'a mut [T],
}

impl<T> Best<'_, T> {
    /// The same arrays, for a while.
    pub(super) fn reborrow(&mut self) -> Best<'_, T> {
        Best { count: self.count, classes: &mut *self.classes, posterior: &mut *self.posterior }
    }

    /// Cuts off the first `rows` rows.
    pub(super) fn take<'b>(this: &mut Option<Best<'b, T>>, rows: usize) -> Option<Best<'b, T>> {
        let best = this.as_mut()?;
        let (count, length) = (best.count, rows * best.count);
        let classes = best.classes.split_off_mut(..length)?;
        Some(Best { count, classes, posterior: best.posterior.split_off_mut(..length)? })
    }
}

/// Fills `best` with the classes of the largest scores, largest first; of equal ones the first class comes first.
pub(super) fn find_best<T: Real>(score: impl Fn(usize) -> T, classes: usize, best: &mut [u32]) {
    let mut found = 0;
    for class in 0..classes {
        let ahead = |&other: &u32| score(other as usize) >= score(class);
        let place = best[..found].partition_point(ahead);
        if place == best.len() {
            continue;
        }
        found = (found + 1).min(best.len());
        best[place..found].rotate_right(1);
        best[place] = class as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(scores: &[f64], count: usize) -> Vec<u32> {
        let mut best = vec![0; count];
        find_best(|class| scores[class], scores.len(), &mut best);
        best
    }

    #[test]
    fn larger_scores_come_first() {
        assert_eq!(best(&[0.1, 3.0, -1.0, 2.0], 3), [1, 3, 0]);
        assert_eq!(best(&[0.1, 3.0, -1.0, 2.0], 4), [1, 3, 0, 2]);
    }

    #[test]
    fn of_equal_scores_the_first_class_comes_first() {
        assert_eq!(best(&[1.0, 2.0, 2.0, 1.0, 2.0], 4), [1, 2, 4, 0]);
        assert_eq!(best(&[f64::NEG_INFINITY; 3], 2), [0, 1]);
    }
}
