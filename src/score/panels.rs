//! Rows measured panel by panel: a few rows, and of these as many columns as stay in the cache nearest to the registers
//! while all classes pass by. The rows of the next panel are fetched from memory meanwhile.

use std::ops::Range;

use super::TILE_ROWS;
use super::gaussian::GaussianWorker;
use super::scorer::{Need, Raw};
use crate::kernel::{Ahead, Lane, Lanes};
use crate::model::{Metric, Tied};

/// Columns up to which whole tiles are packed, or half as many rows.
const NARROW: [usize; 2] = [24, 64];

/// Columns that are packed together at most; beyond them they would not stay in cache.
const WIDE: usize = 200;

/// Panels by which fetching runs ahead of packing: of columns more, as each is reached anew; of narrow ones still more.
const AHEAD_IN_ROWS: usize = 1;
const AHEAD_IN_COLUMNS: usize = 2;
const AHEAD_IN_NARROW_COLUMNS: usize = 3;

/// Rows and columns that are packed together.
#[derive(Debug, Clone, Copy)]
struct Panel {
    groups: usize,
    columns: usize,
    /// Panels by which fetching runs ahead.
    ahead: usize,
}

impl Panel {
    fn new<T: Lane>(features: usize, has_long_columns: bool) -> Self {
        let narrow = features <= NARROW[0];
        let groups = match features {
            _ if narrow && !has_long_columns => TILE_ROWS / T::Lanes::COUNT,
            _ if has_long_columns || features <= NARROW[1] => 4,
            _ => 2,
        };
        // Panels of about the same width, of whole strips of columns.
        let columns = features.div_ceil(features.div_ceil(WIDE)).next_multiple_of(4);
        let ahead = match (has_long_columns, narrow) {
            (true, true) => AHEAD_IN_NARROW_COLUMNS,
            (true, false) => AHEAD_IN_COLUMNS,
            (false, _) => AHEAD_IN_ROWS,
        };
        Self { groups, columns, ahead }
    }
}

impl<T: Lane> GaussianWorker<'_, '_, T> {
    /// Whatever is needed of rows that each class has one vector for: linear functions, or variances. `next` is the row that
    /// comes next, if they follow each other.
    pub(super) fn measure_panels(&mut self, need: Need, next: Option<usize>, raw: &mut Raw<T>) {
        let (packed, features, lanes) = (self.packed, self.packed.center.len(), T::Lanes::COUNT);
        let panel = Panel::new::<T>(features, self.rows.has_long_columns());
        let rows = panel.groups * lanes;
        for first in (0..self.indices.len()).step_by(rows) {
            let places = first..(first + rows).min(self.indices.len());
            let mut ahead = match next {
                Some(next) => {
                    self.fetch(next - self.indices.len() + places.end + (panel.ahead - 1) * rows, rows)
                }
                None => Ahead::nothing(),
            };
            match &packed.metric {
                Metric::Tied(tied) => self.measure_tied(tied, need, (places, panel.columns), &mut ahead, raw),
                Metric::Diag(to) => {
                    let distances = &mut raw.distances[first / lanes * self.n_classes()..];
                    self.pack_panel(places, 0..features);
                    to.to_all_while(&self.x, &mut ahead, distances);
                }
                _ => unreachable!("other metrics take more of each class"),
            }
        }
    }

    /// The same of one panel, so many columns at once, under a common covariance.
    fn measure_tied(
        &mut self,
        tied: &Tied<T>,
        need: Need,
        (places, width): (Range<usize>, usize),
        ahead: &mut Ahead,
        raw: &mut Raw<T>,
    ) {
        let (features, first_group) = (self.packed.center.len(), places.start / T::Lanes::COUNT);
        let groups = places.len().div_ceil(T::Lanes::COUNT);
        let distances = tied.distances.as_ref().filter(|_| need.distances);
        let of_linear = distances.is_some_and(|(_, to)| to.are_of_linear());
        let alone = of_linear && !need.scores;
        self.whitened.resize(distances.map_or(0, |(whiten, _)| groups * whiten.outputs()));
        for start in (0..features).step_by(width) {
            let columns = start..(start + width).min(features);
            self.pack_panel(places.clone(), columns.clone());
            let maps = [
                (need.scores.then_some(&tied.linear), &mut raw.linear[..], first_group),
                (alone.then_some(&tied.linear), &mut raw.distances[..], first_group),
                (tied.decision.as_ref().filter(|_| need.decision), &mut raw.decision[..], first_group),
                (distances.map(|(whiten, _)| whiten), &mut self.whitened[..], 0),
            ];
            for (map, out, first_group) in maps {
                let Some(map) = map else { continue };
                let out = &mut out[first_group * map.outputs()..];
                map.apply_columns(&self.x, columns.clone(), features, ahead, out);
            }
        }
        if let Some((_, to)) = distances {
            let classes = first_group * self.n_classes()..(first_group + groups) * self.n_classes();
            let distances = &mut raw.distances[classes.clone()];
            if of_linear && need.scores {
                distances.copy_from_slice(&raw.linear[classes]);
            }
            to.to_all(&self.whitened, distances);
        }
    }
}
