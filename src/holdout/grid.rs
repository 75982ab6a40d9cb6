//! The classes of a grid of models in coordinates in which their covariances are diagonal for all γ.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::family::Family;
use super::spectrum::{Level, Spectrum};
use crate::error::{Owner, Result};
use crate::kernel::Affine;
use crate::moments::Moments;
use crate::parallel::Parallel;

/// Time that a factor of a d × d matrix, and its spectrum, take: as that of so many times d rows that are measured by it.
const FACTOR_WORK: usize = 2;
const SPECTRUM_WORK: usize = 20;

/// How many rows models are made of for each that is held out, about.
const HELD_SHARE: usize = 4;

/// Entries of the factors of all classes and γ that are held at once.
const MAX_ENTRIES: usize = 1 << 25;

/// What the covariances of a class are made of, for one α.
pub(super) struct Grid<'a> {
    pub(super) train: &'a Moments,
    pub(super) family: &'a Family<'a>,
    pub(super) gammas: &'a [f64],
}

/// A class in coordinates in which its covariance is diagonal.
pub(super) struct Class {
    pub(super) views: Vec<View>,
    /// For each γ the view that has it, and where.
    pub(super) places: Vec<Option<(usize, usize)>>,
}

/// Coordinates about the mean, and the distances for some γ as sums of their squares.
pub(super) struct View {
    pub(super) map: Affine<f64>,
    pub(super) width: usize,
    /// q + log det Σ for each γ.
    pub(super) distances: Affine<f64>,
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

    /// Whether a factor for each of so many γ takes less time than one spectrum for all, and not too much memory.
    fn takes_factors(&self, gammas: usize) -> bool {
        let (classes, d) = (self.train.n_classes(), self.train.n_features());
        let rows = self.train.rows().iter().fold(0_usize, |sum, &rows| sum.saturating_add(rows as usize));
        let held = rows / HELD_SHARE;
        let by_factors = gammas.saturating_mul(FACTOR_WORK * d + held);
        by_factors <= SPECTRUM_WORK * d + held && classes.saturating_mul(gammas * d * d) <= MAX_ENTRIES
    }

    fn class(&self, class: usize, mixed: ArrayView2<'_, f64>, mean: Array1<f64>) -> Result<Class> {
        let mut made = Class { views: vec![], places: vec![None; self.gammas.len()] };
        let sizes = self.train.means().row(class).to_vec();
        let white = |covariance: ArrayView2<'_, f64>, tol| Spectrum::white(covariance, &sizes, tol, false);
        let some =
            |zero: bool| self.gammas.iter().enumerate().filter(move |(_, gamma)| (**gamma == 0.0) == zero);
        if some(true).next().is_some()
            && let Some(spectrum) = white(mixed, self.family.tol)
        {
            made.add(&spectrum, some(true), &mean);
        }
        if !self.takes_factors(some(false).count()) {
            let spectrum = Spectrum::turned(mixed, self.family, Owner::Class(class))?;
            let sound = |gamma: f64| spectrum.at(gamma).is_some_and(|level| level.sound);
            made.add(&spectrum, some(false).filter(|(_, gamma)| sound(**gamma)), &mean);
        }
        // Eigenvalues, which may have lost their digits, are not needed for a single γ.
        let beyond = self.family.n_beyond(mixed.nrows());
        let tol = if self.family.columns.is_some() { 0.0 } else { self.family.tol };
        for (place, &gamma) in some(false) {
            if made.is_regular(place) {
                continue;
            }
            if let Some(mut spectrum) = white(self.family.shrink(mixed, gamma).view(), tol) {
                if beyond > 0 {
                    spectrum.log_scale += beyond as f64 * (gamma * self.family.anchor(mixed)).ln();
                }
                made.add(&spectrum, std::iter::once((place, &0.0)), &mean);
            }
        }
        Ok(made)
    }
}

impl Class {
    fn add<'g>(
        &mut self,
        spectrum: &Spectrum,
        gammas: impl Iterator<Item = (usize, &'g f64)>,
        mean: &Array1<f64>,
    ) {
        let Some(axes) = &spectrum.axes else { return };
        let levels = gammas.filter_map(|(place, &gamma)| Some((place, spectrum.at(gamma)?)));
        let (places, levels): (Vec<usize>, Vec<Level>) = levels.unzip();
        for (at, &place) in places.iter().enumerate() {
            self.places[place] = Some((self.views.len(), at));
        }
        let width = axes.nrows();
        let inverses = Array2::from_shape_fn((levels.len(), width), |(at, i)| levels[at].inverses[i]);
        let log_dets: Vec<f64> = levels.iter().map(|level| level.log_det).collect();
        let origin: Vec<f64> = axes.dot(mean).iter().map(|at| -at).collect();
        let map = Affine::new(axes.view(), &origin);
        self.views.push(View { map, width, distances: Affine::new(inverses.view(), &log_dets) });
    }
}
