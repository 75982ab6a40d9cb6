//! Every way in which the core can fail, as one typed value. Classes, rows and columns are indices counted from 0;
//! whoever knows their names may put them into a message of its own.

use thiserror::Error;

use crate::linalg::Deficiency;

/// Shorthand for results of the core.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong, with the figures that a caller needs to mend it.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
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

    /// Two inputs that belong together differ in size.
    #[error("{what}: expected {expected}, got {given}")]
    Shape {
        /// What was counted.
        what: &'static str,
        /// The size given.
        given: usize,
        /// The size needed.
        expected: usize,
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

    /// A sample weight is negative, NaN or infinite, or so large that the sum of all is.
    #[error("the weight at row {row} is {value}; weights and their sum must be finite, and none below 0")]
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

    /// A divisor such as n − 1 is not positive.
    #[error(
        "{what} has total weight {weight}, which an unbiased covariance must exceed {needed}; \
         use the maximum-likelihood divisor or more rows"
    )]
    Divisor {
        /// Whose divisor it is.
        what: Owner,
        /// Sum of the weights.
        weight: f64,
        /// What the sum must exceed.
        needed: f64,
    },

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

    /// A threshold is no probability.
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

    /// A covariance matrix has no inverse.
    #[error(
        "the covariance matrix of {what} is not full rank: {}, {features} columns, rank {rank}; {}; \
         regularise it, use a common covariance, or drop columns",
        rows(*weight), describe(constant, dependent)
    )]
    Singular {
        /// Whose covariance it is.
        what: Owner,
        /// Rows (sum of weights) behind the covariance.
        weight: f64,
        /// Number of columns.
        features: usize,
        /// Rank on the correlation scale.
        rank: usize,
        /// Columns without variance.
        constant: Vec<usize>,
        /// Columns that take part in a linear dependence.
        dependent: Vec<usize>,
    },

    /// A naive model meets columns without variance.
    #[error(
        "columns {columns:?} have no variance in class {class} of {}; drop them or smooth the variances", rows(*weight)
    )]
    ZeroVariance {
        /// The class.
        class: usize,
        /// Its rows (sum of weights).
        weight: f64,
        /// The columns.
        columns: Vec<usize>,
    },

    /// The model lives on a proper subspace, so that rows have no density.
    #[error(
        "the common covariance has rank {rank} in {features} dimensions, so no density exists; regularise it"
    )]
    NoDensity {
        /// Rank of the common covariance.
        rank: usize,
        /// Number of columns.
        features: usize,
    },

    /// The model has no distances, because it has columns that are not normal.
    #[error(
        "{what} are not defined for models of discrete or mixed columns, whose classes have no distances; ask for \
         posteriors, joint probabilities or expected costs"
    )]
    NoDistance {
        /// What was asked for.
        what: &'static str,
    },

    /// A score of a row overflows.
    #[error("row {row} is so far from the classes that its scores overflow; check its units, or use f64")]
    TooFar {
        /// The row.
        row: usize,
    },

    /// A column varies so little that single precision cannot hold its scale.
    #[error(
        "the values in column {column} are too small for single precision; multiply the column, or use f64"
    )]
    TooFine {
        /// The column.
        column: usize,
    },

    /// Without one of its rows a model would be singular.
    #[error(
        "without row {row} the covariance of {what} is not full rank; regularise it, or give it more rows or fewer columns"
    )]
    LeftOut {
        /// The row.
        row: usize,
        /// Whose covariance it is.
        what: Owner,
    },

    /// The caller's watch asked for an end.
    #[error("interrupted")]
    Interrupted,

    /// Moments or counts do not fit into memory.
    #[error(
        "moments or counts need {bytes} bytes, more than the system gives; use fewer columns, or a simpler covariance"
    )]
    Memory {
        /// What would be needed.
        bytes: usize,
    },

    /// Two moments that do not go together.
    #[error("moments do not go together: {0} differ")]
    Incompatible(&'static str),

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
    Cancelled {
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

    /// An entry is no level: levels are 0, 1, 2, …
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

    /// No class can have made a row.
    #[error("row {row} has probability 0 in every class; smooth the probabilities")]
    Impossible {
        /// The row.
        row: usize,
    },

    /// A class shows nothing of a column.
    #[error("column {column} is never observed in class {class}; drop the column or the class")]
    NeverObserved {
        /// The class.
        class: usize,
        /// The column.
        column: usize,
    },

    /// EM meets a covariance without an inverse, before its first iteration or after some.
    #[error(
        "EM cannot go on after {iteration} iterations: the covariance of {what} is singular, {}; \
         drop columns, give more rows, or take columns as independent",
        describe(constant, dependent)
    )]
    Degenerate {
        /// Whose covariance it is.
        what: Owner,
        /// Iterations before.
        iteration: usize,
        /// Columns without variance.
        constant: Vec<usize>,
        /// Columns that take part in a linear dependence.
        dependent: Vec<usize>,
    },

    /// The covariance of some columns, those that rows of a pattern show, has no inverse.
    #[error("the covariance of {what} in columns {columns:?} is singular; drop columns or regularise it")]
    SingularPart {
        /// Whose covariance it is.
        what: Owner,
        /// The columns.
        columns: Vec<usize>,
    },

    /// Something was asked for that does not go with the rest.
    #[error("{0}")]
    Unsupported(&'static str),

    /// An iterative factorisation did not converge.
    #[error("the eigenvalues of {0} did not converge; rescale the data")]
    NoConvergence(Owner),
}

impl Error {
    pub(crate) fn singular(what: Owner, weight: f64, features: usize, deficiency: Deficiency) -> Self {
        Self::Singular {
            what,
            weight,
            features,
            rank: deficiency.rank,
            constant: deficiency.constant,
            dependent: deficiency.dependent,
        }
    }
}

/// Whom a covariance belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Owner {
    /// One class.
    Class(usize),
    /// All classes together.
    Pooled,
}

impl std::fmt::Display for Owner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Class(class) => write!(f, "class {class}"),
            Self::Pooled => write!(f, "all classes"),
        }
    }
}

fn of_row(row: Option<usize>) -> String {
    row.map_or_else(String::new, |row| format!(" of row {row}"))
}

/// A sum of weights: of rows, where it could be their number.
fn rows(weight: f64) -> String {
    match weight {
        1.0 => "1 row".to_owned(),
        _ if weight.fract() == 0.0 => format!("{weight} rows"),
        _ => format!("weight {weight}"),
    }
}

fn describe(constant: &[usize], dependent: &[usize]) -> String {
    match (constant, dependent) {
        ([], columns) => format!("columns {columns:?} are linearly dependent"),
        (columns, []) => format!("columns {columns:?} are constant"),
        _ => format!("columns {constant:?} are constant, {dependent:?} linearly dependent"),
    }
}

/// Checks that two sizes agree.
pub(crate) fn same_size(what: &'static str, given: usize, expected: usize) -> Result<()> {
    if given == expected { Ok(()) } else { Err(Error::Shape { what, given, expected }) }
}

/// Checks a number; `fits` is false for NaN.
pub(crate) fn check_number(
    what: &'static str,
    expected: &'static str,
    value: f64,
    fits: impl Fn(f64) -> bool,
) -> Result<()> {
    if fits(value) { Ok(()) } else { Err(Error::Argument { what, expected, value }) }
}

/// Checks a share of something.
pub(crate) fn check_share(what: &'static str, share: f64) -> Result<()> {
    check_number(what, "from 0 to 1", share, |share| (0.0..=1.0).contains(&share))
}

/// Checks a tolerance, which may be infinite.
pub(crate) fn check_tolerance(tol: f64) -> Result<()> {
    check_number("tol", "at least 0", tol, |tol| tol >= 0.0)
}

/// Checks that there is something.
pub(crate) fn not_empty(what: &'static str, given: usize) -> Result<()> {
    same_size(what, given, given.max(1))
}
