//! What scoring reads of a model of wide data besides priors: made once, for all rows.

use std::sync::Arc;

use ndarray::{Array1, Array2, Axis, s};

use super::model::{WideParts, place_of};
use crate::kernel::{Affine, Distances, Whitened};

/// Distances of means from a center, in deviations of a class, beyond which that costs rows near them digits that scores need:
/// each class is then measured from its own mean.
pub(super) const FAR: f64 = 1e4;

/// What scoring reads of a model besides priors.
#[derive(Debug)]
pub(super) struct Packed {
    /// The points from which rows are measured: one for all classes, or one for each.
    pub(super) centers: Vec<Vec<f64>>,
    /// Means about them, K × d.
    pub(super) means: Array2<f64>,
    pub(super) spaces: Vec<PackedSpace>,
}

#[derive(Debug)]
pub(super) struct PackedSpace {
    /// The place of its center.
    pub(super) center: usize,
    pub(super) project: Arc<Affine<f64>>,
    /// Of coordinates, to the means of its classes.
    pub(super) nearest: Distances<f64>,
    /// 1 / σ², if there are units.
    pub(super) squared_scales: Option<Array1<f64>>,
    /// Of the classes whose space this is.
    pub(super) classes: Vec<usize>,
    pub(super) whitened: Vec<Whitened<f64>>,
    pub(super) levels: Vec<f64>,
    pub(super) size: usize,
}

impl Packed {
    pub(super) fn new(parts: &WideParts) -> Self {
        let classes: Vec<usize> = (0..parts.means.shift.nrows()).collect();
        let projections: Vec<_> =
            (0..parts.spaces.len()).map(|place| Arc::new(projection(parts, place))).collect();
        let project = |class: usize| Arc::clone(&projections[place_of(class, projections.len())]);
        if is_far_apart(parts) {
            let space = |&class: &usize| {
                let mean = parts.means.offset.slice(s![class..=class, ..]);
                let directions = parts.directions(place_of(class, parts.spaces.len()));
                PackedSpace::new(parts, class, project(class), &mean.dot(&directions.t()), vec![class])
            };
            return Self {
                centers: parts.means.shift.outer_iter().map(|shift| shift.to_vec()).collect(),
                means: parts.means.offset.clone(),
                spaces: classes.iter().map(space).collect(),
            };
        }
        let space = |place: usize| {
            let members = if parts.spaces.len() > 1 { vec![place] } else { classes.clone() };
            let means = parts.spaces[place].means.select(Axis(0), &members);
            PackedSpace::new(parts, 0, project(place), &means, members)
        };
        Self {
            centers: vec![parts.center.clone()],
            means: parts.means.about(&parts.center),
            spaces: (0..parts.spaces.len()).map(space).collect(),
        }
    }
}

impl PackedSpace {
    /// Some classes whose means have these coordinates about a center.
    fn new(
        parts: &WideParts,
        center: usize,
        project: Arc<Affine<f64>>,
        means: &Array2<f64>,
        classes: Vec<usize>,
    ) -> Self {
        let of = |class: usize| place_of(class, parts.whitenings.len());
        let whitened = classes.iter().zip(means.outer_iter()).map(|(&class, mean)| {
            let matrix = &parts.whitenings[of(class)];
            Whitened::new(matrix.view(), &matrix.dot(&mean).to_vec())
        });
        let scale = parts.space(of(classes[0])).scale.as_ref();
        Self {
            center,
            project,
            nearest: plain(means),
            squared_scales: scale.map(|scale| scale.mapv(|unit| (unit * unit).recip())),
            whitened: whitened.collect(),
            levels: classes.iter().map(|&class| parts.levels[of(class)]).collect(),
            classes,
            size: means.ncols(),
        }
    }
}

fn projection(parts: &WideParts, place: usize) -> Affine<f64> {
    let directions = parts.directions(place);
    Affine::new(directions.view(), &vec![0.0; directions.nrows()])
}

/// Whether a class mean is so far from the center that rows near one would lose digits by it.
///
/// With a common covariance, large rows make means far that are not, in deviations along their direction.
fn is_far_apart(parts: &WideParts) -> bool {
    if let [whitening] = parts.whitenings.as_slice() {
        let whitened = parts.space(0).means.dot(&whitening.t());
        return whitened.iter().any(|coordinate| coordinate.abs() > FAR);
    }
    parts.levels.iter().enumerate().any(|(place, level)| {
        let means = &parts.space(place).means;
        means.iter().any(|coordinate| coordinate.abs() > FAR * level.sqrt())
    })
}

/// Distances in plain coordinates.
fn plain(means: &Array2<f64>) -> Distances<f64> {
    Distances::new(means, &Array2::zeros(means.raw_dim()), &Array2::ones(means.raw_dim()))
}
