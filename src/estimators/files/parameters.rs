//! Parameters under the names that the Python package gives them.

use serde_json::{Map, Value, json};

use super::super::estimator::Kind;
use super::super::settings::{ClassPriors, Decisions, Settings};
use super::super::{
    BernoulliNb, CategoricalNb, ComplementNb, Gamma, GaussianNb, MultinomialNb, Qda, Rda, Shrinkage, Solver,
};
use super::values::array_to_json;
use crate::covariance::{Pooling, Target};
use crate::score::Missing;

impl Kind {
    /// Under which name the Python package saves such models.
    pub(super) fn saved_as(&self) -> &'static str {
        match self {
            Self::Qda(_) => "QuadraticDiscriminantAnalysis",
            Self::Lda(_) => "LinearDiscriminantAnalysis",
            Self::Rda(_) => "RegularizedDiscriminantAnalysis",
            Self::GaussianNb(_) => "GaussianNB",
            Self::BernoulliNb(_) => "BernoulliNB",
            Self::CategoricalNb(_) => "CategoricalNB",
            Self::MixedNb(_) => "MixedNB",
            Self::MultinomialNb(_) => "MultinomialNB",
            Self::ComplementNb(_) => "ComplementNB",
        }
    }

    /// Whether priors have the names that scikit-learn's discrete models give them.
    fn has_class_prior(&self) -> bool {
        matches!(
            self,
            Self::BernoulliNb(_) | Self::CategoricalNb(_) | Self::MultinomialNb(_) | Self::ComplementNb(_)
        )
    }

    /// The parameters that are not usual, or that no other kind has.
    pub(super) fn to_json(&self, settings: &Settings, columns: usize) -> Value {
        let mut parameters = match self {
            Self::Qda(Qda { shrinkage, reg_param, tol, unbiased }) => json!({
                "solver": if *shrinkage == Shrinkage::default() { "svd" } else { "eigen" },
                "shrinkage": shrinkage_to_json(*shrinkage),
                "reg_param": reg_param,
                "tol": tol,
                "unbiased": unbiased,
            }),
            Self::Lda(lda) => json!({
                "solver": solver_name(lda.solver()),
                "shrinkage": shrinkage_to_json(lda.shrinkage),
                "n_components": lda.components,
                "reduced_rank": lda.reduced_rank,
                "tol": lda.tol,
                "unbiased": lda.unbiased,
            }),
            Self::Rda(Rda { alpha, gamma, target, pooling, tol, unbiased }) => json!({
                "alpha": alpha,
                "gamma": if let Gamma::Fixed(gamma) = gamma { *gamma } else { 0.0 },
                "shrinkage": match gamma {
                    Gamma::Fixed(_) => Value::Null,
                    Gamma::LedoitWolf => json!("ledoit_wolf"),
                    Gamma::OracleApproximating => json!("oas"),
                },
                "target": match target {
                    Target::Spherical => "spherical",
                    Target::Diagonal => "diagonal",
                    Target::Identity => "identity",
                },
                "pooling": if *pooling == Pooling::Scatter { "scatter" } else { "covariance" },
                "tol": tol,
                "unbiased": unbiased,
            }),
            Self::GaussianNb(GaussianNb { var_smoothing, unbiased }) => {
                json!({"var_smoothing": var_smoothing, "unbiased": unbiased})
            }
            Self::BernoulliNb(BernoulliNb { alpha, binarize }) => {
                json!({"alpha": alpha, "binarize": binarize})
            }
            Self::CategoricalNb(CategoricalNb { alpha, min_categories, ignores_unknown }) => json!({
                "alpha": alpha,
                "min_categories": min_categories,
                "handle_unknown": if *ignores_unknown { "ignore" } else { "error" },
            }),
            Self::MixedNb(mixed) => mixed.to_json(columns),
            Self::MultinomialNb(MultinomialNb { alpha }) => json!({"alpha": alpha}),
            Self::ComplementNb(ComplementNb { alpha, norm }) => json!({"alpha": alpha, "norm": norm}),
        };
        if let Value::Object(parameters) = &mut parameters {
            parameters.extend(self.settings_to_json(settings));
        }
        parameters
    }

    fn settings_to_json(&self, settings: &Settings) -> Map<String, Value> {
        let mut parameters = Map::new();
        let mut put = |name: &str, value: Value| _ = parameters.insert(name.to_owned(), value);
        let priors = if self.has_class_prior() { "class_prior" } else { "priors" };
        match &settings.priors {
            ClassPriors::Proportions => {}
            ClassPriors::Uniform if self.has_class_prior() => put("fit_prior", json!(false)),
            ClassPriors::Uniform => put(priors, json!("uniform")),
            ClassPriors::Given(given) => {
                let total: f64 = given.iter().sum();
                put(priors, given.iter().map(|prior| prior / total).collect());
            }
        }
        let Decisions { costs, min_posterior, min_typicality } = &settings.decisions;
        if let Some(costs) = costs {
            put("cost", array_to_json(costs));
        }
        let reasons = [("posterior", min_posterior), ("typicality", min_typicality)];
        let reasons: Map<String, Value> = reasons
            .iter()
            .filter_map(|(name, threshold)| Some(((*name).to_owned(), json!((**threshold)?))))
            .collect();
        if !reasons.is_empty() {
            put("reject", Value::Object(reasons));
        }
        match settings.missing {
            Missing::Raise => {}
            Missing::Marginalize => put("missing", json!("marginalize")),
            Missing::Propagate => put("missing", json!("propagate")),
        }
        if let Some(threads) = settings.threads {
            put("n_threads", json!(threads));
        }
        parameters
    }
}

pub(super) fn solver_name(solver: Solver) -> &'static str {
    match solver {
        Solver::Svd => "svd",
        Solver::Lsqr => "lsqr",
        Solver::Eigen => "eigen",
    }
}

fn shrinkage_to_json(shrinkage: Shrinkage) -> Value {
    match shrinkage {
        Shrinkage::Fixed(0.0) => Value::Null,
        Shrinkage::Fixed(share) => json!(share),
        Shrinkage::LedoitWolf => json!("auto"),
    }
}
