//! What the missing values of some rows of one pattern may be: a mixture over the classes.

use ndarray::{Array1, Array2, ArrayView1, Axis};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use super::conditional::Conditionals;
use crate::error::{Error, Result, ScoresError};
use crate::model::Model;
use crate::rows::Rows;
use crate::sample::{Stream, pick};
use crate::score::{Answers, Form, Need, Response, Ruling};

pub(super) struct Mixture<'a> {
    conditionals: &'a Conditionals,
    /// Probability of each class, row × class.
    weights: Array2<f64>,
    /// For each class the expected values, row × missing column.
    means: Vec<Array2<f64>>,
}

impl<'a> Mixture<'a> {
    /// The mixture for rows whose classes are known, or have posteriors given what is observed.
    ///
    /// # Errors
    /// A row so far from all classes that its scores overflow.
    pub(super) fn new(
        model: &Model,
        conditionals: &'a Conditionals,
        rows: &Rows<'_>,
        indices: &[usize],
        classes: Option<&[u32]>,
    ) -> Result<Self> {
        let (n, n_classes) = (indices.len(), model.n_classes());
        let pattern = &conditionals.pattern;
        let mut x = Array2::zeros((n, pattern.observed.len()));
        for (mut x, &row) in x.outer_iter_mut().zip(indices) {
            rows.read(row, &pattern.observed, x.as_slice_mut().expect("rows of a C-ordered array"));
        }
        let mut weights = Array2::from_elem((n, n_classes), f64::NEG_INFINITY);
        let mut means = vec![];
        for class in 0..n_classes {
            let (shift, offset) =
                (model.parts().means.shift.row(class), model.parts().means.offset.row(class));
            let part = |mean: ArrayView1<'_, f64>, columns: &[usize]| {
                mean.select(Axis(0), columns).insert_axis(Axis(0))
            };
            let apart = &x - &part(shift, &pattern.observed) - part(offset, &pattern.observed);
            let conditional = conditionals.of(class);
            let whitened = conditional.whitened(&apart);
            let top = model.log_prior()[class] + conditional.log_volume();
            weights.column_mut(class).assign(&whitened.map_axis(Axis(1), |z| top - 0.5 * z.dot(&z)));
            let missing = part(shift, &pattern.missing) + part(offset, &pattern.missing);
            means.push(conditional.expected(&whitened) + missing);
        }
        match classes {
            Some(classes) => choose(&mut weights, indices, classes),
            None => normalize(&mut weights, indices)?,
        }
        means.iter().try_for_each(|means| check_finite(means, indices))?;
        Ok(Self { conditionals, weights, means })
    }

    /// The mean of each missing value, row × missing column.
    pub(super) fn mean(&self) -> Array2<f64> {
        let mut mean = Array2::zeros(self.means[0].raw_dim());
        for (means, weights) in self.means.iter().zip(self.weights.columns()) {
            mean += &(means * &weights.insert_axis(Axis(1)));
        }
        mean
    }

    /// The standard deviation of each missing value about the mean; `indices` are the rows.
    ///
    /// # Errors
    /// A row of which it overflows.
    pub(super) fn deviation(&self, mean: &Array2<f64>, indices: &[usize]) -> Result<Array2<f64>> {
        let mut variance = Array2::<f64>::zeros(mean.raw_dim());
        for (class, (means, weights)) in self.means.iter().zip(self.weights.columns()).enumerate() {
            let apart = means - mean;
            let within = self.conditionals.of(class).variances().insert_axis(Axis(0));
            variance += &((&apart * &apart + within) * weights.insert_axis(Axis(1)));
        }
        check_finite(&variance, indices)?;
        Ok(variance.mapv_into(f64::sqrt))
    }

    /// Draws the missing values of one row: a class, then its Gaussian.
    pub(super) fn draw(&self, row: usize, stream: &mut Stream) -> Array1<f64> {
        let class = pick(self.weights.row(row), stream.random());
        let mean = self.means[class].row(row);
        let normals: Array1<f64> = mean.iter().map(|_| StandardNormal.sample(stream)).collect();
        self.conditionals.of(class).spread(normals.view()) + mean
    }
}

/// An error if what is expected of a row overflows.
fn check_finite(means: &Array2<f64>, indices: &[usize]) -> Result<()> {
    let finite = |row: ArrayView1<'_, f64>| row.iter().all(|value| value.is_finite());
    match means.outer_iter().zip(indices).find(|(row, _)| !finite(*row)) {
        Some((_, &row)) => Err(Error::Scores(ScoresError::TooFar { row })),
        None => Ok(()),
    }
}

/// Makes the known class of each row certain.
fn choose(weights: &mut Array2<f64>, indices: &[usize], classes: &[u32]) {
    weights.fill(0.0);
    for (mut weights, &row) in weights.outer_iter_mut().zip(indices) {
        weights[classes[row] as usize] = 1.0;
    }
}

/// Turns logarithms of prior times density into posteriors.
fn normalize(weights: &mut Array2<f64>, indices: &[usize]) -> Result<()> {
    let (n, classes) = weights.dim();
    let log_prior = vec![0.0; classes]; // they are in the scores
    let ruling = Ruling::of_log_prior(&log_prior);
    let mut response = Response::new(&ruling, Need::POSTERIORS);
    response.hold(0..n, 0);
    response.raw.resize_linear(n, classes);
    for (row, scores) in weights.outer_iter().enumerate() {
        response.raw.set_linear(row, scores.to_slice().expect("rows of a C-ordered array"));
    }
    let too_far = |row: usize| Error::Scores(ScoresError::TooFar { row: indices[row] });
    if let Some(&row) = response.raw.rows_with_nan(n, classes).first() {
        return Err(too_far(row));
    }
    let mut answers = Answers { posterior: weights.as_slice_mut(), ..Answers::default() };
    response.answer(Form::of_log_likelihoods(&[]), &too_far, &mut answers)
}
