//! Diagonal moments of rows with gaps. Each column has weights of its own, those of the rows in which it is observed, so
//! that the algebra of moments goes column by column.

use ndarray::{Array1, Array2, Axis, concatenate, s};

use super::algebra::ROUNDING;
use super::observed::{Gaps, Observed};
use super::{Means, Moments, Structure};
use crate::error::{Error, InputError, Owner, Result};
use crate::parallel::Parallel;
use crate::rows::Rows;

impl Moments {
    /// Diagonal moments of rows in which NaN stands for what was not observed: such entries are left out of the sums of
    /// their columns. Those of complete rows are the ordinary ones, to the bit.
    ///
    /// # Errors
    /// Those of [`Moments::from_rows`], except for NaN.
    ///
    /// ```
    /// use gauda::core::{Moments, Parallel, Rows};
    /// use ndarray::array;
    ///
    /// let x = array![[1.0, 5.0], [3.0, f64::NAN]];
    /// let moments = Moments::from_observed(&Rows::from(x.view()), &[0, 0], 1, None, Parallel::default())?;
    /// assert_eq!(moments.means(), array![[2.0, 5.0]]);
    /// assert_eq!(moments.seen(), Some(&array![[2.0, 1.0]]));
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn from_observed(
        rows: &Rows<'_>,
        labels: &[u32],
        n_classes: usize,
        weights: Option<&[f64]>,
        parallel: Parallel<'_>,
    ) -> Result<Self> {
        match Self::from_rows(rows, labels, n_classes, weights, Structure::Diag, parallel) {
            Err(Error::Input(InputError::NonFinite { value, .. })) if value.is_nan() => {}
            complete => return complete,
        }
        let observed = Observed::of(rows, labels, n_classes, weights, Gaps::LeftOut, parallel)?;
        Ok(observed.into_moments(Gaps::LeftOut))
    }

    /// Weight of the rows in which a column is observed, class × column; nothing if no value was missing.
    ///
    /// ```
    /// use gauda::core::{Moments, Parallel, Rows};
    /// use ndarray::array;
    ///
    /// let x = array![[1.0, f64::NAN], [3.0, 4.0]];
    /// let moments = Moments::from_observed(&Rows::from(x.view()), &[0; 2], 1, None, Parallel::default())?;
    /// assert_eq!(moments.seen(), Some(&array![[2.0, 1.0]]));
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn seen(&self) -> Option<&Array2<f64>> {
        self.seen.as_ref()
    }

    /// The same diagonal moments as those of rows with gaps, in which the columns have these weights.
    #[cfg(any(feature = "files", feature = "python"))]
    pub(crate) fn with_seen(self, seen: Array2<f64>) -> Result<Self> {
        use crate::error::{check_number, same_size};

        if self.structure != Structure::Diag {
            return Err(Error::Shape(crate::error::ShapeError::Incompatible("structures")));
        }
        same_size("rows of weights of columns", seen.nrows(), self.n_classes())?;
        same_size("columns of weights of columns", seen.ncols(), self.n_features())?;
        for ((class, _), &weight) in seen.indexed_iter() {
            let most = self.weights[class] * (1.0 + ROUNDING);
            check_number("the weight of a column", "from 0 to that of its class", weight, |weight| {
                (0.0..=most).contains(&weight)
            })?;
        }
        let moments = Self { seen: Some(seen), ..self };
        moments.check_overflow()?;
        Ok(moments)
    }

    /// The weight behind the sums of a class and column.
    pub(crate) fn column_weight(&self, class: usize, column: usize) -> f64 {
        self.seen.as_ref().map_or(self.weights[class], |seen| seen[(class, column)])
    }

    /// Whether values of the rows were missing.
    pub(crate) fn has_gaps(&self) -> bool {
        self.seen.is_some()
    }

    /// An error if a class with rows shows nothing of a column.
    pub(crate) fn check_seen(&self) -> Result<()> {
        let Some(seen) = &self.seen else {
            return Ok(());
        };
        match seen.indexed_iter().find(|&((class, _), seen)| self.weights[class] > 0.0 && *seen == 0.0) {
            Some(((class, column), _)) => Err(Error::Input(InputError::NeverObserved { class, column })),
            None => Ok(()),
        }
    }

    /// Whether columns have weights of their own, in one or the other.
    pub(super) fn has_gaps_or(&self, other: &Self) -> bool {
        self.seen.is_some() || other.seen.is_some()
    }

    /// Both samples together.
    pub(super) fn merge_columns(&self, other: &Self) -> Result<Self> {
        let rows = self.rows.iter().zip(&other.rows).map(|(a, b)| a.saturating_add(*b)).collect();
        let weights = &self.weights + &other.weights;
        self.pair_columns(other, rows, weights, |ours, theirs| ours.merge(theirs))
    }

    /// What is left without a part, of classes that have enough rows and weight.
    pub(super) fn subtract_columns(&self, part: &Self, most: f64) -> Result<Self> {
        let left = |class: usize| match self.weights[class] - part.weights[class] {
            rest if rest.abs() <= ROUNDING * self.weights[class] => 0.0,
            rest => rest,
        };
        let weights: Array1<f64> = (0..self.n_classes()).map(left).collect();
        let rows =
            (0..self.n_classes()).map(|k| if weights[k] > 0.0 { self.rows[k] - part.rows[k] } else { 0 });
        let rest = self.pair_columns(part, rows.collect(), weights, |ours, theirs| {
            ours.subtract_at_most(theirs, most)
        })?;
        let seen = rest.seen.as_ref().expect("columns have weights");
        let beyond = |&((class, _), &seen): &((usize, usize), &f64)| {
            seen > rest.weights[class] + ROUNDING * self.weights[class]
        };
        match seen.indexed_iter().find(beyond) {
            Some(((class, _), _)) => Err(Error::Input(InputError::NotPart { what: Owner::Class(class) })),
            None => Ok(rest),
        }
    }

    /// Every weight multiplied by a factor.
    pub(super) fn scale_columns(&self, factor: f64) -> Result<Self> {
        let weights = &self.weights * factor;
        let rows = self.rows.iter().zip(&weights).map(|(&rows, &weight)| if weight > 0.0 { rows } else { 0 });
        let columns = self.map_columns(|column| column.scale(factor))?;
        Self::of_columns(rows.collect(), weights, &columns)
    }

    /// Classes moved to other places.
    pub(super) fn regroup_columns(&self, places: &[usize], n_classes: usize) -> Result<Self> {
        let (mut rows, mut weights) = (vec![0_u64; n_classes], Array1::zeros(n_classes));
        for (class, &place) in places.iter().enumerate() {
            rows[place] = rows[place].saturating_add(self.rows[class]);
            weights[place] += self.weights[class];
        }
        let columns = self.map_columns(|column| column.regroup(places, n_classes))?;
        Self::of_columns(rows, weights, &columns)
    }

    fn map_columns(&self, change: impl Fn(&Self) -> Result<Self>) -> Result<Vec<Self>> {
        let counted = self.counts_rows();
        (0..self.n_features())
            .map(|j| change(&self.column(j, counted)).map_err(|error| error.in_column(j)))
            .collect()
    }

    fn pair_columns(
        &self,
        other: &Self,
        rows: Vec<u64>,
        weights: Array1<f64>,
        join: impl Fn(&Self, &Self) -> Result<Self>,
    ) -> Result<Self> {
        let counted = self.counts_rows() && other.counts_rows();
        let columns = (0..self.n_features()).map(|j| {
            join(&self.column(j, counted), &other.column(j, counted)).map_err(|error| error.in_column(j))
        });
        Self::of_columns(rows, weights, &columns.collect::<Result<Vec<_>>>()?)
    }

    /// Whether all weights are numbers of rows, to all appearances.
    fn counts_rows(&self) -> bool {
        let whole = |weight: &f64| weight.fract() == 0.0 && *weight < u32::MAX.into();
        self.weights.iter().all(whole) && self.seen.iter().flatten().all(whole)
    }

    /// One column as complete moments, whose rows are known if whole weights are numbers of them.
    fn column(&self, j: usize, counted: bool) -> Self {
        let part = |table: &Array2<f64>| table.slice(s![.., j..=j]).to_owned();
        let weights: Array1<f64> = (0..self.n_classes()).map(|class| self.column_weight(class, j)).collect();
        Self {
            structure: Structure::Diag,
            rows: weights.iter().map(|&weight| if counted { weight as u64 } else { 0 }).collect(),
            weights,
            means: Means { shift: part(&self.means.shift), offset: part(&self.means.offset) },
            scatter: self.scatter.slice(s![.., .., j..=j]).to_owned(),
            past: part(&self.past),
            seen: None,
            fourth: None,
        }
    }

    /// Columns that each have weights of their own, beside each other.
    fn of_columns(rows: Vec<u64>, weights: Array1<f64>, columns: &[Self]) -> Result<Self> {
        let table = |part: fn(&Self) -> Array2<f64>| {
            let parts: Vec<_> = columns.iter().map(part).collect();
            let views: Vec<_> = parts.iter().map(|part| part.view()).collect();
            concatenate(Axis(1), &views).expect("as many classes in each")
        };
        let moments = Self {
            structure: Structure::Diag,
            rows,
            means: Means {
                shift: table(|column| column.means.shift.clone()),
                offset: table(|column| column.means.offset.clone()),
            },
            scatter: table(|column| column.scatter.index_axis(Axis(1), 0).to_owned()).insert_axis(Axis(1)),
            past: table(|column| column.past.clone()),
            seen: Some(table(|column| column.weights.clone().insert_axis(Axis(1)))),
            fourth: None,
            weights,
        };
        moments.check_overflow()?;
        Ok(moments)
    }
}
