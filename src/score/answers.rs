//! The arrays that a pass fills: those that were asked for, and no others.

use super::best::Best;
use super::names::Names;

/// Where answers go. Leave out what is not wanted: it is then not computed.
///
/// Arrays of n × K hold one row after another.
///
/// ```
/// use gauda::core::Answers;
///
/// let (mut label, mut posterior) = ([0; 10], [0.0; 20]);
/// let answers = Answers::default().label(&mut label).posterior(&mut posterior);
/// assert!(answers.label.is_some() && answers.log_density.is_none());
/// ```
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Answers<'a, T> {
    /// The label by the rules, n: the class of the largest posterior (the first of equal ones), or of the smallest expected
    /// cost; K where the row is rejected.
    pub label: Option<&'a mut [u32]>,
    /// The name of that label, n.
    pub name: Option<Names<'a>>,
    /// p(k | x), n × K.
    pub posterior: Option<&'a mut [T]>,
    /// log p(k | x), n × K.
    pub log_posterior: Option<&'a mut [T]>,
    /// log p(x, k), n × K.
    pub joint: Option<&'a mut [T]>,
    /// log p(x), n.
    pub log_density: Option<&'a mut [T]>,
    /// (x − μ_k)ᵀ Σ_k⁻¹ (x − μ_k), n × K.
    pub mahalanobis: Option<&'a mut [T]>,
    /// The probability that a row of the class lies farther from its mean, n × K.
    pub typicality: Option<&'a mut [T]>,
    /// The smallest of the distances to the classes, n.
    pub min_mahalanobis: Option<&'a mut [T]>,
    /// The typicality of the label, n; NaN where the row is rejected.
    pub label_typicality: Option<&'a mut [T]>,
    /// What each decision is expected to cost, n × the columns of the cost matrix, which the rules must hold.
    pub cost: Option<&'a mut [T]>,
    /// The classes of the largest posteriors, n × as many as wanted.
    pub best: Option<Best<'a, T>>,
    /// log p(k | x) up to a term common to the classes, n × K; for two classes the second less the first, n.
    pub decision: Option<&'a mut [T]>,
}

impl<'a, T> Answers<'a, T> {
    /// Whether nothing is wanted.
    pub(crate) fn asks_nothing(&self) -> bool {
        self.lengths(1, 1).next().is_none()
    }

    /// Whether the density of a row is needed.
    pub(crate) fn want_density(&self) -> bool {
        self.joint.is_some() || self.log_density.is_some()
    }

    /// Whether something but densities follows from distances.
    pub(crate) fn want_distances(&self) -> bool {
        self.mahalanobis.is_some() || self.min_mahalanobis.is_some() || self.want_typicality()
    }

    /// Whether typicalities are needed.
    pub(crate) fn want_typicality(&self) -> bool {
        self.typicality.is_some() || self.label_typicality.is_some()
    }

    /// Whether labels are needed.
    pub(crate) fn want_class(&self) -> bool {
        self.label.is_some() || self.name.is_some() || self.label_typicality.is_some()
    }

    /// Whether posteriors are needed.
    pub(crate) fn want_posterior(&self) -> bool {
        self.want_class() || self.want_shares() || self.log_posterior.is_some()
    }

    /// Whether something is a function of the posteriors, where these are not too small for the type.
    pub(crate) fn want_shares(&self) -> bool {
        self.posterior.is_some() || self.cost.is_some() || self.best.is_some()
    }

    /// Whether classes that are out of the question need no exact score.
    pub(crate) fn want_winners_only(&self) -> bool {
        let Self { log_posterior, joint, log_density, decision, .. } = self;
        let others = [log_posterior, joint, log_density, decision];
        others.into_iter().all(Option::is_none) && self.best.is_none() && !self.want_distances()
    }

    /// The name, length and expected length per row of each array.
    pub(crate) fn lengths(
        &self,
        classes: usize,
        decisions: usize,
    ) -> impl Iterator<Item = (&'static str, usize, usize)> + use<T> {
        let length = |array: &Option<&mut [T]>| array.as_ref().map(|array| array.len());
        let best = |size: fn(&Best<'_, T>) -> usize| self.best.as_ref().map(size);
        let all = [
            ("label", self.label.as_ref().map(|array| array.len()), 1),
            ("name", self.name.as_ref().map(|name| name.lengths().1), 1),
            ("posterior", length(&self.posterior), classes),
            ("log_posterior", length(&self.log_posterior), classes),
            ("joint", length(&self.joint), classes),
            ("log_density", length(&self.log_density), 1),
            ("mahalanobis", length(&self.mahalanobis), classes),
            ("typicality", length(&self.typicality), classes),
            ("smallest mahalanobis", length(&self.min_mahalanobis), 1),
            ("typicality of the label", length(&self.label_typicality), 1),
            ("cost", length(&self.cost), decisions),
            ("best", best(|best| best.classes.len()), best(|best| best.count).unwrap_or(0)),
            (
                "posterior of the best",
                best(|best| best.posterior.len()),
                best(|best| best.count).unwrap_or(0),
            ),
            ("decision", length(&self.decision), decision_width(classes)),
        ];
        all.into_iter().filter_map(|(name, length, width)| Some((name, length?, width)))
    }

    /// The same arrays, for a while.
    pub(crate) fn reborrow(&mut self) -> Answers<'_, T> {
        Answers {
            label: self.label.as_deref_mut(),
            name: self.name.as_mut().map(Names::reborrow),
            posterior: self.posterior.as_deref_mut(),
            log_posterior: self.log_posterior.as_deref_mut(),
            joint: self.joint.as_deref_mut(),
            log_density: self.log_density.as_deref_mut(),
            mahalanobis: self.mahalanobis.as_deref_mut(),
            typicality: self.typicality.as_deref_mut(),
            min_mahalanobis: self.min_mahalanobis.as_deref_mut(),
            label_typicality: self.label_typicality.as_deref_mut(),
            cost: self.cost.as_deref_mut(),
            best: self.best.as_mut().map(Best::reborrow),
            decision: self.decision.as_deref_mut(),
        }
    }

    /// Cuts off the first `rows` rows.
    pub(crate) fn take(&mut self, rows: usize, classes: usize, decisions: usize) -> Self {
        Self {
            label: cut(&mut self.label, rows),
            name: self.name.as_mut().and_then(|name| name.take(rows)),
            posterior: cut(&mut self.posterior, rows * classes),
            log_posterior: cut(&mut self.log_posterior, rows * classes),
            joint: cut(&mut self.joint, rows * classes),
            log_density: cut(&mut self.log_density, rows),
            mahalanobis: cut(&mut self.mahalanobis, rows * classes),
            typicality: cut(&mut self.typicality, rows * classes),
            min_mahalanobis: cut(&mut self.min_mahalanobis, rows),
            label_typicality: cut(&mut self.label_typicality, rows),
            cost: cut(&mut self.cost, rows * decisions),
            best: Best::take(&mut self.best, rows),
            decision: cut(&mut self.decision, rows * decision_width(classes)),
        }
    }
}

fn cut<'a, A>(array: &mut Option<&'a mut [A]>, length: usize) -> Option<&'a mut [A]> {
    array.as_mut().and_then(|array| array.split_off_mut(..length))
}

/// Decisions per row: one is enough to tell two classes apart.
pub(crate) fn decision_width(classes: usize) -> usize {
    if classes == 2 { 1 } else { classes }
}
