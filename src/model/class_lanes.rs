//! A model with its classes side by side: for patterns of gaps, of which there may be as many as rows, so that laying out
//! matrices for each would not pay.

use std::sync::{Arc, OnceLock};

use ndarray::{Array1, Array2};

use super::{Model, Parts};
use crate::error::{Error, Owner, RankError, Result};
use crate::kernel::{Lane, Lanes, SIDES, ShownClass, Side, factor_sides, row_start, solve_sides};

/// Means, deviations and correlations, a class in each lane. Lanes without a class repeat the last one.
#[derive(Debug)]
pub(crate) struct ClassLanes {
    n_classes: usize,
    /// For each column, and in it for each group of classes.
    columns: Vec<Vec<ColumnSide>>,
    /// For each group of classes the lower triangle of the correlations.
    correlations: Vec<Vec<Side>>,
}

#[derive(Debug, Clone, Copy)]
struct ColumnSide {
    shift: Side,
    offset: Side,
    scale: Side,
    log_deviation: Side,
}

impl Model {
    /// The classes side by side, made on first use from their covariances.
    fn class_lanes(&self, covariances: &[Array2<f64>]) -> &Arc<ClassLanes> {
        self.shared.class_lanes.get_or_init(|| Arc::new(ClassLanes::new(self.parts(), covariances)))
    }
}

impl ClassLanes {
    fn new(parts: &Parts, covariances: &[Array2<f64>]) -> Self {
        let (n_classes, d) = parts.means.shift.dim();
        let deviations: Vec<Array1<f64>> =
            covariances.iter().map(|covariance| covariance.diag().mapv(f64::sqrt)).collect();
        let groups = n_classes.div_ceil(SIDES);
        let side = |group: usize, value: &dyn Fn(usize) -> f64| -> Side {
            std::array::from_fn(|side| value((group * SIDES + side).min(n_classes - 1)))
        };
        let column = |j: usize, group: usize| ColumnSide {
            shift: side(group, &|class| parts.means.shift[(class, j)]),
            offset: side(group, &|class| parts.means.offset[(class, j)]),
            scale: side(group, &|class| deviations[class][j].recip()),
            log_deviation: side(group, &|class| deviations[class][j].ln()),
        };
        let correlation = |class: usize, i: usize, j: usize| {
            covariances[class][(i, j)] / (deviations[class][i] * deviations[class][j])
        };
        let triangle = |group: usize| {
            let entries = (0..d).flat_map(|i| (0..=i).map(move |j| (i, j)));
            entries.map(|(i, j)| side(group, &|class| correlation(class, i, j))).collect()
        };
        Self {
            n_classes,
            columns: (0..d).map(|j| (0..groups).map(|group| column(j, group)).collect()).collect(),
            correlations: (0..groups).map(triangle).collect(),
        }
    }

    /// The factors for some columns, and log det Σ of each class.
    fn factor_columns(&self, columns: &[usize]) -> Result<(Vec<Vec<Side>>, Vec<f64>)> {
        let mut log_dets = vec![];
        let factors = self.correlations.iter().enumerate().map(|(group, triangle)| {
            let mut lower: Vec<Side> = Vec::with_capacity(row_start(columns.len()));
            for (place, &i) in columns.iter().enumerate() {
                lower.extend(columns[..=place].iter().map(|&j| triangle[row_start(i) + j]));
            }
            let singular = |side: usize| {
                let class = (group * SIDES + side).min(self.n_classes - 1);
                Error::Rank(RankError::SingularPart { what: Owner::Class(class), columns: columns.to_vec() })
            };
            let log_det = factor_sides(&mut lower, columns.len()).map_err(singular)?;
            log_dets.push(log_det);
            Ok(lower)
        });
        let factors = factors.collect::<Result<_>>()?;
        let log_det = (0..self.n_classes).map(|class| {
            let (group, side) = (class / SIDES, class % SIDES);
            let deviations = columns.iter().map(|&j| self.columns[j][group].log_deviation[side]);
            log_dets[group][side] + 2.0 * deviations.sum::<f64>()
        });
        let log_det = log_det.collect();
        Ok((factors, log_det))
    }
}

/// The same for some columns, with what is needed to measure rows.
#[derive(Debug)]
pub(crate) struct ClassLanesOfPattern {
    lanes: Arc<ClassLanes>,
    columns: Vec<usize>,
    factors: Vec<Vec<Side>>,
    /// The classes one by one, once there are rows to stand side by side.
    each: OnceLock<Vec<ShownClass>>,
}

impl ClassLanesOfPattern {
    /// For some columns, in rising order; and log det Σ of each class.
    pub(super) fn new(
        model: &Model,
        covariances: &[Array2<f64>],
        columns: &[usize],
    ) -> Result<(Self, Vec<f64>)> {
        let lanes = Arc::clone(model.class_lanes(covariances));
        let (factors, log_det) = lanes.factor_columns(columns)?;
        Ok((Self { lanes, columns: columns.to_vec(), factors, each: OnceLock::new() }, log_det))
    }

    /// The squared distance of each of so many rows, `x[group][column]`, to each class: [group][class]. `memory` is overwritten.
    ///
    /// Lanes hold classes or rows, whichever takes fewer of them: a distance has the same bits in both.
    pub(crate) fn measure<T: Lane>(
        &self,
        rows: usize,
        x: &[T::Lanes],
        memory: &mut Vec<Side>,
        distances: &mut [T::Lanes],
    ) {
        let (classes, lanes) = (self.lanes.n_classes, T::Lanes::COUNT);
        if rows * classes.div_ceil(SIDES) <= classes * rows.div_ceil(SIDES) {
            for row in 0..rows {
                let x = &x[row / lanes * self.columns.len()..][..self.columns.len()];
                let distances = &mut distances[row / lanes * classes..][..classes];
                self.measure_row::<T>(row % lanes, x, memory, distances);
            }
        } else {
            let each = self.each.get_or_init(|| (0..classes).map(|class| self.shown(class)).collect());
            for (class, shown) in each.iter().enumerate() {
                shown.to_rows::<T>(rows, x, memory, (&mut distances[class..], classes));
            }
        }
    }

    /// The distances of the row in one lane to all classes.
    fn measure_row<T: Lane>(
        &self,
        lane: usize,
        x: &[T::Lanes],
        apart: &mut Vec<Side>,
        distances: &mut [T::Lanes],
    ) {
        apart.resize(self.columns.len(), [0.0; SIDES]);
        let classes = self.factors.iter().zip(distances.chunks_mut(SIDES)).enumerate();
        for (group, (factor, distances)) in classes {
            for ((apart, x), &column) in apart.iter_mut().zip(x).zip(&self.columns) {
                let (x, of) = (x.entries()[lane].into(), &self.lanes.columns[column][group]);
                *apart = std::array::from_fn(|s| ((x - of.shift[s]) - of.offset[s]) * of.scale[s]);
            }
            let squares = solve_sides(factor, apart);
            let put = |(distance, &square): (&mut T::Lanes, _)| distance.set(lane, T::rounded(square));
            distances.iter_mut().zip(&squares).for_each(put);
        }
    }

    fn shown(&self, class: usize) -> ShownClass {
        let (group, side) = (class / SIDES, class % SIDES);
        let of_column = |&column: &usize| {
            let of = &self.lanes.columns[column][group];
            [of.shift, of.offset, of.scale].map(|part| part[side])
        };
        let lower = self.factors[group].iter().map(|entry| entry[side]).collect();
        ShownClass::new(self.columns.iter().map(of_column).collect(), lower)
    }
}
