//! From what was measured to scores, posteriors and expected costs, for a tile of rows.

use super::rules::Ruling;
use super::writer::{Writer, at};
use crate::error::Result;
use crate::kernel::{Added, Evidence, Lane, Lanes, Terms, Worst, divide, exponentials, logarithms, rate};

/// Log-posteriors up to a term common to the classes: [group][class]; and their largest.
pub(super) struct Scores<T: Lane> {
    pub(super) values: Vec<T::Lanes>,
    pub(super) evidence: Vec<Evidence<T::Lanes>>,
    /// Logarithms of priors of each row's own: [group][class].
    row_priors: Vec<T::Lanes>,
}

impl<T: Lane> Scores<T> {
    pub(super) fn new() -> Self {
        Self { values: vec![], evidence: vec![], row_priors: vec![] }
    }

    /// Makes room for so many groups of rows.
    pub(super) fn resize(&mut self, groups: usize, classes: usize) {
        self.values.resize(groups * classes, T::Lanes::splat(T::zero()));
        self.evidence.resize(groups, Evidence::none::<T>());
    }

    /// Scores from distances, which come with tops, or from linear functions, and their largest; tells the worst of what
    /// was measured.
    pub(super) fn rate(
        &mut self,
        measured: &[T::Lanes],
        tops: Option<&[T]>,
        ruling: &Ruling<'_, T>,
        rows: &Writer,
    ) -> Result<Worst> {
        let added = match ruling.has_row_priors() {
            true => {
                self.read_row_priors(ruling, rows)?;
                Added::PerLane(&self.row_priors)
            }
            false => Added::Common(&ruling.log_prior),
        };
        Ok(rate::<T>(measured, Terms { tops, added }, &mut self.values, &mut self.evidence))
    }

    /// The logarithms of priors of each row's own.
    fn read_row_priors(&mut self, ruling: &Ruling<'_, T>, rows: &Writer) -> Result<()> {
        let (classes, lanes) = (ruling.n_classes, T::Lanes::COUNT);
        self.row_priors.resize(self.values.len(), T::Lanes::splat(T::zero()));
        for (place, row) in rows.rows().enumerate() {
            let group = &mut self.row_priors[place / lanes * classes..][..classes];
            ruling.row_log_prior(row, |class, log_prior| group[class].set(place % lanes, log_prior))?;
        }
        Ok(())
    }

    /// Takes scores that are known.
    pub(super) fn take(&mut self, evidence: &[Evidence<T::Lanes>], values: &[T::Lanes]) {
        self.evidence.copy_from_slice(evidence);
        self.values[..values.len()].copy_from_slice(values);
    }

    /// The first row whose largest score is not finite and for which `matters` says so.
    pub(super) fn find_non_finite<E>(&self, rows: usize, matters: impl Fn(usize) -> Option<E>) -> Option<E> {
        let finite =
            |lanes: &T::Lanes| lanes.entries().iter().fold(true, |all, value| all & value.is_finite());
        if self.evidence.iter().all(|evidence| finite(&evidence.largest)) {
            return None;
        }
        (0..rows).filter(|&row| !self.largest_of(row).is_finite()).find_map(matters)
    }

    /// The largest score of a row.
    pub(super) fn largest_of(&self, row: usize) -> T {
        self.evidence[row / T::Lanes::COUNT].largest.entries()[row % T::Lanes::COUNT]
    }
}

/// Posteriors: [group][class]; and ln Σ_k exp(score_k − largest), of each group.
pub(super) struct Posteriors<T: Lane> {
    pub(super) shares: Vec<T::Lanes>,
    log_sums: Vec<T::Lanes>,
}

/// What is wanted of posteriors.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub(super) shares: bool,
    pub(super) log_sums: bool,
    /// Whether the scores are needed afterwards.
    pub(super) scores: bool,
}

impl<T: Lane> Posteriors<T> {
    pub(super) fn new() -> Self {
        Self { shares: vec![], log_sums: vec![] }
    }

    /// Adds up the exponentials of the scores, and turns them into posteriors, or takes logarithms, if these are wanted.
    pub(super) fn normalize(&mut self, scores: &mut Scores<T>, wanted: Wanted) {
        match wanted.scores {
            true => self.shares.clone_from(&scores.values),
            false => std::mem::swap(&mut self.shares, &mut scores.values),
        }
        exponentials::<T>(&mut self.shares, &mut scores.evidence);
        if wanted.shares {
            divide::<T>(&mut self.shares, &scores.evidence);
        }
        if wanted.log_sums {
            self.log_sums.clear();
            self.log_sums.extend(scores.evidence.iter().map(|evidence| evidence.others));
            logarithms::<T>(&mut self.log_sums);
        }
    }

    /// ln Σ_k exp(score_k − largest) of a row.
    pub(super) fn log_sum_of(&self, row: usize) -> T {
        self.log_sums[row / T::Lanes::COUNT].entries()[row % T::Lanes::COUNT]
    }
}

/// Expected costs with their signs changed: [group][decision]; and the smallest.
pub(super) struct Decisions<T: Lane> {
    /// As computed, before they are rated.
    measured: Vec<T::Lanes>,
    negative_costs: Vec<T::Lanes>,
    pub(super) evidence: Vec<Evidence<T::Lanes>>,
}

impl<T: Lane> Decisions<T> {
    pub(super) fn new() -> Self {
        Self { measured: vec![], negative_costs: vec![], evidence: vec![] }
    }

    /// What each decision is expected to cost, if costs matter.
    pub(super) fn expect(&mut self, ruling: &Ruling<'_, T>, posteriors: &Posteriors<T>) {
        let Some(negative_cost) = &ruling.negative_cost else {
            return;
        };
        let (classes, decisions) = (ruling.n_classes, ruling.n_decisions);
        let (groups, zero) = (posteriors.shares.len() / classes, T::Lanes::splat(T::zero()));
        self.measured.resize(groups * decisions, zero);
        self.negative_costs.resize(groups * decisions, zero);
        self.evidence.resize(groups, Evidence::none::<T>());
        negative_cost.apply(&posteriors.shares, classes, &mut self.measured);
        let terms = Terms { tops: None, added: Added::Nothing };
        rate::<T>(&self.measured, terms, &mut self.negative_costs, &mut self.evidence);
    }

    /// What a decision is expected to cost, in the unit of the costs; a difference, as a change of sign would turn costs of 0 into -0.
    pub(super) fn cost(&self, decisions: usize, decision: usize, row: usize) -> T {
        T::zero() - at::<T>(&self.negative_costs, decisions, decision, row)
    }
}
