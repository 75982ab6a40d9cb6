//! The classes of a grid of models in coordinates in which their covariances are tridiagonal for all γ.

use ndarray::{Array1, ArrayView2, Axis};

use super::coordinates::{Coordinates, Level};
use super::family::Family;
use crate::error::{Owner, Result};
use crate::kernel::{Affine, Chains};
use crate::moments::Moments;
use crate::parallel::Parallel;

/// What the covariances of a class are made of, for one α.
pub(super) struct Grid<'a> {
    pub(super) train: &'a Moments,
    pub(super) family: &'a Family<'a>,
    pub(super) gammas: &'a [f64],
}

/// A class in coordinates in which its covariance is tridiagonal.
pub(super) struct Class {
    pub(super) views: Vec<View>,
    /// For each γ the view that has it, and where.
    pub(super) places: Vec<Option<(usize, usize)>>,
}

/// Coordinates about the mean, and the distances for some γ in them.
pub(super) struct View {
    pub(super) map: Affine<f64>,
    pub(super) width: usize,
    /// q + log det Σ for each γ.
    pub(super) distances: Chains,
}

impl Class {
    pub(super) fn is_regular(&self, place: usize) -> bool {
        self.places[place].is_some()
    }
}

impl Grid<'_> {
    pub(super) fn classes(&self, parallel: Parallel<'_>) -> Result<Vec<Class>> {
        let mixed = self.family.mixing.mixed_covariances(self.train)?;
        // Rows are measured from the first part of the mean.
        let means = &self.train.means_in_parts().offset;
        parallel.map(self.train.n_classes(), |class, job| {
            job.check()?;
            self.class(class, mixed.index_axis(Axis(0), class), means.row(class).to_owned())
        })
    }

    fn class(&self, class: usize, mixed: ArrayView2<'_, f64>, mean: Array1<f64>) -> Result<Class> {
        let mut made = Class { views: vec![], places: vec![None; self.gammas.len()] };
        let sizes = self.train.means().row(class).to_vec();
        let white = |covariance: ArrayView2<'_, f64>, tol| Coordinates::white(covariance, &sizes, tol, false);
        let some =
            |zero: bool| self.gammas.iter().enumerate().filter(move |(_, gamma)| (**gamma == 0.0) == zero);
        if some(true).next().is_some()
            && let Some(white) = white(mixed, self.family.tol)
        {
            made.add(&white, some(true), &mean);
        }
        if some(false).next().is_some() {
            let turned = Coordinates::turned(mixed, self.family, Owner::Class(class));
            let is_sound = |gamma: f64| turned.at(gamma).is_some_and(|level| level.sound);
            made.add(&turned, some(false).filter(|(_, gamma)| is_sound(**gamma)), &mean);
        }
        // Variances that may have lost their digits beside others are found for each γ anew.
        let beyond = self.family.n_beyond(mixed.nrows());
        let tol = if self.family.columns.is_some() { 0.0 } else { self.family.tol };
        for (place, &gamma) in some(false) {
            if made.is_regular(place) {
                continue;
            }
            if let Some(mut white) = white(self.family.shrink(mixed, gamma).view(), tol) {
                if beyond > 0 {
                    white.log_scale += beyond as f64 * (gamma * self.family.anchor(mixed)).ln();
                }
                made.add(&white, std::iter::once((place, &0.0)), &mean);
            }
        }
        Ok(made)
    }
}

impl Class {
    fn add<'g>(
        &mut self,
        coordinates: &Coordinates,
        gammas: impl Iterator<Item = (usize, &'g f64)>,
        mean: &Array1<f64>,
    ) {
        let Some(axes) = &coordinates.axes else { return };
        let levels = gammas.filter_map(|(place, &gamma)| Some((place, coordinates.at(gamma)?)));
        let (places, levels): (Vec<usize>, Vec<Level>) = levels.unzip();
        if levels.is_empty() {
            return;
        }
        for (at, &place) in places.iter().enumerate() {
            self.places[place] = Some((self.views.len(), at));
        }
        let matrices: Vec<_> = levels.iter().map(|level| (&*level.couplings, &*level.inverses)).collect();
        let log_dets: Vec<f64> = levels.iter().map(|level| level.log_det).collect();
        let origin: Vec<f64> = axes.dot(mean).iter().map(|at| -at).collect();
        let (map, width) = (Affine::new(axes.view(), &origin), axes.nrows());
        self.views.push(View { map, width, distances: Chains::new(&matrices, &log_dets) });
    }
}
