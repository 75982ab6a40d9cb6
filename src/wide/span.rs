//! A common covariance of few rows in the directions in which they vary. Linear functions need those only along which class
//! means differ; distances need all, which are found when they are asked for.

use std::sync::{Arc, OnceLock};

use ndarray::{Array1, Array2, Axis};

use super::WideMoments;
use super::basis::{gram, invert};
use super::score::score_apart;
use crate::error::{Error, Result, ScoresError, check_tolerance};
use crate::linalg::{Whitening, resolvable, right_singular};
use crate::model::{LinearFit, Model, Pack, Parts, Shape, log_shares};
use crate::moments::check_priors;
use crate::parallel::Parallel;
use crate::rows::Rows;
use crate::scalar::{Scalar, Scorable};
use crate::score::{Answered, Answers, Rules, score};

/// A model that tells posteriors and decisions at once, and finds all directions when distances are asked for.
#[derive(Debug, Clone)]
pub struct SpanModel {
    linear: Arc<Model>,
    span: Arc<Span>,
}

#[derive(Debug)]
struct Span {
    moments: Arc<WideMoments>,
    /// Of the products of standardized rows.
    inverse: Array2<f64>,
    deviations: Array1<f64>,
    divisor: f64,
    whole: OnceLock<Arc<Model>>,
}

impl WideMoments {
    /// The fit of [`WideMoments::linear_svd`] along the directions in which class means differ, and the model of all
    /// directions, which is made when it is needed; none if directions are to be dropped.
    ///
    /// # Errors
    /// As there.
    pub fn linear_span(
        self: &Arc<Self>,
        priors: &[f64],
        tol: f64,
        unbiased: bool,
    ) -> Result<Option<(LinearFit, SpanModel)>> {
        check_tolerance(tol)?;
        self.check_no_class_empty()?;
        check_priors(priors, self.n_classes())?;
        let divisor = self.total_weight() / self.correction(unbiased)?;
        let deviations = self.deviations(divisor)?;
        let rows = &self.factor / &(&deviations * divisor.sqrt()).insert_axis(Axis(0));
        let tol = tol.max(resolvable(self.n_features()));
        let found = invert(&gram(rows.view())).filter(|found| found.least > tol * tol && rows.nrows() > 0);
        let Some(inverse) = found.map(|found| found.inverse) else {
            return Ok(None);
        };
        let center = self.means.mean(priors);
        let apart = self.means.about(&center) / deviations.view().insert_axis(Axis(0));
        let whitened_means = apart.dot(&rows.t()).dot(&inverse);
        let Some(directions) = right_singular(whitened_means.view()) else {
            return Ok(None);
        };
        if directions.vectors.is_empty() {
            return Ok(None); // all means are the same
        }
        let turned = directions.vectors.dot(&inverse);
        let matrix = turned.dot(&rows) / deviations.view().insert_axis(Axis(0));
        let whitening = Whitening { matrix, log_det: f64::NAN };
        let fit = LinearFit::with_axes(center, self.means.clone(), log_shares(priors), whitening, priors)?;
        let moments = Arc::clone(self);
        let span = Span { moments, inverse, deviations, divisor, whole: OnceLock::new() };
        let linear = Arc::new(fit.model.with_log_prior(fit.model.log_prior().to_vec())?);
        Ok(Some((fit, SpanModel { linear, span: Arc::new(span) })))
    }
}

impl SpanModel {
    /// The model along the directions in which class means differ.
    pub fn linear(&self) -> &Model {
        &self.linear
    }

    /// Number of directions in which rows vary.
    pub fn rank(&self) -> usize {
        self.span.inverse.nrows()
    }

    /// The same classes under other priors.
    ///
    /// # Errors
    /// Another number of log-priors, or some that could not be.
    pub fn with_log_prior(&self, log_prior: Vec<f64>) -> Result<Self> {
        let linear = Arc::new(self.linear.with_log_prior(log_prior)?);
        Ok(Self { linear, span: Arc::clone(&self.span) })
    }

    /// The model of all directions.
    ///
    /// # Errors
    /// None that the linear one has not had.
    pub fn whole(&self) -> Result<Model> {
        if let Some(made) = self.span.whole.get() {
            return made.with_log_prior(self.linear.log_prior().to_vec());
        }
        let Span { moments, inverse, deviations, divisor, .. } = &*self.span;
        let units = deviations.view().insert_axis(Axis(0));
        let rows = moments.factor() / &(&units * divisor.sqrt());
        let whitening = Whitening { matrix: inverse.dot(&rows) / units, log_det: f64::NAN };
        let Parts { center, means, .. } = self.linear.parts().clone();
        let shape = Shape::tied(&center, &means, whitening, false);
        let made = Model::from_parts(Parts { center, means, shape }, self.linear.log_prior().to_vec())?;
        let made = self.span.whole.get_or_init(|| Arc::new(made));
        made.with_log_prior(self.linear.log_prior().to_vec())
    }

    /// Answers what was asked of rows, as [`crate::core::score()`] does.
    ///
    /// # Errors
    /// As there.
    pub fn score<T: Scalar>(
        &self,
        rows: &Rows<'_>,
        rules: &Rules<'_>,
        answers: Answers<'_, T>,
        parallel: Parallel<'_>,
    ) -> Result<()> {
        T::score(Scorable::Span(self), rows, rules, answers, parallel)
    }

    pub(crate) fn answer<T: Pack>(
        &self,
        rows: &Rows<'_>,
        rules: &Rules<'_>,
        answers: Answers<'_, T>,
        parallel: Parallel<'_>,
    ) -> Result<()> {
        if answers.want_density() {
            let (rank, features) = (self.rank(), self.linear.n_features());
            return Err(Error::Scores(ScoresError::NoDensity { rank, features }));
        }
        score_apart((&self.linear, Answered::All), rows, rules, answers, parallel, |answers| {
            score(&self.whole()?, rows, rules, answers, parallel)
        })
    }
}
