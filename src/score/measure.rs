//! How a Gaussian model measures packed rows, metric by metric.

use super::gaussian::GaussianWorker;
use super::rules::Ruling;
use crate::kernel::{Affine, Lane, recenter};
use crate::model::{Anchored, Metric};

impl<T: Lane> GaussianWorker<'_, '_, T> {
    /// Squared distances to every class.
    pub(super) fn measure_distances(&mut self, distances: &mut [T::Lanes]) {
        let (classes, features, rows) = (self.n_classes(), self.packed.center.len(), self.indices.len());
        let (x, whitened) = (&self.x, &mut self.whitened);
        match &self.packed.metric {
            Metric::Full(each) => {
                let each = each.iter().enumerate();
                each.for_each(|(class, whitened)| whitened.norms(x, &mut distances[class..], classes));
            }
            Metric::FarApart(each) => {
                whitened.resize(x.len());
                for (class, (mean, whiten)) in each.iter().enumerate() {
                    recenter(x, mean, whitened);
                    whiten.norms(whitened, &mut distances[class..], classes);
                }
            }
            Metric::Diag(to) => to.to_all(x, distances),
            Metric::ClassLanes(class_lanes) => class_lanes.measure::<T>(rows, x, &mut self.apart, distances),
            Metric::Tied(tied) => {
                let (whiten, to) = tied.distances.as_ref().expect("laid out for distances");
                whitened.resize(x.len() / features * whiten.outputs());
                whiten.apply(x, features, whitened);
                if to.are_of_linear() {
                    tied.linear.apply(x, features, distances);
                }
                to.to_all(whitened, distances);
            }
            Metric::TiedFarApart(anchored) => {
                self.few.answer::<T>(x, distances, (features, classes), |x, _, memory| {
                    anchored.measure(x, memory)
                });
            }
        }
    }

    /// The linear functions that stand in for distances.
    pub(super) fn apply_linear(&mut self, ruling: &Ruling<'_, T>, linear: &mut [T::Lanes]) {
        let (packed, features) = (self.packed, self.packed.center.len());
        match &packed.metric {
            Metric::TiedFarApart(anchored) => self.score_anchored(anchored, ruling, linear),
            metric => metric.tied().linear.apply(&self.x, features, linear),
        }
    }

    /// Scores of classes far apart, less that of the likeliest.
    fn score_anchored(&mut self, anchored: &Anchored, ruling: &Ruling<'_, T>, scores: &mut [T::Lanes]) {
        let (rows, sizes) = (self.indices.len(), (self.packed.center.len(), self.n_classes()));
        let indices = &self.indices;
        self.few.answer::<T>(&self.x, scores, sizes, |x, first, memory| {
            let log_prior = |class: usize, lane: usize| {
                ruling.log_prior_at(class, indices[(first + lane).min(rows - 1)]).into()
            };
            anchored.score(x, log_prior, memory);
        });
    }

    /// Number of linear functions that are reported as decisions.
    pub(super) fn n_decisions(&self) -> usize {
        match &self.packed.metric {
            Metric::Tied(tied) => tied.decision.as_ref().map_or(0, Affine::outputs),
            _ => self.n_classes(),
        }
    }

    /// The linear functions that are reported as decisions.
    pub(super) fn apply_decision(&mut self, ruling: &Ruling<'_, T>, decision: &mut [T::Lanes]) {
        let (packed, features) = (self.packed, self.packed.center.len());
        match &packed.metric {
            Metric::TiedFarApart(anchored) => self.score_anchored(anchored, ruling, decision),
            metric => {
                let laid = metric.tied().decision.as_ref().expect("laid out for decisions");
                laid.apply(&self.x, features, decision);
            }
        }
    }
}
