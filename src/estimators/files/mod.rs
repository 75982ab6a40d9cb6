//! Models and moments in files, which the Python package reads and writes too.

mod container;
mod error;
mod labels;
mod mixed;
mod parameters;
mod reading;
mod statistics;
mod tensors;
mod values;

use std::path::Path;

use serde_json::{Map, Value, json};

pub use error::FileError;
pub use labels::FileLabel;

use super::estimator::Kind;
use super::fitted::Fitted;
use super::moments::Moments;
use container::{Content, read, write};
use error::{Fault, Outcome};
use labels::object_texts;
use reading::Parameters;

impl<L: FileLabel> Fitted<L> {
    /// Writes the model to a file, from which [`Fitted::load`] and Python's `gauda.load` make the same again. A file that has
    /// the name is replaced once the new one is whole.
    ///
    /// # Errors
    /// What the system refuses, and labels that numpy does not keep: text that ends in a zero.
    ///
    /// ```
    /// use gauda::{Fitted, Lda};
    /// use ndarray::array;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("model.gauda");
    /// let x = array![[0.0], [1.0], [8.0], [9.0]];
    /// let model = Lda::params().fit(&x, &["low", "low", "high", "high"])?;
    /// model.save(&path)?;
    /// assert_eq!(Fitted::<String>::load(&path)?.predict_proba(&x)?, model.predict_proba(&x)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        let path = path.as_ref();
        let outcome = self.to_content().and_then(|content| write(path, &content));
        outcome.map_err(|fault| fault.at(path))
    }

    /// The model of a file that [`Fitted::save`] or a model's `save` in Python has written. Nothing in it is run.
    ///
    /// # Errors
    /// A file that is damaged, something else's, or of a later version; classes that are not `L`; a model or parameters for which
    /// there is no counterpart here.
    ///
    /// ```no_run
    /// use gauda::Fitted;
    /// use ndarray::array;
    ///
    /// let model = Fitted::<String>::load("iris.gauda")?;
    /// println!("{:?}", model.predict(&array![[5.1, 3.5, 1.4, 0.2]])?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn load(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let outcome = read(path).and_then(|content| Self::from_content(&content));
        outcome.map_err(|fault| fault.at(path))
    }

    fn to_content(&self) -> Outcome<Content> {
        let mut content = Content { kind: self.kind.saved_as().to_owned(), ..Content::default() };
        let part = part_of(&self.kind);
        content.put_labels(&format!("{part}.classes"), &self.classes)?;
        if let Some(names) = &self.feature_names {
            let array = json!({"$type": "array", "dtype": "|O", "shape": [names.len()], "values": names});
            content.objects.insert(format!("{part}.feature_names"), array);
        }
        content.put_statistics(&self.statistics);
        content.metadata.extend(metadata(self.kind.to_json(&self.settings, self.n_features())));
        Ok(content)
    }

    fn from_content(content: &Content) -> Outcome<Self> {
        let mut parameters = Parameters(object(content, "parameters")?);
        // With which the model was made, where they have changed since.
        parameters.0.extend(object(content, "settings").unwrap_or_default());
        if content.metadata.get("left_out").is_some() {
            let why = "its covariances are by an estimator of somebody else's; load it in Python";
            return Err(Fault::Unsupported(why.to_owned()));
        }
        let kind = parameters.kind(content)?;
        let part = part_of(&kind);
        let classes = content.take_labels(&format!("{part}.classes"))?;
        let settings = parameters.settings(&classes)?;
        let statistics = match part {
            GAUSSIAN => content.take_gaussian()?,
            MIXED => content.take_mixed()?,
            _ => content.take_counts()?,
        };
        if classes.len() != statistics.class_weights().len() {
            return Err(Fault::Damaged(format!("{} labels cannot name its classes", classes.len())));
        }
        let feature_names = content.objects.get(&format!("{part}.feature_names")).and_then(object_texts);
        let fitted = Self::of(classes, kind, settings, statistics)?;
        Ok(Self { feature_names, ..fitted })
    }
}

impl<L: FileLabel> Moments<L> {
    /// Writes the moments to a file, from which [`Moments::load`] and Python's `gauda.Moments.load` make the same again.
    ///
    /// # Errors
    /// As [`Fitted::save`].
    ///
    /// ```
    /// use gauda::{Moments, Structure};
    /// use ndarray::array;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("monday.moments");
    /// let moments = Moments::from_rows(&array![[0.0], [1.0]], &[7_i64, 7], Structure::Full)?;
    /// moments.save(&path)?;
    /// assert_eq!(Moments::load(&path)?, moments);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        let mut content = Content { kind: "Moments".to_owned(), ..Content::default() };
        let metadata = content.put_moments("", &self.core, self.unweighted.as_ref(), self.has_gaps);
        let path = path.as_ref();
        let outcome = content.put_labels("classes", &self.classes).and_then(|()| {
            content.metadata.extend(metadata.as_object().cloned().unwrap_or_default());
            write(path, &content)
        });
        outcome.map_err(|fault| fault.at(path))
    }

    /// The moments of a file that [`Moments::save`] or `save` in Python has written.
    ///
    /// # Errors
    /// As [`Fitted::load`].
    ///
    /// ```no_run
    /// use gauda::{Moments, Qda};
    ///
    /// let moments = Moments::<String>::load("monday.moments")?.merge(&Moments::load("tuesday.moments")?)?;
    /// let model = Qda::params().fit_moments(&moments)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn load(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let outcome = read(path).and_then(|content| {
            if content.kind != "Moments" {
                return Err(Fault::Unsupported(format!(
                    "it holds a {}, not moments; use Fitted::load",
                    content.kind
                )));
            }
            let classes = content.take_labels("classes")?;
            let (core, unweighted, has_gaps) =
                content.take_moments("", &Value::Object(content.metadata.clone()))?;
            Ok(Self { has_gaps, unweighted, ..Self::from_core(classes, core)? })
        });
        outcome.map_err(|fault| fault.at(path))
    }
}

/// The names under which the Python package keeps moments, and sums of mixed columns.
const GAUSSIAN: &str = "_moments";
const MIXED: &str = "statistics";

/// Under which name the Python package keeps the statistics.
fn part_of(kind: &Kind) -> &'static str {
    match kind {
        Kind::Qda(_) | Kind::Lda(_) | Kind::Rda(_) | Kind::GaussianNb(_) => GAUSSIAN,
        Kind::BernoulliNb(_) | Kind::CategoricalNb(_) | Kind::MultinomialNb(_) | Kind::ComplementNb(_) => {
            "counts"
        }
        Kind::MixedNb(_) => MIXED,
    }
}

fn metadata(parameters: Value) -> Map<String, Value> {
    let entries = [
        ("parameters", parameters),
        ("settings", json!({})),
        ("open", json!(true)),
        ("settled", json!(true)),
        ("iterations", json!({})),
    ];
    entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn object(content: &Content, name: &str) -> Outcome<Map<String, Value>> {
    match content.metadata.get(name) {
        Some(Value::Object(object)) => Ok(object.clone()),
        _ => Err(Fault::Damaged(format!("it has no {name}"))),
    }
}
