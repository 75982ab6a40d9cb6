//! Sums of groups of rows that lack the same columns, kept from one pass over the rows for the next: small ones only.

use std::collections::{BTreeMap, HashMap};

use ndarray::{Array1, Array2};

use super::expectation::Grouped;
use super::statistics::{Spread, Statistics};
use crate::rows::Pattern;

/// Groups of all batches so far; those of one pattern and class are joined.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    patterns: Vec<Pattern>,
    /// Where the pattern is that lacks these columns.
    found: HashMap<Vec<usize>, usize>,
    statistics: BTreeMap<(usize, usize), Statistics>,
    /// How many numbers they are.
    room: usize,
    budget: usize,
}

impl Kept {
    pub(super) fn new(d: usize, budget: usize) -> Self {
        let complete = Pattern::complete(d);
        let found = HashMap::from([(complete.missing.clone(), 0)]);
        Self { patterns: vec![complete], found, statistics: BTreeMap::new(), room: 0, budget }
    }

    /// The same before any batch, with no more room than so many doubles.
    pub(super) fn without_groups(&self, budget: usize) -> Self {
        Self::new(self.patterns[0].observed.len(), self.budget.min(budget))
    }

    /// With those of another batch; none if they take too much room.
    pub(super) fn with(mut self, batch: Grouped) -> Option<Self> {
        let Grouped { patterns, statistics } = batch;
        for statistics in statistics {
            let pattern = &patterns[statistics.pattern];
            let next = self.patterns.len();
            let index = *self.found.entry(pattern.missing.clone()).or_insert(next);
            if index == next {
                self.patterns.push(pattern.clone());
            }
            let key = (index, statistics.class);
            let statistics = Statistics { pattern: index, ..statistics };
            let before = self.statistics.remove(&key);
            let about = HEAD + self.patterns[index].missing.len();
            self.room -= before.as_ref().map_or(0, |before| about + before.doubles());
            let joined = match before {
                Some(before) => before.join(statistics),
                None => statistics,
            };
            self.room += about + joined.doubles();
            self.statistics.insert(key, joined);
            if self.room > self.budget {
                return None;
            }
        }
        Some(self)
    }

    pub(super) fn into_grouped(self) -> Grouped {
        Grouped { patterns: self.patterns, statistics: self.statistics.into_values().collect() }
    }

    /// The groups as numbers: for each its class, weight and missing columns, its mean, and its spread.
    pub(super) fn to_numbers(&self) -> Vec<f64> {
        let mut numbers = Vec::with_capacity(self.room);
        for Statistics { pattern, class, weight, mean, spread } in self.statistics.values() {
            let missing = &self.patterns[*pattern].missing;
            let (kind, entries) = match spread {
                Spread::None => (NO_SPREAD, None),
                Spread::Rows(rows) => (rows.nrows() as f64, Some(rows)),
                Spread::Scatter(scatter) => (SCATTER, Some(scatter)),
            };
            numbers.extend([*class as f64, *weight, kind, missing.len() as f64]);
            numbers.extend(missing.iter().map(|&column| column as f64));
            numbers.extend(mean);
            numbers.extend(entries.into_iter().flatten());
        }
        numbers
    }

    /// The groups that are these numbers; none if there are no such groups.
    pub(super) fn from_numbers(numbers: &[f64], n_classes: usize, d: usize, budget: usize) -> Option<Self> {
        let mut kept = Self::new(d, budget);
        let mut numbers = Numbers(numbers);
        while !numbers.0.is_empty() {
            let (pattern, statistics) = numbers.group(n_classes, d)?;
            kept = kept.with(Grouped { patterns: vec![pattern], statistics: vec![statistics] })?;
        }
        Some(kept)
    }
}

/// Numbers of a group before its missing columns.
const HEAD: usize = 4;

/// Kinds of spread that are not a number of rows.
const NO_SPREAD: f64 = 0.0;
const SCATTER: f64 = -1.0;

/// Numbers that are yet to be read.
struct Numbers<'a>(&'a [f64]);

impl Numbers<'_> {
    /// The next group.
    fn group(&mut self, n_classes: usize, d: usize) -> Option<(Pattern, Statistics)> {
        let class = self.index(n_classes)?;
        let weight = self.take(1)?[0];
        let kind = self.take(1)?[0];
        let n_missing = self.index(d)?;
        let missing: Vec<usize> = (0..n_missing).map(|_| self.index(d)).collect::<Option<_>>()?;
        if !missing.is_sorted_by(|a, b| a < b) {
            return None;
        }
        let observed: Vec<usize> = (0..d).filter(|column| missing.binary_search(column).is_err()).collect();
        let size = observed.len();
        let mean = Array1::from_vec(self.take(size)?.to_vec());
        let spread = match kind {
            NO_SPREAD => Spread::None,
            SCATTER => Spread::Scatter(self.table(size, size)?),
            rows => Spread::Rows(self.table(as_index(rows, d + 1)?, size)?),
        };
        Some((Pattern { observed, missing }, Statistics { pattern: 0, class, weight, mean, spread }))
    }

    fn take(&mut self, n: usize) -> Option<&[f64]> {
        let (numbers, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(numbers)
    }

    /// An integer below a bound.
    fn index(&mut self, bound: usize) -> Option<usize> {
        as_index(self.take(1)?[0], bound)
    }

    fn table(&mut self, rows: usize, columns: usize) -> Option<Array2<f64>> {
        Array2::from_shape_vec((rows, columns), self.take(rows * columns)?.to_vec()).ok()
    }
}

fn as_index(number: f64, bound: usize) -> Option<usize> {
    (number >= 0.0 && number < bound as f64 && number.fract() == 0.0).then_some(number as usize)
}
