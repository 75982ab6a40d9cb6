//! Available cases: weight, mean and sum of squares of what is observed of each class and column.

use ndarray::{Array2, Axis, Zip};

use super::groups::Sample;
use crate::error::{Error, InputError, Result, ShapeError};
use crate::moments::{Gaps, Moments, Observed, Structure, UnitWeights};
use crate::parallel::Parallel;

/// What is known of each class and column by itself.
pub(super) struct Available(pub(super) Observed);

impl Available {
    /// # Errors
    /// A column that is never observed in a class, or whose squares overflow.
    pub(super) fn of(sample: &Sample<'_, '_>, parallel: Parallel<'_>) -> Result<Self> {
        let Sample { rows, labels, n_classes, weights } = *sample;
        let observed = Observed::of(rows, labels, n_classes, weights, Gaps::LeftOut, parallel)?;
        check_seen(&observed)?;
        Ok(Self(observed))
    }

    /// What diagonal moments know, in a unit of their weights.
    ///
    /// # Errors
    /// Moments of another structure; a column that is never observed in a class.
    pub(super) fn of_moments(moments: &Moments, unit: &UnitWeights<'_>) -> Result<Self> {
        if moments.structure() != Structure::Diag {
            return Err(Error::Shape(ShapeError::Incompatible("structures")));
        }
        let (weights, scatter) = (moments.weights(), moments.scatter());
        let dimensions = (moments.n_classes(), moments.n_features());
        let seen = moments.seen().cloned();
        let seen = seen.unwrap_or_else(|| Array2::from_shape_fn(dimensions, |(class, _)| weights[class]));
        let observed = Observed {
            rows: moments.rows().to_vec(),
            weights: weights.mapv(|weight| unit.convert(weight, 0)),
            seen: seen.mapv(|weight| unit.convert(weight, 0)),
            means: moments.means_in_parts().clone(),
            scatter: scatter.index_axis(Axis(1), 0).mapv(|square| unit.convert(square, 0)),
        };
        check_seen(&observed)?;
        Ok(Self(observed))
    }

    /// The variances of each class's columns, or of all classes together.
    pub(super) fn variances(&self, structure: Structure) -> Array2<f64> {
        let ratio = |squares: &Array2<f64>, seen: &Array2<f64>| {
            Zip::from(squares)
                .and(seen)
                .map_collect(|square, &seen| if seen > 0.0 { square / seen } else { 1.0 })
        };
        let together = |table: &Array2<f64>| table.sum_axis(Axis(0)).insert_axis(Axis(0));
        match structure {
            Structure::Tied => ratio(&together(&self.0.scatter), &together(&self.0.seen)),
            Structure::Full | Structure::Diag => ratio(&self.0.scatter, &self.0.seen),
        }
    }
}

/// An error if a class with rows shows nothing of a column.
fn check_seen(observed: &Observed) -> Result<()> {
    let never = |&((class, _), seen): &((usize, usize), &f64)| observed.weights[class] > 0.0 && *seen == 0.0;
    match observed.seen.indexed_iter().find(never) {
        Some(((class, column), _)) => Err(Error::Input(InputError::NeverObserved { class, column })),
        None => Ok(()),
    }
}
