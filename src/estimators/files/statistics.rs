//! Statistics as arrays, under the names that the Python package gives them.

use ndarray::{Array1, Array2, Array3, Axis, Ix1, Ix2, concatenate, s};
use safetensors::tensor::Dtype;
use serde_json::{Value, json};

use super::super::estimator::{GaussianStatistics, Statistics, TermCounts};
use super::container::{Content, Tensor};
use super::error::{Fault, Outcome};
use super::mixed::width;
use crate::discrete::{LevelCounts, PresenceCounts};
use crate::error::{Result, check_number};
use crate::moments::{FourthOrder, Means, Moments, Structure};
use crate::wide::WideMoments;

/// How much more than the rows of a class rounding may make of what was counted in a column.
const ROUNDING: f64 = 1e-9;

impl Content {
    /// Moments under names that begin with `part`, which is empty or ends in a dot.
    pub(super) fn put_moments(
        &mut self,
        part: &str,
        moments: &Moments,
        unweighted: Option<&Moments>,
        has_gaps: bool,
    ) -> Value {
        self.put_sums(part, moments);
        if let Some(unweighted) = unweighted {
            self.put_sums(&format!("{part}unweighted."), unweighted);
        }
        let structure = match moments.structure() {
            Structure::Full => "full",
            Structure::Tied => "tied",
            Structure::Diag => "diag",
        };
        json!({"structure": structure, "dtype": "float64", "has_gaps": has_gaps})
    }

    fn put_sums(&mut self, part: &str, moments: &Moments) {
        let rows = moments.rows().iter().map(|&rows| i128::from(rows));
        let means = moments.means_in_parts();
        let tensors = [
            ("rows", Tensor::of_integers(Dtype::U64, vec![moments.n_classes()], rows)),
            ("weights", moments.weights().into()),
            ("shift", (&means.shift).into()),
            ("offset", (&means.offset).into()),
            ("scatter", moments.scatter().into()),
        ];
        self.tensors.extend(tensors.map(|(name, tensor)| (format!("{part}{name}"), tensor)));
        self.tensors.extend(moments.past().map(|past| (format!("{part}past"), past.into())));
        self.tensors.extend(moments.seen().map(|seen| (format!("{part}seen"), seen.into())));
        if let Some(FourthOrder { units, third, fourth, past }) = moments.fourth() {
            let tensors = [
                ("units", units.into()),
                ("third", third.into()),
                ("fourth", fourth.into()),
                ("past_roots", past.into()),
            ];
            self.tensors.extend(tensors.map(|(name, tensor)| (format!("{part}{name}"), tensor)));
        }
    }

    /// Moments, those of all rows as one class that each counts once, and whether values were missing.
    pub(super) fn take_moments(
        &self,
        part: &str,
        metadata: &Value,
    ) -> Outcome<(Moments, Option<Moments>, bool)> {
        let structure = match metadata.get("structure").and_then(Value::as_str) {
            Some("full") => Structure::Full,
            Some("tied") => Structure::Tied,
            Some("diag") => Structure::Diag,
            _ => return Err(Fault::Damaged("its moments have no structure".to_owned())),
        };
        let moments = self.take_sums(part, structure)?;
        let once = format!("{part}unweighted.");
        let once = self
            .tensors
            .contains_key(&format!("{once}rows"))
            .then(|| self.take_sums(&once, Structure::Diag))
            .transpose()?;
        if once
            .as_ref()
            .is_some_and(|once| (once.n_classes(), once.n_features()) != (1, moments.n_features()))
        {
            return Err(Fault::Damaged(
                "its sums of rows that count once are those of other columns".to_owned(),
            ));
        }
        Ok((moments, once, metadata.get("has_gaps").and_then(Value::as_bool).unwrap_or(false)))
    }

    fn take_sums(&self, part: &str, structure: Structure) -> Outcome<Moments> {
        let name = |name: &str| format!("{part}{name}");
        let means = Means { shift: self.floats(&name("shift"))?, offset: self.floats(&name("offset"))? };
        let (rows, weights) = (self.counts(&name("rows"))?, self.floats(&name("weights"))?);
        if let Some(factor) = self.floats_if_any(&name("factor"))? {
            // Python keeps few rows as factors.
            let bounds = self.counts(&name("bounds"))?.into_iter().map(|bound| bound as usize).collect();
            return Ok(WideMoments::new(structure, rows, weights, means, factor, bounds)?.to_dense()?);
        }
        let moments = Moments::new(structure, rows, weights, means, self.floats(&name("scatter"))?)?;
        let moments = match self.floats_if_any(&name("past"))? {
            Some(past) => moments.with_past(past)?,
            None => moments,
        };
        let moments = match self.floats_if_any(&name("seen"))? {
            Some(seen) => moments.with_seen(seen)?,
            None => moments,
        };
        Ok(match self.floats_if_any(&name("fourth"))? {
            Some(fourth) => moments.with_fourth(FourthOrder {
                units: self.floats(&name("units"))?,
                third: self.floats(&name("third"))?,
                fourth,
                past: self.floats(&name("past_roots"))?,
            })?,
            None => moments,
        })
    }

    /// Everything that a fit has learned; the metadata besides goes to those of the file.
    pub(super) fn put_statistics(&mut self, statistics: &Statistics) {
        match statistics {
            Statistics::Gaussian(gaussian) => self.put_gaussian(gaussian),
            Statistics::Presence(counts) => {
                self.put_tables("bernoulli", &counts.classes, std::slice::from_ref(&counts.present));
                let absent = counts.absent.as_ref().map(Tensor::from);
                self.tensors.extend(absent.map(|absent| ("counts.absent".to_owned(), absent)));
            }
            Statistics::Levels(counts) => self.put_tables("categorical", &counts.classes, &counts.columns),
            Statistics::Mixed(sums) => self.put_mixed(sums),
            Statistics::Terms(counts) => {
                self.put_tables("multinomial", &counts.classes, std::slice::from_ref(&counts.terms))
            }
        }
    }

    fn put_gaussian(&mut self, gaussian: &GaussianStatistics) {
        let unweighted = gaussian.unweighted.as_ref();
        let moments = self.put_moments("_moments.", &gaussian.moments, unweighted, gaussian.has_gaps);
        self.metadata.insert("_moments".to_owned(), moments);
        let intensities = gaussian.intensities.clone().map(Array1::from);
        let estimated = [
            ("covariances", gaussian.covariances.as_ref().map(Tensor::from)),
            ("total", gaussian.total.as_ref().map(Tensor::from)),
            ("intensities", intensities.as_ref().map(Tensor::from)),
        ];
        for (name, tensor) in estimated {
            self.tensors.extend(tensor.map(|tensor| (format!("_estimated.{name}"), tensor)));
        }
    }

    pub(super) fn take_gaussian(&self) -> Outcome<Statistics> {
        let part = |name: &str| self.metadata.get(name).filter(|part| !part.is_null());
        let metadata = part("_moments").ok_or_else(|| Fault::Damaged("it has no moments".to_owned()))?;
        let (moments, unweighted, has_gaps) = self.take_moments("_moments.", metadata)?;
        let mut intensities: Option<Array1<f64>> = self.floats_if_any("_estimated.intensities")?;
        let (classes, d) = (moments.n_classes(), moments.n_features());
        let mut covariances = self.floats_if_any("_estimated.covariances")?;
        if let Some(diagonals) = self.floats_if_any::<Ix2>("_estimated.diagonals")? {
            let shares = intensities.take().filter(|shares| shares.len() == classes);
            let shares = shares.filter(|_| diagonals.dim() == (classes, d));
            let shares =
                shares.ok_or_else(|| Fault::Damaged("its estimates do not fit its moments".to_owned()))?;
            covariances = Some(shrunk_toward(&moments, &shares, &diagonals)?);
        }
        let statistics = GaussianStatistics {
            has_gaps,
            unweighted,
            covariances,
            total: self.floats_if_any("_estimated.total")?,
            intensities: intensities.map(|intensities| intensities.to_vec()),
            ..GaussianStatistics::of(moments)
        };
        let fits =
            statistics.covariances.as_ref().is_none_or(|covariances| covariances.dim() == (classes, d, d))
                && statistics.total.as_ref().is_none_or(|total| total.dim() == (d, d));
        match fits {
            true => Ok(Statistics::Gaussian(Box::new(statistics))),
            false => Err(Fault::Damaged("its estimates do not fit its moments".to_owned())),
        }
    }

    fn put_tables(&mut self, kind: &str, classes: &[f64], tables: &[Array2<f64>]) {
        let widths = tables.iter().map(|table| table.ncols() as i128);
        let views: Vec<_> = tables.iter().map(|table| table.view()).collect();
        let joined = concatenate(Axis(1), &views).unwrap_or_else(|_| Array2::zeros((classes.len(), 0)));
        let tensors = [
            ("class_count", Tensor::from(&Array1::from(classes.to_vec()))),
            ("widths", Tensor::of_integers(Dtype::I64, vec![tables.len()], widths)),
            ("tables", Tensor::from(&joined)),
        ];
        self.tensors.extend(tensors.map(|(name, tensor)| (format!("counts.{name}"), tensor)));
        self.metadata.insert("counts".to_owned(), json!({"kind": kind, "has_gaps": false}));
    }

    pub(super) fn take_counts(&self) -> Outcome<Statistics> {
        let classes = self.floats::<Ix1>("counts.class_count")?.to_vec();
        let tables = self.take_tables(classes.len())?;
        let counts = self.metadata.get("counts");
        let levels = counts.and_then(|counts| counts.get("levels")).and_then(Value::as_array);
        for named in levels.into_iter().flatten().filter(|levels| !levels.is_null()) {
            width(named)?;
        }
        let kind = counts.and_then(|counts| counts.get("kind")).and_then(Value::as_str);
        match (kind, &tables[..]) {
            (Some("bernoulli"), [_, _]) => Err(Fault::Unsupported(
                "entries were missing in its rows, of which counts are not kept here; load it in Python"
                    .to_owned(),
            )),
            (Some("bernoulli"), [present]) => self.presence_counts(classes, present),
            (Some("multinomial"), [terms]) => Ok(term_counts(classes, terms)?),
            (Some("categorical"), _) => Ok(level_counts(classes, tables)?),
            _ => Err(Fault::Damaged("there are no such counts".to_owned())),
        }
    }

    /// The tables of counts, which stand side by side.
    fn take_tables(&self, classes: usize) -> Outcome<Vec<Array2<f64>>> {
        let joined: Array2<f64> = self.floats("counts.tables")?;
        let widths: Vec<usize> =
            self.counts("counts.widths")?.into_iter().map(|width| width as usize).collect();
        let total = widths.iter().try_fold(0_usize, |sum, &width| sum.checked_add(width));
        if joined.nrows() != classes || total != Some(joined.ncols()) {
            return Err(Fault::Damaged("its tables and classes do not fit together".to_owned()));
        }
        let ends = widths.iter().scan(0, |end, &width| {
            *end += width;
            Some(*end)
        });
        Ok(ends.zip(&widths).map(|(end, width)| joined.slice(s![.., end - width..end]).to_owned()).collect())
    }

    fn presence_counts(&self, classes: Vec<f64>, present: &Array2<f64>) -> Outcome<Statistics> {
        let absent: Option<Array2<f64>> = self.floats_if_any("counts.absent")?;
        check_counts(&classes, present.columns())?;
        if let Some(absent) = &absent {
            if absent.dim() != present.dim() {
                return Err(Fault::Damaged("its tables do not fit together".to_owned()));
            }
            check_counts(&classes, absent.columns())?;
        }
        Ok(Statistics::Presence(PresenceCounts { classes, present: present.clone(), absent }))
    }
}

fn term_counts(classes: Vec<f64>, terms: &Array2<f64>) -> Result<Statistics> {
    terms.iter().chain(&classes).try_for_each(|&count| {
        check_number("a count", "finite and at least 0", count, |count| count.is_finite() && count >= 0.0)
    })?;
    Ok(Statistics::Terms(TermCounts { classes, terms: terms.clone() }))
}

fn level_counts(classes: Vec<f64>, columns: Vec<Array2<f64>>) -> Result<Statistics> {
    for table in &columns {
        check_counts(&classes, [table.sum_axis(Axis(1)).view()])?;
    }
    Ok(Statistics::Levels(LevelCounts { classes, columns }))
}

/// An error if more was counted in a column than there are rows, or less than nothing.
pub(super) fn check_counts<'a>(
    classes: &[f64],
    columns: impl IntoIterator<Item = ndarray::ArrayView1<'a, f64>>,
) -> Result<()> {
    for column in columns {
        for (&count, &rows) in column.iter().zip(classes) {
            check_number("a count", "from 0 to the weight of its class", count, |count| {
                rows.is_finite() && count >= 0.0 && count <= rows * (1.0 + ROUNDING)
            })?;
        }
    }
    Ok(())
}

/// Covariances of which Python keeps a share and the diagonal that it moves toward.
fn shrunk_toward(moments: &Moments, shares: &Array1<f64>, diagonals: &Array2<f64>) -> Result<Array3<f64>> {
    let mut covariances = crate::covariance::of_classes(moments, false)?;
    for (class, mut covariance) in covariances.outer_iter_mut().enumerate() {
        covariance *= 1.0 - shares[class];
        covariance.diag_mut().scaled_add(shares[class], &diagonals.row(class));
    }
    Ok(covariances)
}
