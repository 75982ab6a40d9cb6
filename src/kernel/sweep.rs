//! A symmetric matrix that is changed by two vectors and multiplied by a third in one pass: what Householder's reduction to a
//! tridiagonal matrix does at each step.

use ndarray::ArrayView2;

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::Lanes;
use super::stripes::STRIPE;

/// Eight entries of a row or a vector.
pub(crate) type Eight = [f64; STRIPE];

/// Rows that are taken together, so that what the columns need is loaded once for all.
const ROWS: usize = 4;

/// The lower triangle of a symmetric matrix, each row in pieces up to that on the diagonal, which is whole.
#[derive(Debug)]
pub(crate) struct LowerRows {
    pieces: Vec<Eight>,
}

impl LowerRows {
    /// The lower triangle of a matrix, times a scale.
    pub(crate) fn of(matrix: ArrayView2<'_, f64>, scale: f64) -> Self {
        let size = matrix.nrows();
        let mut pieces = vec![[0.0; STRIPE]; first_piece(size.next_multiple_of(STRIPE))];
        for (i, row) in matrix.outer_iter().enumerate() {
            let whole = pieces[first_piece(i)..].as_flattened_mut();
            whole.iter_mut().zip(row).take(i + 1).for_each(|(to, entry)| *to = entry * scale);
            // What is above the diagonal in pieces on it.
            for above in i / STRIPE * STRIPE..i {
                pieces[first_piece(above) + above / STRIPE][i % STRIPE] = row[above] * scale;
            }
        }
        Self { pieces }
    }

    /// The entries of a row up to the diagonal.
    pub(crate) fn row(&self, row: usize) -> &[f64] {
        &self.pieces[first_piece(row)..].as_flattened()[..=row]
    }

    /// A := A − v wᵀ − w vᵀ for the first rows and columns, and A x. The vectors are 0 beyond these.
    pub(crate) fn sweep(&mut self, size: usize, [v, w, x]: [&[Eight]; 3], product: &mut [Eight]) {
        product.fill([0.0; STRIPE]);
        let pieces = &mut self.pieces[..first_piece(size.next_multiple_of(STRIPE))];
        dispatch(Level::current(), Sweep { pieces, v, w, x, product });
    }
}

/// Where a row begins.
fn first_piece(row: usize) -> usize {
    let (block, row) = (row / STRIPE, row % STRIPE);
    STRIPE * (block * (block + 1) / 2) + row * (block + 1)
}

struct Sweep<'a> {
    pieces: &'a mut [Eight],
    v: &'a [Eight],
    w: &'a [Eight],
    x: &'a [Eight],
    product: &'a mut [Eight],
}

impl Kernel for Sweep<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self, _: I) {
        let Self { mut pieces, v, w, x, product } = self;
        let mut block = 0;
        while !pieces.is_empty() {
            for half in 0..STRIPE / ROWS {
                let (rows, rest) = pieces.split_at_mut(ROWS * (block + 1));
                pieces = rest;
                let of_rows = |vector: &[Eight]| -> [f64; ROWS] {
                    *vector[block].as_chunks::<ROWS>().0.get(half).expect("halves of a piece")
                };
                let mine = [of_rows(v), of_rows(w), of_rows(x)];
                let sums = pass::<I>(rows, block, [v, w, x], mine, product);
                product[block][half * ROWS..][..ROWS].iter_mut().zip(sums).for_each(|(to, sum)| *to += sum);
            }
            block += 1;
        }
    }
}

/// Changes some rows of a block; adds to the product what they are as columns, and returns what they are as rows.
#[inline(always)]
fn pass<I: Instance>(
    rows: &mut [Eight],
    block: usize,
    [v, w, x]: [&[Eight]; 3],
    [v_rows, w_rows, x_rows]: [[f64; ROWS]; 3],
    product: &mut [Eight],
) -> [f64; ROWS] {
    let (v, w, x, product) = (&v[..=block], &w[..=block], &x[..=block], &mut product[..=block]);
    let mut rows = rows.chunks_exact_mut(block + 1);
    let mut rows: [&mut [Eight]; ROWS] = std::array::from_fn(|_| rows.next().expect("rows of a block"));
    let mut sums = [[0.0; STRIPE]; ROWS];
    for column in 0..block {
        let (v, w, x) = (v[column], w[column], x[column]);
        let mut below = product[column];
        for (r, row) in rows.iter_mut().enumerate() {
            let entries = row[column].add_scaled::<I>(-v_rows[r], w).add_scaled::<I>(-w_rows[r], v);
            row[column] = entries;
            sums[r] = sums[r].add_product::<I>(entries, x);
            below = below.add_scaled::<I>(x_rows[r], entries);
        }
        product[column] = below;
    }
    for (r, row) in rows.iter_mut().enumerate() {
        let entries = row[block].add_scaled::<I>(-v_rows[r], w[block]).add_scaled::<I>(-w_rows[r], v[block]);
        row[block] = entries;
        sums[r] = sums[r].add_product::<I>(entries, x[block]);
    }
    sums.map(|sum| sum.iter().sum())
}
