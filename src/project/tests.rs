//! Projections against plain dot products.

use ndarray::{Array2, s};

use crate::core::{Error, Parallel, Result, Rows, project};
use crate::error::{InputError, ScoresError, ShapeError};
use crate::oracle::{Noise, Precision, Sample, close, in_both_precisions, in_every_layout};

/// Rows around those that are projected together.
const SIZES: [usize; 9] = [0, 1, 7, 8, 9, 63, 64, 65, 130];

fn axes(d: usize, width: usize) -> Array2<f64> {
    let mut noise = Noise(9);
    Array2::from_shape_fn((d, width), |_| noise.below(64) as f64 / 32.0 - 1.0)
}

fn projected<T: Precision>(
    axes: &Array2<f64>,
    center: &[f64],
    rows: &Rows<'_>,
    threads: usize,
) -> Result<Vec<T>> {
    let mut out = vec![T::nan(); rows.n_rows() * axes.ncols()];
    project(axes.view(), center, rows, &mut out, Parallel::new(Some(threads)))?;
    Ok(out)
}

fn coordinates_are_dot_products_with_the_axes<T: Precision>() {
    let shapes = [1, 3, 4, 5, 9].into_iter().flat_map(|d| [0, 1, 2, 4, 5, 7].map(|width| (d, width)));
    let cases =
        shapes.flat_map(|shape| SIZES.map(|n| (shape, n))).flat_map(|case| [(case, 0.0), (case, 4096.0)]);
    for (((d, width), n), far) in cases {
        let x = Sample::new(n, d, 2).x + far;
        // a center that single precision does not hold
        let center: Vec<f64> = (0..d).map(|j| far + 0.1 + j as f64 / 3.0).collect();
        let axes = axes(d, width);
        in_every_layout(&x, f64::NAN, |layout, view| {
            let out: Vec<T> = projected(&axes, &center, &Rows::from(view), 1).unwrap();
            for (at, &got) in out.iter().enumerate() {
                let (row, axis) = (at / width, at % width);
                let exact: f64 = (0..d).map(|j| (x[(row, j)] - center[j]) * axes[(j, axis)]).sum();
                assert!(close(got, exact), "{layout}: {got:?}, not {exact}");
            }
        });
    }
}

fn the_number_of_threads_changes_no_bit<T: Precision>() {
    let x = Sample::new(30_000, 12, 2).x;
    let (axes, rows) = (axes(12, 5), Rows::from(x.view()));
    let serial: Vec<T> = projected(&axes, &[0.5; 12], &rows, 1).unwrap();
    for threads in [2, 3, 7] {
        assert!(projected(&axes, &[0.5; 12], &rows, threads) == Ok(serial.clone()), "{threads} threads");
    }
}

fn bad_entries_are_named_even_without_an_axis<T: Precision>() {
    let mut x = Sample::new(130, 5, 2).x;
    x[(128, 0)] = f64::INFINITY;
    x[(99, 3)] = f64::INFINITY;
    for width in [0, 1, 3] {
        let error = projected::<T>(&axes(5, width), &[0.0; 5], &Rows::from(x.view()), 2).unwrap_err();
        assert_eq!(error, Error::Input(InputError::NonFinite { row: 99, column: 3, value: f64::INFINITY }));
    }
}

fn coordinates_that_overflow_are_named<T: Precision>() {
    let mut x = Sample::new(130, 2, 2).x;
    x.slice_mut(s![101.., ..]).fill(T::max_value().into());
    let error = projected::<T>(&Array2::ones((2, 3)), &[0.0; 2], &Rows::from(x.view()), 2).unwrap_err();
    assert_eq!(error, Error::Scores(ScoresError::TooFar { row: 101 }));
}

fn sizes_must_fit_together<T: Precision>() {
    let x = Sample::new(10, 3, 2).x;
    let rows = Rows::from(x.view());
    let refused = |axes: Array2<f64>, center: &[f64], length: usize| {
        let mut out = vec![T::zero(); length];
        project(axes.view(), center, &rows, &mut out, Parallel::default()).unwrap_err()
    };
    let shape = |what, given, expected| Error::Shape(ShapeError::Size { what, given, expected });
    assert_eq!(refused(axes(4, 2), &[0.0; 4], 20), shape("number of columns", 3, 4));
    assert_eq!(refused(axes(3, 2), &[0.0; 2], 20), shape("length of the center", 2, 3));
    assert_eq!(refused(axes(3, 2), &[0.0; 3], 19), shape("length of the output", 19, 20));
}

in_both_precisions!(
    coordinates_are_dot_products_with_the_axes,
    the_number_of_threads_changes_no_bit,
    bad_entries_are_named_even_without_an_axis,
    coordinates_that_overflow_are_named,
    sizes_must_fit_together,
);
