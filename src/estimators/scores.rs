//! Room for answers, and the pass of the core that fills it.

use ndarray::{Array1, Array2};

use super::answer::{Answer, Wanted};
use super::estimator::Scorer;
use super::table::Table;
use crate::error::{Error, InputError, Result};
use crate::parallel::Parallel;
use crate::score::{Answers, Best, Rules, score};

/// Arrays that the core fills; empty where nothing is wanted.
pub(super) struct Buffers {
    wanted: Wanted,
    label: Vec<u32>,
    best_classes: Vec<u32>,
    best_posterior: Vec<f64>,
    /// In the order of `Answers`.
    numbers: [Array2<f64>; 10],
}

impl Buffers {
    pub(super) fn new(wanted: Wanted, rows: usize, classes: usize, rules: &Rules<'_>) -> Self {
        let decisions = rules.cost.map_or(classes, |cost| cost.ncols());
        let decision_width = if classes == 2 { 1 } else { classes };
        let widths = [
            (wanted.posterior, classes),
            (wanted.log_posterior, classes),
            (wanted.joint, classes),
            (wanted.log_density, 1),
            (wanted.mahalanobis, classes),
            (wanted.typicality, classes),
            (wanted.min_mahalanobis, 1),
            (wanted.label_typicality, 1),
            (wanted.expected_cost, decisions),
            (wanted.decision, decision_width),
        ];
        let numbers = widths.map(|(wanted, width)| match wanted {
            true => Array2::zeros((rows, width)),
            false => Array2::zeros((0, 0)),
        });
        Self {
            wanted,
            label: vec![0; if wanted.label { rows } else { 0 }],
            best_classes: vec![0; rows * wanted.best],
            best_posterior: vec![0.0; rows * wanted.best],
            numbers,
        }
    }

    /// Where the answers go.
    pub(super) fn answers(&mut self) -> Answers<'_, f64> {
        let wanted = self.wanted;
        let [
            posterior,
            log_posterior,
            joint,
            log_density,
            mahalanobis,
            typicality,
            min_mahalanobis,
            label_typicality,
            cost,
            decision,
        ] = self.numbers.each_mut().map(|array| array.as_slice_mut().expect("rows one after another"));
        let (classes, best_posterior) = (&mut self.best_classes[..], &mut self.best_posterior[..]);
        Answers {
            label: wanted.label.then_some(&mut self.label[..]),
            name: None,
            posterior: wanted.posterior.then_some(posterior),
            log_posterior: wanted.log_posterior.then_some(log_posterior),
            joint: wanted.joint.then_some(joint),
            log_density: wanted.log_density.then_some(log_density),
            mahalanobis: wanted.mahalanobis.then_some(mahalanobis),
            typicality: wanted.typicality.then_some(typicality),
            min_mahalanobis: wanted.min_mahalanobis.then_some(min_mahalanobis),
            label_typicality: wanted.label_typicality.then_some(label_typicality),
            cost: wanted.expected_cost.then_some(cost),
            best: (wanted.best > 0).then_some(Best {
                count: wanted.best,
                classes,
                posterior: best_posterior,
            }),
            decision: wanted.decision.then_some(decision),
        }
    }

    /// The answers with classes by their names.
    pub(super) fn into_answer<L: Clone>(self, classes: &[L]) -> Answer<L> {
        let [
            posterior,
            log_posterior,
            joint,
            log_density,
            mahalanobis,
            typicality,
            min_mahalanobis,
            label_typicality,
            expected_cost,
            decision,
        ] = self.numbers;
        let flat = |column: Array2<f64>| column.into_iter().collect::<Array1<f64>>();
        let best = self.best_classes.iter().zip(&self.best_posterior);
        let best: Vec<_> =
            best.map(|(&class, &posterior)| (classes[class as usize].clone(), posterior)).collect();
        Answer {
            label: self.label.iter().map(|&label| classes.get(label as usize).cloned()).collect(),
            posterior,
            log_posterior,
            joint,
            log_density: flat(log_density),
            mahalanobis,
            typicality,
            min_mahalanobis: flat(min_mahalanobis),
            label_typicality: flat(label_typicality),
            expected_cost,
            decision,
            best: best.chunks(self.wanted.best.max(1)).map(<[_]>::to_vec).collect(),
        }
    }
}

impl Scorer {
    /// Answers what was asked of each row.
    pub(super) fn answer(
        &self,
        table: &Table<'_>,
        rules: &Rules<'_>,
        answers: Answers<'_, f64>,
        parallel: Parallel<'_>,
    ) -> Result<()> {
        match (self, table) {
            (Self::Gaussian(model), table) => score(model, table.dense()?, rules, answers, parallel),
            (Self::Weights(_), _) if answers.log_density.is_some() => {
                Err(Error::Input(InputError::Unsupported(
                    "log-densities must be asked of another model: ComplementNb has none",
                )))
            }
            (Self::Presence(model) | Self::Weights(model), Table::Dense(rows)) => {
                model.answer(rows, rules, answers, parallel)
            }
            (Self::Presence(model) | Self::Weights(model), Table::Sparse(rows)) => {
                model.answer_sparse(rows, rules, answers, parallel)
            }
            (Self::Columns(model), table) => {
                model.answer(&table.dense()?.columns(), rules, answers, parallel)
            }
        }
    }
}
