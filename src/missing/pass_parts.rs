//! Passes that take part on other machines: what they are made of, to be sent there and back.

use std::sync::Arc;

use ndarray::{Array2, Array3};

use super::expectation::{Expected, Gaussians, Problem};
use super::kept::Kept;
use super::passes::{Pass, SENT_BUDGET};
use crate::error::{Error, InputError, Result};
use crate::moments::{Moments, Structure};

/// What a pass is made of, for it to be sent to another machine.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PassParts {
    /// The diagonal moments of all rows.
    pub observed: Moments,
    /// What is estimated.
    pub structure: Structure,
    /// What sums are expected under: means less those of `observed`, K × d.
    pub offset: Array2<f64>,
    /// Covariances, K × d × d; of tied moments one.
    pub covariances: Array3<f64>,
    /// Rows of positive weight of each class so far.
    pub rows: Vec<u64>,
    /// Expected sums about the means, first and second, and the log-likelihood; none if no batch was added.
    pub sum: Option<(Array2<f64>, Array3<f64>, f64)>,
    /// Groups of rows that lack the same columns, as numbers; none if they take too much room.
    pub kept: Option<Vec<f64>>,
}

impl Pass {
    /// All that the pass knows, to be sent; [`from_parts`](Self::from_parts) makes it again.
    #[must_use]
    pub fn to_parts(&self) -> PassParts {
        let Gaussians { offset, covariances } = &*self.gaussians;
        PassParts {
            observed: (*self.observed).clone(),
            structure: self.problem.structure,
            offset: offset.clone(),
            covariances: covariances.clone(),
            rows: self.rows.clone(),
            sum: self.sum.clone().map(Expected::into_parts),
            kept: self.kept.as_ref().map(Kept::to_numbers),
        }
    }

    /// The pass that is made of these parts.
    ///
    /// # Errors
    /// Parts of unlike sizes; what [`to_parts`](Self::to_parts) does not give.
    ///
    /// ```
    /// use gauda::core::missing::{Em, Pass, estimate_in_passes};
    /// use gauda::core::{Moments, Parallel, Rows, Structure};
    /// use ndarray::{array, concatenate, Axis};
    ///
    /// let machines = [array![[1.0, 1.0], [2.0, 3.0]], array![[4.0, 4.0], [3.0, f64::NAN]]];
    /// let together = concatenate(Axis(0), &[machines[0].view(), machines[1].view()])?;
    /// let parallel = Parallel::default();
    /// let observed = Moments::from_observed(&Rows::from(together.view()), &[0; 4], 1, None, parallel)?;
    /// let read = |mut pass: Pass| {
    ///     for rows in &machines {
    ///         let mut there = Pass::from_parts(pass.elsewhere().to_parts())?;
    ///         there.add(&Rows::from(rows.view()), &[0; 2], None, parallel)?;
    ///         pass.join(Pass::from_parts(there.to_parts())?)?;
    ///     }
    ///     Ok(pass)
    /// };
    /// let found = estimate_in_passes(&observed, Structure::Full, Em::default(), read, parallel)?;
    /// assert!(found.converged);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_parts(parts: PassParts) -> Result<Self> {
        let PassParts { observed, structure, offset, covariances, rows, sum, kept } = parts;
        let (problem, start) = Problem::of_observed(&observed, structure)?;
        let sizes = (start.offset.dim(), start.scatter.dim());
        let (n_classes, d) = sizes.0;
        let fits = rows.len() == n_classes
            && (offset.dim(), covariances.dim()) == sizes
            && sum.as_ref().is_none_or(|(first, second, _)| (first.dim(), second.dim()) == sizes);
        let kept = kept.map(|numbers| Kept::from_numbers(&numbers, n_classes, d, SENT_BUDGET));
        if !fits || matches!(kept, Some(None)) {
            return Err(Error::Input(InputError::Unsupported("a pass must be made of the parts of one")));
        }
        let gaussians = Arc::new(Gaussians { offset, covariances });
        let pass = Self::new(Arc::new(observed), Arc::new(problem), gaussians, kept.flatten());
        Ok(Self { rows, sum: sum.map(Expected::from_parts), ..pass })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::missing::passes::tests::{in_batches, with_gaps};
    use crate::missing::passes::{KEPT_BUDGET, keeping};
    use crate::missing::{Em, estimate_in_passes};
    use crate::parallel::Parallel;
    use crate::rows::Rows;

    #[test]
    fn rows_on_other_machines_give_the_estimates_of_all_together() {
        let (sample, parallel) = (with_gaps(), Parallel::default());
        let rows = Rows::from(sample.x.view());
        let observed = Moments::from_observed(&rows, &sample.labels, 3, None, parallel).unwrap();
        for (budget, all) in [(0, true), (KEPT_BUDGET, false)] {
            for structure in [Structure::Full, Structure::Tied] {
                let mut passes = 0;
                let read = |mut pass: Pass| {
                    passes += 1;
                    for range in [0..7, 7..7, 7..200, 200..330] {
                        let mut there = Pass::from_parts(pass.elsewhere().to_parts())?;
                        let batch = sample.x.slice(ndarray::s![range.clone(), ..]);
                        there.add(&Rows::from(batch), &sample.labels[range], None, parallel)?;
                        let parts = there.to_parts();
                        let back = Pass::from_parts(parts.clone())?;
                        assert_eq!(back.to_parts(), parts);
                        pass.join(back)?;
                    }
                    Ok(pass)
                };
                let found = keeping(budget, &observed, structure, Em::default(), read, parallel).unwrap();
                let (expected, _) = in_batches(&sample, budget, structure);
                assert_eq!(passes, if all { found.log_likelihood.len() } else { 1 });
                assert_eq!(found.log_likelihood.len(), expected.log_likelihood.len());
                let apart = found.moments.scatter() - expected.moments.scatter();
                assert!(apart.iter().all(|difference| difference.abs() < 1e-9), "{apart}");
            }
        }
    }

    #[test]
    fn parts_that_do_not_go_together_are_no_pass() {
        let (sample, parallel) = (with_gaps(), Parallel::default());
        let rows = Rows::from(sample.x.view());
        let observed = Moments::from_observed(&rows, &sample.labels, 3, None, parallel).unwrap();
        let mut passes = vec![];
        let read = |mut pass: Pass| {
            pass.add(&rows, &sample.labels, None, parallel)?;
            passes.push(pass.to_parts());
            Ok(pass)
        };
        estimate_in_passes(&observed, Structure::Full, Em::default(), read, parallel).unwrap();
        let parts = passes.pop().unwrap();
        let numbers = parts.kept.clone().unwrap();
        let (n_classes, d) = parts.offset.dim();
        assert!(Kept::from_numbers(&numbers, n_classes, d, numbers.len()).is_some());
        assert!(Kept::from_numbers(&numbers, n_classes, d, numbers.len() - 1).is_none());
        let tied = PassParts { structure: Structure::Tied, ..parts.clone() };
        assert!(Pass::from_parts(tied).is_err());
        let fewer = PassParts { rows: vec![1], ..parts.clone() };
        assert!(Pass::from_parts(fewer).is_err());
        let cut = PassParts { kept: Some(numbers[..numbers.len() - 1].to_vec()), ..parts.clone() };
        assert!(Pass::from_parts(cut).is_err());
        for at in 0..numbers.len().min(60) {
            for wrong in [-2.0, 0.5, f64::NAN, 1e300] {
                let mut kept = numbers.clone();
                kept[at] = wrong;
                let _ = Pass::from_parts(PassParts { kept: Some(kept), ..parts.clone() }); // must not panic
            }
        }
    }
}
