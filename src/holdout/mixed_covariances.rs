//! The covariances that are left without a row: a matrix that depends on the classes involved, less a multiple of v vᵀ, where
//! v is the row about the mean of its class.
//!
//! Without the row the scatter of its class c loses r v vᵀ with r = n_c / (n_c − 1). A class j ≠ c notices only by what it
//! shares with all; so two matrices for each class do for all rows, or one for all classes if they have the same covariance.

use ndarray::{Array1, Array2, Axis};

use super::coordinates::{Coordinates, Level};
use super::family::Family;
use crate::covariance::{Shares, Target, pooled_correction_of};
use crate::error::{Error, InputError, Owner, RankError, Result, ShapeError};
use crate::model::{magnitudes, singular};
use crate::moments::{Moments, Structure};
use crate::parallel::Parallel;

/// How a row's loss is reckoned with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Route {
    /// In white coordinates: the target has no share.
    White,
    /// In coordinates in which the covariance is tridiagonal with any share of the target.
    Turned,
    /// In the columns, which are independent.
    Columns,
    /// By factoring anew for each row.
    Anew,
}

impl Route {
    pub(super) fn of(target: Target, gamma: f64) -> Self {
        match target {
            _ if gamma == 0.0 => Self::White,
            Target::Diagonal if gamma == 1.0 => Self::Columns,
            Target::Diagonal => Self::Anew,
            Target::Spherical | Target::Identity => Self::Turned,
        }
    }
}

/// A matrix that loses κ v vᵀ.
#[derive(Debug)]
pub(super) struct MixedCovariance {
    pub(super) coordinates: Coordinates,
    /// One for each γ.
    pub(super) levels: Vec<Level>,
    /// The matrix itself, where it is factored anew.
    pub(super) matrix: Option<Array2<f64>>,
    /// κ / r.
    pub(super) kappa: f64,
}

/// MixedCovariances by the class that a row is left out of and the class that it is scored for.
#[derive(Debug)]
pub(super) enum MixedCovariances {
    /// One of each class, and one of each that lost a row.
    Own { whole: Vec<MixedCovariance>, lost: Vec<Option<MixedCovariance>> },
    /// One for all classes, or one for each that a row may be left out of.
    Common(Vec<Option<MixedCovariance>>),
}

impl MixedCovariances {
    pub(super) fn of(&self, left: usize, scored: usize) -> &MixedCovariance {
        let covariance = match self {
            Self::Own { whole, .. } if left != scored => Some(&whole[scored]),
            Self::Own { lost, .. } => lost[left].as_ref(),
            Self::Common(covariances) => covariances[if covariances.len() == 1 { 0 } else { left }].as_ref(),
        };
        covariance.expect("rows are left out of classes that have some")
    }
}

/// What the covariances are made of.
pub(super) struct Builder<'a> {
    pub(super) moments: &'a Moments,
    pub(super) family: &'a Family<'a>,
    pub(super) route: Route,
    pub(super) gammas: &'a [f64],
    /// Added to the variances of independent columns.
    pub(super) smoothing: f64,
}

impl Builder<'_> {
    /// The covariances for rows of the classes in `left`.
    pub(super) fn build(&self, left: &[bool], parallel: Parallel<'_>) -> Result<MixedCovariances> {
        self.moments.check_no_class_empty()?;
        let only = (0..left.len()).find(|&class| left[class] && self.moments.weights()[class] <= 1.0);
        if let Some(class) = only {
            return Err(Error::Input(InputError::EmptyClass { class }));
        }
        let classes = self.moments.n_classes();
        let when_left = |class: usize, build: &dyn Fn() -> Result<MixedCovariance>| match left[class] {
            true => build().map(Some),
            false => Ok(None),
        };
        if let Some(weights) = self.family.weights {
            let each = |class: usize| when_left(class, &|| self.weighted(weights, class));
            return Ok(MixedCovariances::Common(parallel.map(classes, |class, _| each(class))?));
        }
        if self.family.is_common() {
            return Ok(MixedCovariances::Common(vec![Some(self.mixed(0, false, Owner::Pooled)?)]));
        }
        let whole = parallel.map(classes, |class, _| self.mixed(class, false, Owner::Class(class)))?;
        let lost = parallel
            .map(classes, |class, _| when_left(class, &|| self.mixed(class, true, Owner::Class(class))))?;
        Ok(MixedCovariances::Own { whole, lost })
    }

    /// a W_k + b W for a class that lost a row, or did not while another did.
    fn mixed(&self, class: usize, lost: bool, what: Owner) -> Result<MixedCovariance> {
        let moments = self.moments;
        let weight = moments.weights()[class] - if lost { 1.0 } else { 0.0 };
        let total = moments.total_weight() - 1.0;
        let shares = self.family.mixing.shares_of(class, weight, total, moments.n_classes())?;
        let kappa = shares.pooled + if lost { shares.own } else { 0.0 };
        let scatter = moments.scatter();
        if moments.structure() == Structure::Tied && shares.own > 0.0 {
            return Err(Error::Shape(ShapeError::Incompatible("structures")));
        }
        if self.route == Route::Columns {
            return self.independent(&self.variances(class, shares), kappa, what);
        }
        let pooled = scatter.sum_axis(Axis(0));
        let matrix = match moments.structure() {
            Structure::Full => &scatter.index_axis(Axis(0), class) * shares.own + pooled * shares.pooled,
            Structure::Tied => pooled * shares.pooled,
            // Where the target is all, any coordinates will do.
            Structure::Diag if self.gammas.iter().all(|&gamma| gamma == 1.0) => {
                let variances = self.variances(class, shares);
                let coordinates = Coordinates::in_columns(&variances, self.family);
                return self.with_levels(coordinates, kappa, what);
            }
            Structure::Diag => return Err(Error::Shape(ShapeError::Incompatible("structures"))),
        };
        self.decompose(matrix, kappa, what)
    }

    fn variances(&self, class: usize, shares: Shares) -> Array1<f64> {
        let diagonal = |class: usize| self.moments.scatter_diagonal(class);
        let matrices = self.moments.scatter().len_of(Axis(0));
        let pooled = (1..matrices).fold(diagonal(0), |sum, matrix| sum + diagonal(matrix));
        diagonal(class) * shares.own + pooled * shares.pooled
    }

    /// Σ_k π_k S_k without a row of one class.
    fn weighted(&self, weights: &[f64], left: usize) -> Result<MixedCovariance> {
        let moments = self.moments;
        let total = moments.total_weight() - 1.0;
        let correction = match self.family.mixing.unbiased {
            true => pooled_correction_of(total, moments.n_classes())?,
            false => 1.0,
        };
        let share = |class: usize| {
            let lost = if class == left { 1.0 } else { 0.0 };
            correction * weights[class] / (moments.weights()[class] - lost)
        };
        let d = moments.n_features();
        if self.route == Route::Columns && moments.structure() != Structure::Tied {
            let variances = (0..moments.n_classes())
                .fold(Array1::zeros(d), |sum, class| sum + moments.scatter_diagonal(class) * share(class));
            return self.independent(&variances, share(left), Owner::Pooled);
        }
        if moments.structure() != Structure::Full {
            return Err(Error::Shape(ShapeError::Incompatible("structures")));
        }
        let mut matrix = Array2::zeros((d, d));
        for (class, scatter) in moments.scatter().outer_iter().enumerate() {
            matrix.scaled_add(share(class), &scatter);
        }
        self.decompose(matrix, share(left), Owner::Pooled)
    }

    fn decompose(&self, matrix: Array2<f64>, kappa: f64, what: Owner) -> Result<MixedCovariance> {
        let coordinates = match self.route {
            Route::White => self.white(&matrix, what)?,
            // Without a loss the regularized covariance stays as it is.
            Route::Anew if kappa == 0.0 => {
                self.white(&self.family.shrink(matrix.view(), self.gammas[0]), what)?
            }
            Route::Anew => {
                let columns = Coordinates::of_columns(&matrix.diag().to_owned());
                let matrix = Some(matrix);
                return Ok(MixedCovariance { coordinates: columns, levels: vec![], matrix, kappa });
            }
            Route::Turned | Route::Columns => Coordinates::turned(matrix.view(), self.family, what),
        };
        self.with_levels(coordinates, kappa, what)
    }

    fn white(&self, matrix: &Array2<f64>, what: Owner) -> Result<Coordinates> {
        let (moments, tol) = (self.moments, self.family.tol);
        let sizes = match what {
            Owner::Class(class) => moments.means().row(class).to_vec(),
            Owner::Pooled => magnitudes(moments),
        };
        Coordinates::white(matrix.view(), &sizes, tol, what == Owner::Pooled).ok_or_else(|| {
            let deviations = crate::linalg::standard_deviations(matrix.view(), &sizes);
            singular(moments, what, matrix.view(), &deviations, tol)
        })
    }

    fn independent(&self, variances: &Array1<f64>, kappa: f64, what: Owner) -> Result<MixedCovariance> {
        self.with_levels(Coordinates::of_columns(&(variances + self.smoothing)), kappa, what)
    }

    fn with_levels(&self, coordinates: Coordinates, kappa: f64, what: Owner) -> Result<MixedCovariance> {
        // White coordinates and independent columns have their share of the target already.
        let share = |gamma: f64| if self.route == Route::Turned { gamma } else { 0.0 };
        let levels: Option<Vec<Level>> =
            self.gammas.iter().map(|&gamma| coordinates.at(share(gamma))).collect();
        match levels {
            Some(levels) => Ok(MixedCovariance { coordinates, levels, matrix: None, kappa }),
            None => Err(self.without_variance(&coordinates, what)),
        }
    }

    /// Why a diagonal covariance is none.
    fn without_variance(&self, coordinates: &Coordinates, what: Owner) -> Error {
        let columns: Vec<usize> =
            (0..coordinates.diagonal.len()).filter(|&j| !coordinates.diagonal[j].is_normal()).collect();
        if let Some(&column) = columns.iter().find(|&&j| !coordinates.diagonal[j].is_finite()) {
            return Error::Input(InputError::Overflow { what, column });
        }
        let (weights, features) = (self.moments.weights(), self.moments.n_features());
        match (self.route, what) {
            (Route::Columns, Owner::Class(class)) => {
                Error::Rank(RankError::ZeroVariance { class, weight: weights[class], columns })
            }
            _ => Error::Rank(RankError::Singular {
                what,
                weight: match what {
                    Owner::Class(class) => weights[class],
                    Owner::Pooled => weights.sum(),
                },
                features,
                rank: features.saturating_sub(columns.len()),
                constant: columns,
                dependent: vec![],
            }),
        }
    }
}
