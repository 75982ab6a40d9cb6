//! Distances by short forms: as precise as direct ones for every row, whatever rows stand beside it.

use ndarray::{Array2, ArrayView1, Axis};
use proptest::prelude::*;

use super::{cases, one_by_one, same_bits, to_lanes};
use crate::kernel::instance::Level;
use crate::kernel::{Affine, DiagDistances, Lane, Lanes, TiedDistances};
use crate::oracle::{Noise, Precision, in_both_precisions};

/// The size of products beside the smallest distance that is made of them, at most, times two for their sum. Deviations err by
/// the root of it.
const LOSS: f64 = 64.0;

/// Rows about means, which the type holds.
struct Case {
    rows: Array2<f64>,
    means: Array2<f64>,
    scales: Array2<f64>,
}

impl Case {
    /// Means of the size of deviations, and rows about one of them each: some at a usual distance, some very near.
    fn new<T: Lane>((n, columns, classes): (usize, usize, usize), seed: u64) -> Self {
        let mut noise = Noise(seed);
        let mut uniform = move || noise.next() as i64 as f64 / i64::MAX as f64;
        let rounded = |value: f64| T::rounded(value).into();
        let means = Array2::from_shape_simple_fn((classes, columns), || rounded(2.0 * uniform()));
        let rows = Array2::from_shape_fn((n, columns), |(row, column)| {
            let apart = [2.0, 2.0, 1e-2, 1e-6][row % 4];
            rounded(means[(row % classes, column)] + apart * uniform())
        });
        let scales = [0.3, 1.0, 1.7].map(rounded);
        let scales =
            Array2::from_shape_fn((classes, columns), |(class, column)| scales[(class + column) % 3]);
        Self { rows, means, scales }
    }

    /// The distance of a row to a mean.
    fn plain(&self, row: ArrayView1<'_, f64>, class: usize) -> f64 {
        let terms = row.iter().zip(self.means.row(class)).zip(self.scales.row(class));
        terms.map(|((x, mean), scale)| (scale * (x - mean)).powi(2)).sum()
    }

    /// Under a variance for each column.
    fn diag<T: Lane>(&self, rows: &Array2<f64>) -> Array2<f64> {
        let x = to_lanes::<T>(rows);
        let (classes, columns) = self.means.dim();
        let to = DiagDistances::<T>::new(&self.means, &Array2::zeros(self.means.dim()), &self.scales);
        assert!(to.has_short_form());
        let mut distances = vec![T::Lanes::splat(T::nan()); x.len() / columns * classes];
        to.to_all(&x, &mut distances);
        one_by_one::<T>(&distances, rows.nrows(), classes)
    }

    /// Of whitened rows, whose scales are 1.
    fn tied<T: Lane>(&self, rows: &Array2<f64>) -> Array2<f64> {
        let x = to_lanes::<T>(rows);
        let (classes, columns) = self.means.dim();
        let constants = (&self.means * &self.means).sum_axis(Axis(1)).mapv(|square| -0.5 * square);
        let linear = Affine::<T>::new(self.means.view(), &constants.to_vec());
        let to = TiedDistances::<T>::new(&self.means);
        assert!(to.are_of_linear());
        let mut distances = vec![T::Lanes::splat(T::nan()); x.len() / columns * classes];
        linear.apply(&x, columns, &mut distances);
        to.to_all(&x, &mut distances);
        one_by_one::<T>(&distances, rows.nrows(), classes)
    }

    fn whitened(self) -> Self {
        Self { scales: Array2::ones(self.means.dim()), ..self }
    }
}

fn shape() -> impl Strategy<Value = (usize, usize, usize)> {
    let [rows, columns, classes]: [usize; 3] = if cfg!(miri) { [2, 33, 33] } else { [70, 70, 40] };
    (1..=rows, 32..=columns, 32..=classes)
}

fn short_distances_keep_the_digits_of_direct_ones<T: Precision>() {
    proptest!(cases(32), |(shape in shape(), seed: u64)| {
        let case = Case::new::<T>(shape, seed);
        let epsilon: f64 = T::epsilon().into();
        // The differences, scales and squares of `columns` terms, and their sum.
        let roundings = (shape.1 + 8) as f64;
        let check = |case: &Case, loss: f64, got: Vec<(Level, Array2<f64>)>| {
            for (level, got) in got {
                for ((row, class), &got) in got.indexed_iter() {
                    let expected = case.plain(case.rows.row(row), class);
                    let error = (got - expected).abs();
                    prop_assert!(error <= roundings * loss * epsilon * expected, "{level:?}: {got}, not {expected}");
                }
            }
            Ok(())
        };
        check(&case, LOSS.sqrt(), Level::each(|| case.diag::<T>(&case.rows)))?;
        let case = case.whitened();
        check(&case, LOSS, Level::each(|| case.tied::<T>(&case.rows)))?;
    });
}

fn a_row_is_judged_by_itself<T: Precision>() {
    proptest!(cases(32), |(shape in shape(), place in 0_usize..20, seed: u64)| {
        let case = Case::new::<T>(shape, seed).whitened();
        for measure in [Case::diag::<T>, Case::tied::<T>] {
            let differing = || {
                let among = measure(&case, &case.rows);
                case.rows.outer_iter().zip(among.outer_iter()).position(|(row, among)| {
                    let mut alone = Array2::from_elem((place + 1, row.len()), f64::NAN);
                    alone.row_mut(place).assign(&row);
                    !same_bits(measure(&case, &alone).row(place), among)
                })
            };
            for (level, differing) in Level::each(differing) {
                prop_assert_eq!(differing, None, "{:?}", level);
            }
        }
    });
}

/// Whose short form would lose digits of nearly all rows, or take longer than it saves.
fn few_columns_far_means_and_few_classes_are_measured_directly<T: Precision>() {
    let (means, scales) = (|size| Array2::from_elem((40, 50), size), Array2::ones((40, 50)));
    assert!(TiedDistances::<T>::new(&means(1.0)).are_of_linear());
    assert!(!TiedDistances::<T>::new(&means(100.0)).are_of_linear());
    assert!(!TiedDistances::<T>::new(&Array2::ones((10, 50))).are_of_linear());
    let diag = |means: Array2<f64>, scales: &Array2<f64>| {
        DiagDistances::<T>::new(&means, &Array2::zeros(means.dim()), scales).has_short_form()
    };
    assert!(diag(means(1.0), &scales));
    assert!(!diag(means(100.0), &scales));
    assert!(!diag(Array2::ones((40, 10)), &Array2::ones((40, 10))));
}

in_both_precisions!(
    short_distances_keep_the_digits_of_direct_ones,
    a_row_is_judged_by_itself,
    few_columns_far_means_and_few_classes_are_measured_directly,
);
