//! A model with its classes side by side: for patterns of so few rows that laying out matrices for them would not pay.

use std::sync::Arc;

use ndarray::{Array1, Array2};

use super::{Covariances, Model, Parts, Shape};
use crate::error::{Error, Owner, Result};
use crate::kernel::{SIDES, Side, factor_sides, row_start, solve_sides};

/// Means, deviations and correlations, a class in each lane. Lanes without a class repeat the last one.
#[derive(Debug)]
pub(crate) struct Sides {
    n_classes: usize,
    /// Whether all classes have the same correlations.
    tied: bool,
    /// For each column, and in it for each group of classes.
    columns: Vec<Vec<ColumnSide>>,
    /// For each group of classes (or once for all) the lower triangle of the correlations; none if columns are independent.
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
    /// The classes side by side, made on first use, for the sake of some columns.
    ///
    /// # Errors
    /// A common covariance that does not span all columns.
    fn sides(&self, columns: &[usize]) -> Result<&Arc<Sides>> {
        if let Some(made) = self.sides.get() {
            return Ok(made);
        }
        let made = Arc::new(Sides::new(&self.parts, self.covariances(columns)?));
        Ok(self.sides.get_or_init(|| made))
    }
}

impl Sides {
    fn new(parts: &Parts, covariances: &Covariances) -> Self {
        let (n_classes, d) = parts.means.shift.dim();
        let covariance = |class: usize| match covariances {
            Covariances::Full(each) => Some(&each[class]),
            Covariances::Tied(common) => Some(common),
            Covariances::Diag => None,
        };
        let deviations = |class: usize| match (&parts.shape, covariance(class)) {
            (Shape::Diag(deviations), _) => deviations.row(class).to_owned(),
            (_, Some(covariance)) => covariance.diag().mapv(f64::sqrt),
            _ => unreachable!("a class has deviations or a covariance"),
        };
        let deviations: Vec<Array1<f64>> = (0..n_classes).map(deviations).collect();
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
        let matrices = match covariances {
            Covariances::Full(_) => groups,
            Covariances::Tied(_) => 1,
            Covariances::Diag => 0,
        };
        let correlation = |class: usize, i: usize, j: usize| {
            let matrix: &Array2<f64> = covariance(class).expect("not independent");
            matrix[(i, j)] / (deviations[class][i] * deviations[class][j])
        };
        let triangle = |group: usize| {
            let entries = (0..d).flat_map(|i| (0..=i).map(move |j| (i, j)));
            entries.map(|(i, j)| side(group, &|class| correlation(class, i, j))).collect()
        };
        Self {
            n_classes,
            tied: matches!(covariances, Covariances::Tied(_)),
            columns: (0..d).map(|j| (0..groups).map(|group| column(j, group)).collect()).collect(),
            correlations: (0..matrices).map(triangle).collect(),
        }
    }

    /// The factors for some columns, and log det Σ of each class.
    fn factored(&self, columns: &[usize]) -> Result<(Vec<Vec<Side>>, Vec<f64>)> {
        let mut log_dets = vec![];
        let factors = self.correlations.iter().enumerate().map(|(group, triangle)| {
            let mut lower: Vec<Side> = Vec::with_capacity(row_start(columns.len()));
            for (place, &i) in columns.iter().enumerate() {
                lower.extend(columns[..=place].iter().map(|&j| triangle[row_start(i) + j]));
            }
            let singular = |side: usize| {
                let class = (group * SIDES + side).min(self.n_classes - 1);
                let what = if self.tied { Owner::Pooled } else { Owner::Class(class) };
                Error::SingularPart { what, columns: columns.to_vec() }
            };
            let log_det = factor_sides(&mut lower, columns.len()).map_err(singular)?;
            log_dets.push(log_det);
            Ok(lower)
        });
        let factors = factors.collect::<Result<_>>()?;
        let log_det = (0..self.n_classes).map(|class| {
            let (group, side) = (class / SIDES, class % SIDES);
            let deviations = columns.iter().map(|&j| self.columns[j][group].log_deviation[side]);
            let of_correlations =
                log_dets.get(group).or(log_dets.first()).map_or(0.0, |log_det| log_det[side]);
            of_correlations + 2.0 * deviations.sum::<f64>()
        });
        let log_det = log_det.collect();
        Ok((factors, log_det))
    }
}

/// The same for some columns, with what is needed to measure rows.
#[derive(Debug)]
pub(crate) struct SidesOfPattern {
    sides: Arc<Sides>,
    columns: Vec<usize>,
    factors: Vec<Vec<Side>>,
}

impl SidesOfPattern {
    /// For some columns, in rising order; and log det Σ of each class.
    pub(super) fn new(model: &Model, columns: &[usize]) -> Result<(Self, Vec<f64>)> {
        let sides = Arc::clone(model.sides(columns)?);
        let (factors, log_det) = sides.factored(columns)?;
        Ok((Self { sides, columns: columns.to_vec(), factors }, log_det))
    }

    /// Gives the squared distance of a row to each class to `put`; `x` are its values in these columns, `apart` is memory.
    pub(crate) fn measure(
        &self,
        x: impl Fn(usize) -> f64,
        apart: &mut Vec<Side>,
        mut put: impl FnMut(usize, f64),
    ) {
        apart.resize(self.columns.len(), [0.0; SIDES]);
        for group in 0..self.sides.n_classes.div_ceil(SIDES) {
            for (place, (apart, &column)) in apart.iter_mut().zip(&self.columns).enumerate() {
                let (x, of) = (x(place), &self.sides.columns[column][group]);
                *apart = std::array::from_fn(|s| ((x - of.shift[s]) - of.offset[s]) * of.scale[s]);
            }
            let squares = match self.factors.get(group).or(self.factors.first()) {
                Some(factor) => solve_sides(factor, apart),
                None => {
                    apart.iter().fold([0.0; SIDES], |sum, z| std::array::from_fn(|s| sum[s] + z[s] * z[s]))
                }
            };
            let classes = group * SIDES..((group + 1) * SIDES).min(self.sides.n_classes);
            classes.zip(squares).for_each(|(class, square)| put(class, square));
        }
    }
}
