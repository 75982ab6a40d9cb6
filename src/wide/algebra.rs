//! Factors of samples joined, forgotten and seen otherwise. With δ = μ_b − μ_a the factor of both samples is that of the
//! one, that of the other, and the row √(n_a n_b / n) δ: as many rows as samples have less one.

use ndarray::{Array1, Array2, Axis, concatenate};

use super::WideMoments;
use crate::error::{Error, InputError, Result, ShapeError, same_size};
use crate::memory::room_for;
use crate::moments::{Means, Structure};

impl WideMoments {
    /// The moments of both samples together; classes are matched by their index.
    ///
    /// # Errors
    /// The two differ in structure, classes or columns, or are so far apart that squares overflow.
    pub fn merge(&self, other: &Self) -> Result<Self> {
        self.check_alike(other)?;
        let classes = self.n_classes();
        let places: Vec<usize> = (0..classes).chain(0..classes).collect();
        let joined = Self::gather(self.structure, &[self, other], &places, classes);
        joined.check_overflow()?;
        Ok(joined)
    }

    /// An error if the two do not go together.
    pub(super) fn check_alike(&self, other: &Self) -> Result<()> {
        let unlike = |what| Err(Error::Shape(ShapeError::Incompatible(what)));
        match () {
            () if self.structure != other.structure => unlike("structures"),
            () if self.n_classes() != other.n_classes() => unlike("numbers of classes"),
            () if self.n_features() != other.n_features() => unlike("numbers of columns"),
            () => Ok(()),
        }
    }

    /// Samples as one, the classes of the first and then those of the second moved to places.
    fn gather(structure: Structure, samples: &[&Self], places: &[usize], n_classes: usize) -> Self {
        let d = samples[0].n_features();
        let mut joined = Self::nothing(structure, n_classes, d, (0..n_classes).map(|_| 0));
        let mut pieces: Vec<Vec<Array2<f64>>> = vec![vec![]; joined.n_scatters()];
        let scatter_of = |class: usize| if structure == Structure::Tied { 0 } else { class };
        let sources =
            samples.iter().flat_map(|sample| (0..sample.n_classes()).map(move |class| (sample, class)));
        for ((sample, class), &place) in sources.zip(places) {
            if structure == Structure::Full {
                pieces[place].push(sample.factor_of(class).to_owned());
            } else if class == 0 {
                pieces[0].push(sample.factor.clone());
            }
            if let Some(between) = joined.join_mean(place, sample, class) {
                pieces[scatter_of(place)].push(between.insert_axis(Axis(0)));
            }
        }
        joined.bounds = vec![0];
        for pieces in &pieces {
            let size: usize = pieces.iter().map(Array2::nrows).sum();
            joined.bounds.push(joined.bounds[joined.bounds.len() - 1] + size);
        }
        let views: Vec<_> = pieces.iter().flatten().map(|piece| piece.view()).collect();
        if !views.is_empty() {
            joined.factor = concatenate(Axis(0), &views).expect("rows of as many columns");
        }
        joined
    }

    /// Joins weight and mean of a class; returns the row that the distance of the means adds to the factor, if any.
    fn join_mean(&mut self, into: usize, other: &Self, from: usize) -> Option<Array1<f64>> {
        let (ours, theirs) = (self.weights[into], other.weights[from]);
        if theirs == 0.0 {
            return None;
        }
        self.rows[into] = self.rows[into].saturating_add(other.rows[from]);
        let weight = ours + theirs;
        self.weights[into] = weight;
        if ours == 0.0 {
            self.means.assign(into, &other.means, from);
            return None;
        }
        let apart = self.means.apart(into, &other.means, from);
        // The heavier mean moves, by the lesser share of what is between them.
        if theirs > ours {
            self.means.assign(into, &other.means, from);
            self.means.move_by(into, -ours / weight, &apart);
        } else {
            self.means.move_by(into, theirs / weight, &apart);
        }
        apart.iter().any(|&apart| apart != 0.0).then(|| apart * (ours * (theirs / weight)).sqrt())
    }

    /// The moments with every weight multiplied by a factor.
    ///
    /// # Errors
    /// A factor that is negative or not finite, or so large that sums overflow.
    pub fn scale(&self, factor: f64) -> Result<Self> {
        if !(factor.is_finite() && factor >= 0.0) {
            return Err(Error::Input(InputError::Factor { value: factor }));
        }
        let mut scaled = self.clone();
        scaled.weights *= factor;
        scaled.factor *= factor.sqrt();
        scaled.clear_classes_without_weight();
        scaled.check_overflow()?;
        Ok(scaled)
    }

    /// Leaves nothing of classes without weight but their places.
    pub(super) fn clear_classes_without_weight(&mut self) {
        for class in 0..self.n_classes() {
            if self.weights[class] == 0.0 {
                self.rows[class] = 0;
                self.means.clear(class);
            }
        }
        if self.total_weight() == 0.0 {
            self.factor = Array2::zeros((0, self.n_features()));
            self.bounds.fill(0);
        }
    }

    /// The moments with classes moved to other places among `n_classes`; those that share a place become one.
    ///
    /// # Errors
    /// Not one place for each class, a place beyond `n_classes`, or more of these than there is memory for.
    pub fn regroup(&self, places: &[usize], n_classes: usize) -> Result<Self> {
        same_size("number of places", places.len(), self.n_classes())?;
        if let Some((class, &place)) = places.iter().enumerate().find(|(_, place)| **place >= n_classes) {
            let label = u32::try_from(place).unwrap_or(u32::MAX);
            return Err(Error::Input(InputError::Label { row: class, label, classes: n_classes }));
        }
        room_for(n_classes.checked_mul(self.n_features() + 2))?;
        let regrouped = Self::gather(self.structure, &[self], places, n_classes);
        regrouped.check_overflow()?;
        Ok(regrouped)
    }

    /// The moments of all rows as one class.
    ///
    /// # Errors
    /// Classes so far apart that squares overflow.
    pub fn total(&self) -> Result<Self> {
        let mut total = self.regroup(&vec![0; self.n_classes()], 1)?;
        total.structure = Structure::Full;
        Ok(total)
    }

    /// The moments of some columns, in the order given.
    ///
    /// # Errors
    /// No column, or a column beyond those there are.
    pub fn select(&self, columns: &[usize]) -> Result<Self> {
        let beyond = columns.iter().find(|&&column| column >= self.n_features());
        if let Some(&column) = beyond {
            let expected = self.n_features() - 1;
            return Err(Error::Shape(ShapeError::Size { what: "column", given: column, expected }));
        }
        let of = |table: &Array2<f64>| table.select(Axis(1), columns);
        let means = Means { shift: of(&self.means.shift), offset: of(&self.means.offset) };
        let (rows, bounds) = (self.rows.clone(), self.bounds.clone());
        Self::new(self.structure, rows, self.weights.clone(), means, of(&self.factor), bounds)
    }

    /// The moments with one factor for all classes.
    pub fn to_tied(&self) -> Self {
        Self { structure: Structure::Tied, bounds: vec![0, self.factor.nrows()], ..self.clone() }
    }
}
