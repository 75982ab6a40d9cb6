//! The Gaussians of a model's classes for the rows of one pattern: how far their observed columns are from a class, and what
//! the missing ones are then like.

use std::sync::OnceLock;

use ndarray::{Array1, Array2, ArrayView1, Axis};

use super::regression::Regression;
use crate::error::{Error, Owner, RankError, Result};
use crate::linalg::{factor, symmetric_eigen};
use crate::model::{Covariances, Model, Shape};
use crate::rows::Pattern;

/// One for each class, or one for all.
#[derive(Debug)]
pub(super) struct Conditionals {
    pub(super) pattern: Pattern,
    each: Vec<Conditional>,
}

#[derive(Debug)]
pub(super) struct Conditional {
    relation: Relation,
    /// A with A Aᵀ the covariance of the missing columns given the others, once rows are drawn.
    root: OnceLock<Array2<f64>>,
}

#[derive(Debug)]
enum Relation {
    Linear(Regression),
    /// Standard deviations of the observed and of the missing columns.
    Independent(Array1<f64>, Array1<f64>),
}

impl Conditionals {
    /// # Errors
    /// Observed columns whose covariance is singular.
    pub(super) fn new(model: &Model, pattern: Pattern) -> Result<Self> {
        let linear =
            |covariance: &Array2<f64>, owner: Owner| -> Result<Relation> {
                let regression = Regression::new(covariance.view(), &pattern);
                let columns = || pattern.observed.clone();
                Ok(Relation::Linear(regression.ok_or_else(|| {
                    Error::Rank(RankError::SingularPart { what: owner, columns: columns() })
                })?))
            };
        let relations: Vec<Relation> = match (model.covariances(&pattern.observed)?, &model.parts().shape) {
            (Covariances::Full(each), _) => {
                let each = each.iter().enumerate();
                each.map(|(class, covariance)| linear(covariance, Owner::Class(class)))
                    .collect::<Result<_>>()?
            }
            (Covariances::Tied(common), _) => vec![linear(common, Owner::Pooled)?],
            (Covariances::Diag, Shape::Diag(deviations)) => {
                let part = |row: ArrayView1<'_, f64>, columns: &[usize]| row.select(Axis(0), columns);
                let independent = |row: ArrayView1<'_, f64>| {
                    Relation::Independent(part(row, &pattern.observed), part(row, &pattern.missing))
                };
                deviations.outer_iter().map(independent).collect()
            }
            (Covariances::Diag, _) => unreachable!("only deviations come without covariances"),
        };
        let each = relations.into_iter().map(|relation| Conditional { relation, root: OnceLock::new() });
        Ok(Self { each: each.collect(), pattern })
    }

    pub(super) fn of(&self, class: usize) -> &Conditional {
        if self.each.len() == 1 { &self.each[0] } else { &self.each[class] }
    }
}

impl Conditional {
    /// Rows less the mean of the class, whitened.
    pub(super) fn whitened(&self, apart: &Array2<f64>) -> Array2<f64> {
        match &self.relation {
            Relation::Linear(regression) => apart.dot(&regression.whitening.t()),
            Relation::Independent(observed, _) => apart / &observed.view().insert_axis(Axis(0)),
        }
    }

    /// −½ log det of the observed columns' covariance.
    pub(super) fn log_volume(&self) -> f64 {
        match &self.relation {
            Relation::Linear(regression) => -0.5 * regression.log_det,
            Relation::Independent(observed, _) => -observed.mapv(f64::ln).sum(),
        }
    }

    /// What the missing columns are expected to be, less their means.
    pub(super) fn expected(&self, whitened: &Array2<f64>) -> Array2<f64> {
        match &self.relation {
            Relation::Linear(regression) => whitened.dot(&regression.slopes),
            Relation::Independent(_, missing) => Array2::zeros((whitened.nrows(), missing.len())),
        }
    }

    /// Variances of the missing columns given the others.
    pub(super) fn variances(&self) -> Array1<f64> {
        match &self.relation {
            Relation::Linear(regression) => regression.residual.diag().mapv(|variance| variance.max(0.0)),
            Relation::Independent(_, missing) => missing * missing,
        }
    }

    /// Turns standard normals into deviations of the missing columns from what is expected.
    pub(super) fn spread(&self, normals: ArrayView1<'_, f64>) -> Array1<f64> {
        match &self.relation {
            Relation::Linear(regression) => {
                self.root.get_or_init(|| root(&regression.residual)).dot(&normals)
            }
            Relation::Independent(_, missing) => missing * &normals,
        }
    }
}

/// A root of a covariance, which rounding may have made singular.
fn root(covariance: &Array2<f64>) -> Array2<f64> {
    if let Some(factor) = factor(covariance.view()) {
        return factor.lower;
    }
    match symmetric_eigen(covariance.view()) {
        Some(eigen) => {
            let roots: Array1<f64> = eigen.values.iter().map(|value| value.max(0.0).sqrt()).collect();
            eigen.vectors.t().to_owned() * &roots.insert_axis(Axis(0))
        }
        None => Array2::from_diag(&covariance.diag().mapv(|variance| variance.max(0.0).sqrt())),
    }
}
