//! Sufficient statistics of the groups: all that the iterations need of the rows.

use ndarray::{Array1, Array2, Axis, concatenate};

use super::groups::{Group, Sample};
use crate::error::Result;
use crate::kernel::{Panel, RowsAhead, padded};
use crate::parallel::Parallel;
use crate::rows::Pattern;

/// Rows that are summed up together before they join the others.
const PANEL_ROWS: usize = 128;

/// Larger groups are shared out among tasks, as many as this at most.
const LARGE: usize = 1 << 13;
const MAX_PARTS: usize = 16;

/// What a group's observed columns show, about the shift of the class.
#[derive(Debug, Clone)]
pub(super) struct Statistics {
    pub(super) pattern: usize,
    pub(super) class: usize,
    pub(super) weight: f64,
    pub(super) mean: Array1<f64>,
    pub(super) spread: Spread,
}

/// How rows spread about their mean, in the smaller of two forms; a single row does not.
#[derive(Debug, Clone)]
pub(super) enum Spread {
    None,
    /// The rows less their mean, times the roots of their weights.
    Rows(Array2<f64>),
    /// Sums of squares and products.
    Scatter(Array2<f64>),
}

/// The statistics of all groups, in their order; `shift` is class × column.
pub(super) fn statistics(
    sample: &Sample<'_, '_>,
    groups: &[Group],
    patterns: &[Pattern],
    shift: &Array2<f64>,
    parallel: Parallel<'_>,
) -> Result<Vec<Statistics>> {
    let parts: Vec<(&Group, &[usize])> =
        groups.iter().flat_map(|group| parts_of(group, is_small(group, &patterns[group.pattern]))).collect();
    let of_parts = parallel.map(parts.len(), |part, _| {
        let (group, rows) = parts[part];
        Ok(Part { sample, group, rows, pattern: &patterns[group.pattern], shift }.statistics())
    })?;
    let mut joined: Vec<Statistics> = Vec::with_capacity(groups.len());
    for part in of_parts {
        match joined.pop_if(|last| (last.pattern, last.class) == (part.pattern, part.class)) {
            Some(last) => joined.push(last.join(part)),
            None => joined.push(part),
        }
    }
    Ok(joined)
}

/// Whether a group has so few rows that they take less room than their scatter.
fn is_small(group: &Group, pattern: &Pattern) -> bool {
    group.rows.len() <= pattern.observed.len()
}

/// The rows of a group in parts, which are joined as scatters; a small one is not shared out.
fn parts_of(group: &Group, small: bool) -> impl Iterator<Item = (&Group, &[usize])> {
    let shared = group.rows.len().div_ceil(MAX_PARTS).max(LARGE);
    let size = if small { shared.max(group.rows.len()) } else { shared };
    group.rows.chunks(size).map(move |rows| (group, rows))
}

struct Part<'a, 's, 'r> {
    sample: &'a Sample<'s, 'r>,
    group: &'a Group,
    rows: &'a [usize],
    pattern: &'a Pattern,
    shift: &'a Array2<f64>,
}

impl Part<'_, '_, '_> {
    fn statistics(&self) -> Statistics {
        let weight = self.rows.iter().map(|&row| self.sample.class_and_weight(row).1).sum();
        let (mean, spread) = match is_small(self.group, self.pattern) {
            true => self.row_by_row(weight),
            false => self.summed_up(weight),
        };
        Statistics { pattern: self.group.pattern, class: self.group.class, weight, mean, spread }
    }

    fn row_by_row(&self, weight: f64) -> (Array1<f64>, Spread) {
        let observed = &self.pattern.observed;
        let shift = self.shift.row(self.group.class).select(Axis(0), observed);
        let mut x = Array2::zeros((self.rows.len(), observed.len()));
        for (mut x, &row) in x.outer_iter_mut().zip(self.rows) {
            self.sample.rows.read(row, observed, x.as_slice_mut().expect("rows of a C-ordered array"));
            x -= &shift;
        }
        let weights: Array1<f64> = self.rows.iter().map(|&row| self.sample.class_and_weight(row).1).collect();
        let mean = weights.dot(&x) / weight;
        if self.rows.len() == 1 {
            return (mean, Spread::None);
        }
        x -= &mean.view().insert_axis(Axis(0));
        x *= &weights.mapv(f64::sqrt).insert_axis(Axis(1));
        (mean, Spread::Rows(x))
    }

    /// Cross products of whole rows: what is missing shows as NaN in its own columns only.
    fn summed_up(&self, weight: f64) -> (Array1<f64>, Spread) {
        let shift = self.shift.row(self.group.class);
        let shift = shift.as_slice().expect("rows of a C-ordered array");
        let (d, observed) = (shift.len(), &self.pattern.observed);
        let mut panel = Panel::new(d, PANEL_ROWS);
        let (mut first, mut second) = (vec![0.0; d], vec![0.0; padded(d) * padded(d)]);
        for rows in self.rows.chunks(PANEL_ROWS) {
            self.sample.rows.gather(rows, rows.len(), shift, &mut panel);
            let root = |weights: &[f64]| rows.iter().map(|&row| weights[row].sqrt()).collect::<Vec<_>>();
            panel.weigh_and_sum(0, self.sample.weights.map(root).as_deref(), &mut first);
            panel.add_cross_products(&mut second, RowsAhead::nothing());
            panel.filled = 0;
        }
        let first: Array1<f64> = observed.iter().map(|&column| first[column]).collect();
        let scatter = Array2::from_shape_fn((observed.len(), observed.len()), |(i, j)| {
            let (below, beside) = (observed[i.max(j)], observed[i.min(j)]);
            second[below * padded(d) + beside] - first[i] * first[j] / weight
        });
        (first / weight, Spread::Scatter(scatter))
    }
}

impl Statistics {
    /// Both together, by Chan's formula.
    pub(super) fn join(self, other: Self) -> Self {
        let weight = self.weight + other.weight;
        let apart = &other.mean - &self.mean;
        let mean = &self.mean + &(&apart * (other.weight / weight));
        let apart = apart.insert_axis(Axis(0));
        let spread = self.spread.join(other.spread, apart, self.weight * other.weight / weight);
        Self { weight, mean, spread, ..self }
    }

    /// Room that it takes.
    pub(super) fn doubles(&self) -> usize {
        self.mean.len() + self.spread.doubles()
    }
}

impl Spread {
    /// Both together, and the spread of their means, which lie apart by a row and weigh so much.
    fn join(self, other: Self, apart: Array2<f64>, weight: f64) -> Self {
        match (self, other) {
            (Self::Scatter(ours), Self::Scatter(theirs)) => {
                Self::Scatter(ours + theirs + apart.t().dot(&apart) * weight)
            }
            (ours, theirs) => {
                let d = apart.ncols();
                let between = Self::Rows(apart * weight.sqrt());
                let parts = [&ours, &theirs, &between];
                if parts.iter().map(|part| part.rows(d)).sum::<usize>() <= d {
                    let rows = parts.into_iter().filter_map(|part| match part {
                        Self::Rows(rows) => Some(rows.view()),
                        Self::None | Self::Scatter(_) => None,
                    });
                    let rows: Vec<_> = rows.collect();
                    return Self::Rows(concatenate(Axis(0), &rows).expect("rows of the same columns"));
                }
                Self::Scatter(
                    parts.into_iter().fold(Array2::zeros((d, d)), |sum, part| sum + part.scatter(d)),
                )
            }
        }
    }

    /// How many rows have this scatter; more than there are columns are not told apart.
    fn rows(&self, d: usize) -> usize {
        match self {
            Self::None => 0,
            Self::Rows(rows) => rows.nrows(),
            Self::Scatter(_) => d + 1,
        }
    }

    fn scatter(&self, d: usize) -> Array2<f64> {
        match self {
            Self::None => Array2::zeros((d, d)),
            Self::Rows(rows) => rows.t().dot(rows),
            Self::Scatter(scatter) => scatter.clone(),
        }
    }

    fn doubles(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Rows(entries) | Self::Scatter(entries) => entries.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_group_is_whole_however_many_rows_it_has() {
        let group = Group { pattern: 0, class: 0, rows: (0..3 * LARGE).collect() };
        for (observed, parts) in [(3 * LARGE, 1), (3 * LARGE - 1, 3)] {
            let pattern = Pattern { observed: (0..observed).collect(), missing: vec![] };
            assert_eq!(parts_of(&group, is_small(&group, &pattern)).count(), parts);
        }
    }
}
