//! How users of the core say which answers they want, and by which rules, whatever questions and rules later versions add.

use ndarray::ArrayView2;

use super::{Answers, Best, Missing, Names, Priors, Rules};

/// Methods that set a field and return the whole.
macro_rules! setters {
    ($($(#[$doc:meta])* $field:ident: $kind:ty),* $(,)?) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $field(mut self, $field: $kind) -> Self {
            self.$field = $field.into();
            self
        }
    )*};
}

/// Each takes the array that its answers go to; see [`Answers`] for an example.
impl<'a, T> Answers<'a, T> {
    setters! {
        /// The label by the rules, n; K where the row is rejected.
        label: &'a mut [u32],
        /// The name of that label, n.
        name: Names<'a>,
        /// p(k | x), n × K.
        posterior: &'a mut [T],
        /// log p(k | x), n × K.
        log_posterior: &'a mut [T],
        /// log p(x, k), n × K.
        joint: &'a mut [T],
        /// log p(x), n.
        log_density: &'a mut [T],
        /// Squared Mahalanobis distances, n × K.
        mahalanobis: &'a mut [T],
        /// The probability that a row of the class lies farther from its mean, n × K.
        typicality: &'a mut [T],
        /// The smallest of the distances to the classes, n.
        min_mahalanobis: &'a mut [T],
        /// The typicality of the label, n; NaN where the row is rejected.
        label_typicality: &'a mut [T],
        /// Expected costs, n × the columns of the cost matrix.
        cost: &'a mut [T],
        /// The classes of the largest posteriors.
        best: Best<'a, T>,
        /// log p(k | x) up to a term common to the classes, n × K; for two classes the difference, n.
        decision: &'a mut [T],
    }
}

/// Each sets a rule; see [`Rules`] for an example.
impl<'a> Rules<'a> {
    setters! {
        /// Priors in place of the model's.
        priors: Priors<'a>,
        /// What decision j costs where class i is the truth, K × K or, with the cost of rejecting, K × (K + 1).
        cost: ArrayView2<'a, f64>,
        /// Whether each row gets the label of the smallest expected cost.
        by_cost: bool,
        /// Rows whose label has a smaller posterior are rejected.
        min_posterior: f64,
        /// Rows that are less typical of their label are rejected.
        min_typicality: f64,
        /// How rows with missing values are handled.
        missing: Missing,
        /// What stands for no data in each column, d.
        no_data: &'a [f64],
    }
}
