//! Rows that say what is present, or how often, dense and sparse, on their way to scores.

use std::ops::Range;

use super::affine_model::{AffineModel, Linear};
use super::presence::first_invalid_entry;
use super::sparse::Sparse;
use super::{LOOKUP_WORK, tile_rows};
use crate::error::{Error, Result};
use crate::kernel::{
    Double, Lanes, Presence, Quad, SparseRows, add_sparse_rows, binarize, transpose_to_lanes,
};
use crate::rows::Rows;
use crate::score::{Form, Missing, ModelPrior, Need, Raw, Refuse, Ruling, Scorer, Worker};

/// The model bound to dense rows.
pub(super) struct DenseScores<'a, 'r> {
    pub(super) model: &'a AffineModel,
    pub(super) rows: &'a Rows<'r>,
    pub(super) missing: Missing,
}

impl<'r> Scorer<f64> for DenseScores<'_, 'r> {
    type Worker<'a>
        = DenseWorker<'a, 'r>
    where
        Self: 'a;

    const HAS_DISTANCES: bool = false;

    fn n_rows(&self) -> usize {
        self.rows.n_rows()
    }

    fn prior(&self) -> ModelPrior<'_, f64> {
        self.model.prior()
    }

    fn row_work(&self) -> usize {
        LOOKUP_WORK * self.model.n_features() * (1 + self.model.log_prior.len() / 4)
    }

    fn tile_rows(&self) -> usize {
        tile_rows(self.model.log_prior.len())
    }

    fn worker(&self) -> DenseWorker<'_, 'r> {
        DenseWorker {
            model: self.model,
            rows: self.rows,
            missing: self.missing,
            left_out: vec![],
            indices: vec![],
            x: vec![],
            impossible: vec![],
            no_shift: vec![0.0; self.model.n_features()],
        }
    }

    fn mark_no_data(&self, rows: Range<usize>, no_data: &[f64], marks: &mut [bool]) {
        self.rows.mark(rows, no_data, marks);
    }
}

/// What measures the dense rows of one task: memory for a tile of packed rows, [group][column], and for the numbers of
/// impossible terms, [group][class].
pub(super) struct DenseWorker<'a, 'r> {
    model: &'a AffineModel,
    rows: &'a Rows<'r>,
    missing: Missing,
    left_out: Vec<usize>,
    indices: Vec<usize>,
    x: Vec<Double>,
    impossible: Vec<Double>,
    no_shift: Vec<f64>,
}

impl Worker<f64> for DenseWorker<'_, '_> {
    fn fill(&mut self, rows: Range<usize>, _: Need, _: &Ruling<'_, f64>, raw: &mut Raw<f64>) -> Result<()> {
        let (model, features, x) = (self.model, self.model.n_features(), &mut self.x);
        let groups = rows.len().div_ceil(Double::COUNT);
        raw.linear.resize(groups * model.log_prior.len(), [0.0; 8]);
        self.indices.clear();
        self.indices.extend(rows.clone());
        x.resize(groups * features, [0.0; 8]);
        self.rows.pack::<f64>(&self.indices, &self.no_shift, x);
        self.rows.prefetch(rows.end..(rows.end + rows.len()).min(self.rows.n_rows()));
        self.left_out.clear();
        let mut gappy = vec![];
        if !binarize(model.presence, x) {
            gappy = rows_with_gaps(self.rows, model.presence, rows.clone(), self.missing)?;
        }
        model.finite.packed(model.log_prior.len()).apply(x, features, &mut raw.linear);
        if let Some(counted) = &model.impossible {
            self.impossible.resize(raw.linear.len(), [0.0; 8]);
            counted.packed(model.log_prior.len()).apply(x, features, &mut self.impossible);
            raw.linear.iter_mut().zip(&self.impossible).for_each(|(scores, terms)| rule_out(scores, terms));
        }
        for row in gappy {
            let scores = model.observed_scores(self.rows, row, self.missing == Missing::Marginalize);
            let (group, lane) = ((row - rows.start) / Double::COUNT, (row - rows.start) % Double::COUNT);
            let lanes = raw.linear[group * model.log_prior.len()..].iter_mut();
            lanes
                .zip(scores.as_flattened())
                .take(model.log_prior.len())
                .for_each(|(to, from)| to[lane] = *from);
            self.left_out.extend((self.missing == Missing::Propagate).then_some(row));
        }
        Ok(())
    }

    fn form<'b>(&'b self, _: &'b Ruling<'_, f64>) -> Form<'b, f64> {
        Form::of_log_likelihoods(&self.model.log_prior)
    }

    fn left_out(&self) -> &[usize] {
        &self.left_out
    }
}

/// The rows of a block that lack entries; an error if they must not, or about entries that are not fit to be read.
fn rows_with_gaps(
    rows: &Rows<'_>,
    presence: Presence,
    block: Range<usize>,
    missing: Missing,
) -> Result<Vec<usize>> {
    let mut gappy = vec![];
    for row in block.clone() {
        let entries = (0..rows.n_features()).map(|column| rows.entry(row, column));
        let (mut gaps, mut invalid) = (false, false);
        entries.for_each(|x| match x.is_nan() {
            true => gaps = true,
            false => invalid |= !presence.is_valid(x),
        });
        if invalid || (gaps && missing == Missing::Raise) {
            return Err(first_invalid_entry(rows, presence, row..row + 1, missing == Missing::Raise));
        }
        gappy.extend(gaps.then_some(row));
    }
    Ok(gappy)
}

impl AffineModel {
    /// log p(x | k) of the entries that a row has; zeros if a row with gaps counts for nothing.
    fn observed_scores(&self, rows: &Rows<'_>, row: usize, counts: bool) -> Vec<Quad> {
        let width = self.finite.constant.len();
        let mut scores = vec![[0.0; 4]; width];
        if !counts {
            return scores;
        }
        let entries = (0..self.n_features()).map(|column| (column, rows.entry(row, column)));
        let shares: Vec<(usize, f64)> = entries
            .filter(|(_, x)| !x.is_nan())
            .map(|(column, x)| (column, self.presence.read(x).0))
            .collect();
        self.finite.add_observed(&shares, &mut scores);
        if let Some(counted) = &self.impossible {
            let mut terms = vec![[0.0; 4]; width];
            counted.add_observed(&shares, &mut terms);
            rule_out(scores.as_flattened_mut(), terms.as_flattened());
        }
        scores
    }
}

impl Refuse for DenseWorker<'_, '_> {
    fn check_entries(&self, _: &mut dyn Iterator<Item = usize>) -> Result<()> {
        Ok(()) // they were checked when they were read
    }

    fn refuse(&self, row: usize, _: &dyn Fn(usize) -> f64) -> Error {
        self.model.refuse(row)
    }
}

/// Scores with impossible terms are −∞.
fn rule_out(scores: &mut [f64], impossible: &[f64]) {
    for (score, &terms) in scores.iter_mut().zip(impossible) {
        *score = if terms > 0.0 { f64::NEG_INFINITY } else { *score };
    }
}

/// The model bound to sparse rows.
pub(super) struct SparseScores<'a, 'r> {
    pub(super) model: &'a AffineModel,
    pub(super) rows: &'a Sparse<'r>,
}

impl<'r> Scorer<f64> for SparseScores<'_, 'r> {
    type Worker<'a>
        = SparseWorker<'a, 'r>
    where
        Self: 'a;

    const HAS_DISTANCES: bool = false;

    fn n_rows(&self) -> usize {
        self.rows.n_rows()
    }

    fn prior(&self) -> ModelPrior<'_, f64> {
        self.model.prior()
    }

    fn row_work(&self) -> usize {
        let width = self.model.finite.constant.len();
        LOOKUP_WORK * (width + width * self.rows.n_entries() / self.rows.n_rows().max(1))
    }

    fn tile_rows(&self) -> usize {
        tile_rows(self.model.log_prior.len())
    }

    fn worker(&self) -> SparseWorker<'_, 'r> {
        SparseWorker {
            model: self.model,
            rows: self.rows,
            shares: vec![],
            scores: vec![],
            impossible: vec![],
        }
    }
}

/// What measures the sparse rows of one task, with memory for a tile.
pub(super) struct SparseWorker<'a, 'r> {
    model: &'a AffineModel,
    rows: &'a Sparse<'r>,
    shares: Vec<f64>,
    scores: Vec<Quad>,
    impossible: Vec<Quad>,
}

impl Worker<f64> for SparseWorker<'_, '_> {
    fn fill(&mut self, rows: Range<usize>, _: Need, _: &Ruling<'_, f64>, raw: &mut Raw<f64>) -> Result<()> {
        let Self { model, shares, scores, impossible, .. } = self;
        let classes = model.log_prior.len();
        raw.linear.resize(rows.len().div_ceil(Double::COUNT) * classes, [0.0; 8]);
        let block = self.rows.read(rows, model.presence, shares)?;
        model.finite.add_rows(block, scores);
        if let Some(counted) = &model.impossible {
            counted.add_rows(block, impossible);
            rule_out(scores.as_flattened_mut(), impossible.as_flattened());
        }
        transpose_to_lanes(scores, classes, &mut raw.linear);
        Ok(())
    }

    fn form<'b>(&'b self, _: &'b Ruling<'_, f64>) -> Form<'b, f64> {
        Form::of_log_likelihoods(&self.model.log_prior)
    }
}

impl Refuse for SparseWorker<'_, '_> {
    fn check_entries(&self, _: &mut dyn Iterator<Item = usize>) -> Result<()> {
        Ok(()) // they were checked when they were read
    }

    fn refuse(&self, row: usize, _: &dyn Fn(usize) -> f64) -> Error {
        self.model.refuse(row)
    }
}

impl Linear {
    /// What observed columns say, each with how much is present.
    fn add_observed(&self, shares: &[(usize, f64)], sums: &mut [Quad]) {
        let width = sums.len();
        for &(column, share) in shares {
            for (i, (sums, slopes)) in sums.iter_mut().zip(&self.slopes[column * width..]).enumerate() {
                let absent = self.absent.get(column * width + i).copied().unwrap_or_default();
                for lane in 0..4 {
                    sums[lane] += absent[lane] + share * slopes[lane];
                }
            }
        }
    }

    /// Constants, and slopes where something is present: those of each row one after another.
    fn add_rows(&self, block: SparseRows<'_>, sums: &mut Vec<Quad>) {
        sums.resize((block.starts.len() - 1) * self.constant.len(), [0.0; 4]);
        add_sparse_rows(block, &self.constant, &self.slopes, sums);
    }
}
