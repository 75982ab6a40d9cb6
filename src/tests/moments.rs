//! Moments of whatever is given, and all that can be done with them.

use ndarray::{Array1, Array2, Array3, Axis, array};
use proptest::prelude::*;

use super::chaos::Chaos;
use crate::core::{Error, Means, Moments, Parallel, Result, Rows, Structure};
use crate::error::{InputError, ShapeError};

const STRUCTURES: [Structure; 3] = [Structure::Full, Structure::Tied, Structure::Diag];

/// Moments of some rows, or why there are none.
pub(super) fn of_rows(chaos: &mut Chaos, structure: Structure) -> Result<(Array2<f64>, Vec<u32>, Moments)> {
    let (features, classes) = (chaos.size(), chaos.size());
    let rows = chaos.near(12 * classes);
    let x = chaos.matrix((rows, features));
    let labels = chaos.labels(rows, classes);
    let weights = chaos.weights(rows);
    let classes = chaos.near(classes);
    let parallel = Parallel::new(Some(1));
    let moments =
        Moments::from_rows(&Rows::from(x.view()), &labels, classes, weights.as_deref(), structure, parallel)?;
    Ok((x, labels, moments))
}

/// Any numbers as moments.
fn of_numbers(chaos: &mut Chaos, structure: Structure) -> Result<Moments> {
    let (classes, d) = (chaos.size(), chaos.size());
    let (k, h) = match structure {
        Structure::Full => (classes, d),
        Structure::Tied => (1, d),
        Structure::Diag => (classes, 1),
    };
    let mut means = || chaos.matrix((classes, d));
    let means = Means { shift: means(), offset: means() };
    let size = (chaos.near(k), chaos.near(h), chaos.near(d));
    let scatter = Array3::from_shape_fn(size, |_| chaos.positive());
    let rows = (0..chaos.near(classes)).map(|_| chaos.pick(&[0, 5, u64::MAX])).collect();
    Moments::new(structure, rows, chaos.array(classes), means, scatter)
}

fn assert_sound(moments: &Moments) {
    let (classes, d) = (moments.n_classes(), moments.n_features());
    assert!(d > 0);
    assert_eq!((moments.rows().len(), moments.weights().len()), (classes, classes));
    assert_eq!(moments.means().dim(), (classes, d));
    assert!(moments.weights().iter().all(|weight| weight.is_finite() && *weight >= 0.0));
    assert!(moments.means().iter().all(|mean| mean.is_finite()));
    assert!(moments.scatter().iter().all(|entry| !entry.is_nan()));
    for matrix in 0..moments.scatter().len_of(Axis(0)) {
        assert!(moments.scatter_diagonal(matrix).iter().all(|square| square.is_finite() && *square >= 0.0));
    }
    match moments.priors() {
        Ok(priors) => assert!((priors.iter().sum::<f64>() - 1.0).abs() < 1e-12),
        Err(error) => assert_eq!((error, moments.total_weight()), (Error::Input(InputError::NoWeight), 0.0)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn rows_give_sound_moments_or_an_error(seed: u64) {
        let mut chaos = Chaos::new(seed);
        for structure in STRUCTURES {
            if let Ok((_, _, moments)) = of_rows(&mut chaos, structure) {
                assert_sound(&moments);
            }
        }
    }

    #[test]
    fn numbers_give_sound_moments_or_an_error(seed: u64) {
        let mut chaos = Chaos::new(seed);
        for structure in STRUCTURES {
            if let Ok(moments) = of_numbers(&mut chaos, structure) {
                assert_sound(&moments);
            }
        }
    }

    #[test]
    fn what_is_made_of_moments_is_sound_or_an_error(seed: u64) {
        let mut chaos = Chaos::new(seed);
        let mut some = || {
            let structure = chaos.pick(&STRUCTURES);
            match chaos.flip() {
                true => of_numbers(&mut chaos, structure),
                false => of_rows(&mut chaos, structure).map(|(_, _, moments)| moments),
            }
        };
        let (Ok(a), Ok(b)) = (some(), some()) else { return Ok(()) };
        let places: Vec<usize> = (0..chaos.near(a.n_classes())).map(|_| chaos.near(0)).collect();
        let columns: Vec<usize> = (0..chaos.near(2)).map(|_| chaos.near(0)).collect();
        let n_classes = chaos.size();
        let made = [
            a.merge(&b),
            a.subtract(&b),
            a.merge(&b).and_then(|both| both.subtract(&b)),
            a.scale(chaos.number()),
            a.regroup(&places, n_classes),
            a.select(&columns),
            a.to(chaos.pick(&STRUCTURES)),
            a.total(),
        ];
        made.iter().flatten().for_each(assert_sound);
    }
}

/// Moments of no classes, of one and of two.
fn of_classes(classes: usize, features: usize, structure: Structure) -> Moments {
    let x = Array2::from_shape_fn((6 * classes, features), |(i, j)| (i * (j + 2) % 5) as f64);
    let labels: Vec<u32> = (0..6 * classes).map(|row| (row % classes) as u32).collect();
    Moments::from_rows(&Rows::from(x.view()), &labels, classes, None, structure, Parallel::default()).unwrap()
}

#[test]
fn moments_of_other_sizes_are_neither_joined_nor_removed() {
    for structure in STRUCTURES {
        let ours = of_classes(2, 3, structure);
        let both = |other: &Moments| [ours.merge(other), ours.subtract(other), other.subtract(&ours)];
        for (classes, features, what) in [
            (1, 3, "numbers of classes"),
            (0, 3, "numbers of classes"),
            (2, 2, "numbers of columns"),
            (2, 4, "numbers of columns"),
        ] {
            for answer in both(&of_classes(classes, features, structure)) {
                assert_eq!(answer, Err(Error::Shape(ShapeError::Incompatible(what))));
            }
        }
    }
    let answer = of_classes(2, 3, Structure::Full).subtract(&of_classes(2, 3, Structure::Diag));
    assert_eq!(answer, Err(Error::Shape(ShapeError::Incompatible("structures"))));
}

#[test]
fn moments_without_weight_have_no_priors() {
    for classes in [0, 2] {
        let empty = of_classes(classes, 2, Structure::Full).scale(0.0).unwrap();
        assert_eq!(empty.priors(), Err(Error::Input(InputError::NoWeight)));
    }
    assert_eq!(of_classes(2, 1, Structure::Full).priors(), Ok(vec![0.5, 0.5]));
}

#[test]
fn numbers_that_no_rows_have_make_no_moments() {
    let new = |weight: f64, mean: f64, square: f64| {
        let means = Means { shift: array![[mean]], offset: array![[0.0]] };
        Moments::new(Structure::Full, vec![3], array![weight], means, array![[[square]]])
    };
    assert!(new(3.0, 1.0, 2.0).is_ok() && new(0.0, 0.0, 0.0).is_ok());
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let bad = [
        (nan, 1.0, 2.0),
        (-1.0, 1.0, 2.0),
        (inf, 1.0, 2.0),
        (3.0, nan, 2.0),
        (3.0, inf, 2.0),
        (3.0, 1.0, nan),
        (3.0, 1.0, -2.0),
    ];
    for (weight, mean, square) in bad {
        assert!(
            matches!(new(weight, mean, square), Err(Error::Input(InputError::Argument { .. }))),
            "{weight}, {mean}, {square}"
        );
    }
    assert!(matches!(new(3.0, 1.0, inf), Err(Error::Input(InputError::Overflow { column: 0, .. }))));
    let means = || Means { shift: array![[0.0], [0.0]], offset: array![[0.0], [0.0]] };
    let both =
        Moments::new(Structure::Diag, vec![1, 1], array![1e308, 1e308], means(), Array3::zeros((2, 1, 1)));
    assert!(matches!(both, Err(Error::Input(InputError::Argument { what: "the sum of all weights", .. }))));
}

#[test]
fn means_of_different_sizes_have_no_sum() {
    let means = Means { shift: Array2::zeros((2, 3)), offset: Array2::zeros((3, 2)) };
    assert!(matches!(means.rounded(), Err(Error::Shape(ShapeError::Size { .. }))));
}

#[test]
fn row_counts_end_at_the_largest_number() {
    let means = Means { shift: array![[0.0]], offset: array![[0.0]] };
    let many =
        Moments::new(Structure::Diag, vec![u64::MAX], Array1::ones(1), means, Array3::zeros((1, 1, 1)))
            .unwrap();
    assert_eq!(many.merge(&many).unwrap().rows(), [u64::MAX]);
}
