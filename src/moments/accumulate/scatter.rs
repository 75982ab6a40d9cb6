//! Sums of products to scatter.

use ndarray::{Array2, Array3, ArrayViewMut2, Axis, s};

use crate::kernel::{Extent, Stripes, add_product, padded};
use crate::moments::Structure;
use crate::moments::observed::not_negative;
use crate::moments::symmetric::mirror;

/// Padded cross products about the shifts of the classes to scatters about their means, which lie at these offsets from them.
pub(super) fn scatters(
    structure: Structure,
    mut second: Vec<f64>,
    first: &Array2<f64>,
    offset: &Array2<f64>,
) -> Array3<f64> {
    let (classes, d) = first.dim();
    if structure == Structure::Tied {
        correct(&mut second, first, offset);
        let mut scatter = Array3::zeros((1, d, d));
        about_mean(&second, scatter.index_axis_mut(Axis(0), 0), |_, _| 0.0);
        return scatter;
    }
    let mut scatter = Array3::zeros((classes, d, d));
    let size = padded(d) * padded(d);
    for (class, scatter) in scatter.outer_iter_mut().enumerate() {
        let (first, offset) = (first.row(class), offset.row(class));
        about_mean(&second[class * size..], scatter, |i, j| first[i] * offset[j]);
    }
    scatter
}

/// Takes what lies between shifts and means from the lower triangle of the cross products that all classes share.
fn correct(second: &mut [f64], first: &Array2<f64>, offset: &Array2<f64>) {
    let (d, width) = (first.ncols(), padded(first.ncols()));
    let mut second = ArrayViewMut2::from_shape((width, width), second).expect("a padded matrix");
    let (first, offset) = (Stripes::of(first.t()), Stripes::of(offset.t()));
    add_product(second.slice_mut(s![..d, ..d]), 0, &first, &offset, Extent::Lower, -1.0);
}

/// Padded cross products about a shift to the scatter about the mean.
pub(super) fn about_mean(
    second: &[f64],
    mut scatter: ArrayViewMut2<'_, f64>,
    correction: impl Fn(usize, usize) -> f64,
) {
    let d = scatter.nrows();
    for (i, (mut row, second)) in
        scatter.outer_iter_mut().zip(second.chunks_exact(padded(d).max(1))).enumerate()
    {
        for (j, (entry, second)) in row.iter_mut().zip(second).take(i + 1).enumerate() {
            *entry = second - correction(i, j);
        }
        row[i] = not_negative(row[i]);
    }
    mirror(scatter);
}
