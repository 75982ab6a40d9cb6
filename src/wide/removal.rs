//! What is left of a factor when rows go. With C = E Fᵀ (F Fᵀ)⁻¹ for the rows E that go, FᵀF − EᵀE = Fᵀ (I − CᵀC) F. In
//! general position I − CᵀC is a projection: its eigenvalues are 0 and 1, so that nothing cancels.

use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate};

use super::WideMoments;
use super::basis::{gram, invert, spectrum};
use crate::error::{Error, InputError, Owner, Result};
use crate::linalg::symmetric_eigen;
use crate::moments::Structure;

/// Rounding of eigenvalues that should be 0, and of what should lie in the span of the rows.
const ROUNDING: f64 = 1e-7;

/// What rounding may leave of a weight that goes whole, in parts of it.
const WHOLE: f64 = 1e-10;

impl WideMoments {
    /// The moments of what is left when a part of the sample is removed; classes are matched by their index.
    ///
    /// # Errors
    /// The two differ in structure, classes or columns; or the second is not part of the first: a class would be left with
    /// less than nothing, or its rows are not among those that there are.
    pub fn subtract(&self, part: &Self) -> Result<Self> {
        self.check_alike(part)?;
        let mut rest = self.clone();
        let mut across: Vec<Vec<Array1<f64>>> = vec![vec![]; self.n_scatters()];
        for class in 0..self.n_classes() {
            if let Some(row) = rest.remove_mean(class, part)? {
                across[if self.structure == Structure::Tied { 0 } else { class }].push(row);
            }
        }
        let mut pieces = vec![];
        rest.bounds = vec![0];
        for (scatter, across) in across.iter().enumerate() {
            let mut gone = vec![part.factor_of(scatter)];
            gone.extend(across.iter().map(|row| row.view().insert_axis(Axis(0))));
            let gone = concatenate(Axis(0), &gone).expect("rows of as many columns");
            let owner = match self.structure {
                Structure::Tied => Owner::Pooled,
                Structure::Full | Structure::Diag => Owner::Class(scatter),
            };
            let left = match gone.nrows() {
                0 => self.factor_of(scatter).to_owned(),
                _ => left_of(self.factor_of(scatter), &gone, owner)?,
            };
            rest.bounds.push(rest.bounds[scatter] + left.nrows());
            pieces.push(left);
        }
        let views: Vec<_> = pieces.iter().map(|piece| piece.view()).collect();
        rest.factor = concatenate(Axis(0), &views).expect("rows of as many columns");
        rest.clear_classes_without_weight();
        Ok(rest)
    }

    /// Takes weight and mean of a class away; returns the row that goes with them, if any.
    fn remove_mean(&mut self, class: usize, part: &Self) -> Result<Option<Array1<f64>>> {
        let (ours, theirs) = (self.weights[class], part.weights[class]);
        let not_part = || Err(Error::Input(InputError::NotPart { what: Owner::Class(class) }));
        if part.rows[class] > self.rows[class] {
            return not_part();
        }
        if theirs == 0.0 {
            return Ok(None);
        }
        let (left, rows) = (ours - theirs, self.rows[class] - part.rows[class]);
        if left.abs() <= WHOLE * ours {
            if rows > 0 {
                return not_part();
            }
            self.weights[class] = 0.0;
            return Ok(None);
        }
        if left < 0.0 {
            return not_part();
        }
        let apart = self.means.apart(class, &part.means, class);
        self.means.move_by(class, -theirs / left, &apart);
        (self.weights[class], self.rows[class]) = (left, rows);
        Ok(Some(apart * (ours * (theirs / left)).sqrt()))
    }
}

/// A factor of FᵀF − EᵀE.
fn left_of(rows: ArrayView2<'_, f64>, gone: &Array2<f64>, owner: Owner) -> Result<Array2<f64>> {
    let mut rows = rows.to_owned();
    let mut products = gram(rows.view());
    let mut inverted = invert(&products);
    if inverted.is_none() {
        let (_, vectors) = spectrum(&products, 0.0)?;
        rows = vectors.dot(&rows);
        products = gram(rows.view());
        inverted = invert(&products);
    }
    let not_part = || Error::Input(InputError::NotPart { what: owner });
    let inverted = inverted.ok_or_else(not_part)?;
    let along = gone.dot(&rows.t()).dot(&inverted.factor.inverse.t());
    let squares = |table: &Array2<f64>| table.iter().map(|entry| entry * entry).sum::<f64>();
    if squares(gone) - squares(&along) > ROUNDING * products.diag().sum() {
        return Err(not_part());
    }
    let along = along.dot(&inverted.factor.inverse);
    let left = Array2::eye(rows.nrows()) - along.t().dot(&along);
    let eigen = symmetric_eigen(left.view()).ok_or_else(not_part)?;
    if eigen.values.last().is_some_and(|&least| least < -ROUNDING) {
        return Err(not_part());
    }
    let kept = eigen.values.iter().filter(|&&value| value > ROUNDING).count();
    let roots: Array1<f64> = eigen.values[..kept].iter().map(|value| value.sqrt()).collect();
    let turned = &eigen.vectors.slice(ndarray::s![..kept, ..]) * &roots.insert_axis(Axis(1));
    Ok(turned.dot(&rows))
}
