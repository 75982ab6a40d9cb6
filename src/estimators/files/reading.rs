//! Parameters of a file, by the names that the Python package gives them.

use ndarray::Array2;
use serde_json::{Map, Value, json};

use super::super::estimator::Kind;
use super::super::settings::{ClassPriors, Decisions, Settings};
use super::super::{
    BernoulliNb, CategoricalNb, ComplementNb, Gamma, GaussianNb, Lda, MultinomialNb, Qda, Rda, Shrinkage,
    Solver,
};
use super::container::Content;
use super::error::{Fault, Outcome};
use super::labels::FileLabel;
use super::parameters::solver_name;
use super::values::{array, number, wrong};
use crate::covariance::{Pooling, Target};
use crate::score::Missing;

/// Parameters that change nothing here.
const WITHOUT_EFFECT: [&str; 7] =
    ["class_weight", "store_covariance", "verbose", "em_max_iter", "em_tol", "reject_label", "force_alpha"];

/// Takes parameters one by one, so that what is left is not known.
pub(super) struct Parameters(pub(super) Map<String, Value>);

impl Parameters {
    fn take(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name).filter(|value| !value.is_null())
    }

    pub(super) fn number(&mut self, name: &str, usual: f64) -> Outcome<f64> {
        self.take(name).map_or(Ok(usual), |value| number(name, &value))
    }

    fn flag(&mut self, name: &str, usual: bool) -> Outcome<bool> {
        let flag = |value: Value| value.as_bool().ok_or_else(|| wrong(name, &value));
        self.take(name).map_or(Ok(usual), flag)
    }

    fn whole(&mut self, name: &str) -> Outcome<Option<usize>> {
        let whole = |value: Value| {
            let count = number(name, &value)?;
            if count >= 1.0 && count.fract() == 0.0 { Ok(count as usize) } else { Err(wrong(name, &value)) }
        };
        self.take(name).map(whole).transpose()
    }

    fn choice<T: Copy>(&mut self, name: &str, usual: T, choices: &[(&str, T)]) -> Outcome<T> {
        let Some(value) = self.take(name) else {
            return Ok(usual);
        };
        let found = choices.iter().find(|(choice, _)| value == **choice);
        found.map(|(_, choice)| *choice).ok_or_else(|| wrong(name, &value))
    }

    /// The estimator that was saved.
    pub(super) fn kind(&mut self, content: &Content) -> Outcome<Kind> {
        Ok(match content.kind.as_str() {
            "QuadraticDiscriminantAnalysis" => Kind::Qda(self.qda()?),
            "LinearDiscriminantAnalysis" => Kind::Lda(self.lda()?),
            "RegularizedDiscriminantAnalysis" => Kind::Rda(self.rda()?),
            "GaussianNB" => Kind::GaussianNb(GaussianNb {
                var_smoothing: self.number("var_smoothing", 1e-9)?,
                unbiased: self.flag("unbiased", false)?,
            }),
            "BernoulliNB" => {
                let binarize = match self.0.remove("binarize") {
                    None => Some(0.0),
                    Some(Value::Null) => None,
                    Some(value) => Some(number("binarize", &value)?),
                };
                Kind::BernoulliNb(BernoulliNb { alpha: self.number("alpha", 1.0)?, binarize })
            }
            "CategoricalNB" => Kind::CategoricalNb(CategoricalNb {
                alpha: self.number("alpha", 1.0)?,
                min_categories: self.whole("min_categories")?.unwrap_or(1),
                ignores_unknown: self.ignores_unknown()?,
            }),
            "MultinomialNB" => Kind::MultinomialNb(MultinomialNb { alpha: self.number("alpha", 1.0)? }),
            "ComplementNB" => Kind::ComplementNb(ComplementNb {
                alpha: self.number("alpha", 1.0)?,
                norm: self.flag("norm", false)?,
            }),
            "MixedNB" => Kind::MixedNb(self.mixed(content.metadata.get("statistics"))?),
            other => {
                let why =
                    format!("it holds a {other}, for which there is no counterpart here; load it in Python");
                return Err(Fault::Unsupported(why));
            }
        })
    }

    pub(super) fn ignores_unknown(&mut self) -> Outcome<bool> {
        self.choice("handle_unknown", false, &[("error", false), ("ignore", true)])
    }

    fn shrinkage(&mut self) -> Outcome<Shrinkage> {
        match self.take("shrinkage") {
            Some(Value::String(name)) if name == "auto" => Ok(Shrinkage::LedoitWolf),
            Some(value) => Ok(Shrinkage::Fixed(number("shrinkage", &value)?)),
            None => Ok(Shrinkage::default()),
        }
    }

    fn qda(&mut self) -> Outcome<Qda> {
        self.choice("solver", (), &[("svd", ()), ("eigen", ())])?;
        Ok(Qda {
            shrinkage: self.shrinkage()?,
            reg_param: self.number("reg_param", 0.0)?,
            tol: self.number("tol", 1e-4)?,
            unbiased: self.flag("unbiased", false)?,
        })
    }

    fn lda(&mut self) -> Outcome<Lda> {
        let solvers = [Solver::Svd, Solver::Lsqr, Solver::Eigen].map(|solver| (solver_name(solver), solver));
        Ok(Lda {
            solver: Some(self.choice("solver", Solver::Svd, &solvers)?),
            shrinkage: self.shrinkage()?,
            components: self.whole("n_components")?,
            reduced_rank: self.flag("reduced_rank", false)?,
            tol: self.number("tol", 1e-4)?,
            unbiased: self.flag("unbiased", false)?,
        })
    }

    fn rda(&mut self) -> Outcome<Rda> {
        let (alpha, gamma) = (self.number("alpha", 0.0)?, self.number("gamma", 0.0)?);
        let targets = [
            ("spherical", Target::Spherical),
            ("diagonal", Target::Diagonal),
            ("identity", Target::Identity),
        ];
        let target = self.choice("target", Target::Spherical, &targets)?;
        let estimated = [("ledoit_wolf", Gamma::LedoitWolf), ("oas", Gamma::OracleApproximating)];
        let gamma = self.choice("shrinkage", Gamma::Fixed(gamma), &estimated)?;
        // What `covariance` stands for.
        let pure = [
            ("full", (0.0, 0.0, Target::Spherical)),
            ("tied", (1.0, 0.0, Target::Spherical)),
            ("diag", (0.0, 1.0, Target::Diagonal)),
            ("tied_diag", (1.0, 1.0, Target::Diagonal)),
            ("spherical", (0.0, 1.0, Target::Spherical)),
            ("tied_spherical", (1.0, 1.0, Target::Spherical)),
        ];
        let pure = pure.map(|(name, (alpha, gamma, target))| (name, (alpha, Gamma::Fixed(gamma), target)));
        let (alpha, gamma, target) = self.choice("covariance", (alpha, gamma, target), &pure)?;
        let poolings = [("covariance", Pooling::Covariance), ("scatter", Pooling::Scatter)];
        Ok(Rda {
            alpha,
            gamma,
            target,
            pooling: self.choice("pooling", Pooling::Covariance, &poolings)?,
            tol: self.number("tol", 1e-4)?,
            unbiased: self.flag("unbiased", false)?,
        })
    }

    /// What all estimators have; whatever is left then must be without effect.
    pub(super) fn settings<L: FileLabel>(mut self, classes: &[L]) -> Outcome<Settings> {
        let missing = [
            ("raise", Missing::Raise),
            ("marginalize", Missing::Marginalize),
            ("propagate", Missing::Propagate),
            ("drop", Missing::Raise), // which leaves rows out of fits, not of those that are scored
        ];
        let settings = Settings {
            priors: self.priors(classes)?,
            threads: self.whole("n_threads")?,
            missing: self.choice("missing", Missing::Raise, &missing)?,
            decisions: self.decisions(classes.len())?,
        };
        let unknown = |(name, value): &(&String, &Value)| {
            !(value.is_null() || **value == Value::Bool(false) || WITHOUT_EFFECT.contains(&name.as_str()))
        };
        match self.0.iter().find(unknown) {
            Some((name, value)) => Err(Fault::Unsupported(format!(
                "its parameter {name} is {value}, for which there is no counterpart here; load it in Python"
            ))),
            None => Ok(settings),
        }
    }

    fn priors<L: FileLabel>(&mut self, classes: &[L]) -> Outcome<ClassPriors> {
        let counted = self.flag("fit_prior", true)?;
        let given = self.take("priors").or_else(|| self.take("class_prior"));
        match given {
            None if counted => Ok(ClassPriors::Proportions),
            None => Ok(ClassPriors::Uniform),
            Some(Value::String(name)) if name == "uniform" => Ok(ClassPriors::Uniform),
            Some(value) => match by_class(&value, classes) {
                Some(priors) => {
                    let priors =
                        priors.iter().map(|prior| number("priors", prior)).collect::<Outcome<_>>()?;
                    Ok(ClassPriors::Given(priors))
                }
                None => Ok(ClassPriors::Given(array("priors", &value)?.1)),
            },
        }
    }

    fn decisions(&mut self, classes: usize) -> Outcome<Decisions> {
        let mut decisions = Decisions::default();
        if let Some(value) = self.take("cost") {
            let (shape, costs) = array("cost", &value)?;
            let [rows, columns] = shape[..] else {
                return Err(wrong("cost", &value));
            };
            decisions.costs =
                Some(Array2::from_shape_vec((rows, columns), costs).map_err(|_| wrong("cost", &value))?);
        }
        match self.take("reject") {
            None => {}
            Some(Value::Object(reasons)) if !reasons.contains_key("$type") => {
                for (name, threshold) in &reasons {
                    let threshold = number("reject", threshold)?;
                    match name.as_str() {
                        "posterior" => decisions.min_posterior = Some(threshold),
                        "typicality" => decisions.min_typicality = Some(threshold),
                        "cost" => {
                            decisions.costs = Some(with_rejecting(decisions.costs.take(), threshold, classes))
                        }
                        _ => return Err(wrong("reject", &json!(name))),
                    }
                }
            }
            Some(value) => decisions.min_posterior = Some(number("reject", &value)?),
        }
        Ok(decisions)
    }
}

/// Costs with a further column, what it costs to give no label; by default a mistake costs 1.
fn with_rejecting(costs: Option<Array2<f64>>, rejecting: f64, classes: usize) -> Array2<f64> {
    let costs = costs.unwrap_or_else(|| 1.0 - Array2::eye(classes));
    let columns = costs.ncols();
    Array2::from_shape_fn(
        (costs.nrows(), columns + 1),
        |(i, j)| if j < columns { costs[(i, j)] } else { rejecting },
    )
}

/// What a dict says of each class.
fn by_class<'a, L: FileLabel>(value: &'a Value, classes: &[L]) -> Option<Vec<&'a Value>> {
    let items: Vec<(Value, &Value)> = match (value.get("$type").and_then(Value::as_str), value) {
        (Some("dict"), _) => {
            let pair = |pair: &'a Value| Some((pair.get(0)?.clone(), pair.get(1)?));
            value.get("items")?.as_array()?.iter().map(pair).collect::<Option<_>>()?
        }
        (None, Value::Object(items)) => items.iter().map(|(name, value)| (json!(name), value)).collect(),
        _ => return None,
    };
    let of = |class: &L| {
        let name = class.to_json();
        items.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
    };
    classes.iter().map(of).collect()
}
