//! Sums of mixed columns as arrays, under the names that the Python package gives them.

use std::collections::BTreeSet;

use ndarray::{Array1, Array2, Array3, Axis, concatenate, s, stack};
use serde_json::{Value, json};

use super::super::MixedNb;
use super::super::estimator::{MixedSums, Statistics};
use super::container::{Content, Tensor};
use super::error::{Fault, Outcome};
use super::reading::Parameters;
use super::statistics::check_counts;
use crate::discrete::{LevelCounts, NumberSums};
use crate::error::check_number;

/// The kind of columns of numbers.
const GAUSSIAN: &str = "gaussian";

impl Content {
    pub(super) fn put_mixed(&mut self, sums: &MixedSums) {
        let tables: Vec<_> = sums.counts.columns.iter().map(|table| table.view()).collect();
        let classes = sums.counts.classes.clone();
        let joined = concatenate(Axis(1), &tables).unwrap_or_else(|_| Array2::zeros((classes.len(), 0)));
        let of = |sums: &NumberSums| {
            stack![Axis(0), sums.weights, sums.means, sums.scatter].as_standard_layout().into_owned()
        };
        let tensors = [
            ("class_count", Tensor::from(&Array1::from(classes))),
            ("numbers", Tensor::from(&of(&sums.numbers))),
            ("unweighted", Tensor::from(&of(&sums.unweighted))),
            ("tables", Tensor::from(&joined.as_standard_layout().into_owned())),
        ];
        self.tensors.extend(tensors.map(|(name, tensor)| (format!("statistics.{name}"), tensor)));
        let levels: Vec<Vec<usize>> = tables.iter().map(|table| (0..table.ncols()).collect()).collect();
        let metadata = json!({
            "levels": levels,
            "kinds": kinds(&sums.categorical),
            "n_rows": sums.n_rows,
            "has_gaps": sums.has_gaps,
        });
        self.metadata.insert("statistics".to_owned(), metadata);
    }

    pub(super) fn take_mixed(&self) -> Outcome<Statistics> {
        let metadata = self.metadata.get("statistics").unwrap_or(&Value::Null);
        let kinds = metadata.get("kinds").and_then(Value::as_array).ok_or_else(damage)?;
        let levels = metadata.get("levels").and_then(Value::as_array).ok_or_else(damage)?;
        let categorical: Vec<bool> = kinds.iter().map(|kind| kind != GAUSSIAN).collect();
        let widths = levels.iter().map(width).collect::<Outcome<Vec<usize>>>()?;
        let classes: Array1<f64> = self.floats("statistics.class_count")?;
        let joined: Array2<f64> = self.floats("statistics.tables")?;
        let (numbers, unweighted) = (self.take_numbers("numbers")?, self.take_numbers("unweighted")?);
        let (discrete, k) = (categorical.iter().filter(|&&is| is).count(), classes.len());
        let columns = categorical.len() - discrete;
        let fits = widths.len() == discrete
            && joined.dim() == (k, widths.iter().sum())
            && numbers.means.dim() == (k, columns)
            && unweighted.means.dim() == (1, columns);
        if !fits {
            return Err(damage());
        }
        let classes = classes.to_vec();
        let mut end = 0;
        let table = |&width: &usize| {
            end += width;
            let table = joined.slice(s![.., end - width..end]).to_owned();
            check_counts(&classes, [table.sum_axis(Axis(1)).view()])?;
            Ok(table)
        };
        let columns = widths.iter().map(table).collect::<Outcome<_>>()?;
        Ok(Statistics::Mixed(Box::new(MixedSums {
            n_rows: metadata.get("n_rows").and_then(Value::as_u64).unwrap_or(0),
            has_gaps: metadata.get("has_gaps").and_then(Value::as_bool).unwrap_or(false),
            categorical,
            numbers,
            unweighted,
            counts: LevelCounts { classes, columns },
        })))
    }

    fn take_numbers(&self, name: &str) -> Outcome<NumberSums> {
        let sums: Array3<f64> = self.floats(&format!("statistics.{name}"))?;
        if sums.len_of(Axis(0)) != 3 {
            return Err(damage());
        }
        let [weights, means, scatter] = [0, 1, 2].map(|part| sums.index_axis(Axis(0), part).to_owned());
        let expected = [(&weights, 0.0), (&means, f64::MIN), (&scatter, 0.0)];
        for (numbers, least) in expected {
            let is_valid = |number: f64| number.is_finite() && number >= least;
            numbers.iter().try_for_each(|&number| {
                check_number("a sum", "finite, squares from 0 on", number, is_valid)
            })?;
        }
        Ok(NumberSums { weights, means, scatter })
    }
}

impl Parameters {
    /// The parameters of a model of columns whose kinds the file tells.
    pub(super) fn mixed(&mut self, statistics: Option<&Value>) -> Outcome<MixedNb> {
        self.0.remove("kinds");
        let kinds = statistics.and_then(|statistics| statistics.get("kinds")).and_then(Value::as_array);
        let categorical: BTreeSet<usize> = kinds
            .into_iter()
            .flatten()
            .enumerate()
            .filter_map(|(column, kind)| (kind != GAUSSIAN).then_some(column))
            .collect();
        Ok(MixedNb {
            alpha: self.number("alpha", 1.0)?,
            var_smoothing: self.number("var_smoothing", 1e-9)?,
            categorical,
            min_categories: 1, // tables are as wide as they were made
            ignores_unknown: self.ignores_unknown()?,
        })
    }
}

impl MixedNb {
    pub(super) fn to_json(&self, columns: usize) -> Value {
        let categorical: Vec<bool> = (0..columns).map(|column| self.categorical.contains(&column)).collect();
        json!({
            "alpha": self.alpha,
            "var_smoothing": self.var_smoothing,
            "kinds": kinds(&categorical),
            "handle_unknown": if self.ignores_unknown { "ignore" } else { "error" },
        })
    }
}

fn kinds(categorical: &[bool]) -> Vec<&'static str> {
    categorical.iter().map(|&is| if is { "categorical" } else { GAUSSIAN }).collect()
}

/// The number of levels, which must be 0, 1, 2, … or truth values: the only ones that rows of numbers have.
pub(super) fn width(levels: &Value) -> Outcome<usize> {
    let levels = levels.as_array().ok_or_else(damage)?;
    let is_code = |(code, level): (usize, &Value)| match level {
        Value::Bool(level) => usize::from(*level) == code,
        level => level.as_f64() == Some(code as f64),
    };
    match levels.iter().enumerate().all(is_code) {
        true => Ok(levels.len()),
        false => Err(Fault::Unsupported(
            "its categories are not 0, 1, 2, …, which rows are made of here; load it in Python".to_owned(),
        )),
    }
}

fn damage() -> Fault {
    Fault::Damaged("its sums are not those of columns of its kinds".to_owned())
}
