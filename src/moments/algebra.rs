//! Moments of disjoint samples joined by Chan's formula: S = S_a + S_b + (n_a n_b / n) δ δᵀ with δ = μ_b − μ_a.

use ndarray::{Array1, Array2, Array3, ArrayView1, ArrayViewMut2, Axis};

use super::{Means, Moments, Structure};
use crate::error::{Error, Result};

impl Moments {
    /// The moments of both samples together; classes are matched by their index.
    ///
    /// # Errors
    /// The two differ in structure, classes or columns, or are so far apart that squares overflow.
    pub fn merge(&self, other: &Self) -> Result<Self> {
        if self.structure != other.structure {
            return Err(Error::Incompatible("structures"));
        }
        if self.n_classes() != other.n_classes() {
            return Err(Error::Incompatible("numbers of classes"));
        }
        if self.n_features() != other.n_features() {
            return Err(Error::Incompatible("numbers of columns"));
        }
        let mut joined = self.clone();
        joined.scatter += &other.scatter;
        for class in 0..self.n_classes() {
            joined.join_class(class, other, class);
        }
        joined.check_overflow()?;
        Ok(joined)
    }

    /// The moments of all rows as one class.
    ///
    /// # Errors
    /// Classes so far apart that the squares of their distances overflow.
    pub fn total(&self) -> Result<Self> {
        let structure = match self.structure {
            Structure::Diag => Structure::Diag,
            Structure::Full | Structure::Tied => Structure::Full,
        };
        let (_, height, width) = self.scatter.dim();
        let mut total = Self {
            structure,
            rows: vec![0],
            weights: Array1::zeros(1),
            means: Means {
                shift: self.means.shift.slice(ndarray::s![..1, ..]).to_owned(),
                offset: Array2::zeros((1, self.n_features())),
            },
            scatter: Array3::zeros((1, height, width)),
        };
        total.scatter.index_axis_mut(Axis(0), 0).assign(&self.scatter.sum_axis(Axis(0)));
        for class in 0..self.n_classes() {
            total.join_class(0, self, class);
        }
        total.check_overflow()?;
        Ok(total)
    }

    /// Joins one class of `other` to a class of `self`: everything but the within-class scatter, which simply adds up.
    fn join_class(&mut self, into: usize, other: &Self, from: usize) {
        let (ours, theirs) = (self.weights[into], other.weights[from]);
        if theirs == 0.0 {
            return;
        }
        if ours == 0.0 {
            self.means.shift.row_mut(into).assign(&other.means.shift.row(from));
            self.means.offset.row_mut(into).assign(&other.means.offset.row(from));
        }
        let weight = ours + theirs;
        let apart = &other.means.shift.row(from) - &self.means.shift.row(into) + other.means.offset.row(from)
            - self.means.offset.row(into);
        let mut offset = self.means.offset.row_mut(into);
        offset.scaled_add(theirs / weight, &apart);
        self.weights[into] = weight;
        self.rows[into] += other.rows[from];
        let matrix = if self.structure == Structure::Tied { 0 } else { into };
        let scatter = self.scatter.index_axis_mut(Axis(0), matrix);
        add_between(scatter, apart.view(), ours * (theirs / weight), self.structure);
    }
}

fn add_between(
    mut scatter: ArrayViewMut2<'_, f64>,
    apart: ArrayView1<'_, f64>,
    factor: f64,
    structure: Structure,
) {
    match structure {
        Structure::Diag => scatter.row_mut(0).scaled_add(factor, &apart.mapv(|x| x * x)),
        Structure::Full | Structure::Tied => {
            for (mut row, &x) in scatter.outer_iter_mut().zip(apart) {
                row.scaled_add(factor * x, &apart);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Parallel, Rows};
    use ndarray::ArrayView2;
    use proptest::prelude::*;

    fn moments(x: ArrayView2<'_, f64>, labels: &[u32], structure: Structure) -> Moments {
        Moments::from_rows(&Rows::from(x), labels, 2, None, structure, Parallel::new(Some(1))).unwrap()
    }

    proptest! {
        #[test]
        fn any_split_gives_the_moments_of_the_whole(
            values in prop::collection::vec(-5.0..5.0_f64, 60), cut in 1_usize..19, far in prop::sample::select(vec![0.0, 1e8]),
        ) {
            let x = Array2::from_shape_vec((20, 3), values).unwrap() + far;
            let labels: Vec<u32> = (0..20).map(|row| u32::from(row % 3 == 0)).collect();
            for structure in [Structure::Full, Structure::Tied, Structure::Diag] {
                let (above, below) = x.view().split_at(Axis(0), cut);
                let joined = moments(above, &labels[..cut], structure)
                    .merge(&moments(below, &labels[cut..], structure))
                    .unwrap();
                let whole = moments(x.view(), &labels, structure);
                prop_assert_eq!(&joined.weights, &whole.weights);
                let center = vec![far; 3];
                let gap = joined.means.about(&center) - whole.means.about(&center);
                prop_assert!(gap.iter().all(|gap| gap.abs() < 1e-13));
                let gap = &joined.scatter - &whole.scatter;
                prop_assert!(gap.iter().all(|gap| gap.abs() < 1e-10));
            }
        }

        #[test]
        fn the_total_is_the_moments_without_labels(values in prop::collection::vec(-5.0..5.0_f64, 60)) {
            let x = Array2::from_shape_vec((20, 3), values).unwrap();
            let labels: Vec<u32> = (0..20).map(|row| row % 2).collect();
            for structure in [Structure::Full, Structure::Tied, Structure::Diag] {
                let total = moments(x.view(), &labels, structure).total().unwrap();
                let plain = if structure == Structure::Diag { structure } else { Structure::Full };
                let unlabelled = moments(x.view(), &[0; 20], plain);
                let gap = &total.scatter.index_axis(Axis(0), 0) - &unlabelled.scatter.index_axis(Axis(0), 0);
                prop_assert!(gap.iter().all(|gap| gap.abs() < 1e-10));
            }
        }
    }

    #[test]
    fn moments_of_different_structure_are_not_joined() {
        let x = ndarray::array![[1.0], [2.0]];
        let full = moments(x.view(), &[0, 1], Structure::Full);
        let diag = moments(x.view(), &[0, 1], Structure::Diag);
        assert_eq!(full.merge(&diag), Err(Error::Incompatible("structures")));
    }
}
