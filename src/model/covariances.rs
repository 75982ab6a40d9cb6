//! The covariances of a model, which its whitening matrices give back on first use.

use ndarray::Array2;

use super::{Model, Shape};
use crate::error::{Error, Owner, RankError, Result};
use crate::linalg::{Whitening, invert};

/// As many as the shape has; none where the shape has deviations.
#[derive(Debug)]
pub(crate) enum Covariances {
    Full(Vec<Array2<f64>>),
    Tied(Array2<f64>),
    Diag,
}

impl Model {
    /// The covariances, for the sake of some columns.
    ///
    /// # Errors
    /// A common covariance that does not span all columns.
    pub(crate) fn covariances(&self, columns: &[usize]) -> Result<&Covariances> {
        if self.rank() < self.n_features() {
            return Err(Error::Rank(RankError::SingularPart {
                what: Owner::Pooled,
                columns: columns.to_vec(),
            }));
        }
        if let Some(made) = self.shared.covariances.get() {
            return Ok(made);
        }
        let made = Covariances::of(&self.parts().shape)?;
        Ok(self.shared.covariances.get_or_init(|| made))
    }
}

impl Covariances {
    fn of(shape: &Shape) -> Result<Self> {
        Ok(match shape {
            Shape::Full(whitenings) => {
                let each = whitenings.iter().enumerate();
                Self::Full(each.map(|(class, w)| covariance(w, Owner::Class(class))).collect::<Result<_>>()?)
            }
            Shape::Tied { whitening, .. } => Self::Tied(covariance(whitening, Owner::Pooled)?),
            Shape::Diag(_) => Self::Diag,
        })
    }
}

/// Σ = A Aᵀ with A = W⁻¹.
fn covariance(whitening: &Whitening, owner: Owner) -> Result<Array2<f64>> {
    let root = invert(whitening.matrix.view()).ok_or(Error::Rank(RankError::NoConvergence(owner)))?;
    Ok(root.dot(&root.t()))
}
