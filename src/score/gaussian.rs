//! Gaussian models bound to rows: rows are packed, and measured as the metric says.

use std::ops::Range;

use super::few::Few;
use super::marginal::{Marginal, Missing};
use super::rules::Ruling;
use super::scorer::{Basis, Form, ModelPrior, Need, Raw, Refuse, Scorer, Worker};
use crate::error::{Error, Result, ScoresError};
use crate::kernel::{Ahead, AlignedLanes, Lane, Lanes, Side, all_finite};
use crate::model::{Metric, Model, Pack, Packed, Prior};
use crate::rows::{Gaps, Rows};

/// A Gaussian model bound to rows.
pub(super) struct Gaussian<'a, 'r, T> {
    pub(super) rows: &'a Rows<'r>,
    pub(super) model: &'a Model,
    pub(super) packed: &'a Packed<T>,
    pub(super) prior: &'a Prior<T>,
    /// What becomes of rows with gaps.
    pub(super) missing: Missing,
}

impl<T> Clone for Gaussian<'_, '_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Gaussian<'_, '_, T> {}

impl<'a, 'r, T: Pack> Gaussian<'a, 'r, T> {
    pub(super) fn new(model: &'a Model, rows: &'a Rows<'r>, missing: Missing) -> Self {
        Self { rows, model, packed: T::packed(model), prior: T::prior(model), missing }
    }
}

impl<'r, T: Lane> Scorer<T> for Gaussian<'_, 'r, T> {
    type Worker<'a>
        = GaussianWorker<'a, 'r, T>
    where
        Self: 'a;

    const HAS_DISTANCES: bool = true;

    fn n_rows(&self) -> usize {
        self.rows.n_rows()
    }

    fn prior(&self) -> ModelPrior<'_, T> {
        ModelPrior { logs: &self.prior.logs, log_total: self.prior.log_total }
    }

    fn row_work(&self) -> usize {
        let (classes, d) = (self.model.n_classes(), self.model.n_features());
        match self.packed.metric {
            Metric::Full(_) | Metric::FarApart(_) | Metric::ClassLanes(_) => classes * d * d / 2,
            Metric::Tied(_) | Metric::TiedFarApart(_) | Metric::Diag(_) => classes * d,
        }
    }

    fn worker(&self) -> GaussianWorker<'_, 'r, T> {
        GaussianWorker {
            rows: self.rows,
            packed: self.packed,
            log_prior: &self.prior.logs,
            missing: self.missing,
            pattern: None,
            gaps: self.rows.no_gaps(),
            left_out: 0,
            indices: vec![],
            gapped: vec![],
            x: AlignedLanes::default(),
            whitened: AlignedLanes::default(),
            apart: vec![],
            few: Few::default(),
        }
    }

    fn mark_no_data(&self, rows: Range<usize>, no_data: &[f64], marks: &mut [bool]) {
        self.rows.mark(rows, no_data, marks);
    }
}

/// Memory of one task, whatever the number of rows.
pub(super) struct GaussianWorker<'a, 'r, T: Lane> {
    pub(super) rows: &'a Rows<'r>,
    pub(super) packed: &'a Packed<T>,
    log_prior: &'a [T],
    missing: Missing,
    /// What the rows show, if not all columns.
    pattern: Option<&'a Marginal<T>>,
    /// Rows that lack something, and how many of them come before the last tile.
    gaps: Gaps,
    left_out: usize,
    /// Which rows these are.
    pub(super) indices: Vec<usize>,
    /// The rows with their gaps: [group][column].
    gapped: Vec<T::Lanes>,
    /// The packed rows: [group][column].
    pub(super) x: AlignedLanes<T>,
    /// The rows whitened, or taken about a class's mean.
    pub(super) whitened: AlignedLanes<T>,
    /// Rows about the means of classes, where classes or rows stand side by side.
    pub(super) apart: Vec<Side>,
    /// A few rows in double precision.
    pub(super) few: Few,
}

impl<T: Lane> Worker<T> for GaussianWorker<'_, '_, T> {
    fn fill(
        &mut self,
        rows: Range<usize>,
        need: Need,
        ruling: &Ruling<'_, T>,
        raw: &mut Raw<T>,
    ) -> Result<()> {
        self.indices.clear();
        self.indices.extend(rows.clone());
        self.measure(need, ruling, Some(rows.end), raw);
        if self.missing == Missing::Raise { Ok(()) } else { self.leave_out(need, raw) }
    }

    fn left_out(&self) -> &[usize] {
        &self.gaps.rows[self.left_out..]
    }

    fn form<'b>(&'b self, ruling: &'b Ruling<'_, T>) -> Form<'b, T> {
        let Packed { metric, log_volume, log_unit, .. } = self.packed;
        let tail = ruling.tail.as_ref();
        Form {
            basis: if metric.is_linear() { Basis::Linear } else { Basis::Distances },
            log_volume,
            log_unit: *log_unit,
            log_prior: self.log_prior,
            n_decisions: self.n_decisions(),
            tail: tail.map(|tail| self.pattern.map_or(tail, |pattern| &pattern.tail)),
            may_be_out: matches!(metric, Metric::Full(_)),
            observes_nothing: self.observes_nothing(),
        }
    }
}

impl<T: Lane> Refuse for GaussianWorker<'_, '_, T> {
    fn check_entries(&self, rows: &mut dyn Iterator<Item = usize>) -> Result<()> {
        if self.pattern.is_some() {
            return Ok(()); // what they show is finite
        }
        for row in rows {
            match self.missing {
                Missing::Raise => self.rows.check_finite(row..row + 1)?,
                Missing::Marginalize | Missing::Propagate => self.rows.check_not_infinite(row..row + 1)?,
            }
        }
        Ok(())
    }

    /// Scores overflow only for rows that are absurdly far away.
    fn refuse(&self, row: usize, _: &dyn Fn(usize) -> f64) -> Error {
        Error::Scores(ScoresError::TooFar { row })
    }
}

impl<'a, T: Lane> GaussianWorker<'a, '_, T> {
    /// Turns to rows that show some columns only.
    pub(super) fn turn_to(&mut self, pattern: &'a Marginal<T>) {
        self.packed = &pattern.packed;
        self.pattern = Some(pattern);
    }

    /// Measures any rows.
    pub(super) fn fill_picked(
        &mut self,
        rows: &[usize],
        need: Need,
        ruling: &Ruling<'_, T>,
        raw: &mut Raw<T>,
    ) {
        self.indices.clear();
        self.indices.extend(rows);
        self.measure(need, ruling, None, raw);
    }

    /// Whether all values of these rows are missing.
    fn observes_nothing(&self) -> bool {
        self.pattern.is_some_and(|pattern| pattern.columns.is_empty())
    }

    /// Packs rows that follow each other.
    pub(super) fn pack(&mut self, rows: Range<usize>) {
        self.indices.clear();
        self.indices.extend(rows);
        self.pack_all();
    }

    /// Packs all rows.
    fn pack_all(&mut self) {
        self.x.resize(self.groups() * self.packed.center.len());
        match self.pattern {
            None => self.rows.pack(&self.indices, &self.packed.center, &mut self.x),
            Some(pattern) => self.pack_observed(pattern),
        }
    }

    /// Packs some of the rows and columns.
    pub(super) fn pack_panel(&mut self, places: Range<usize>, columns: Range<usize>) {
        self.x.resize(places.len().div_ceil(T::Lanes::COUNT) * columns.len());
        let center = &self.packed.center[columns.clone()];
        self.rows.pack_columns(&self.indices[places], columns, center, &mut self.x);
    }

    /// The memory of so many rows, which whoever computes meanwhile may ask for.
    pub(super) fn fetch(&self, first: usize, rows: usize) -> Ahead {
        let last = self.rows.n_rows();
        self.rows.ahead(first.min(last)..(first + rows).min(last))
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

    pub(super) fn n_classes(&self) -> usize {
        self.log_prior.len()
    }

    fn groups(&self) -> usize {
        self.indices.len().div_ceil(T::Lanes::COUNT)
    }

    /// The packed rows: [group][column].
    pub(super) fn packed_rows(&self) -> &[T::Lanes] {
        &self.x
    }

    /// Whatever is needed of the rows; `next` is the row that comes next, if they follow each other.
    fn measure(&mut self, need: Need, ruling: &Ruling<'_, T>, next: Option<usize>, raw: &mut Raw<T>) {
        let (packed, groups, classes) = (self.packed, self.groups(), self.n_classes());
        let linear = packed.metric.is_linear();
        let space = |values: &mut Vec<T::Lanes>, groups: usize, width: usize| {
            values.resize(groups * width, T::Lanes::splat(T::zero()));
        };
        let distances = need.distances || (!linear && (need.scores || need.decision));
        if !(distances || need.scores || need.decision) {
            return;
        }
        if distances {
            space(&mut raw.distances, groups, classes);
        }
        if linear && need.scores {
            space(&mut raw.linear, groups, classes);
        }
        if linear && need.decision {
            space(&mut raw.decision, groups, self.n_decisions());
        }
        if packed.metric.is_plain() && self.pattern.is_none() {
            return self.measure_panels(need, next, raw);
        }
        self.pack_all();
        if let Some(next) = next {
            self.rows.prefetch(next..(next + self.indices.len()).min(self.rows.n_rows()));
        }
        if distances {
            self.measure_distances(&mut raw.distances);
        }
        if linear && need.scores {
            self.apply_linear(ruling, &mut raw.linear);
        }
        if linear && need.decision {
            self.apply_decision(ruling, &mut raw.decision);
        }
    }

    /// Finds the rows that lack something: it shows in all that was measured of them, of which zeros are made.
    fn leave_out(&mut self, need: Need, raw: &mut Raw<T>) -> Result<()> {
        self.left_out = self.gaps.rows.len();
        let (classes, lanes) = (self.n_classes(), T::Lanes::COUNT);
        let there = match self.packed.metric.is_linear() {
            true => [need.distances, need.scores, need.decision],
            false => [need.distances || need.scores || need.decision, false, false],
        };
        let raw = [&mut raw.distances, &mut raw.linear, &mut raw.decision];
        let widths = [classes, classes, self.n_decisions()];
        let mut measured = raw.into_iter().zip(widths).zip(there).filter(|(_, there)| *there);
        let Some(((first, width), _)) = measured.next() else { return Ok(()) };
        if all_finite::<T>(first) {
            return Ok(());
        }
        let indices = &self.indices;
        let is_nan = |place: usize| {
            let group = &first[place / lanes * width..][..width];
            group.iter().any(|value| value.entries()[place % lanes].is_nan())
        };
        // Rows without gaps are far away.
        let nan_rows = (0..indices.len()).filter(|&place| is_nan(place)).map(|place| indices[place]);
        self.rows.find_gaps(nan_rows, &mut self.gaps)?;
        let places = |row: &usize| row - indices[0];
        let clear = |values: &mut [T::Lanes], width: usize| {
            for place in self.gaps.rows[self.left_out..].iter().map(places) {
                let group = &mut values[place / lanes * width..][..width];
                group.iter_mut().for_each(|value| value.set(place % lanes, T::zero()));
            }
        };
        clear(first, width);
        measured.for_each(|((values, width), _)| clear(values, width));
        Ok(())
    }

    /// Rows that lack something, of all tiles since this was asked, and what they lack.
    pub(super) fn take_gaps(&mut self) -> Gaps {
        self.left_out = 0;
        std::mem::replace(&mut self.gaps, self.rows.no_gaps())
    }
}
