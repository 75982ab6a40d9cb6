//! A block of rows whose classes are screened: bounds on the scores, and the scores that were measured.

use crate::kernel::{Evidence, Lane, Lanes, Single};

/// Rows stand in groups of as many as there are lanes, of single precision for the bounds.
pub(super) struct Block<T: Lane> {
    pub(super) first_row: usize,
    pub(super) classes: usize,
    /// [group][class].
    pub(super) bounds: Vec<Single>,
    /// What a bound must reach for its class to be measured.
    pub(super) min_bounds: Vec<Single>,
    /// The largest score so far.
    pub(super) evidence: Vec<Evidence<T::Lanes>>,
    /// All scores, if they are wanted: [group][class].
    pub(super) scores: Vec<T::Lanes>,
    /// The first row with a score that is not a number.
    pub(super) first_nan_row: Option<usize>,
}

impl<T: Lane> Block<T> {
    pub(super) fn new(first_row: usize, rows: usize, classes: usize, want_scores: bool) -> Self {
        let (groups, bounded) = (rows.div_ceil(T::Lanes::COUNT), rows.div_ceil(Single::COUNT));
        Self {
            first_row,
            classes,
            bounds: vec![Single::splat(0.0); bounded * classes],
            // Lanes without a row reach nothing.
            min_bounds: vec![Single::splat(f32::INFINITY); bounded],
            evidence: vec![Evidence::none::<T>(); groups],
            scores: vec![T::Lanes::splat(T::neg_infinity()); if want_scores { groups * classes } else { 0 }],
            first_nan_row: None,
        }
    }

    /// The first class to be measured for a row sets the mark for the others.
    pub(super) fn lead(&mut self, row: usize, class: usize, score: T, min_bound: f32) {
        let (group, lane) = ((row - self.first_row) / Single::COUNT, (row - self.first_row) % Single::COUNT);
        self.min_bounds[group].set(lane, min_bound);
        self.bounds[group * self.classes + class].set(lane, f32::NEG_INFINITY);
        self.record(row, class, score);
    }

    /// Takes a score; of equal ones the first class wins.
    pub(super) fn record(&mut self, row: usize, class: usize, score: T) {
        let (group, lane) =
            ((row - self.first_row) / T::Lanes::COUNT, (row - self.first_row) % T::Lanes::COUNT);
        let Evidence { largest, class: best, .. } = &mut self.evidence[group];
        let number = T::rounded(class as f64);
        let (max, first) = (largest.entries()[lane], best.entries()[lane]);
        if score > max || (score == max && number < first) {
            largest.set(lane, score);
            best.set(lane, number);
        }
        if let Some(place) = self.scores.get_mut(group * self.classes + class) {
            place.set(lane, score);
        }
        if score.is_nan() {
            self.first_nan_row = Some(self.first_nan_row.map_or(row, |first| first.min(row)));
        }
    }

    /// Classes whose bounds reach the mark, per row, judged by every so many groups.
    pub(super) fn survivors_per_row(&self, every: usize) -> f64 {
        let groups = self.min_bounds.iter().zip(self.bounds.chunks_exact(self.classes)).step_by(every);
        let (mut rows, mut found) = (0, 0);
        for (min_bound, bounds) in groups {
            rows += Single::COUNT;
            for bound in bounds {
                let out = bound.iter().zip(min_bound).filter(|(bound, min)| bound < min).count();
                found += Single::COUNT - out;
            }
        }
        found as f64 / rows as f64
    }
}
