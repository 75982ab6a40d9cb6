//! A model with its classes side by side: for patterns of gaps, of which there may be as many as rows, so that laying out
//! matrices for each would not pay.

use std::sync::Arc;

use ndarray::{Array1, Array2};

use super::{Model, Parts};
use crate::error::{Error, Owner, RankError, Result};
use crate::kernel::{SIDES, Side, VECTORS, Vectors, factor_sides, row_start, solve_sides, solve_vectors};

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

/// Memory for measuring rows.
#[derive(Debug, Default)]
pub(crate) struct Apart {
    /// A row about the means of some classes.
    classes: Vec<Side>,
    /// Some rows about the mean of a class, and its factor.
    rows: Vec<Vectors>,
    lower: Vec<f64>,
}

/// The same for some columns, with what is needed to measure rows.
#[derive(Debug)]
pub(crate) struct ClassLanesOfPattern {
    lanes: Arc<ClassLanes>,
    columns: Vec<usize>,
    factors: Vec<Vec<Side>>,
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
        Ok((Self { lanes, columns: columns.to_vec(), factors }, log_det))
    }

    /// Gives the squared distance of each of some rows to each class to `put`, the row first; `x` are the values of a row in
    /// these columns.
    ///
    /// Lanes hold classes or rows, whichever takes fewer of them: a distance has the same bits in both.
    pub(crate) fn measure(
        &self,
        rows: usize,
        x: impl Fn(usize, usize) -> f64,
        apart: &mut Apart,
        mut put: impl FnMut(usize, usize, f64),
    ) {
        let classes = self.lanes.n_classes;
        if rows * classes.div_ceil(SIDES) <= classes * rows.div_ceil(VECTORS) {
            for row in 0..rows {
                self.measure_row(|place| x(row, place), apart, |class, square| put(row, class, square));
            }
        } else {
            for class in 0..classes {
                self.measure_class(class, rows, &x, apart, |row, square| put(row, class, square));
            }
        }
    }

    /// The distances of one row to all classes.
    fn measure_row(
        &self,
        x: impl Fn(usize) -> f64,
        Apart { classes: apart, .. }: &mut Apart,
        mut put: impl FnMut(usize, f64),
    ) {
        apart.resize(self.columns.len(), [0.0; SIDES]);
        for (group, factor) in self.factors.iter().enumerate() {
            for (place, (apart, &column)) in apart.iter_mut().zip(&self.columns).enumerate() {
                let (x, of) = (x(place), &self.lanes.columns[column][group]);
                *apart = std::array::from_fn(|s| ((x - of.shift[s]) - of.offset[s]) * of.scale[s]);
            }
            let classes = group * SIDES..((group + 1) * SIDES).min(self.lanes.n_classes);
            classes.zip(solve_sides(factor, apart)).for_each(|(class, square)| put(class, square));
        }
    }

    /// The distances of many rows to one class. Lanes without a row repeat the last one.
    fn measure_class(
        &self,
        class: usize,
        rows: usize,
        x: &impl Fn(usize, usize) -> f64,
        Apart { rows: apart, lower, .. }: &mut Apart,
        mut put: impl FnMut(usize, f64),
    ) {
        let (group, side) = (class / SIDES, class % SIDES);
        lower.clear();
        lower.extend(self.factors[group].iter().map(|entry| entry[side]));
        apart.resize(self.columns.len(), Vectors::default());
        for first in (0..rows).step_by(VECTORS) {
            for (place, (apart, &column)) in apart.iter_mut().zip(&self.columns).enumerate() {
                let of = &self.lanes.columns[column][group];
                let (shift, offset, scale) = (of.shift[side], of.offset[side], of.scale[side]);
                for (lane, apart) in apart.as_flattened_mut().iter_mut().enumerate() {
                    *apart = ((x((first + lane).min(rows - 1), place) - shift) - offset) * scale;
                }
            }
            let squares = solve_vectors(lower, apart);
            (first..rows).zip(squares.as_flattened()).for_each(|(row, &square)| put(row, square));
        }
    }
}
