//! A model laid out for the kernels, in single or double precision.

use std::f64::consts::PI;
use std::sync::OnceLock;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::anchored::Anchored;
use super::screen::Screen;
use super::{ClassLanesOfPattern, Covariances, Model, Parts, Shape};
use crate::error::{Error, Result, ScoresError};
use crate::kernel::{Affine, DiagDistances, Lane, TiedDistances, Whitened, rounded_center, two_parts};
use crate::linalg::Whitening;

/// Everything a scoring pass reads, besides priors.
#[derive(Debug)]
pub(crate) struct Packed<T> {
    /// Subtracted from each row.
    pub(crate) center: Vec<T>,
    /// Distances to the classes.
    pub(crate) metric: Metric<T>,
    /// −½ log det Σ_k.
    pub(crate) log_volume: Vec<T>,
    /// −(d / 2) log 2π.
    pub(crate) log_unit: T,
    /// A column that varies too little for this precision.
    too_fine: Option<usize>,
}

/// What depends on the priors.
#[derive(Debug)]
pub(crate) struct Prior<T> {
    /// Their logarithms.
    pub(crate) logs: Vec<T>,
    /// log Σ_k π_k, which densities are divided by.
    pub(crate) log_total: T,
    /// Bounds on the scores, once they are needed, if there are any.
    pub(super) screen: OnceLock<Option<Screen<T>>>,
}

impl<T: Lane> Prior<T> {
    pub(super) fn new(log_prior: &[f64]) -> Self {
        let total: f64 = log_prior.iter().map(|log_prior| log_prior.exp()).sum();
        Self {
            logs: log_prior.iter().map(|&log_prior| T::rounded(log_prior)).collect(),
            log_total: T::rounded(total.ln()),
            screen: OnceLock::new(),
        }
    }
}

/// How distances are measured.
#[derive(Debug)]
pub(crate) enum Metric<T> {
    /// A full covariance for each class.
    Full(Vec<Whitened<T>>),
    /// The same, for classes so far apart that each row must be taken about each class's own mean.
    FarApart(Vec<(Vec<[T; 2]>, Whitened<T>)>),
    /// A common covariance.
    Tied(Box<Tied<T>>),
    /// The same, for classes so far apart that each row must be taken about a class near it.
    TiedFarApart(Box<Anchored>),
    /// A variance for each class and column.
    Diag(DiagDistances<T>),
    /// A full covariance for each class, for rows that show some columns only.
    ClassLanes(ClassLanesOfPattern),
}

/// Whiten once, then plain distances; or linear functions where a term common to all classes does not matter.
#[derive(Debug)]
pub(crate) struct Tied<T> {
    /// Of whitened rows, if they were wanted.
    pub(crate) distances: Option<(Affine<T>, TiedDistances<T>)>,
    /// Scores for the posteriors.
    pub(crate) linear: Affine<T>,
    /// The reported decisions, one row for two classes, if they were wanted.
    pub(crate) decision: Option<Affine<T>>,
}

/// What a model is laid out for, besides posteriors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Purposes {
    pub(crate) distances: bool,
    pub(crate) decision: bool,
}

impl Purposes {
    pub(crate) const ALL: Self = Self { distances: true, decision: true };
}

impl<T> Metric<T> {
    /// Whether linear functions stand in for distances where only posteriors matter, and are reported as decisions.
    pub(crate) fn is_linear(&self) -> bool {
        match self {
            Self::Tied(_) | Self::TiedFarApart(_) => true,
            Self::Full(_) | Self::FarApart(_) | Self::Diag(_) | Self::ClassLanes(_) => false,
        }
    }

    /// Whether a class takes one vector only, so that rows cost little.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self, Self::Tied(_) | Self::Diag(_))
    }

    /// What a common covariance takes, of classes that are not far apart.
    pub(crate) fn tied(&self) -> &Tied<T> {
        match self {
            Self::Tied(tied) => tied,
            _ => unreachable!("asked of linear models only"),
        }
    }
}

impl<T: Lane> Packed<T> {
    pub(crate) fn new(parts: &Parts, purposes: Purposes) -> Self {
        let (center, metric, log_det) = match &parts.shape {
            Shape::Full(whitenings) if far_apart::<T>(parts) => full_far_apart(parts, whitenings),
            Shape::Full(whitenings) => full(parts, whitenings),
            Shape::Tied { whitening, .. } if far_apart::<T>(parts) => tied_far_apart(parts, whitening),
            Shape::Tied { .. } => tied(parts, purposes),
            Shape::Diag(deviations) => diag(parts, deviations),
        };
        let too_fine = match metric {
            Metric::TiedFarApart(_) => None, // which is scored in double precision
            _ => too_fine::<T>(parts),
        };
        Self { too_fine, ..Self::of((center, metric, log_det)) }
    }

    /// An error if the scale of a column is beyond this precision: some classes would seem infinitely far.
    pub(crate) fn check_scales(&self) -> Result<()> {
        match self.too_fine {
            Some(column) => Err(Error::Scores(ScoresError::TooFine { column })),
            None => Ok(()),
        }
    }

    /// For some columns of a model, of which there is one at least. How scores are computed depends on the model alone, and
    /// not on the number of rows, so that a row's answers do not depend on the others.
    ///
    /// # Errors
    /// Columns whose covariance is singular, or any where a common covariance does not span all columns.
    pub(crate) fn marginal(model: &Model, columns: &[usize], purposes: Purposes) -> Result<Self> {
        let Covariances::Full(each) = model.covariances(columns)? else {
            return Ok(Self::new(&model.marginal(columns)?, purposes));
        };
        let (lanes, log_det) = ClassLanesOfPattern::new(model, each, columns)?;
        let center = vec![T::zero(); columns.len()];
        Ok(Self::of((center, Metric::ClassLanes(lanes), log_det)))
    }

    fn of((center, metric, log_det): Laid<T>) -> Self {
        Self {
            metric,
            log_volume: log_det.iter().map(|&log_det| T::rounded(-0.5 * log_det)).collect(),
            log_unit: T::rounded(-0.5 * center.len() as f64 * (2.0 * PI).ln()),
            too_fine: None,
            center,
        }
    }
}

/// The first column whose scale is beyond this precision.
fn too_fine<T: Lane>(parts: &Parts) -> Option<usize> {
    let beyond = |scale: f64| !T::rounded(scale).is_finite();
    let among = |matrix: &Array2<f64>| {
        matrix.axis_iter(Axis(1)).position(|column| column.iter().any(|&scale| beyond(scale)))
    };
    match &parts.shape {
        Shape::Full(each) => each.iter().filter_map(|whitening| among(&whitening.matrix)).min(),
        Shape::Tied { whitening, .. } => among(&whitening.matrix),
        Shape::Diag(deviations) => among(&deviations.mapv(f64::recip)),
    }
}

/// The center of rows, the metric, and log det Σ_k.
type Laid<T> = (Vec<T>, Metric<T>, Vec<f64>);

/// Whether classes lie so far from the center that scores about it would lose too many digits to cancellation.
fn far_apart<T: Lane>(parts: &Parts) -> bool {
    let limit = T::epsilon().into().powf(-0.4);
    let means = parts.means.about(&parts.center);
    match &parts.shape {
        Shape::Full(each) => {
            let mut classes = each.iter().zip(means.outer_iter());
            classes.any(|(w, mean)| distances_cancel(&w.matrix.mapv(f64::abs), mean, limit))
        }
        Shape::Tied { whitening, whitened_means, .. } => {
            let sizes = whitening.matrix.mapv(f64::abs);
            means.outer_iter().any(|mean| distances_cancel(&sizes, mean, limit))
                || products_cancel(whitened_means, &means, whitening, limit)
        }
        Shape::Diag(_) => false,
    }
}

/// Whether W (x − m) − W (μ − m) cancels: its error is about ε |W| |μ − m| in units of standard deviations.
fn distances_cancel(sizes: &Array2<f64>, mean: ArrayView1<'_, f64>, limit: f64) -> bool {
    let magnitude = sizes.dot(&mean.mapv(f64::abs));
    magnitude.iter().any(|&magnitude| magnitude > limit)
}

/// Whether b·z − ½ ‖b‖² cancels for some pair of classes: near them its error is about ε |bᵀW| |μ − m|, which moves the
/// boundary between them by as much as it exceeds their distance.
fn products_cancel(
    whitened_means: &Array2<f64>,
    means: &Array2<f64>,
    whitening: &Whitening,
    limit: f64,
) -> bool {
    let sizes = (whitened_means.dot(&whitening.matrix) * means).mapv(f64::abs).sum_axis(Axis(1));
    (0..sizes.len()).filter(|&class| sizes[class] > limit).any(|class| {
        let near = |other: ArrayView1<'_, f64>| {
            let apart = &other - &whitened_means.row(class);
            limit * apart.dot(&apart).sqrt().max(1.0) < sizes[class]
        };
        whitened_means.outer_iter().enumerate().any(|(other, mean)| other != class && near(mean))
    })
}

fn full<T: Lane>(parts: &Parts, whitenings: &[Whitening]) -> Laid<T> {
    let (center, taken) = rounded_center(&parts.center);
    let means = parts.means.about(&parts.center) + taken.insert_axis(Axis(0));
    let whitened = whitenings.iter().zip(means.outer_iter());
    let whitened = whitened
        .map(|(Whitening { matrix, .. }, mean)| Whitened::new(matrix.view(), &matrix.dot(&mean).to_vec()));
    (center, Metric::Full(whitened.collect()), log_dets(whitenings))
}

fn full_far_apart<T: Lane>(parts: &Parts, whitenings: &[Whitening]) -> Laid<T> {
    let d = parts.center.len();
    let means = parts.means.shift.outer_iter().zip(parts.means.offset.outer_iter());
    let classes = whitenings.iter().zip(means).map(|(whitening, (shift, offset))| {
        let mean = shift.iter().zip(offset).map(|(&shift, &offset)| two_parts(shift, offset)).collect();
        (mean, Whitened::new(whitening.matrix.view(), &vec![0.0; d]))
    });
    (vec![T::zero(); d], Metric::FarApart(classes.collect()), log_dets(whitenings))
}

fn log_dets(whitenings: &[Whitening]) -> Vec<f64> {
    whitenings.iter().map(|whitening| whitening.log_det).collect()
}

fn tied<T: Lane>(parts: &Parts, purposes: Purposes) -> Laid<T> {
    let Shape::Tied { whitening, whitened_means, uncentered } = &parts.shape else {
        unreachable!("called for a common covariance only");
    };
    let (center, taken) = rounded_center(&parts.center);
    let means = whitened_means + &whitening.matrix.dot(&taken).insert_axis(Axis(0));
    let matrix = whitening.matrix.view();
    let origin = uncentered.then(|| Array1::from(parts.center.clone()) - &taken);
    // Far from zero, rounding of a term common to all classes would hide what tells them apart.
    let near = |origin: &Array1<f64>| {
        let whitened = matrix.dot(origin);
        0.5 * whitened.dot(&whitened) <= T::epsilon().into().powf(-0.5)
    };
    let origin = origin.filter(near);
    let distances = || (Affine::whitening(matrix), TiedDistances::new(&means));
    let tied = Tied {
        distances: purposes.distances.then(distances),
        linear: linear(&means, matrix),
        decision: purposes.decision.then(|| decision(&means, origin, matrix)),
    };
    (center, Metric::Tied(Box::new(tied)), vec![whitening.log_det; means.nrows()])
}

fn tied_far_apart<T: Lane>(parts: &Parts, whitening: &Whitening) -> Laid<T> {
    let (classes, features) = parts.means.shift.dim();
    let metric = Metric::TiedFarApart(Box::new(Anchored::new(parts)));
    (vec![T::zero(); features], metric, vec![whitening.log_det; classes])
}

fn diag<T: Lane>(parts: &Parts, deviations: &Array2<f64>) -> Laid<T> {
    let log_det = deviations.outer_iter().map(|row| 2.0 * row.mapv(f64::ln).sum()).collect();
    let scales = deviations.mapv(f64::recip);
    let distances = DiagDistances::new(&parts.means.shift, &parts.means.offset, &scales);
    (vec![T::zero(); parts.center.len()], Metric::Diag(distances), log_det)
}

/// Slopes bᵀW and constants −½ ‖b‖² of whitened means b.
fn linear<T: Lane>(means: &Array2<f64>, whitening: ArrayView2<'_, f64>) -> Affine<T> {
    let constants: Vec<f64> = means.outer_iter().map(|b| -0.5 * b.dot(&b)).collect();
    Affine::new(means.dot(&whitening).view(), &constants)
}

/// The discriminants that are reported. Uncentered ones for more than two classes have zᵀa + ½ aᵀa added, where z is
/// the whitened row and a the whitened center.
fn decision<T: Lane>(
    means: &Array2<f64>,
    center: Option<Array1<f64>>,
    whitening: ArrayView2<'_, f64>,
) -> Affine<T> {
    let half_square = |b: ArrayView1<'_, f64>| 0.5 * b.dot(&b);
    match center {
        _ if means.nrows() == 2 => {
            let (first, second) = (means.row(0), means.row(1));
            let slope = (&second - &first).insert_axis(Axis(0));
            Affine::new(slope.dot(&whitening).view(), &[half_square(first) - half_square(second)])
        }
        None => linear(means, whitening),
        Some(center) => {
            let center = whitening.dot(&center);
            let slopes = means + &center.view().insert_axis(Axis(0));
            let constants = means.outer_iter().map(|b| half_square(center.view()) - half_square(b));
            Affine::new(slopes.dot(&whitening).view(), &constants.collect::<Vec<_>>())
        }
    }
}
