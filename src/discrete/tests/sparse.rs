//! Sparse rows, against the same as dense ones.

use super::*;

#[test]
fn sparse_rows_are_counted_and_scored_like_dense_ones() {
    let table = Table::new(3000, 5);
    let (entries, columns, starts) = compressed(&table.x);
    let sparse = Sparse::new(Rows::from(entries.view()), &columns, &starts, 5).unwrap();
    let (dense, labeled) = (Rows::from(table.x.view()), table.labeled(true));
    let counts = count_presence(&dense, Some(0.0), labeled, Parallel::default()).unwrap();
    assert_eq!(count_sparse_presence(&sparse, Some(0.0), labeled, Parallel::default()).unwrap(), counts);

    let model = some_presences(Some(0.0));
    let mut joint = [vec![0.0; 3000 * CLASSES], vec![0.0; 3000 * CLASSES]];
    let [of_dense, of_sparse] = &mut joint;
    model.answer(&dense, &Rules::default(), joint_in(of_dense), Parallel::default()).unwrap();
    model.answer_sparse(&sparse, &Rules::default(), joint_in(of_sparse), Parallel::default()).unwrap();
    assert!(of_dense.iter().zip(&*of_sparse).all(|(a, b)| a == b || (a - b).abs() < 1e-13));
}

#[test]
fn sparse_rows_are_read_like_dense_ones_at_every_threshold_or_refused() {
    let table = Table::new(300, 5);
    let x = table.x.mapv(|x| x - 1.0);
    let (entries, columns, starts) = compressed(&x);
    let sparse = Sparse::new(Rows::from(entries.view()), &columns, &starts, 5).unwrap();
    let (dense, labeled) = (Rows::from(x.view()), table.labeled(true));
    for threshold in [f64::NEG_INFINITY, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, f64::INFINITY] {
        let model = some_presences(Some(threshold));
        let mut joint = [vec![0.0; 300 * CLASSES], vec![0.0; 300 * CLASSES]];
        let [of_dense, of_sparse] = &mut joint;
        let counts = count_presence(&dense, Some(threshold), labeled, Parallel::default()).unwrap();
        model.answer(&dense, &Rules::default(), joint_in(of_dense), Parallel::default()).unwrap();
        let found = count_sparse_presence(&sparse, Some(threshold), labeled, Parallel::default());
        let answered =
            model.answer_sparse(&sparse, &Rules::default(), joint_in(of_sparse), Parallel::default());
        if threshold < 0.0 {
            let error = Error::Input(InputError::PresenceThreshold { value: threshold });
            assert_eq!((found, answered), (Err(error.clone()), Err(error)));
            continue;
        }
        assert_eq!((found, answered), (Ok(counts), Ok(())));
        assert!(of_dense.iter().zip(&*of_sparse).all(|(a, b)| a == b || (a - b).abs() < 1e-13));
    }
}

#[test]
fn a_column_that_a_sparse_row_gives_twice_is_named() {
    let entries = array![[1.0], [1.0], [1.0], [1.0]];
    let labeled = Labeled { labels: &[0, 0], classes: 1, weights: None };
    let counted = |columns: &[i32]| {
        let rows = Sparse::new(Rows::from(entries.view()), columns, &[0, 1, 4], 5).unwrap();
        let counts = count_sparse_presence(&rows, Some(0.0), labeled, Parallel::default());
        let mut labels = [0; 2];
        let answered = some_presences(None).answer_sparse(
            &rows,
            &Rules::default(),
            label_in(&mut labels),
            Parallel::default(),
        );
        assert_eq!(counts.clone().err(), answered.err());
        counts.map(|(_, counts)| counts)
    };
    assert_eq!(counted(&[1, 4, 0, 1]), Ok(array![[1.0, 2.0, 0.0, 0.0, 1.0]]));
    assert_eq!(counted(&[1, 4, 0, 4]), Err(Error::Input(InputError::GivenTwice { row: 1, column: 4 })));
    assert_eq!(counted(&[1, 2, 2, 3]), Err(Error::Input(InputError::GivenTwice { row: 1, column: 2 })));
}

#[test]
fn sparse_indices_are_checked() {
    let entries = array![[1.0], [1.0]];
    let rows = || Rows::from(entries.view());
    assert!(Sparse::new(rows(), &[0], &[0, 2], 3).is_err());
    assert!(Sparse::new(rows(), &[0, 1], &[0, 3], 3).is_err());
    assert!(Sparse::new(rows(), &[0, 1], &[0, 2, 1, 2], 3).is_err());
    for columns in [[0, -1], [0, 3]] {
        let rows = Sparse::new(Rows::from(entries.view()), &columns, &[0, 2], 3).unwrap();
        let labeled = Labeled { labels: &[0], classes: 1, weights: None };
        assert!(count_sparse_presence(&rows, Some(0.0), labeled, Parallel::default()).is_err());
    }
}
