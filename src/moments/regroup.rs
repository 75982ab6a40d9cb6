//! Moments seen otherwise: other classes, fewer columns, a simpler structure. None needs the rows.

use ndarray::{Array1, Array2, Array3, Axis};

use super::{Means, Moments, Structure};
use crate::error::{Error, InputError, Result, ShapeError, same_size};
use crate::memory::room_for;

impl Moments {
    /// The moments with classes moved to other places among `n_classes`; those that share a place become one.
    ///
    /// # Errors
    /// Not one place for each class, a place beyond `n_classes`, more of these than there is memory for, or classes so far
    /// apart that the squares of their distances overflow.
    ///
    /// ```
    /// use gauda::core::{Moments, Parallel, Rows, Structure};
    /// use ndarray::array;
    ///
    /// let x = array![[0.0, 0.0], [2.0, 2.0], [1.0, 4.0], [7.0, 6.0], [8.0, 9.0], [9.0, 6.0]];
    /// let (rows, labels) = (Rows::from(&x), [0, 0, 0, 1, 1, 1]);
    /// let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Full, Parallel::default())?;
    /// let swapped = moments.regroup(&[1, 0], 2)?;
    /// assert_eq!(swapped.means().row(0), moments.means().row(1));
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn regroup(&self, places: &[usize], n_classes: usize) -> Result<Self> {
        same_size("number of places", places.len(), self.n_classes())?;
        if let Some((class, &place)) = places.iter().enumerate().find(|(_, place)| **place >= n_classes) {
            let label = u32::try_from(place).unwrap_or(u32::MAX);
            return Err(Error::Input(InputError::Label { row: class, label, classes: n_classes }));
        }
        let (_, height, width) = self.scatter.dim();
        room_for(n_classes.checked_mul((height + 2) * width + 2))?;
        if self.seen.is_some() {
            return self.regroup_columns(places, n_classes);
        }
        let scatter = match self.structure {
            Structure::Tied => self.scatter.clone(),
            Structure::Full | Structure::Diag => Array3::zeros((n_classes, height, width)),
        };
        let none = || Array2::zeros((n_classes, self.n_features()));
        let mut regrouped = Self {
            structure: self.structure,
            rows: vec![0; n_classes],
            weights: Array1::zeros(n_classes),
            means: Means { shift: none(), offset: none() },
            past: match self.structure {
                Structure::Tied => self.past.clone(),
                Structure::Full | Structure::Diag => none(),
            },
            scatter,
            seen: None,
            fourth: None,
        };
        regrouped.join_classes(places.iter().copied().enumerate(), self);
        regrouped.check_overflow()?;
        if self.fourth.is_some() {
            let of_place = |place| (0..places.len()).filter(move |&class| places[class] == place);
            regrouped.combine_fourth(|place| of_place(place).map(|class| (1.0, self, class)).collect())?;
        }
        Ok(regrouped)
    }

    /// The moments of all rows as one class.
    ///
    /// # Errors
    /// Classes so far apart that the squares of their distances overflow.
    ///
    /// ```
    /// use gauda::core::{Moments, Parallel, Rows, Structure};
    /// use ndarray::array;
    ///
    /// let x = array![[0.0, 0.0], [2.0, 2.0], [1.0, 4.0], [7.0, 6.0], [8.0, 9.0], [9.0, 6.0]];
    /// let (rows, labels) = (Rows::from(&x), [0, 0, 0, 1, 1, 1]);
    /// let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Full, Parallel::default())?;
    /// assert_eq!(moments.total()?.means(), array![[4.5, 4.5]]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn total(&self) -> Result<Self> {
        let mut total = self.regroup(&vec![0; self.n_classes()], 1)?;
        if total.structure == Structure::Tied {
            total.structure = Structure::Full;
        }
        Ok(total)
    }

    /// The moments of some columns, in the order given.
    ///
    /// # Errors
    /// No column, a column beyond those there are, or more of them than there is memory for.
    ///
    /// ```
    /// use gauda::core::{Moments, Parallel, Rows, Structure};
    /// use ndarray::array;
    ///
    /// let x = array![[0.0, 0.0], [2.0, 2.0], [1.0, 4.0], [7.0, 6.0], [8.0, 9.0], [9.0, 6.0]];
    /// let (rows, labels) = (Rows::from(&x), [0, 0, 0, 1, 1, 1]);
    /// let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Full, Parallel::default())?;
    /// assert_eq!(moments.select(&[1])?.n_features(), 1);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn select(&self, columns: &[usize]) -> Result<Self> {
        let beyond = columns.iter().find(|&&column| column >= self.n_features());
        if let Some(&column) = beyond {
            return Err(Error::Shape(ShapeError::Size {
                what: "column",
                given: column,
                expected: self.n_features() - 1,
            }));
        }
        let squared = columns.len().checked_mul(columns.len());
        room_for(squared.and_then(|squared| squared.checked_mul(self.n_classes().max(1))))?;
        let means = Means {
            shift: self.means.shift.select(Axis(1), columns),
            offset: self.means.offset.select(Axis(1), columns),
        };
        let scatter = self.scatter.select(Axis(2), columns);
        let scatter = match self.structure {
            Structure::Diag => scatter,
            Structure::Full | Structure::Tied => scatter.select(Axis(1), columns),
        };
        let selected = Self::new(self.structure, self.rows.clone(), self.weights.clone(), means, scatter)?;
        let seen = self.seen.as_ref().map(|seen| seen.select(Axis(1), columns));
        let fourth = self.fourth.as_ref().map(|fourth| fourth.select(columns));
        Ok(Self { past: self.past.select(Axis(1), columns), seen, fourth, ..selected })
    }

    /// The moments with less known of second moments: full ones made tied or diagonal.
    ///
    /// # Errors
    /// A structure that these moments do not hold.
    ///
    /// ```
    /// use gauda::core::{Moments, Parallel, Rows, Structure};
    /// use ndarray::array;
    ///
    /// let x = array![[0.0, 0.0], [2.0, 2.0], [1.0, 4.0], [7.0, 6.0], [8.0, 9.0], [9.0, 6.0]];
    /// let (rows, labels) = (Rows::from(&x), [0, 0, 0, 1, 1, 1]);
    /// let moments = Moments::from_rows(&rows, &labels, 2, None, Structure::Full, Parallel::default())?;
    /// assert_eq!(moments.to(Structure::Tied)?.scatter().dim(), (1, 2, 2));
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn to(&self, structure: Structure) -> Result<Self> {
        let scatter = match (self.structure, structure) {
            (from, to) if from == to => self.scatter.clone(),
            (Structure::Full, Structure::Tied) => self.scatter.sum_axis(Axis(0)).insert_axis(Axis(0)),
            (Structure::Full, Structure::Diag) => {
                let d = self.n_features();
                Array3::from_shape_fn((self.n_classes(), 1, d), |(k, _, j)| self.scatter[(k, j, j)])
            }
            _ => return Err(Error::Shape(ShapeError::Incompatible("structures"))),
        };
        let past = match (self.structure, structure) {
            (Structure::Full, Structure::Tied) => self.past.sum_axis(Axis(0)).insert_axis(Axis(0)),
            _ => self.past.clone(),
        };
        let simpler =
            Self::new(structure, self.rows.clone(), self.weights.clone(), self.means.clone(), scatter)?;
        let fourth = self.fourth.clone().filter(|_| structure == Structure::Full);
        Ok(Self { past, seen: self.seen.clone(), fourth, ..simpler })
    }
}
