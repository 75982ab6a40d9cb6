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
        let nothing = vec![0.0; d];
        about_mean(&second, scatter.index_axis_mut(Axis(0), 0), &nothing, &nothing);
        return scatter;
    }
    let mut scatter = Array3::zeros((classes, d, d));
    let size = padded(d) * padded(d);
    for (class, scatter) in scatter.outer_iter_mut().enumerate() {
        let (first, offset) = (row(first, class), row(offset, class));
        about_mean(&second[class * size..], scatter, first, offset);
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

fn row(matrix: &Array2<f64>, index: usize) -> &[f64] {
    matrix.row(index).to_slice().expect("rows of a C-ordered array")
}

/// Turns padded cross products about a shift into the scatter about the mean, `offset` away: less first · offsetᵀ.
pub(super) fn about_mean(second: &[f64], mut scatter: ArrayViewMut2<'_, f64>, first: &[f64], offset: &[f64]) {
    let lines = scatter.outer_iter_mut().zip(second.chunks_exact(padded(first.len()).max(1))).zip(first);
    for (i, ((line, second), first)) in lines.enumerate() {
        let line = &mut line.into_slice().expect("rows of a C-ordered array")[..=i];
        for ((entry, second), offset) in line.iter_mut().zip(second).zip(offset) {
            *entry = second - first * offset;
        }
        line[i] = not_negative(line[i]);
    }
    mirror(scatter);
}
