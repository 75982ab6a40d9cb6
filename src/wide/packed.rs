//! What scoring reads of a model of wide data besides priors: made once, for all rows.

use ndarray::{Array1, Array2};

use super::model::WideParts;
use crate::kernel::{Affine, Distances, Whitened};

/// What scoring reads of a model besides priors.
#[derive(Debug)]
pub(super) struct Packed {
    /// Means about the center, K × d.
    pub(super) means: Array2<f64>,
    pub(super) spaces: Vec<PackedSpace>,
}

#[derive(Debug)]
pub(super) struct PackedSpace {
    pub(super) project: Affine<f64>,
    /// Of coordinates, to the class means.
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
        let classes = parts.means.shift.nrows();
        let own = parts.spaces.len() > 1;
        let space = |place: usize| {
            let space = &parts.spaces[place];
            let directions = parts.directions(place);
            let size = directions.nrows();
            let members = if own { vec![place] } else { (0..classes).collect::<Vec<_>>() };
            let of = |class: usize| if parts.whitenings.len() == 1 { 0 } else { class };
            let whitened = members.iter().map(|&class| {
                let matrix = &parts.whitenings[of(class)];
                Whitened::new(matrix.view(), &matrix.dot(&space.means.row(class)).to_vec())
            });
            PackedSpace {
                project: Affine::new(directions.view(), &vec![0.0; size]),
                nearest: plain(&space.means),
                squared_scales: space.scale.as_ref().map(|scale| scale.mapv(|unit| (unit * unit).recip())),
                whitened: whitened.collect(),
                levels: members.iter().map(|&class| parts.levels[of(class)]).collect(),
                classes: members,
                size,
            }
        };
        Self { means: parts.means.about(&parts.center), spaces: (0..parts.spaces.len()).map(space).collect() }
    }
}

/// Distances in plain coordinates.
fn plain(means: &Array2<f64>) -> Distances<f64> {
    Distances::new(means, &Array2::zeros(means.raw_dim()), &Array2::ones(means.raw_dim()))
}
