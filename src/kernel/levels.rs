//! Log-probabilities of the levels of one column, added to the scores of rows. Here scores stand row by row, those of a
//! row padded to whole fours, because a level's terms for all classes lie side by side.

use super::instance::{Instance, Kernel, Level, dispatch};

/// Quad scores.
pub(crate) type Quad = [f64; 4];

/// Values of the classes in fours, zeros after the last.
pub(crate) fn in_quads<'a>(values: impl IntoIterator<Item = &'a f64>) -> Vec<Quad> {
    let values: Vec<f64> = values.into_iter().copied().collect();
    let four = |values: &[f64]| std::array::from_fn(|lane| values.get(lane).copied().unwrap_or(0.0));
    values.chunks(4).map(four).collect()
}

/// Adds the terms of each row's level: those of level l are `table[l * width..][..width]`.
pub(crate) fn add_levels(levels: &[u32], table: &[Quad], width: usize, scores: &mut [Quad]) {
    dispatch(Level::current(), AddLevels { levels, table, width, scores });
}

struct AddLevels<'a> {
    levels: &'a [u32],
    table: &'a [Quad],
    width: usize,
    scores: &'a mut [Quad],
}

impl Kernel for AddLevels<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self, _: I) {
        match self.width {
            1 => self.add::<1>(),
            2 => self.add::<2>(),
            3 => self.add::<3>(),
            4 => self.add::<4>(),
            width => {
                for (scores, &level) in self.scores.chunks_exact_mut(width).zip(self.levels) {
                    let terms = &self.table[level as usize * width..][..width];
                    scores.iter_mut().zip(terms).for_each(|(scores, terms)| add(scores, terms));
                }
            }
        }
    }
}

impl AddLevels<'_> {
    #[inline(always)]
    fn add<const WIDTH: usize>(self) {
        let (table, scores) = (self.table.as_chunks::<WIDTH>().0, self.scores.as_chunks_mut::<WIDTH>().0);
        for (scores, &level) in scores.iter_mut().zip(self.levels) {
            let terms = &table[level as usize];
            scores.iter_mut().zip(terms).for_each(|(scores, terms)| add(scores, terms));
        }
    }
}

#[inline(always)]
fn add(scores: &mut Quad, terms: &Quad) {
    for lane in 0..4 {
        scores[lane] += terms[lane];
    }
}

/// Adds top − (x − mean)² · half of each class to the scores of each row; a number that is NaN adds nothing.
pub(crate) fn add_normal(numbers: &[f64], [means, halves, tops]: [&[Quad]; 3], scores: &mut [Quad]) {
    dispatch(Level::current(), AddNormal { numbers, means, halves, tops, scores });
}

struct AddNormal<'a> {
    numbers: &'a [f64],
    means: &'a [Quad],
    halves: &'a [Quad],
    tops: &'a [Quad],
    scores: &'a mut [Quad],
}

impl Kernel for AddNormal<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self, _: I) {
        let rows = self.scores.chunks_exact_mut(self.means.len()).zip(self.numbers);
        for (scores, &x) in rows.filter(|(_, x)| !x.is_nan()) {
            let classes = self.means.iter().zip(self.halves).zip(self.tops);
            for (scores, ((means, halves), tops)) in scores.iter_mut().zip(classes) {
                for lane in 0..4 {
                    let apart = x - means[lane];
                    scores[lane] += tops[lane] - apart * apart * halves[lane];
                }
            }
        }
    }
}

/// Turns scores row by row into lanes of rows side by side, [group][class].
pub(crate) fn transpose_to_lanes(scores: &[Quad], classes: usize, groups: &mut [[f64; 8]]) {
    let width = classes.div_ceil(4);
    for (group, rows) in groups.chunks_exact_mut(classes).zip(scores.chunks(8 * width)) {
        for (lane, row) in rows.chunks_exact(width).enumerate() {
            let row = row.as_flattened();
            group.iter_mut().zip(row).for_each(|(lanes, &score)| lanes[lane] = score);
        }
    }
}
