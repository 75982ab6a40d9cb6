//! What drawing rows needs of a model: means, and a root of each covariance, made on first use.

use ndarray::{Array2, ArrayView1};

use super::{Model, Shape};
use crate::error::{Error, InputError, Owner, RankError, Result};
use crate::kernel::Affine;
use crate::linalg::{Whitening, invert};

/// A row of a class is its mean and a root times standard normals.
#[derive(Debug)]
pub(crate) struct Generator {
    /// Class means, K × d, in C order.
    pub(crate) means: Array2<f64>,
    pub(crate) root: Root,
}

/// Matrices A with A Aᵀ = Σ.
#[derive(Debug)]
pub(crate) enum Root {
    /// One for each class.
    Full(Vec<Affine<f64>>),
    /// A common one.
    Tied(Affine<f64>),
    /// Standard deviations, K × d, in C order.
    Diag(Array2<f64>),
}

impl Model {
    /// What drawing rows needs.
    ///
    /// # Errors
    /// A common covariance that is singular, or draws that would overflow.
    pub(crate) fn generator(&self) -> Result<&Generator> {
        self.check_density()?;
        if let Some(made) = self.shared.generator.get() {
            return Ok(made);
        }
        let means = in_c_order(&self.parts().means.sum());
        let made = Generator { means, root: Root::of(&self.parts().shape)? };
        Ok(self.shared.generator.get_or_init(|| made))
    }
}

impl Root {
    fn of(shape: &Shape) -> Result<Self> {
        Ok(match shape {
            Shape::Full(whitenings) => {
                let roots = whitenings.iter().enumerate();
                Self::Full(roots.map(|(class, w)| root(w, Owner::Class(class))).collect::<Result<_>>()?)
            }
            Shape::Tied { whitening, .. } => Self::Tied(root(whitening, Owner::Pooled)?),
            Shape::Diag(deviations) => Self::Diag(in_c_order(deviations)),
        })
    }
}

/// No standard normal of double precision is drawn that is as far from 0.
const FARTHEST: f64 = 64.0;

/// A = W⁻¹: from W Σ Wᵀ = I follows Σ = A Aᵀ.
fn root(whitening: &Whitening, owner: Owner) -> Result<Affine<f64>> {
    let root = invert(whitening.matrix.view()).ok_or(Error::Rank(RankError::NoConvergence(owner)))?;
    let overflows = |row: ArrayView1<'_, f64>| !(FARTHEST * row.mapv(f64::abs).sum()).is_finite();
    match root.outer_iter().position(overflows) {
        Some(column) => Err(Error::Input(InputError::Overflow { what: owner, column })),
        None => Ok(Affine::triangular(root.view())),
    }
}

fn in_c_order(table: &Array2<f64>) -> Array2<f64> {
    table.as_standard_layout().into_owned()
}
