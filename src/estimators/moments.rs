//! Sufficient statistics with the names of their classes: what a Gaussian model needs of the rows, to be joined, removed
//! and forgotten.

use super::labels::{ClassOf, Label, Labels};
use crate::error::{Error, InputError, Result, ShapeError, same_size};
use crate::moments::{Moments as Core, Structure};
use crate::parallel::Parallel;
use crate::rows::Rows;

/// Share of the largest weight up to which a row counts as absent where rows count once: 2⁻¹⁰⁰.
const NEXT_TO_NOTHING: f64 = 1.0 / (1_u128 << 100) as f64;

/// Weight, mean and scatter of each class: every Gaussian model is a function of them.
///
/// Moments of disjoint samples join to those of all rows, also if some classes occur in one of them only; so models of more
/// rows than fit into memory are made batch by batch, on one machine or many.
///
/// ```
/// use gauda::{Lda, Moments, Structure};
/// use ndarray::array;
///
/// let monday = Moments::from_rows(&array![[0.0], [2.0]], &["a", "a"], Structure::Full)?;
/// let tuesday = Moments::from_rows(&array![[1.0], [7.0], [9.0]], &["a", "b", "b"], Structure::Full)?;
/// let both = monday.merge(&tuesday)?;
/// assert_eq!(both.means(), array![[1.0], [8.0]]);
/// assert_eq!(both.subtract(&tuesday)?.classes(), ["a"]);
///
/// let model = Lda::params().fit_moments(&both)?;
/// assert_eq!(model.predict(&array![[6.0]])?, ["b"]);
/// # Ok::<(), gauda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Moments<L> {
    pub(super) classes: Vec<L>,
    pub(super) core: Core,
    /// Whether values were missing; unless the core tells what is observed of each column, these are expectations.
    pub(super) has_gaps: bool,
    /// All rows as one class, each counted once, where rows have weights; diagonal.
    pub(super) unweighted: Option<Core>,
}

impl<L: Clone + Ord> Moments<L> {
    /// The moments of rows, in one parallel pass.
    ///
    /// # Errors
    /// NaN or infinity in a row, values whose squares overflow, another number of labels than of rows.
    ///
    /// ```
    /// use gauda::{Moments, Structure};
    /// use ndarray::array;
    ///
    /// let moments = Moments::from_rows(&array![[1_u8, 5], [3, 7]], &[true, true], Structure::Tied)?;
    /// assert_eq!(moments.means(), array![[2.0, 6.0]]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn from_rows<'a, Y>(x: impl Into<Rows<'a>>, y: &Y, structure: Structure) -> Result<Self>
    where
        Y: Labels<Label: Label<Class = L>> + ?Sized,
    {
        from_rows(&x.into(), y, None, structure)
    }

    /// The same with a weight for each row: one of weight 2 counts like two rows.
    ///
    /// # Errors
    /// As [`Moments::from_rows`]; a weight that is negative or not finite, or another number of them than of rows.
    ///
    /// ```
    /// use gauda::{Moments, Structure};
    /// use ndarray::array;
    ///
    /// let moments = Moments::from_weighted_rows(&array![[1.0], [4.0]], &[7, 7], &[2.0, 1.0], Structure::Full)?;
    /// assert_eq!(moments.means(), array![[2.0]]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn from_weighted_rows<'a, Y>(
        x: impl Into<Rows<'a>>,
        y: &Y,
        weights: &[f64],
        structure: Structure,
    ) -> Result<Self>
    where
        Y: Labels<Label: Label<Class = L>> + ?Sized,
    {
        from_rows(&x.into(), y, Some(weights), structure)
    }

    /// The same moments with those of third and fourth order, of the same rows: [`Shrinkage::LedoitWolf`] and
    /// [`Gamma::LedoitWolf`] need them where there are no rows. They take K × d² × 2 doubles more.
    ///
    /// [`Shrinkage::LedoitWolf`]: crate::Shrinkage::LedoitWolf
    /// [`Gamma::LedoitWolf`]: crate::Gamma::LedoitWolf
    ///
    /// # Errors
    /// Moments that are not full, labels of other classes, and all that [`Moments::from_rows`] refuses.
    ///
    /// ```
    /// use gauda::{Lda, Moments, Shrinkage, Structure};
    /// use ndarray::array;
    ///
    /// let x = array![[0.0, 0.0], [2.0, 2.0], [1.0, 4.0], [7.0, 6.0], [8.0, 9.0], [9.0, 6.0]];
    /// let y = [0, 0, 0, 1, 1, 1];
    /// let moments = Moments::from_rows(&x, &y, Structure::Full)?.to_fourth_order(&x, &y, None)?;
    /// let model = Lda::params().shrinkage(Shrinkage::LedoitWolf).fit_moments(&moments)?;
    /// assert_eq!(model.predict(&x)?, y);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn to_fourth_order<'a, Y>(
        self,
        x: impl Into<Rows<'a>>,
        y: &Y,
        weights: Option<&[f64]>,
    ) -> Result<Self>
    where
        Y: Labels<Label: Label<Class = L>> + ?Sized,
    {
        let (rows, labels) = (x.into(), y.labels());
        same_size("number of labels", labels.len(), rows.n_rows())?;
        let (classes, codes) = Label::encode(&labels, Parallel::default())?;
        if classes != self.classes {
            return Err(Error::Shape(ShapeError::Incompatible("classes")));
        }
        let core = self.core.to_fourth_order(&rows, &codes, weights, Parallel::default())?;
        Ok(Self { core, ..self })
    }

    /// Moments of the core, of which class k is called `classes[k]`.
    ///
    /// # Errors
    /// Another number of names than of classes, or names that are not in ascending order.
    ///
    /// ```
    /// use gauda::{Moments, Structure};
    /// use ndarray::array;
    ///
    /// let moments = Moments::from_rows(&array![[1.0], [3.0]], &[0, 0], Structure::Full)?;
    /// let named = Moments::from_core(vec!["a".to_owned()], moments.as_core().clone())?;
    /// assert_eq!(named.classes(), ["a"]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn from_core(classes: Vec<L>, core: Core) -> Result<Self> {
        same_size("number of classes", classes.len(), core.n_classes())?;
        if !classes.is_sorted_by(|a, b| a < b) {
            return Err(Error::Input(InputError::Unsupported(
                "classes must be distinct and in ascending order; sort them",
            )));
        }
        let has_gaps = core.seen().is_some();
        Ok(Self { classes, core, has_gaps, unweighted: None })
    }

    /// The moments of both samples together.
    ///
    /// # Errors
    /// Another structure or number of columns, samples so far apart that squares overflow, or moments that EM
    /// expects of rows that lacked values.
    ///
    /// ```
    /// use gauda::{Moments, Structure};
    /// use ndarray::array;
    ///
    /// let first = Moments::from_rows(&array![[1.0], [3.0]], &[0, 1], Structure::Diag)?;
    /// let second = Moments::from_rows(&array![[5.0]], &[1], Structure::Diag)?;
    /// assert_eq!(first.merge(&second)?.means(), array![[1.0], [4.0]]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn merge(&self, other: &Self) -> Result<Self> {
        self.check_complete(other)?;
        let mut classes: Vec<L> = self.classes.iter().chain(&other.classes).cloned().collect();
        classes.sort_unstable();
        classes.dedup();
        let core = self.among(&classes)?.merge(&other.among(&classes)?)?;
        let unweighted = self.combine_unweighted(other, Core::merge);
        Ok(Self { classes, core, has_gaps: self.has_gaps || other.has_gaps, unweighted })
    }

    /// The moments of what is left without a part; classes of which nothing is left are gone.
    ///
    /// # Errors
    /// What was not part of the rows, another structure or number of columns, so much that rounding hides what stays, or
    /// moments that EM expects of rows that lacked values.
    ///
    /// ```
    /// use gauda::{Moments, Structure};
    /// use ndarray::array;
    ///
    /// let all = Moments::from_rows(&array![[1.0], [3.0], [8.0]], &[0, 0, 0], Structure::Diag)?;
    /// let part = Moments::from_rows(&array![[8.0]], &[0], Structure::Diag)?;
    /// assert_eq!(all.subtract(&part)?.means(), array![[2.0]]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn subtract(&self, part: &Self) -> Result<Self> {
        self.check_complete(part)?;
        let core = self.core.subtract(&part.among(&self.classes)?)?;
        let kept: Vec<bool> = core.weights().iter().map(|&weight| weight > 0.0).collect();
        let mut next = 0;
        let places: Vec<usize> = kept
            .iter()
            .map(|&keep| {
                next += usize::from(keep);
                next.saturating_sub(1)
            })
            .collect();
        let core = if next == 0 { core } else { core.regroup(&places, next)? };
        let classes = self.classes.iter().zip(&kept).filter(|(_, keep)| **keep || next == 0);
        Ok(Self {
            classes: classes.map(|(class, _)| class.clone()).collect(),
            core,
            has_gaps: self.has_gaps || part.has_gaps,
            unweighted: self.combine_unweighted(part, Core::subtract),
        })
    }

    /// The moments with every weight multiplied by a factor: below 1, rows of long ago count less.
    ///
    /// # Errors
    /// A factor that is negative or not finite, or so large or small that sums leave the range of a double.
    ///
    /// ```
    /// use gauda::{Moments, Structure};
    /// use ndarray::array;
    ///
    /// let moments = Moments::from_rows(&array![[1.0], [3.0]], &[0, 0], Structure::Full)?;
    /// assert_eq!(moments.scale(0.5)?.weights(), array![1.0]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn scale(&self, factor: f64) -> Result<Self> {
        let unweighted = self.unweighted.as_ref().and_then(|once| once.scale(factor).ok());
        Ok(Self { core: self.core.scale(factor)?, unweighted, ..self.clone() })
    }

    /// The moments of some columns, in the order given.
    ///
    /// # Errors
    /// No column, or one beyond those there are.
    ///
    /// ```
    /// use gauda::{Moments, Structure};
    /// use ndarray::array;
    ///
    /// let moments = Moments::from_rows(&array![[1.0, 2.0], [3.0, 5.0]], &[0, 0], Structure::Full)?;
    /// assert_eq!(moments.select(&[1])?.means(), array![[3.5]]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn select(&self, columns: &[usize]) -> Result<Self> {
        let core = self.core.select(columns)?;
        let unweighted = self.unweighted.as_ref().and_then(|once| once.select(columns).ok());
        Ok(Self { core, unweighted, ..self.clone() })
    }

    /// The moments with less known of second moments: full ones can be made tied or diagonal.
    ///
    /// # Errors
    /// A structure that these moments do not tell.
    ///
    /// ```
    /// use gauda::{Moments, Structure};
    /// use ndarray::array;
    ///
    /// let moments = Moments::from_rows(&array![[1.0, 2.0], [3.0, 5.0]], &[0, 0], Structure::Full)?;
    /// assert_eq!(moments.to(Structure::Diag)?.scatter().dim(), (1, 1, 2));
    /// # Ok::<(), gauda::Error>(())
    /// ```
    pub fn to(&self, structure: Structure) -> Result<Self> {
        Ok(Self { core: self.core.to(structure)?, ..self.clone() })
    }

    /// What becomes of rows that count once; nothing where they need no telling apart, or squares overflow.
    fn combine_unweighted(
        &self,
        other: &Self,
        combine: impl Fn(&Core, &Core) -> Result<Core>,
    ) -> Option<Core> {
        if self.unweighted.is_none() && other.unweighted.is_none() {
            return None;
        }
        combine(&self.each_once().ok()?, &other.each_once().ok()?).ok()
    }

    fn each_once(&self) -> Result<Core> {
        match &self.unweighted {
            Some(once) => Ok(once.clone()),
            None => self.core.total()?.to(Structure::Diag),
        }
    }

    /// The core's moments with these sorted classes, all of ours among them.
    fn among(&self, classes: &[L]) -> Result<Core> {
        let place = |class: &L| {
            classes.binary_search(class).map_err(|_| Error::Shape(ShapeError::Incompatible("classes")))
        };
        let places: Vec<usize> = self.classes.iter().map(place).collect::<Result<_>>()?;
        self.core.regroup(&places, classes.len())
    }

    fn check_complete(&self, other: &Self) -> Result<()> {
        let expected = |moments: &Self| moments.has_gaps && moments.core.seen().is_none();
        match expected(self) || expected(other) {
            true => Err(Error::Input(InputError::Unsupported(
                "moments that EM expects of rows in which values were missing must stay as they are, as they are not sums of \
                 rows; fit all rows together, or use diagonal moments",
            ))),
            false => Ok(()),
        }
    }
}

fn from_rows<Y: Labels + ?Sized>(
    rows: &Rows<'_>,
    y: &Y,
    weights: Option<&[f64]>,
    structure: Structure,
) -> Result<Moments<ClassOf<Y>>> {
    let labels = y.labels();
    same_size("number of labels", labels.len(), rows.n_rows())?;
    let (classes, codes) = Label::encode(&labels, Parallel::default())?;
    let core = Core::from_rows(rows, &codes, classes.len(), weights, structure, Parallel::default())?;
    let weighted_diagonal = weights.is_some() && structure == Structure::Diag;
    let each_once = || {
        let (one_class, counted) = (vec![0; codes.len()], counted_once(weights));
        Core::from_rows(rows, &one_class, 1, counted.as_deref(), structure, Parallel::default())
    };
    let unweighted = weighted_diagonal.then(each_once).and_then(Result::ok);
    Ok(Moments { classes, core, has_gaps: false, unweighted })
}

/// Weights that count each row once; none if all count. Rows of weight 0 do not, nor those of next to none beside the others.
pub(super) fn counted_once(weights: Option<&[f64]>) -> Option<Vec<f64>> {
    let weights = weights?;
    let negligible = weights.iter().copied().fold(0.0, f64::max) * NEXT_TO_NOTHING;
    let counted: Vec<f64> = weights.iter().map(|&weight| f64::from(u8::from(weight > negligible))).collect();
    counted.contains(&0.0).then_some(counted)
}
