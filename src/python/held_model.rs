//! The kinds of models that one class of Python stands for, and what any of them answers.

use std::sync::OnceLock;

use super::model::Model;
use crate::error::Result;
use crate::model::{Model as Core, Pack};
use crate::parallel::Parallel;
use crate::rows::Rows;
use crate::scalar::Scorable;
use crate::score::{Answers, Rules};
use crate::wide::{SpanModel, WideModel};

/// A model of all columns, or of few directions and their complement.
pub(super) enum Held {
    Plain(Core),
    Wide(WideModel, OnceLock<Core>),
    /// Of the directions in which few rows vary.
    Span(SpanModel, OnceLock<Core>),
}

impl PartialEq for Held {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Plain(ours), Self::Plain(theirs)) => ours == theirs,
            (Self::Wide(ours, _), Self::Wide(theirs, _)) => ours == theirs,
            (Self::Span(ours, _), Self::Span(theirs, _)) => ours.linear() == theirs.linear(),
            _ => false,
        }
    }
}

impl From<SpanModel> for Model {
    fn from(model: SpanModel) -> Self {
        Self(Held::Span(model, OnceLock::new()))
    }
}

impl From<Core> for Model {
    fn from(model: Core) -> Self {
        Self(Held::Plain(model))
    }
}

impl From<WideModel> for Model {
    fn from(model: WideModel) -> Self {
        Self(Held::Wide(model, OnceLock::new()))
    }
}

impl Model {
    /// The model with matrices of d × d, made on first use.
    ///
    /// # Errors
    /// More than there is memory for.
    pub(super) fn dense(&self) -> Result<&Core> {
        match &self.0 {
            Held::Plain(model) => Ok(model),
            Held::Wide(model, made) => get_or_make(made, || model.to_dense()),
            Held::Span(model, made) => get_or_make(made, || model.whole()),
        }
    }

    /// The model of few directions, if it is one.
    pub(super) fn wide(&self) -> Option<&WideModel> {
        match &self.0 {
            Held::Plain(_) | Held::Span(..) => None,
            Held::Wide(model, _) => Some(model),
        }
    }

    /// Answers what was asked of rows.
    pub(super) fn score<T: Pack>(
        &self,
        rows: &Rows<'_>,
        rules: &Rules<'_>,
        answers: Answers<'_, T>,
        parallel: Parallel<'_>,
    ) -> Result<()> {
        let model = match &self.0 {
            Held::Plain(model) => Scorable::Plain(model),
            Held::Wide(model, _) => Scorable::Wide(model),
            Held::Span(model, _) => Scorable::Span(model),
        };
        model.score(rows, rules, answers, parallel)
    }

    pub(super) fn log_priors(&self) -> &[f64] {
        match &self.0 {
            Held::Plain(model) => model.log_prior(),
            Held::Wide(model, _) => model.log_prior(),
            Held::Span(model, _) => model.linear().log_prior(),
        }
    }
}

/// What was made before, or else is made now; threads that make it at the same time keep the first.
pub(super) fn get_or_make<T>(made: &OnceLock<T>, make: impl FnOnce() -> Result<T>) -> Result<&T> {
    if let Some(made) = made.get() {
        return Ok(made);
    }
    let value = make()?;
    Ok(made.get_or_init(|| value))
}
