//! Values that cannot be: in rows, labels, weights, or in what a model is told.

use thiserror::Error;

use super::Owner;

/// A value in the data or a parameter that could not be what it is given as.
///
/// ```
/// use gauda::{Error, InputError, Qda};
/// use ndarray::array;
///
/// let x = array![[1.0], [f64::INFINITY], [2.0], [4.0]];
/// let error = Qda::params().fit(&x, &[0, 0, 1, 1]).unwrap_err();
/// assert_eq!(error, Error::Input(InputError::NonFinite { row: 1, column: 0, value: f64::INFINITY }));
/// ```
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum InputError {
    /// An entry of the data is NaN or infinite.
    #[error("the data hold {value} at row {row}, column {column}; remove or impute such rows first")]
    NonFinite {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// The entry.
        value: f64,
    },

    /// A label code is not below the number of classes.
    #[error("label {label} at row {row} is not one of the {classes} classes 0..{classes}")]
    Label {
        /// Row of the label.
        row: usize,
        /// The label.
        label: u32,
        /// Number of classes.
        classes: usize,
    },

    /// A sample weight is negative, NaN or infinite, or so large that a sum with it is.
    #[error(
        "the weight at row {row} is {value}; weights and sums with them must be finite, and none below 0"
    )]
    Weight {
        /// Row of the weight.
        row: usize,
        /// The weight.
        value: f64,
    },

    /// A class has no rows, or only rows of weight 0.
    #[error("class {class} has total weight 0; leave it out or give its rows positive weights")]
    EmptyClass {
        /// The class.
        class: usize,
    },

    /// All weights are 0, or there is no row.
    #[error("the weights of all rows are 0; at least one must be positive")]
    NoWeight,

    /// A prior is negative or not a number, all are 0, or their sum overflows.
    #[error(
        "the prior of class {class} is {value}; priors must be finite, as must their sum, at least 0, and not all 0"
    )]
    Prior {
        /// The class.
        class: usize,
        /// The prior.
        value: f64,
    },

    /// Priors do not sum to 1.
    #[error("the priors{} sum to {sum}; they must sum to 1", of_row(*row))]
    PriorSum {
        /// The row whose priors they are, if each has its own.
        row: Option<usize>,
        /// Their sum.
        sum: f64,
    },

    /// A prior that a row has of its own is negative or not a number.
    #[error("the prior of class {class} at row {row} is {value}; priors must be finite and at least 0")]
    RowPrior {
        /// The row.
        row: usize,
        /// The class.
        class: usize,
        /// The prior.
        value: f64,
    },

    /// A cost is NaN or infinite, or is so in the type of the answers.
    #[error(
        "decision {decision} costs {value} where class {truth} is the truth; costs must be finite, in the type of the \
         answers too"
    )]
    Cost {
        /// The class.
        truth: usize,
        /// The decision: a class, or to reject.
        decision: usize,
        /// The cost.
        value: f64,
    },

    /// A threshold is not a probability.
    #[error("the threshold of the {what} is {value}; it must lie between 0 and 1")]
    Threshold {
        /// What must reach it.
        what: &'static str,
        /// The threshold.
        value: f64,
    },

    /// A number that could not be what it is given as.
    #[error("{what} must be {expected}; got {value}")]
    Argument {
        /// What was given.
        what: &'static str,
        /// What it must be.
        expected: &'static str,
        /// The number.
        value: f64,
    },

    /// A sum of squares overflows the range of a double.
    #[error("the values of {what} in column {column} are too large to be squared; rescale the column")]
    Overflow {
        /// Whose values they are.
        what: Owner,
        /// The column.
        column: usize,
    },

    /// A variance is positive, but below the range of a double, or its sum of squares is because of small weights.
    #[error(
        "the values of {what} in column {column} are too small to be squared; multiply the column by 1e150, or the weights \
         if they are tiny"
    )]
    Underflow {
        /// Whose values they are.
        what: Owner,
        /// The column.
        column: usize,
    },

    /// Moments that are to be removed from others are not part of them.
    #[error("the rows to remove are not among those of {what}; remove only what was joined before")]
    NotPart {
        /// Whose rows they are.
        what: Owner,
    },

    /// So much is removed from moments that rounding hides what stays.
    #[error(
        "what is removed from {what}{} exceeds what stays by more than the digits of a double; take the moments of the rows that stay instead",
        column.map(|column| format!(" in column {column}")).unwrap_or_default()
    )]
    Removal {
        /// Whose rows they are.
        what: Owner,
        /// The column, unless it is the weight that is hidden.
        column: Option<usize>,
    },

    /// A factor for weights is negative or not finite.
    #[error("weights cannot be multiplied by {value}; a factor must be finite and at least 0")]
    Factor {
        /// The factor.
        value: f64,
    },

    /// An entry is not a level: levels are 0, 1, 2, …
    #[error("the data hold {value} at row {row}, column {column}; levels are whole numbers from 0 on")]
    NoLevel {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// The entry.
        value: f64,
    },

    /// A level that the model does not know.
    #[error(
        "level {level} at row {row}, column {column} is not one of the {levels} that are known; ignore such levels, or \
         fit with more"
    )]
    UnknownLevel {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// The level.
        level: u32,
        /// Number of levels of the column.
        levels: usize,
    },

    /// An entry that should be 0, 1 or between is not.
    #[error(
        "the data hold {value} at row {row}, column {column}; without a threshold they must lie in 0..=1"
    )]
    NoShare {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// The entry.
        value: f64,
    },

    /// An entry that counts something is negative.
    #[error("the data hold {value} at row {row}, column {column}; counts must be at least 0")]
    Negative {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// The entry.
        value: f64,
    },

    /// A threshold of presence is NaN, or below 0 for sparse rows.
    #[error(
        "the threshold of presence is {value}; it must be a number, and at least 0 for sparse rows, whose zeros are not given"
    )]
    PresenceThreshold {
        /// The threshold.
        value: f64,
    },

    /// A sparse row gives a column twice.
    #[error("row {row} gives column {column} twice; sum such entries up first")]
    GivenTwice {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
    },

    /// A class shows nothing of a column.
    #[error("column {column} is never observed in class {class}; drop the column or the class")]
    NeverObserved {
        /// The class.
        class: usize,
        /// The column.
        column: usize,
    },

    /// Something was asked for that does not go with the rest.
    #[error("{0}")]
    Unsupported(&'static str),
}

fn of_row(row: Option<usize>) -> String {
    row.map_or_else(String::new, |row| format!(" of row {row}"))
}
