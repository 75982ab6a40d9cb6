//! No score exceeds its bound by more than rounding is allowed to: so no class that wins is ever left out.

use ndarray::{Array2, Axis};
use proptest::prelude::*;

use super::super::block::Block;
use super::super::gaussian::Gaussian;
use super::super::pass::{Answered, Pass};
use super::super::rules::Ruling;
use super::super::scorer::Scorer;
use super::super::screened::Trial;
use super::uneven;
use crate::core::{Answers, Missing, Model, Parallel, Rows, Rules};
use crate::kernel::{Lanes, Single};
use crate::model::Metric;
use crate::oracle::{Asked, Kind, Precision, Question, Sample, ask, in_both_precisions};

/// The row and the class of scores whose bounds do not reach the mark that the scores themselves would set; none if
/// there are no bounds.
fn out_of_bounds<T: Precision>(model: &Model, x: &Array2<f64>) -> Option<Vec<(usize, usize)>> {
    let (n, classes) = (x.nrows(), model.n_classes());
    let screen = model.screen::<T>().filter(|_| matches!(T::packed(model).metric, Metric::Full(_)))?;
    let rows = Rows::from(x.view());
    let scorer = Gaussian::<T>::new(model, &rows, Missing::Raise);
    let ruling = Ruling::new(&Rules::default(), scorer.prior(), Some(model.rank()), &Answers::default());
    let pass =
        Pass { scorer, ruling: &ruling, trial: Trial::default(), marginals: None, answered: Answered::All };
    let mut written = Parallel::new(Some(1)).map(1, |_, job| {
        let mut block = Block::new(0, n, classes, false);
        let mut worker = scorer.worker();
        let (_, slacks) = pass.bounds(screen, 0..n, &mut block, &mut worker, |_, _| {}, job)?;
        Ok((block.bounds, slacks))
    });
    let (bounds, slacks) = written.as_mut().ok()?.remove(0);
    let asked: Asked<T> = ask(model, &rows, &[Question::Decision], Parallel::new(Some(1))).ok()?;
    let is_out = |&(row, class): &(usize, usize)| {
        let bound = bounds[row / Single::COUNT * classes + class][row % Single::COUNT];
        bound < screen.mark(asked.decision[row * classes + class], slacks[row])
    };
    Some((0..n).flat_map(|row| (0..classes).map(move |class| (row, class))).filter(is_out).collect())
}

/// Columns of sizes 10^±`scales`; every other one is the first but for a part in 10^`alike`.
fn badly_conditioned(d: usize, classes: usize, scales: i32, alike: i32) -> Sample {
    let sample = Sample::new(60 * classes, d, classes);
    let x = Array2::from_shape_fn(sample.x.raw_dim(), |(row, j)| {
        let own = sample.x[(row, j)];
        let mixed = if j % 2 == 1 { sample.x[(row, 0)] + own * 10.0_f64.powi(-alike) } else { own };
        mixed * 10.0_f64.powi(scales * (j as i32 % 3 - 1))
    });
    Sample { x, ..sample }
}

fn every_score_keeps_to_its_bound<T: Precision>() {
    proptest!(|(d in 1_usize..=40, classes in 3_usize..=9, scales in 0..5, alike in 0..4, far in 0..7)| {
        let sample = badly_conditioned(d, classes, scales, alike);
        if let Ok(model) = Kind::Quadratic.fit(&sample, &uneven(classes)) {
            let middle = sample.x.mean_axis(Axis(0)).unwrap();
            let x = (&sample.x - &middle) * 10.0_f64.powi(far) + &middle;
            let out = out_of_bounds::<T>(&model, &x).unwrap_or_default();
            prop_assert!(out.is_empty(), "{:?}", &out[..out.len().min(5)]);
        }
    });
}

/// Otherwise the test above could be about nothing.
fn ordinary_models_have_bounds<T: Precision>() {
    for (d, classes) in [(1, 3), (16, 26), (40, 4)] {
        let sample = Sample::new(60 * classes, d, classes);
        let model = Kind::Quadratic.fit(&sample, &uneven(classes)).unwrap();
        assert_eq!(out_of_bounds::<T>(&model, &sample.x), Some(vec![]), "d = {d}, K = {classes}");
    }
}

in_both_precisions!(every_score_keeps_to_its_bound, ordinary_models_have_bounds);
