//! What is left of a factor when rows go. With C = E Fᵀ (F Fᵀ)⁻¹ for the rows E that go, FᵀF − EᵀE = Fᵀ (I − CᵀC) F. In
//! general position I − CᵀC is a projection: its eigenvalues are 0 and 1, so that nothing cancels.

use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate};

use super::WideMoments;
use super::basis::one_by_one;
use crate::error::{Error, InputError, Owner, Result};
use crate::linalg::{factor_of_rows, invert, symmetric_eigen};
use crate::moments::{MAX_REMOVED, Structure};

/// Rounding of eigenvalues that should be 0.
const ROUNDING: f64 = 1e-6;

/// How far beside the span of the rows what goes may lie by rounding, in lengths of the longest row.
const OUTSIDE: f64 = 1e-7;

/// What rounding leaves of the squares of a column that is constant in what stays, in parts of what they were.
const NOTHING: f64 = 1e-24;

/// What rounding may leave of a weight that goes whole, in parts of it.
const WHOLE: f64 = 1e-10;

/// What is far below the mean of a column, in parts of it.
const FAR_BELOW: f64 = 1e-6;

/// What is far below one, which values may count.
const WHOLE_NUMBER: f64 = 1e-3;

/// What rounding may leave of a sum that goes whole, in parts of it.
const ROUNDED_SUM: f64 = 16.0 * f64::EPSILON;

impl WideMoments {
    /// The moments of what is left when a part of the sample is removed; classes are matched by their index.
    ///
    /// # Errors
    /// The two differ in structure, classes or columns; or the second is not part of the first: a class would be left with
    /// less than nothing, or its rows are not among those that there are. Or so much is removed that rounding hides what
    /// stays: a column would be left with less than 1e-8 of its squares, unless it is constant then.
    pub fn subtract(&self, part: &Self) -> Result<Self> {
        self.subtract_at_most(part, MAX_REMOVED)
    }

    /// The same, unless there was before more than so many times what stays.
    pub(crate) fn subtract_at_most(&self, part: &Self, max_removed: f64) -> Result<Self> {
        self.check_alike(part)?;
        let mut rest = self.clone();
        let mut across: Vec<Vec<Array1<f64>>> = vec![vec![]; self.n_scatters()];
        for class in 0..self.n_classes() {
            if let Some(row) = rest.remove_mean(class, part, max_removed)? {
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
                _ => {
                    let left = Left { factor: self.factor_of(scatter), owner, max_removed };
                    left.without(gone, |column, hidden| rest.may_be_constant(self, scatter, column, hidden))?
                }
            };
            rest.bounds.push(rest.bounds[scatter] + left.nrows());
            pieces.push(left);
        }
        let views: Vec<_> = pieces.iter().map(|piece| piece.view()).collect();
        rest.factor = concatenate(Axis(0), &views).expect("rows of as many columns");
        rest.clear_classes_without_weight();
        Ok(rest)
    }

    /// Whether rows of which so much of the length of a column may be hidden by rounding have the same value there, to all
    /// appearances: it is far from zero beside that, or all that there was is gone.
    fn may_be_constant(&self, whole: &Self, scatter: usize, column: usize, hidden: f64) -> bool {
        let of = |moments: &Self, class: usize| {
            moments.means.shift[(class, column)] + moments.means.offset[(class, column)]
        };
        let sharing = match self.structure {
            Structure::Tied => 0..self.n_classes(),
            Structure::Full | Structure::Diag => scatter..scatter + 1,
        };
        let varies = |class: &usize| self.rows[*class] > 1 && self.weights[*class] > 0.0;
        sharing.filter(varies).all(|class| {
            let (mean, sum) = (of(self, class).abs(), whole.weights[class] * of(whole, class).abs());
            hidden <= FAR_BELOW * mean * self.weights[class].sqrt()
                || (hidden < WHOLE_NUMBER && self.weights[class] * mean <= ROUNDED_SUM * sum)
        })
    }

    /// Takes weight and mean of a class away; returns the row that goes with them, if any.
    fn remove_mean(&mut self, class: usize, part: &Self, max_removed: f64) -> Result<Option<Array1<f64>>> {
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
        if left * max_removed < ours {
            return Err(Error::Input(InputError::Removal { what: Owner::Class(class), column: None }));
        }
        let apart = self.means.apart(class, &part.means, class);
        self.means.move_by(class, -theirs / left, &apart);
        (self.weights[class], self.rows[class]) = (left, rows);
        Ok(Some(apart * (ours * (theirs / left)).sqrt()))
    }
}

/// What something is removed from.
struct Left<'a> {
    factor: ArrayView2<'a, f64>,
    owner: Owner,
    max_removed: f64,
}

impl Left<'_> {
    /// A factor of FᵀF − EᵀE. Columns are measured in the units of F, so that large ones cost small ones no digits;
    /// `is_constant` tells whether a column is constant then that varies by no more than so much.
    fn without(&self, gone: Array2<f64>, is_constant: impl Fn(usize, f64) -> bool) -> Result<Array2<f64>> {
        let not_part = || Error::Input(InputError::NotPart { what: self.owner });
        let lengths = self.factor.map_axis(Axis(0), |column| column.dot(&column).sqrt());
        let units = lengths.mapv(|length| if length > 0.0 { length } else { 1.0 }).insert_axis(Axis(0));
        let (rows, gone) = (&self.factor / &units, gone / &units);
        let longest = rows.outer_iter().map(|row| row.dot(&row)).fold(0.0, f64::max).sqrt();
        let Spanned { basis, root, inverse } = Spanned::of(rows).ok_or_else(not_part)?;
        let along = gone.dot(&basis.t());
        let beyond = gone - along.dot(&basis);
        if beyond.outer_iter().any(|row| row.dot(&row).sqrt() > OUTSIDE * longest) {
            return Err(not_part());
        }
        let shares = shares_of(&along, &inverse);
        let left = Array2::eye(basis.nrows()) - shares.t().dot(&shares);
        let eigen = symmetric_eigen(left.view()).ok_or_else(not_part)?;
        if eigen.values.last().is_some_and(|&least| least < -ROUNDING) {
            return Err(not_part());
        }
        let kept = eigen.values.iter().filter(|&&value| value > ROUNDING).count();
        let roots: Array1<f64> = eigen.values[..kept].iter().map(|value| value.sqrt()).collect();
        let turned = &eigen.vectors.slice(ndarray::s![..kept, ..]) * &roots.insert_axis(Axis(1));
        let mut left = turned.dot(&root).dot(&basis);
        for (column, mut entries) in left.axis_iter_mut(Axis(1)).enumerate() {
            let square = entries.dot(&entries);
            if square <= NOTHING && is_constant(column, NOTHING.sqrt() * lengths[column]) {
                entries.fill(0.0);
            } else if square * self.max_removed < 1.0 && lengths[column] > 0.0 {
                return Err(Error::Input(InputError::Removal { what: self.owner, column: Some(column) }));
            }
        }
        Ok(left * units)
    }
}

/// Rows by which others are told, with those of the same scatter: FᵀF = (R Q)ᵀ R Q.
struct Spanned {
    /// Q.
    basis: Array2<f64>,
    /// R.
    root: Array2<f64>,
    /// R⁻¹.
    inverse: Array2<f64>,
}

impl Spanned {
    /// Long rows come first, so that short ones keep their digits. None if coordinates overflow.
    fn of(rows: Array2<f64>) -> Option<Self> {
        let squares: Vec<f64> = rows.outer_iter().map(|row| row.dot(&row)).collect();
        let mut order: Vec<usize> = (0..squares.len()).collect();
        order.sort_by(|&a, &b| squares[b].total_cmp(&squares[a]));
        let (basis, mut root) = one_by_one(rows.select(Axis(0), &order).view());
        if root.nrows() > root.ncols() && !basis.is_empty() {
            root = factor_of_rows(root.view())?.lower.reversed_axes();
        }
        let inverse = if basis.is_empty() { Array2::zeros((0, 0)) } else { invert(root.view())? };
        Some(Self { basis, root, inverse })
    }
}

/// C with E = C R from coordinates of E, without what rounding may have made: beside long rows, of short ones it would count.
fn shares_of(along: &Array2<f64>, inverse: &Array2<f64>) -> Array2<f64> {
    let mut shares = along.dot(inverse);
    let lengths = inverse.map_axis(Axis(0), |column| column.dot(&column).sqrt());
    for (mut shares, along) in shares.outer_iter_mut().zip(along.outer_iter()) {
        let rounding = 4.0 * f64::EPSILON * along.dot(&along).sqrt();
        shares.zip_mut_with(&lengths, |share, length| {
            if share.abs() <= rounding * length {
                *share = 0.0;
            }
        });
    }
    shares
}
