//! Cholesky factors of several small matrices side by side, and squared distances by forward substitution: one matrix in
//! each lane, so that a handful of classes costs as much as one. With one row in each lane and a single matrix, as in
//! `substitution.rs`, each lane takes the same steps, so that a distance has the same bits.

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::Lanes;

/// An entry of each of several matrices or vectors.
pub(crate) type Side = [f64; SIDES];

/// How many stand side by side.
pub(crate) const SIDES: usize = 8;

/// Pivots whose product cannot leave the range of a double where none is below 1e-19.
const PIVOTS: usize = 16;

/// Where a row of the lower triangle begins.
pub(crate) fn row_start(row: usize) -> usize {
    row * (row + 1) / 2
}

/// Factors matrices whose lower triangles are given row by row, in place: below the diagonal L, on it 1 / L_ii. Returns
/// log det, or as an error which matrix is not positive definite.
pub(crate) fn factor_sides(lower: &mut [Side], size: usize) -> Result<Side, usize> {
    dispatch(Level::current(), FactorSides { lower, size })
}

/// ‖L⁻¹ b‖² for each factor; `b` is overwritten.
pub(crate) fn solve_sides(lower: &[Side], b: &mut [Side]) -> Side {
    dispatch(Level::current(), SolveSides { lower, b })
}

struct FactorSides<'a> {
    lower: &'a mut [Side],
    size: usize,
}

impl Kernel for FactorSides<'_> {
    type Output = Result<Side, usize>;

    #[inline(always)]
    fn run<I: Instance>(self, _: I) -> Self::Output {
        let Self { lower, size } = self;
        let mut pivots = Pivots { log_det: [0.0; SIDES], product: [1.0; SIDES], count: 0 };
        for first in (0..size).step_by(ROWS) {
            let rows = ROWS.min(size - first);
            let (done, block) = lower.split_at_mut(row_start(first));
            if rows == ROWS {
                for column in 0..first {
                    eliminate::<I>(&done[row_start(column)..][..=column], first, block);
                }
            }
            for row in first..first + rows {
                let above = if rows == ROWS { first } else { 0 };
                for column in above..row {
                    let (done, now) = lower.split_at_mut(row_start(row));
                    eliminate_one::<I>(&done[row_start(column)..][..=column], &mut now[..=column]);
                }
                pivots.take::<I>(&mut lower[row_start(row)..][..=row])?;
            }
        }
        Ok(pivots.finish())
    }
}

/// Rows from which a row before them is eliminated together, so that it is loaded once for all.
const ROWS: usize = 4;

/// Finds the entries of a block of rows in the column of a finished row, which ends with 1 / L_jj.
#[inline(always)]
fn eliminate<I: Instance>(done: &[Side], first: usize, block: &mut [Side]) {
    let column = done.len() - 1;
    let starts: [usize; ROWS] = std::array::from_fn(|r| row_start(first + r) - row_start(first));
    let rows = starts.map(|start| &block[start..][..=column]);
    let mut sums = rows.map(|row| row[column]);
    for (k, &other) in done[..column].iter().enumerate() {
        let other = other.map(|entry| -entry);
        for (sum, row) in sums.iter_mut().zip(rows) {
            *sum = sum.add_product::<I>(other, row[k]);
        }
    }
    for (start, sum) in starts.into_iter().zip(sums) {
        block[start + column] = std::array::from_fn(|side| sum[side] * done[column][side]);
    }
}

/// The same for one row, up to that column.
#[inline(always)]
fn eliminate_one<I: Instance>(done: &[Side], row: &mut [Side]) {
    let column = done.len() - 1;
    let sum = done[..column]
        .iter()
        .zip(&row[..column])
        .fold(row[column], |sum, (other, entry)| sum.add_product::<I>(other.map(|entry| -entry), *entry));
    row[column] = std::array::from_fn(|side| sum[side] * done[column][side]);
}

/// The pivots so far: a logarithm is taken of a few at a time.
struct Pivots {
    log_det: Side,
    product: Side,
    count: usize,
}

impl Pivots {
    /// Turns the last entry of a row whose others are found into 1 / L_ii; as an error, which matrix is singular.
    #[inline(always)]
    fn take<I: Instance>(&mut self, row: &mut [Side]) -> Result<(), usize> {
        let last = row.len() - 1;
        let pivot = row[..last]
            .iter()
            .fold(row[last], |sum, entry| sum.add_product::<I>(entry.map(|entry| -entry), *entry));
        if let Some(side) = pivot.iter().position(|pivot| !(pivot.is_normal() && *pivot > 0.0)) {
            return Err(side);
        }
        row[last] = pivot.map(|pivot| pivot.sqrt().recip());
        self.product = std::array::from_fn(|side| self.product[side] * pivot[side]);
        self.count += 1;
        if self.count == PIVOTS {
            self.gather();
        }
        Ok(())
    }

    fn gather(&mut self) {
        self.log_det = std::array::from_fn(|side| self.log_det[side] + self.product[side].ln());
        (self.product, self.count) = ([1.0; SIDES], 0);
    }

    fn finish(mut self) -> Side {
        self.gather();
        self.log_det
    }
}

struct SolveSides<'a> {
    lower: &'a [Side],
    b: &'a mut [Side],
}

impl Kernel for SolveSides<'_> {
    type Output = Side;

    #[inline(always)]
    fn run<I: Instance>(self, _: I) -> Side {
        let Self { lower, b } = self;
        let mut squares = [0.0; SIDES];
        for i in 0..b.len() {
            let row = &lower[row_start(i)..][..=i];
            // Two sums: each product need not wait for the one before.
            let mut sums = [b[i], [0.0; SIDES]];
            let (entries, last_entry) = row[..i].as_chunks::<2>();
            let (solved, last_solved) = b[..i].as_chunks::<2>();
            for (entries, solved) in entries.iter().zip(solved) {
                for (sum, (entry, solved)) in sums.iter_mut().zip(entries.iter().zip(solved)) {
                    *sum = sum.add_product::<I>(entry.map(|entry| -entry), *solved);
                }
            }
            for (entry, solved) in last_entry.iter().zip(last_solved) {
                sums[0] = sums[0].add_product::<I>(entry.map(|entry| -entry), *solved);
            }
            b[i] = std::array::from_fn(|side| (sums[0][side] + sums[1][side]) * row[i][side]);
            squares = squares.add_product::<I>(b[i], b[i]);
        }
        squares
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ρ^|i−j| has determinant (1 − ρ²)^(d − 1), and its whitened first differences are known: with b_i = ρ^i the solution
    /// of L y = b is the first unit vector.
    #[test]
    fn factors_have_their_closed_form_on_every_instruction_set() {
        for size in [1, 2, 5, 16, 17, if cfg!(miri) { 18 } else { 40 }] {
            for (level, (log_det, square)) in Level::each(|| {
                let rho = |side: usize| 0.1 * side as f64;
                let entry =
                    |i: usize, j: usize| -> Side { std::array::from_fn(|s| rho(s).powi((i - j) as i32)) };
                let mut lower: Vec<Side> =
                    (0..size).flat_map(|i| (0..=i).map(move |j| entry(i, j))).collect();
                let log_det = factor_sides(&mut lower, size).unwrap();
                let mut b: Vec<Side> = (0..size).map(|i| entry(i, 0)).collect();
                (log_det, solve_sides(&lower, &mut b))
            }) {
                for side in 0..SIDES {
                    let rho = 0.1 * side as f64;
                    let exact = (size - 1) as f64 * (1.0 - rho * rho).ln();
                    assert!((log_det[side] - exact).abs() < 1e-13, "{level:?}, {size}");
                    assert!((square[side] - 1.0).abs() < 1e-13, "{level:?}, {size}");
                }
            }
        }
    }

    #[test]
    fn an_indefinite_matrix_has_no_factor() {
        let mut lower = [[1.0; SIDES], [1.0; SIDES], [1.0; SIDES]];
        lower[1][..3].fill(0.5);
        assert_eq!(factor_sides(&mut lower, 2), Err(3));
    }
}
