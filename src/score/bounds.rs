//! Bounds on the scores of a tile of rows.

use super::TILE_ROWS;
use crate::kernel::{Added, Evidence, Lane, Lanes, Single, Terms, Worst, narrow, rate};
use crate::model::Screen;

/// Groups of single precision in a tile.
pub(super) const GROUPS: usize = TILE_ROWS / Single::COUNT;

/// A screen, and memory for the rows of one tile.
pub(super) struct Bounds<'a, T: Lane> {
    screen: &'a Screen<T>,
    /// The rows in the directions of the screen, and in single precision.
    z: Vec<T::Lanes>,
    single: Vec<Single>,
    /// Squared distances: [group][class].
    distances: Vec<Single>,
    row_slack: Vec<T::Lanes>,
    slack: [[Single; GROUPS]; 2],
    evidence: [Evidence<Single>; GROUPS],
}

impl<'a, T: Lane> Bounds<'a, T> {
    pub(super) fn new(screen: &'a Screen<T>) -> Self {
        let (classes, directions) = (screen.classes.len(), screen.directions.outputs());
        let (zero, zeros) = (T::Lanes::splat(T::zero()), Single::splat(0.0));
        let groups = TILE_ROWS / T::Lanes::COUNT;
        Self {
            screen,
            z: vec![zero; groups * directions],
            single: vec![zeros; GROUPS * directions],
            distances: vec![zeros; GROUPS * classes],
            row_slack: vec![zero; groups],
            slack: [[zeros; GROUPS]; 2],
            evidence: [Evidence::none::<f32>(); GROUPS],
        }
    }

    /// Bounds on the scores of packed rows, [group][class]. Tells the worst of what was measured.
    pub(super) fn write(&mut self, x: &[T::Lanes], features: usize, bounds: &mut [Single]) -> Worst {
        let Screen { directions, classes, tops, terms, row_slack, slack, .. } = self.screen;
        let (groups, wide_groups) = (x.len() / features, bounds.len() / classes.len());
        let z = &mut self.z[..groups * directions.outputs()];
        let single = &mut self.single[..wide_groups * directions.outputs()];
        directions.apply(x, features, z);
        narrow::<T>(z, directions.outputs(), single);
        row_slack.to_all(x, &mut self.row_slack[..groups]);
        narrow::<T>(&self.row_slack[..groups], 1, &mut self.slack[0][..wide_groups]);
        slack.to_all(single, &mut self.slack[1][..wide_groups]);
        let distances = &mut self.distances[..bounds.len()];
        for (class, whitened) in classes.iter().enumerate() {
            whitened.norms(single, &mut distances[class..], classes.len());
        }
        let terms = Terms { tops: Some(tops), added: Added::Common(terms) };
        rate::<f32>(distances, terms, bounds, &mut self.evidence[..wide_groups])
    }

    /// For each row of the last tile the class of its largest bound.
    pub(super) fn guesses(&self) -> impl Iterator<Item = u32> {
        self.evidence.iter().flat_map(|evidence| evidence.class).map(|class| class as u32)
    }

    /// For each row of the last tile how far rounding may lift a score over its bound.
    pub(super) fn slacks(&self) -> impl Iterator<Item = f32> {
        let [row, directions] = self.slack.each_ref().map(|slack| slack.as_flattened());
        row.iter().zip(directions).map(|(row, directions)| row + directions)
    }
}
