//! Gaussian classes as a textbook writes them: two passes for the moments, an explicit inverse, a determinant.

use std::f64::consts::PI;

use nalgebra::{DMatrix, DVector};
use ndarray::{Array2, ArrayView1};

use super::{Kind, Sample};

/// The moments of one class; mean and scatter are 0 where there is no weight.
#[derive(Debug, Clone)]
pub(crate) struct ClassMoments {
    /// Rows of positive weight.
    pub(crate) rows: u64,
    pub(crate) weight: f64,
    pub(crate) mean: Vec<f64>,
    pub(crate) scatter: Array2<f64>,
}

/// Mean first, then sums of products about it, class by class.
pub(crate) fn two_passes(sample: &Sample) -> Vec<ClassMoments> {
    let d = sample.x.ncols();
    let of_class = |class: usize| {
        let weight_of = |row: usize| sample.weights.as_ref().map_or(1.0, |weights| weights[row]);
        let members = (0..sample.labels.len()).filter(|&row| sample.labels[row] as usize == class);
        let members: Vec<(f64, ArrayView1<'_, f64>)> = members
            .map(|row| (weight_of(row), sample.x.row(row)))
            .filter(|(weight, _)| *weight > 0.0)
            .collect();
        let weight: f64 = members.iter().map(|(weight, _)| weight).sum();
        let divisor = if weight > 0.0 { weight } else { 1.0 };
        let mean: Vec<f64> =
            (0..d).map(|j| members.iter().map(|(w, x)| w * x[j]).sum::<f64>() / divisor).collect();
        let scatter = Array2::from_shape_fn((d, d), |(i, j)| {
            members.iter().map(|(w, x)| w * (x[i] - mean[i]) * (x[j] - mean[j])).sum()
        });
        ClassMoments { rows: members.len() as u64, weight, mean, scatter }
    };
    (0..sample.classes).map(of_class).collect()
}

/// The model of one kind, class by class.
#[derive(Debug, Clone)]
pub(crate) struct Textbook {
    kind: Kind,
    priors: Vec<f64>,
    means: Vec<DVector<f64>>,
    inverses: Vec<DMatrix<f64>>,
    log_dets: Vec<f64>,
}

impl Textbook {
    /// Maximum-likelihood divisors. The svd route pools by the classes' weights, the other linear ones by the priors.
    pub(crate) fn new(kind: Kind, sample: &Sample, priors: &[f64]) -> Self {
        let d = sample.x.ncols();
        let classes = two_passes(sample);
        let total: f64 = classes.iter().map(|class| class.weight).sum();
        let own = |class: &ClassMoments| DMatrix::from_fn(d, d, |i, j| class.scatter[(i, j)] / class.weight);
        let pool = |share: &dyn Fn(usize) -> f64| {
            let parts = classes.iter().enumerate().map(|(k, class)| own(class) * share(k));
            vec![parts.fold(DMatrix::zeros(d, d), |sum, part| sum + part); classes.len()]
        };
        let covariances: Vec<DMatrix<f64>> = match kind {
            Kind::Quadratic => classes.iter().map(own).collect(),
            Kind::Naive => {
                classes.iter().map(|class| DMatrix::from_diagonal(&own(class).diagonal())).collect()
            }
            Kind::Svd => pool(&|k| classes[k].weight / total),
            Kind::Lsqr | Kind::Eigen => pool(&|k| priors[k]),
        };
        Self {
            kind,
            priors: priors.to_vec(),
            means: classes.iter().map(|class| DVector::from_vec(class.mean.clone())).collect(),
            inverses: covariances.iter().map(|s| s.clone().try_inverse().expect("regular")).collect(),
            log_dets: covariances.iter().map(|s| s.determinant().ln()).collect(),
        }
    }

    pub(crate) fn n_classes(&self) -> usize {
        self.priors.len()
    }

    pub(crate) fn mahalanobis(&self, x: ArrayView1<'_, f64>, class: usize) -> f64 {
        let apart = DVector::from_iterator(x.len(), x.iter().copied()) - &self.means[class];
        (apart.transpose() * &self.inverses[class] * &apart)[0]
    }

    /// log π_k N(x; μ_k, Σ_k).
    pub(crate) fn joint(&self, x: ArrayView1<'_, f64>, class: usize) -> f64 {
        let log_volume = -0.5 * (self.log_dets[class] + x.len() as f64 * (2.0 * PI).ln());
        self.priors[class].ln() + log_volume - 0.5 * self.mahalanobis(x, class)
    }

    fn log_evidence(&self, x: ArrayView1<'_, f64>) -> f64 {
        (0..self.n_classes()).map(|class| self.joint(x, class).exp()).sum::<f64>().ln()
    }

    /// log p(x), for priors made to sum to 1.
    pub(crate) fn log_density(&self, x: ArrayView1<'_, f64>) -> f64 {
        self.log_evidence(x) - self.priors.iter().sum::<f64>().ln()
    }

    pub(crate) fn log_posterior(&self, x: ArrayView1<'_, f64>, class: usize) -> f64 {
        self.joint(x, class) - self.log_evidence(x)
    }

    /// −½ log det − ½ q + log π, or μᵀΣ⁻¹x − ½ μᵀΣ⁻¹μ + log π: from the mean of the means for the svd route, from the
    /// origin for the other linear ones.
    pub(crate) fn discriminant(&self, x: ArrayView1<'_, f64>, class: usize) -> f64 {
        let log_prior = self.priors[class].ln();
        let origin = match self.kind {
            Kind::Quadratic | Kind::Naive => {
                return log_prior - 0.5 * (self.log_dets[class] + self.mahalanobis(x, class));
            }
            Kind::Svd => {
                let weighted = self.means.iter().zip(&self.priors).map(|(mean, &prior)| mean * prior);
                weighted.sum::<DVector<f64>>() / self.priors.iter().sum::<f64>()
            }
            Kind::Lsqr | Kind::Eigen => DVector::zeros(x.len()),
        };
        let x = DVector::from_iterator(x.len(), x.iter().copied()) - &origin;
        let slope = &self.inverses[class] * (&self.means[class] - &origin);
        slope.dot(&x) - 0.5 * slope.dot(&(&self.means[class] - &origin)) + log_prior
    }
}
