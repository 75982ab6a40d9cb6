//! The two types of answers, without the kernels behind them.

use ndarray::ArrayView2;

use crate::error::Result;
use crate::float::Real;
use crate::model::{Model, Pack};
use crate::parallel::Parallel;
use crate::project;
use crate::rows::Rows;
use crate::score::{self, Answers, Rules};
use crate::wide::{SpanModel, WideModel};

/// A type that rows are scored in: `f64`, or `f32`, which is faster and enough for rows that hold no more than its precision.
///
/// It is sealed: these two are all there are.
///
/// There is an example at [`crate::core::score()`].
pub trait Scalar: Real {
    #[doc(hidden)]
    fn score(
        model: Scorable<'_>,
        rows: &Rows<'_>,
        rules: &Rules<'_>,
        answers: Answers<'_, Self>,
        parallel: Parallel<'_>,
    ) -> Result<()>;

    #[doc(hidden)]
    fn project(
        axes: ArrayView2<'_, f64>,
        center: &[f64],
        rows: &Rows<'_>,
        out: &mut [Self],
        parallel: Parallel<'_>,
    ) -> Result<()>;
}

macro_rules! scalars {
    ($($scalar:ty),*) => {$(
        impl Scalar for $scalar {
            fn score(
                model: Scorable<'_>,
                rows: &Rows<'_>,
                rules: &Rules<'_>,
                answers: Answers<'_, Self>,
                parallel: Parallel<'_>,
            ) -> Result<()> {
                model.score(rows, rules, answers, parallel)
            }

            fn project(
                axes: ArrayView2<'_, f64>,
                center: &[f64],
                rows: &Rows<'_>,
                out: &mut [Self],
                parallel: Parallel<'_>,
            ) -> Result<()> {
                project::project(axes, center, rows, out, parallel)
            }
        }
    )*};
}
scalars!(f32, f64);

/// A Gaussian model of any kind.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Scorable<'a> {
    /// Of all columns.
    Plain(&'a Model),
    /// Of few directions and their complement.
    Wide(&'a WideModel),
    /// Of the directions in which few rows vary.
    Span(&'a SpanModel),
}

impl Scorable<'_> {
    /// The answers in one precision: see [`crate::core::score()`].
    pub(crate) fn score<T: Pack>(
        self,
        rows: &Rows<'_>,
        rules: &Rules<'_>,
        answers: Answers<'_, T>,
        parallel: Parallel<'_>,
    ) -> Result<()> {
        match self {
            Self::Plain(model) => score::score(model, rows, rules, answers, parallel),
            Self::Wide(model) => model.answer(rows, rules, answers, parallel),
            Self::Span(model) => model.answer(rows, rules, answers, parallel),
        }
    }
}

/// Answers what was asked of each row; labels follow from the rules.
///
/// # Errors
/// NaN or infinity in a row, arrays of the wrong length, a density of a model that has none, scores that overflow, rules
/// that do not fit the model, costs without a cost matrix.
///
/// ```
/// use gauda::core::{Answers, LinearFit, Moments, Parallel, Rows, Rules, Structure, score};
/// use ndarray::array;
///
/// let x = array![[0.0, 1.0], [1.0, 0.0], [4.0, 5.0], [5.0, 4.5]];
/// let rows = Rows::from(x.view());
/// let moments = Moments::from_rows(&rows, &[0, 0, 1, 1], 2, None, Structure::Tied, Parallel::default())?;
/// let model = LinearFit::svd(&moments, &moments.priors()?, 1e-4, false)?.model;
/// let mut label = [0; 4];
/// let answers = Answers::<f64>::default().label(&mut label);
/// score(&model, &rows, &Rules::default(), answers, Parallel::default())?;
/// assert_eq!(label, [0, 0, 1, 1]);
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn score<T: Scalar>(
    model: &Model,
    rows: &Rows<'_>,
    rules: &Rules<'_>,
    answers: Answers<'_, T>,
    parallel: Parallel<'_>,
) -> Result<()> {
    T::score(Scorable::Plain(model), rows, rules, answers, parallel)
}

/// Writes (x − center) · axes to `out`, n × columns of `axes`, one row after another.
///
/// # Errors
/// NaN or infinity in a row, arrays of the wrong size, coordinates that overflow.
///
/// ```
/// use gauda::core::{Parallel, Rows, project};
/// use ndarray::array;
///
/// let x = array![[1.0, 2.0], [3.0, 4.0]];
/// let mut out = [0.0; 2];
/// project(array![[1.0], [10.0]].view(), &[1.0, 1.0], &Rows::from(x.view()), &mut out, Parallel::default())?;
/// assert_eq!(out, [10.0, 32.0]);
/// # Ok::<(), gauda::Error>(())
/// ```
pub fn project<T: Scalar>(
    axes: ArrayView2<'_, f64>,
    center: &[f64],
    rows: &Rows<'_>,
    out: &mut [T],
    parallel: Parallel<'_>,
) -> Result<()> {
    T::project(axes, center, rows, out, parallel)
}
