//! The kinds of moments that one class of Python stands for.

use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;

use super::held_model::get_or_make;
use super::moments::Moments;
use super::run::run_quick;
use crate::error::Result;
use crate::moments::{Means, Moments as Core};
use crate::wide::WideMoments;

/// Scatters, or factors of them while there are few rows.
pub(super) enum Held {
    Dense(Arc<Core>),
    Wide(Arc<WideMoments>, OnceLock<Arc<Core>>),
}

impl PartialEq for Held {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Dense(ours), Self::Dense(theirs)) => ours == theirs,
            (Self::Wide(ours, _), Self::Wide(theirs, _)) => ours == theirs,
            _ => false,
        }
    }
}

impl From<Core> for Moments {
    fn from(moments: Core) -> Self {
        Self(Held::Dense(Arc::new(moments)))
    }
}

impl From<WideMoments> for Moments {
    fn from(moments: WideMoments) -> Self {
        Self(Held::Wide(Arc::new(moments), OnceLock::new()))
    }
}

/// Factors, unless they have more rows than are worth it.
pub(super) fn unless_large(moments: WideMoments) -> Result<Moments> {
    match WideMoments::is_for(moments.factor().nrows(), moments.n_features()) {
        true => Ok(Moments::from(moments)),
        false => moments.to_dense().map(Moments::from),
    }
}

/// Moments with scatters of d × d, to be kept by a thread.
pub(super) fn dense(py: Python<'_>, moments: &Moments) -> PyResult<Arc<Core>> {
    match moments.summed() {
        Some(moments) => Ok(Arc::clone(moments)),
        None => run_quick(py, || moments.dense().cloned()),
    }
}

/// Does the same with either.
macro_rules! of_either {
    ($moments:expr, $held:ident => $body:expr) => {
        match &$moments.0 {
            Held::Dense($held) => $body,
            Held::Wide($held, _) => $body,
        }
    };
}

impl Moments {
    /// Moments with scatters of d × d, made on first use.
    ///
    /// # Errors
    /// More than there is memory for.
    pub(super) fn dense(&self) -> Result<&Arc<Core>> {
        match &self.0 {
            Held::Dense(moments) => Ok(moments),
            Held::Wide(moments, made) => get_or_make(made, || moments.to_dense().map(Arc::new)),
        }
    }

    /// Moments with factors, if these are some.
    pub(super) fn wide(&self) -> Option<&Arc<WideMoments>> {
        match &self.0 {
            Held::Dense(_) => None,
            Held::Wide(moments, _) => Some(moments),
        }
    }

    /// Moments with scatters, if these are some.
    pub(super) fn summed(&self) -> Option<&Arc<Core>> {
        match &self.0 {
            Held::Dense(moments) => Some(moments),
            Held::Wide(..) => None,
        }
    }

    /// The class means.
    pub(super) fn means_in_parts(&self) -> &Means {
        of_either!(self, moments => moments.means_in_parts())
    }

    /// What follows from either kind, kept as factors while that is worth it.
    pub(super) fn map(
        &self,
        wide: impl FnOnce(&WideMoments) -> Result<WideMoments>,
        dense: impl FnOnce(&Core) -> Result<Core>,
    ) -> Result<Self> {
        match &self.0 {
            Held::Dense(moments) => dense(moments).map(Self::from),
            Held::Wide(moments, _) => unless_large(wide(moments)?),
        }
    }

    /// What follows from two, of which both are factors, or none.
    pub(super) fn map_both(
        &self,
        other: &Self,
        wide: impl FnOnce(&WideMoments, &WideMoments) -> Result<WideMoments>,
        dense: impl FnOnce(&Core, &Core) -> Result<Core>,
    ) -> Result<Self> {
        match (self.wide(), other.wide()) {
            (Some(ours), Some(theirs)) => unless_large(wide(ours, theirs)?),
            _ => dense(self.dense()?, other.dense()?).map(Self::from),
        }
    }
}

pub(super) use of_either;
