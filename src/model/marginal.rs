//! The model of some of the columns, where classes share a covariance or columns are independent: the others are
//! integrated out.

use ndarray::{Array2, ArrayView2, ShapeBuilder};

use super::{Covariances, Model, Parts, Shape};
use crate::error::{Error, Owner, RankError, Result};
use crate::linalg::{Whitening, factor};
use crate::moments::Means;

impl Model {
    /// The parameters for some columns; there must be one at least.
    ///
    /// # Errors
    /// Columns whose covariance is singular, or any where a common covariance does not span all columns.
    pub(crate) fn marginal(&self, columns: &[usize]) -> Result<Parts> {
        let singular =
            || Error::Rank(RankError::SingularPart { what: Owner::Pooled, columns: columns.to_vec() });
        let Parts { center, means, shape } = self.parts();
        let center: Vec<f64> = columns.iter().map(|&column| center[column]).collect();
        let means =
            Means { shift: columns_of(&means.shift, columns), offset: columns_of(&means.offset, columns) };
        let shape = match (shape, self.covariances(columns)?) {
            (Shape::Diag(deviations), _) => Shape::Diag(columns_of(deviations, columns)),
            (Shape::Tied { uncentered, .. }, Covariances::Tied(common)) => {
                let whitening = whitening(common.view(), columns).ok_or_else(singular)?;
                Shape::tied(&center, &means, whitening, *uncentered)
            }
            _ => unreachable!("full covariances are factored side by side"),
        };
        Ok(Parts { center, means, shape })
    }
}

/// Some columns of a table, one after another in memory as `select` has them, which takes much longer.
fn columns_of(table: &Array2<f64>, columns: &[usize]) -> Array2<f64> {
    let shape = (table.nrows(), columns.len()).f();
    Array2::from_shape_fn(shape, |(row, place)| table[(row, columns[place])])
}

/// The whitening matrix of some columns.
fn whitening(covariance: ArrayView2<'_, f64>, columns: &[usize]) -> Option<Whitening> {
    let size = columns.len();
    let part = Array2::from_shape_fn((size, size), |(i, j)| covariance[(columns[i], columns[j])]);
    let factor = factor(part.view())?;
    let log_det = factor.log_det();
    Some(Whitening { matrix: factor.inverse, log_det })
}
