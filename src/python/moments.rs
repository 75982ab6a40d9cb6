//! Moments for Python.

use ndarray::{Array2, Array3};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyReadonlyArray1, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PyTuple};

use super::arrays::{Readable1, Readable2, Readable3};
use super::copied::copied;
use super::discrete::{Columns, LabelArrays};
use super::error::to_python;
use super::held_moments::{Held, of_either, unless_large};
use super::joining::{Codes, unless_refused};
use super::moment_parts::{
    FactorArrays, HigherArguments, HigherArrays, moments_from, structure_from, structure_name,
};
use super::rows::Table;
use super::run::{run, run_quick};
use crate::covariance;
use crate::moments::{FourthOrder, MAX_REMOVED, Means, Moments as Core, Structure, check_priors};
use crate::wide::WideMoments;

/// Weight, mean and scatter of each class.
#[pyclass(frozen, eq, module = "gauda._core")]
#[derive(PartialEq)]
pub(super) struct Moments(pub(super) Held);

#[pymethods]
impl Moments {
    /// Builds moments from their parts; `from_data` is the usual way to get some.
    #[new]
    #[pyo3(signature = (structure, rows, weights, shift, offset, scatter, past=None, seen=None, fourth=None))]
    #[expect(clippy::too_many_arguments, reason = "what moments are made of")]
    fn new(
        py: Python<'_>,
        structure: &str,
        rows: Vec<u64>,
        weights: Readable1<'_, f64>,
        shift: Readable2<'_, f64>,
        offset: Readable2<'_, f64>,
        scatter: Readable3<'_, f64>,
        past: Option<Readable2<'_, f64>>,
        seen: Option<Readable2<'_, f64>>,
        fourth: Option<HigherArguments<'_>>,
    ) -> PyResult<Self> {
        let (means, further) = ((shift, offset), (past, seen, fourth));
        moments_from(py, (structure, rows), weights, means, scatter, further).map(Self::from)
    }

    /// One pass over rows with class codes; another for moments of third and fourth order.
    #[staticmethod]
    #[pyo3(signature = (X, codes, n_classes, structure, weights=None, n_threads=None, *, fourth_order=false))]
    #[expect(clippy::too_many_arguments, reason = "what moments are made of")]
    #[expect(non_snake_case, reason = "X is the name of the data in Python")]
    fn from_data(
        py: Python<'_>,
        X: Table<'_>,
        codes: Readable1<'_, u32>,
        n_classes: usize,
        structure: &str,
        weights: Option<Readable1<'_, f64>>,
        n_threads: Option<usize>,
        fourth_order: bool,
    ) -> PyResult<Self> {
        let structure = structure_from(structure)?;
        let (rows, codes) = (X.rows(), codes.as_slice()?);
        let weights = weights.as_deref().map(PyReadonlyArray1::as_slice).transpose()?;
        let few = structure != Structure::Diag && WideMoments::is_for(rows.n_rows(), rows.n_features());
        run(py, n_threads, |parallel| {
            if few && !fourth_order {
                return WideMoments::from_rows(&rows, codes, n_classes, weights, structure).map(Self::from);
            }
            let moments = Core::from_rows(&rows, codes, n_classes, weights, structure, parallel)?;
            match fourth_order {
                true => moments.to_fourth_order(&rows, codes, weights, parallel),
                false => Ok(moments),
            }
            .map(Self::from)
        })
    }

    /// Whether tied moments of so many rows are the sums of full ones, which then take no longer.
    #[staticmethod]
    fn sums_by_class(n_rows: usize, n_classes: usize, n_features: usize) -> bool {
        Core::sums_by_class(n_rows, n_classes, n_features)
    }

    /// One pass over rows with class codes, in which NaN is left out of the sums of its column: diagonal moments.
    #[staticmethod]
    #[pyo3(signature = (X, codes, n_classes, weights=None, n_threads=None))]
    #[expect(non_snake_case, reason = "X is the name of the data in Python")]
    fn from_observed(
        py: Python<'_>,
        X: Table<'_>,
        codes: Readable1<'_, u32>,
        n_classes: usize,
        weights: Option<Readable1<'_, f64>>,
        n_threads: Option<usize>,
    ) -> PyResult<Self> {
        let (rows, codes) = (X.rows(), codes.as_slice()?);
        let weights = weights.as_deref().map(PyReadonlyArray1::as_slice).transpose()?;
        run(py, n_threads, |parallel| Core::from_observed(&rows, codes, n_classes, weights, parallel))
            .map(Self::from)
    }

    /// One pass over columns that may each be of another type, in which NaN is left out: diagonal moments.
    #[staticmethod]
    #[pyo3(signature = (columns, labeled, n_threads=None))]
    fn from_columns(
        py: Python<'_>,
        columns: Columns<'_>,
        labeled: LabelArrays<'_>,
        n_threads: Option<usize>,
    ) -> PyResult<Self> {
        let (columns, labeled) = (columns.columns(), super::discrete::labeled(&labeled)?);
        run(py, n_threads, |parallel| crate::discrete::moments_of_numbers(&columns, labeled, parallel))
            .map(Self::from)
    }

    /// The moments together with those of rows with class codes; None where it takes the general way, or that to say what
    /// is wrong.
    #[pyo3(signature = (X, codes, n_threads=None, may_miss=false))]
    #[expect(non_snake_case, reason = "X is the name of the data in Python")]
    fn join_rows(
        &self,
        py: Python<'_>,
        X: Table<'_>,
        codes: Codes<'_>,
        n_threads: Option<usize>,
        may_miss: bool,
    ) -> PyResult<Option<Self>> {
        let Some(moments) = self.summed() else { return Ok(None) };
        let (rows, codes, diagonal) = (X.rows(), codes.as_slice()?, moments.structure() == Structure::Diag);
        if !diagonal && rows.n_rows() > 1 && WideMoments::is_for(rows.n_rows(), rows.n_features()) {
            return Ok(None);
        }
        let joined = run(py, n_threads, |parallel| {
            let joined = moments.join_rows(&rows, codes, may_miss, parallel)?;
            if diagonal {
                joined.total()?; // refuses classes so far apart that squares overflow
            }
            Ok(joined)
        });
        Ok(unless_refused(py, joined)?.map(Self::from))
    }

    /// The largest variance of any column, all rows taken as one class.
    fn largest_variance(&self, py: Python<'_>) -> PyResult<f64> {
        run_quick(py, || match &self.0 {
            Held::Dense(moments) => moments.largest_variance(),
            Held::Wide(moments, _) => moments.to_diagonal()?.largest_variance(),
        })
    }

    /// 'full', 'tied' or 'diag'.
    #[getter]
    pub(super) fn structure(&self) -> &'static str {
        structure_name(of_either!(self, moments => moments.structure()))
    }

    /// Number of columns.
    #[getter]
    fn n_features(&self) -> usize {
        of_either!(self, moments => moments.n_features())
    }

    /// Rows of positive weight in each class.
    #[getter]
    fn rows<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        of_either!(self, moments => moments.rows()).to_pyarray(py)
    }

    /// Rows of positive weight.
    #[getter]
    fn n_rows(&self) -> u64 {
        of_either!(self, moments => moments.rows()).iter().fold(0, |sum, &rows| sum.saturating_add(rows))
    }

    /// The share of each class in all weight.
    fn proportions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let proportions = of_either!(self, moments => moments.priors());
        Ok(proportions.map_err(|error| to_python(py, &error))?.into_pyarray(py))
    }

    /// Sum of the weights of each class.
    #[getter]
    pub(super) fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        of_either!(self, moments => moments.weights()).to_pyarray(py)
    }

    /// The class means.
    #[getter]
    fn means<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        self.means_in_parts().sum().into_pyarray(py)
    }

    /// Sums of squares and products: K × d × d, 1 × d × d or K × 1 × d.
    #[getter]
    pub(super) fn scatter<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        Ok(run_quick(py, || Ok(self.dense()?.scatter()))?.to_pyarray(py))
    }

    /// Sums of squares: K × d, or 1 × d of all classes together.
    #[getter]
    fn squares<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        of_either!(self, moments => moments.squares()).into_pyarray(py)
    }

    /// Whether scatters are kept as factors of few rows.
    #[getter]
    fn is_wide(&self) -> bool {
        self.wide().is_some()
    }

    /// Rows whose products are the scatters, and where those of each begin, if there are few; else None.
    #[getter]
    fn factor<'py>(&self, py: Python<'py>) -> Option<FactorArrays<'py>> {
        self.wide().map(|moments| (moments.factor().to_pyarray(py), moments.bounds().to_vec()))
    }

    /// The same of rows that are given.
    #[staticmethod]
    fn from_factor(
        py: Python<'_>,
        structure: &str,
        rows: Vec<u64>,
        weights: Readable1<'_, f64>,
        means: (Readable2<'_, f64>, Readable2<'_, f64>),
        factor: Readable2<'_, f64>,
        bounds: Vec<usize>,
    ) -> PyResult<Self> {
        let structure = structure_from(structure)?;
        let weights = copied(weights.as_array());
        let means = Means { shift: copied(means.0.as_array()), offset: copied(means.1.as_array()) };
        let factor = copied(factor.as_array());
        run_quick(py, || WideMoments::new(structure, rows, weights, means, factor, bounds)).map(Self::from)
    }

    /// Sums of squares that others were removed from, of each matrix and column; None if none were.
    #[getter]
    pub(super) fn past<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray2<f64>>> {
        self.summed()?.past().map(|past| past.to_pyarray(py))
    }

    /// Weight of the rows in which a column is observed, class × column; None if no value was missing.
    #[getter]
    pub(super) fn seen<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray2<f64>>> {
        self.summed()?.seen().map(|seen| seen.to_pyarray(py))
    }

    /// Units, third and fourth moments of each class, and roots of those that others were removed from; None if none are known.
    #[getter]
    pub(super) fn fourth<'py>(&self, py: Python<'py>) -> Option<HigherArrays<'py>> {
        self.summed()?.fourth().map(|FourthOrder { units, third, fourth, past }| {
            (units.to_pyarray(py), third.to_pyarray(py), fourth.to_pyarray(py), past.to_pyarray(py))
        })
    }

    /// 4 if third and fourth moments are known, else 2.
    #[getter]
    fn order(&self) -> u8 {
        if self.summed().is_some_and(|moments| moments.has_fourth_order()) { 4 } else { 2 }
    }

    /// The mean of the class means, weighted.
    fn mean_of_means<'py>(
        &self,
        py: Python<'py>,
        weights: Readable1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let weights = weights.as_slice()?;
        let mean = run_quick(py, || {
            check_priors(weights, of_either!(self, moments => moments.n_classes()))?;
            Ok(self.means_in_parts().mean(weights))
        })?;
        Ok(mean.into_pyarray(py))
    }

    /// The moments of two disjoint samples together.
    fn merge(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        run_quick(py, || self.map_both(other, WideMoments::merge, Core::merge))
    }

    /// The moments of what is left without a part.
    #[pyo3(signature = (part, max_removed=None))]
    fn subtract(&self, py: Python<'_>, part: &Self, max_removed: Option<f64>) -> PyResult<Self> {
        run_quick(py, || {
            let max_removed = max_removed.unwrap_or(MAX_REMOVED);
            self.map_both(
                part,
                |whole, part| whole.subtract_at_most(part, max_removed),
                |whole, part| whole.subtract_at_most(part, max_removed),
            )
        })
    }

    /// The moments with every weight multiplied by a factor.
    fn scale(&self, py: Python<'_>, factor: f64) -> PyResult<Self> {
        run_quick(py, || of_either!(self, moments => moments.scale(factor).map(Self::from)))
    }

    /// The moments with classes moved to other places; those that share a place become one.
    fn regroup(&self, py: Python<'_>, places: Vec<usize>, n_classes: usize) -> PyResult<Self> {
        run_quick(py, || {
            self.map(|wide| wide.regroup(&places, n_classes), |dense| dense.regroup(&places, n_classes))
        })
    }

    /// The moments of some columns.
    fn select(&self, py: Python<'_>, columns: Vec<usize>) -> PyResult<Self> {
        run_quick(py, || self.map(|wide| wide.select(&columns), |dense| dense.select(&columns)))
    }

    /// The moments with less known of second moments.
    fn to(&self, py: Python<'_>, structure: &str) -> PyResult<Self> {
        let structure = structure_from(structure)?;
        run_quick(py, || match (&self.0, structure) {
            (Held::Dense(moments), _) => moments.to(structure).map(Self::from),
            (Held::Wide(moments, _), Structure::Diag) => moments.to_diagonal().map(Self::from),
            (Held::Wide(moments, _), Structure::Tied) => Ok(Self::from(moments.to_tied())),
            (Held::Wide(moments, _), Structure::Full) => unless_large(WideMoments::clone(moments)),
        })
    }

    /// The moments of all rows as one class.
    fn total(&self, py: Python<'_>) -> PyResult<Self> {
        run_quick(py, || self.map(WideMoments::total, Core::total))
    }

    /// One covariance per class.
    fn class_covariances<'py>(&self, py: Python<'py>, unbiased: bool) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let covariances: Array3<f64> = run_quick(py, || covariance::of_classes(self.dense()?, unbiased))?;
        Ok(covariances.into_pyarray(py))
    }

    /// The variance of each class and column.
    fn variances<'py>(&self, py: Python<'py>, unbiased: bool) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let variances: Array2<f64> = run_quick(py, || covariance::variances(self.dense()?, unbiased))?;
        Ok(variances.into_pyarray(py))
    }

    /// The pooled covariance.
    fn pooled_covariance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        Ok(run_quick(py, || covariance::pooled(self.dense()?, None, false))?.into_pyarray(py))
    }

    /// The factor that makes a pooled covariance unbiased.
    fn pooled_correction(&self, py: Python<'_>) -> PyResult<f64> {
        let (weight, classes) = of_either!(self, moments => (moments.total_weight(), moments.n_classes()));
        run_quick(py, || covariance::pooled_correction_of(weight, classes))
    }

    /// One covariance per class, shrunk by Ledoit and Wolf's intensity; the rows must be those of these moments.
    #[pyo3(signature = (X, codes, weights=None, n_threads=None))]
    #[expect(non_snake_case, reason = "X is the name of the data in Python")]
    fn ledoit_wolf<'py>(
        &self,
        py: Python<'py>,
        X: Table<'py>,
        codes: Readable1<'py, u32>,
        weights: Option<Readable1<'py, f64>>,
        n_threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let (rows, codes) = (X.rows(), codes.as_slice()?);
        let weights = weights.as_deref().map(PyReadonlyArray1::as_slice).transpose()?;
        let covariances = run(py, n_threads, |parallel| {
            covariance::ledoit_wolf(self.dense()?, &rows, codes, weights, parallel)
        })?;
        Ok(covariances.into_pyarray(py))
    }

    /// The same from moments of fourth order.
    fn ledoit_wolf_of_moments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        Ok(run_quick(py, || covariance::ledoit_wolf_of_moments(self.dense()?))?.into_pyarray(py))
    }

    /// The larger part of the class means.
    #[getter]
    pub(super) fn shift<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        self.means_in_parts().shift.to_pyarray(py)
    }

    /// The class means less `shift`.
    #[getter]
    pub(super) fn offset<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        self.means_in_parts().offset.to_pyarray(py)
    }

    /// The arguments that the moments are built from, by name.
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let names = ["structure", "rows", "weights", "shift", "offset", "scatter", "past", "seen", "fourth"];
        names.into_iter().zip(self.arguments(py)?).into_py_dict(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let class = py.get_type::<Self>().into_any();
        let Some(wide) = self.wide() else {
            return Ok((class, self.arguments(py)?));
        };
        let means = (self.shift(py), self.offset(py));
        let (factor, bounds) = (wide.factor().to_pyarray(py), wide.bounds().to_vec());
        let parts = (self.structure(), wide.rows().to_vec(), self.weights(py), means, factor, bounds);
        Ok((class.getattr("from_factor")?, parts.into_pyobject(py)?))
    }
}
