//! A tile of rows, packed, and their scores.

use super::TILE_ROWS;
use super::few::Few;
use super::marginal::Marginal;
use super::rules::Ruling;
use super::tail::ChiSquareTail;
use crate::error::{Error, Result};
use crate::kernel::{
    Evidence, Lane, Lanes, Terms, Worst, all_finite, divide, exponentials, logarithms, rate, recentre,
};
use crate::model::{Anchored, Apart, Metric, Packed};
use crate::rows::Rows;

/// What scores are computed from.
#[derive(Debug, Clone, Copy)]
pub(super) enum Measure {
    Distances,
    Linear,
}

/// Memory of one task, whatever the number of rows. Rows stand in groups of as many as there are lanes.
pub(super) struct Tile<'a, 'r, 'p, T: Lane> {
    rows: &'a Rows<'r>,
    pub(super) packed: &'a Packed<T>,
    pub(super) ruling: &'a Ruling<'p, T>,
    pub(super) n_classes: usize,
    /// Turns distances into typicalities, if that is needed.
    pub(super) tail: Option<&'a ChiSquareTail>,
    /// What the rows show, if not all columns.
    pattern: Option<&'a Marginal<T>>,
    /// The rows with their gaps: [group][column].
    gapped: Vec<T::Lanes>,
    /// Rows about the means of classes that stand side by side.
    apart: Apart,
    /// A few rows in double precision.
    few: Few,
    /// Which rows these are, and which row comes first in the answers.
    pub(super) indices: Vec<usize>,
    pub(super) first_answer: usize,
    /// The packed rows: [group][column].
    x: Vec<T::Lanes>,
    /// The rows whitened, or taken about a class's mean.
    whitened: Vec<T::Lanes>,
    /// Distances, and linear functions where they stand in for them: [group][class].
    pub(super) distances: Vec<T::Lanes>,
    pub(super) linear: Vec<T::Lanes>,
    /// Log-posteriors up to a term common to the classes, and posteriors: [group][class].
    pub(super) scores: Vec<T::Lanes>,
    pub(super) posteriors: Vec<T::Lanes>,
    pub(super) evidence: Vec<Evidence<T::Lanes>>,
    /// ln Σ_k exp(score_k − largest), of each group.
    pub(super) log_sums: Vec<T::Lanes>,
    /// Logarithms of priors, where each row has its own: [group][class].
    row_terms: Vec<T::Lanes>,
    /// Expected costs with their signs changed, as computed and as rated: [group][decision].
    pub(super) weighed: Vec<T::Lanes>,
    pub(super) gains: Vec<T::Lanes>,
    pub(super) gain_evidence: Vec<Evidence<T::Lanes>>,
}

impl<'a, 'r, 'p, T: Lane> Tile<'a, 'r, 'p, T> {
    pub(super) fn new(rows: &'a Rows<'r>, packed: &'a Packed<T>, ruling: &'a Ruling<'p, T>) -> Self {
        Self {
            rows,
            packed,
            ruling,
            n_classes: ruling.n_classes,
            tail: ruling.tail.as_ref(),
            pattern: None,
            gapped: vec![],
            apart: Apart::default(),
            few: Few::default(),
            indices: Vec::with_capacity(TILE_ROWS),
            first_answer: 0,
            x: vec![],
            whitened: vec![],
            distances: vec![],
            linear: vec![],
            scores: vec![],
            posteriors: vec![],
            evidence: vec![],
            log_sums: vec![],
            row_terms: vec![],
            weighed: vec![],
            gains: vec![],
            gain_evidence: vec![],
        }
    }

    /// Turns to rows that show some columns only.
    pub(super) fn turn_to(&mut self, pattern: &'a Marginal<T>) {
        self.packed = &pattern.packed;
        self.pattern = Some(pattern);
        self.tail = self.ruling.tail.as_ref().map(|_| &pattern.tail);
    }

    /// Whether all values of these rows are missing.
    pub(super) fn observes_nothing(&self) -> bool {
        self.pattern.is_some_and(|pattern| pattern.columns.is_empty())
    }

    /// Packs rows whose answers begin with that of row `first_answer`.
    pub(super) fn pack(&mut self, indices: impl Iterator<Item = usize>, first_answer: usize) {
        self.hold(indices, first_answer);
        match self.pattern {
            None => self.rows.pack(&self.indices, &self.packed.center, &mut self.x),
            Some(pattern) => self.pack_observed(pattern),
        }
    }

    /// Packs the columns of a pattern; where there are none, zeros.
    fn pack_observed(&mut self, Marginal { columns, center, .. }: &Marginal<T>) {
        let zero = T::Lanes::splat(T::zero());
        if self.observes_nothing() {
            return self.x.fill(zero);
        }
        self.gapped.resize(self.groups() * center.len(), zero);
        self.rows.pack(&self.indices, center, &mut self.gapped);
        let groups = self.x.chunks_exact_mut(columns.len()).zip(self.gapped.chunks_exact(center.len()));
        for (x, gapped) in groups {
            x.iter_mut().zip(columns).for_each(|(x, &column)| *x = gapped[column]);
        }
    }

    /// The same, for rows whose scores are known.
    pub(super) fn hold(&mut self, indices: impl Iterator<Item = usize>, first_answer: usize) {
        self.indices.clear();
        self.indices.extend(indices);
        self.first_answer = first_answer;
        let groups = self.groups();
        let zero = T::Lanes::splat(T::zero());
        let resize = |lanes: &mut Vec<T::Lanes>, count: usize| lanes.resize(groups * count, zero);
        let features = self.packed.center.len();
        resize(&mut self.x, features);
        if matches!(self.packed.metric, Metric::FarApart(_) | Metric::Tied(_)) {
            resize(&mut self.whitened, features);
        }
        if self.packed.metric.is_linear() {
            resize(&mut self.linear, self.n_classes);
        }
        resize(&mut self.distances, self.n_classes);
        resize(&mut self.scores, self.n_classes);
        self.evidence.resize(groups, Evidence::none::<T>());
    }

    pub(super) fn groups(&self) -> usize {
        self.indices.len().div_ceil(T::Lanes::COUNT)
    }

    /// The packed rows: [group][column].
    pub(super) fn packed_rows(&self) -> &[T::Lanes] {
        &self.x
    }

    /// Squared distances to every class.
    pub(super) fn measure(&mut self) {
        let (classes, features) = (self.n_classes, self.packed.center.len());
        let (x, distances) = (&self.x, &mut self.distances);
        match &self.packed.metric {
            Metric::Full(whitened) => {
                let each = whitened.iter().enumerate();
                each.for_each(|(class, whitened)| whitened.norms(x, &mut distances[class..], classes));
            }
            Metric::FarApart(each) => {
                for (class, (mean, whitened)) in each.iter().enumerate() {
                    recentre(x, mean, &mut self.whitened);
                    whitened.norms(&self.whitened, &mut distances[class..], classes);
                }
            }
            Metric::Diag(to) => to.to_all(x, distances),
            Metric::Sides(sides) => {
                let lanes = T::Lanes::COUNT;
                let values = |row: usize, column: usize| {
                    x[row / lanes * features + column].entries()[row % lanes].into()
                };
                let put = |row: usize, class: usize, square: f64| {
                    distances[row / lanes * classes + class].set(row % lanes, T::rounded(square));
                };
                sides.measure(self.indices.len(), values, &mut self.apart, put);
            }
            Metric::Tied(tied) => {
                let z = &mut self.whitened[..x.len() / features * tied.whiten.outputs()];
                tied.whiten.apply(x, features, z);
                tied.distances.to_all(z, distances);
            }
            Metric::TiedFarApart(anchored) => {
                self.few.answer::<T>(x, distances, (features, classes), |x, _, memory| {
                    anchored.measure(x, memory)
                });
            }
        }
    }

    /// The linear functions that stand in for distances.
    pub(super) fn apply_linear(&mut self) {
        let (packed, features) = (self.packed, self.packed.center.len());
        match &packed.metric {
            Metric::TiedFarApart(anchored) => self.score_anchored(anchored),
            metric => metric.tied().linear.apply(&self.x, features, &mut self.linear),
        }
    }

    /// Scores of classes far apart, less that of the likeliest.
    fn score_anchored(&mut self, anchored: &Anchored) {
        let (rows, sizes) = (self.indices.len(), (self.packed.center.len(), self.n_classes));
        let (ruling, indices) = (self.ruling, &self.indices);
        self.few.answer::<T>(&self.x, &mut self.linear, sizes, |x, first, memory| {
            let log_prior = |class: usize, lane: usize| {
                ruling.log_prior_at(class, indices[(first + lane).min(rows - 1)]).into()
            };
            anchored.score(x, log_prior, memory);
        });
    }

    /// The linear functions that are reported as decisions; tells how many there are.
    pub(super) fn apply_decision(&mut self) -> usize {
        let (packed, features, groups) = (self.packed, self.packed.center.len(), self.groups());
        match &packed.metric {
            Metric::TiedFarApart(anchored) => {
                self.score_anchored(anchored);
                self.n_classes
            }
            metric => {
                let decision = &metric.tied().decision;
                decision.apply(&self.x, features, &mut self.linear[..groups * decision.outputs()]);
                decision.outputs()
            }
        }
    }

    /// Scores from distances or from linear functions, and their largest; tells the worst of what was measured.
    pub(super) fn rate(&mut self, by: Measure) -> Result<Worst> {
        let (measured, tops) = match by {
            Measure::Distances => (&self.distances, Some(&self.packed.log_volume[..])),
            Measure::Linear => (&self.linear, None),
        };
        let terms = Terms { tops, terms: &self.ruling.log_prior };
        let worst = rate::<T>(measured, terms, &mut self.scores, &mut self.evidence);
        if self.ruling.has_row_priors() {
            self.add_row_priors()?;
        }
        Ok(worst)
    }

    /// The scores under priors of each row's own.
    fn add_row_priors(&mut self) -> Result<()> {
        let (classes, lanes) = (self.n_classes, T::Lanes::COUNT);
        self.row_terms.clone_from(&self.scores);
        for (row, &index) in self.indices.iter().enumerate() {
            let terms = &mut self.row_terms[row / lanes * classes..][..classes];
            self.ruling.row_log_prior(index, |class, log_prior| {
                let score = terms[class].entries()[row % lanes];
                terms[class].set(row % lanes, score + log_prior);
            })?;
        }
        let terms = Terms { tops: None, terms: &self.ruling.no_terms[..classes] };
        rate::<T>(&self.row_terms, terms, &mut self.scores, &mut self.evidence);
        Ok(())
    }

    /// Takes scores that are known.
    pub(super) fn take_scores(&mut self, evidence: &[Evidence<T::Lanes>], scores: &[T::Lanes]) {
        self.evidence.copy_from_slice(evidence);
        self.scores[..scores.len()].copy_from_slice(scores);
    }

    /// Adds up the exponentials of the scores, and turns them into posteriors, or takes logarithms, if these are wanted.
    pub(super) fn share(&mut self, want_posteriors: bool, want_logarithms: bool) {
        self.posteriors.clone_from(&self.scores);
        exponentials::<T>(&mut self.posteriors, &mut self.evidence);
        if want_posteriors {
            divide::<T>(&mut self.posteriors, &self.evidence);
        }
        if want_logarithms {
            self.log_sums.clear();
            self.log_sums.extend(self.evidence.iter().map(|evidence| evidence.others));
            logarithms::<T>(&mut self.log_sums);
        }
    }

    /// The largest score of a row.
    pub(super) fn largest_of(&self, row: usize) -> T {
        self.evidence[row / T::Lanes::COUNT].largest.entries()[row % T::Lanes::COUNT]
    }

    /// ln Σ_k exp(score_k − largest) of a row.
    pub(super) fn log_sum_of(&self, row: usize) -> T {
        self.log_sums[row / T::Lanes::COUNT].entries()[row % T::Lanes::COUNT]
    }

    /// Scores overflow only for rows that are absurdly far away: better said than returned as infinity.
    pub(super) fn check_measured(&self, by: Measure, outputs: usize) -> Result<()> {
        let measured = match by {
            Measure::Distances => &self.distances,
            Measure::Linear => &self.linear,
        };
        if all_finite::<T>(&measured[..self.groups() * outputs]) {
            return Ok(());
        }
        self.check_entries()?;
        self.refuse(|row| (0..outputs).any(|output| !at::<T>(measured, outputs, output, row).is_finite()))
    }

    /// Names the first entry of these rows that is not finite: it shows in the scores.
    pub(super) fn check_entries(&self) -> Result<()> {
        if self.pattern.is_some() {
            return Ok(()); // what they show is finite
        }
        self.indices.iter().try_for_each(|&row| self.rows.check_finite(row..row + 1))
    }

    /// Some class must have a finite score.
    pub(super) fn check_evidence(&self) -> Result<()> {
        let finite =
            |lanes: &T::Lanes| lanes.entries().iter().fold(true, |all, value| all & value.is_finite());
        if self.evidence.iter().all(|evidence| finite(&evidence.largest)) {
            return Ok(());
        }
        self.refuse(|row| !self.largest_of(row).is_finite())
    }

    fn refuse(&self, far: impl Fn(usize) -> bool) -> Result<()> {
        match (0..self.indices.len()).find(|&row| far(row)) {
            Some(row) => Err(Error::TooFar { row: self.indices[row] }),
            None => Ok(()),
        }
    }
}

/// The value of one row among [group][output].
pub(super) fn at<T: Lane>(values: &[T::Lanes], outputs: usize, output: usize, row: usize) -> T {
    values[row / T::Lanes::COUNT * outputs + output].entries()[row % T::Lanes::COUNT]
}
