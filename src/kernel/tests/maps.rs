//! The maps of rows that kernels compute, each with a plain loop beside it that does the same in doubles.

use std::fmt::Debug;

use ndarray::{Array1, Array2, ArrayView1};

use crate::kernel::{Affine, Distances, Lane, Lanes, Whitened};

/// A map of a row to one or several numbers.
pub(super) trait Map<T: Lane>: Debug {
    fn outputs(&self) -> usize;
    /// The kernel, from [group][column] to [group][output].
    fn apply(&self, x: &[T::Lanes]) -> Vec<T::Lanes>;
    /// The plain loop for one output of one row.
    fn plain(&self, x: ArrayView1<'_, f64>, output: usize) -> Sum;
}

/// What a plain loop arrives at.
pub(super) struct Sum {
    pub(super) value: f64,
    /// The sum of the same terms without their signs.
    pub(super) magnitude: f64,
    /// How often a part of the value is rounded, at most, on its way into the sum.
    pub(super) roundings: usize,
}

impl Sum {
    /// The most by which two ways to sum may differ that round by half an `epsilon` each time. One time more makes up
    /// for the errors of errors.
    pub(super) fn tolerance(&self, epsilon: f64) -> f64 {
        (self.roundings + 1) as f64 * epsilon * self.magnitude
    }
}

/// One of each kind.
pub(super) fn one_of_each<T: Lane>(
    outputs: usize,
    columns: usize,
    mut entry: impl FnMut() -> f64,
) -> [Box<dyn Map<T>>; 3] {
    let mut table = |rows: usize| Array2::from_shape_simple_fn((rows, columns), &mut entry);
    let linear = Linear { matrix: table(outputs), constant: table(outputs).column(0).to_owned() };
    let diagonal = Diagonal { shift: table(outputs), offset: table(outputs), scale: table(outputs) };
    let mut whitening = table(columns);
    whitening.indexed_iter_mut().filter(|((i, j), _)| j > i).for_each(|(_, above)| *above = 0.0);
    let triangular = Triangular { whitening, offset: table(1).row(0).to_owned() };
    [Box::new(linear), Box::new(diagonal), Box::new(triangular)]
}

/// A x + c.
#[derive(Debug)]
struct Linear {
    matrix: Array2<f64>,
    constant: Array1<f64>,
}

impl<T: Lane> Map<T> for Linear {
    fn outputs(&self) -> usize {
        self.constant.len()
    }

    fn apply(&self, x: &[T::Lanes]) -> Vec<T::Lanes> {
        let (outputs, columns) = self.matrix.dim();
        let mut out = vec![T::Lanes::splat(T::nan()); x.len() / columns * outputs];
        Affine::<T>::new(self.matrix.view(), &self.constant.to_vec()).apply(x, columns, &mut out);
        out
    }

    fn plain(&self, x: ArrayView1<'_, f64>, output: usize) -> Sum {
        let (mut value, mut magnitude) = (0.0, 0.0);
        for (a, x) in self.matrix.row(output).iter().zip(x) {
            value += a * x;
            magnitude += (a * x).abs();
        }
        let constant = self.constant[output];
        // a product, and all additions but the first, which is to zero
        let roundings = 1 + x.len();
        Sum { value: value + constant, magnitude: magnitude + constant.abs(), roundings }
    }
}

/// Σ_j (s_j (x_j − μ_j))².
#[derive(Debug, Clone)]
pub(super) struct Diagonal {
    pub(super) shift: Array2<f64>,
    pub(super) offset: Array2<f64>,
    pub(super) scale: Array2<f64>,
}

impl<T: Lane> Map<T> for Diagonal {
    fn outputs(&self) -> usize {
        self.shift.nrows()
    }

    fn apply(&self, x: &[T::Lanes]) -> Vec<T::Lanes> {
        let (outputs, columns) = self.shift.dim();
        let mut out = vec![T::Lanes::splat(T::nan()); x.len() / columns * outputs];
        Distances::<T>::new(&self.shift, &self.offset, &self.scale).to_all(x, &mut out);
        out
    }

    fn plain(&self, x: ArrayView1<'_, f64>, output: usize) -> Sum {
        let (mut value, mut magnitude) = (0.0, 0.0);
        for (j, x) in x.iter().enumerate() {
            let (shift, offset, scale) =
                (self.shift[(output, j)], self.offset[(output, j)], self.scale[(output, j)]);
            value += (scale * (x - shift - offset)).powi(2);
            magnitude += (scale * (x.abs() + shift.abs() + offset.abs())).powi(2);
        }
        // the mean, two differences and a product count twice in the square; then it, and all additions but one
        let roundings = 2 * 4 + 1 + (x.len() - 1);
        Sum { value, magnitude, roundings }
    }
}

/// ‖W x − b‖² with W lower triangular.
#[derive(Debug)]
struct Triangular {
    whitening: Array2<f64>,
    offset: Array1<f64>,
}

impl<T: Lane> Map<T> for Triangular {
    fn outputs(&self) -> usize {
        1
    }

    fn apply(&self, x: &[T::Lanes]) -> Vec<T::Lanes> {
        let mut out = vec![T::Lanes::splat(T::nan()); x.len() / self.offset.len()];
        Whitened::<T>::new(self.whitening.view(), &self.offset.to_vec()).norms(x, &mut out, 1);
        out
    }

    fn plain(&self, x: ArrayView1<'_, f64>, _output: usize) -> Sum {
        let (mut value, mut magnitude) = (0.0, 0.0);
        for (i, (row, offset)) in self.whitening.outer_iter().zip(&self.offset).enumerate() {
            let (mut product, mut size) = (0.0, 0.0);
            for (w, x) in row.iter().zip(x).take(i + 1) {
                product += w * x;
                size += (w * x).abs();
            }
            value += (product - offset).powi(2);
            magnitude += (size + offset.abs()).powi(2);
        }
        // what an affine map takes counts twice in the square; then it, and all additions but one
        let roundings = 2 * (1 + x.len()) + 1 + (x.len() - 1);
        Sum { value, magnitude, roundings }
    }
}
