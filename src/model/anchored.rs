//! Classes with a common covariance that lie far apart. Linear functions about one center err by ε ‖b‖², which is all that
//! tells classes apart whose b are long and nearly the same. So each row is taken about the mean of a class a near it, in
//! double precision:
//!
//! s_k − s_a = b·z − ½ ‖b‖² with z = W (x − μ_a) and b = W (μ_k − μ_a).
//!
//! Whitened means are kept in two parts, so that b has all its digits for every pair of classes: those near each other and
//! those far away.

use ndarray::ArrayView1;

use super::{Parts, Shape};
use crate::kernel::{Affine, Double, Lanes, two_parts};

/// A row is taken about another class if that is likelier, and farther away than so many standard deviations.
const NEAR: f64 = 64.0;

/// Times that a row moves to another class at most. Each brings it nearer by half of the digits of a double.
const MAX_MOVES: usize = 8;

/// Two numbers whose sum counts, the second less than the rounding of the first.
type TwoParts = [f64; 2];

/// Everything that rows are scored with.
#[derive(Debug)]
pub(crate) struct Anchored {
    /// Class means: [class][column].
    means: Vec<Vec<TwoParts>>,
    /// The same, whitened, about a point that lies where most classes do: [class][direction].
    whitened_means: Vec<Vec<TwoParts>>,
    whiten: Affine<f64>,
}

/// What rows are scored in, a few at a time.
#[derive(Debug, Default)]
pub(crate) struct AnchorMemory {
    /// The rows about the means of their anchors: [column].
    about: Vec<Double>,
    /// The same, whitened: [direction].
    whitened: Vec<Double>,
    /// The whitened means of the anchors, in two parts: [direction].
    origin: Vec<[Double; 2]>,
    /// The answers: [class].
    pub(crate) answers: Vec<Double>,
}

impl Anchored {
    /// Of a model with a common covariance.
    pub(super) fn new(parts: &Parts) -> Self {
        let Shape::Tied { whitening, .. } = &parts.shape else {
            unreachable!("called for a common covariance only");
        };
        let matrix = whitening.matrix.view();
        let classes = 0..parts.means.shift.nrows();
        let mean = |class: usize| -> Vec<TwoParts> {
            let parts = parts.means.shift.row(class).into_iter().zip(parts.means.offset.row(class));
            parts.map(|(&shift, &offset)| two_parts(shift, offset)).collect()
        };
        let means: Vec<Vec<TwoParts>> = classes.map(mean).collect();
        let medians: Vec<f64> = (0..parts.center.len()).map(|column| median(&means, column)).collect();
        let whitened = |mean: &Vec<TwoParts>| -> Vec<TwoParts> {
            let about: Vec<TwoParts> =
                mean.iter().zip(&medians).map(|(&mean, &median)| add(mean, [-median, 0.0])).collect();
            matrix.outer_iter().map(|direction| dot(direction, &about)).collect()
        };
        Self {
            whitened_means: means.iter().map(whitened).collect(),
            whiten: Affine::new(matrix, &vec![0.0; matrix.nrows()]),
            means,
        }
    }

    /// For rows and each class its score less that of the likeliest, given the logarithm of the prior of a class for a lane.
    pub(crate) fn score(
        &self,
        x: &[Double],
        log_prior: impl Fn(usize, usize) -> f64,
        memory: &mut AnchorMemory,
    ) {
        let best = self.answer(x, memory, |b, z| b * (z - 0.5 * b), log_prior);
        let largest: Double = std::array::from_fn(|lane| memory.answers[best[lane]][lane]);
        for scores in &mut memory.answers {
            *scores = std::array::from_fn(|lane| scores[lane] - largest[lane]);
        }
    }

    /// Squared distances to every class.
    pub(crate) fn measure(&self, x: &[Double], memory: &mut AnchorMemory) {
        self.answer(x, memory, |b, z| -(z - b) * (z - b), |_, _| 0.0);
        memory.answers.iter_mut().for_each(|squares| *squares = squares.map(|square| -square));
    }

    /// For rows and each class the sum of `term` over all directions, about an anchor near the class that has the largest;
    /// gives that class. None of it depends on the neighbors of a lane.
    fn answer(
        &self,
        x: &[Double],
        memory: &mut AnchorMemory,
        term: impl Fn(f64, f64) -> f64,
        log_prior: impl Fn(usize, usize) -> f64,
    ) -> [usize; Double::COUNT] {
        let mut anchors = [0; Double::COUNT];
        let mut best = anchors;
        for _ in 0..MAX_MOVES {
            self.sum_terms(anchors, x, memory, &term);
            best = likeliest(&memory.answers, &log_prior);
            let nearer: [usize; Double::COUNT] = std::array::from_fn(|lane| {
                if self.are_near(anchors[lane], best[lane]) { anchors[lane] } else { best[lane] }
            });
            if nearer == anchors {
                break;
            }
            anchors = nearer;
        }
        best
    }

    /// The sums about an anchor for each lane.
    fn sum_terms(
        &self,
        anchors: [usize; Double::COUNT],
        x: &[Double],
        memory: &mut AnchorMemory,
        term: impl Fn(f64, f64) -> f64,
    ) {
        let AnchorMemory { about, whitened, origin, answers } = memory;
        about.clear();
        about.extend(x.iter().enumerate().map(|(column, x)| -> Double {
            std::array::from_fn(|lane| {
                let [mean, rest] = self.means[anchors[lane]][column];
                (x[lane] - mean) - rest
            })
        }));
        whitened.resize(self.whiten.outputs(), [0.0; Double::COUNT]);
        self.whiten.apply(about, x.len(), whitened);
        origin.clear();
        origin.extend((0..whitened.len()).map(|direction| {
            [0, 1].map(|part| -> Double {
                std::array::from_fn(|lane| self.whitened_means[anchors[lane]][direction][part])
            })
        }));
        answers.clear();
        answers.extend(self.whitened_means.iter().map(|mean| {
            let mut sum = [0.0; Double::COUNT];
            for ((z, [high, low]), mean) in whitened.iter().zip(&*origin).zip(mean) {
                for lane in 0..Double::COUNT {
                    let b = (mean[0] - high[lane]) + (mean[1] - low[lane]);
                    sum[lane] += term(b, z[lane]);
                }
            }
            sum
        }));
    }

    fn are_near(&self, a: usize, b: usize) -> bool {
        let pairs = self.whitened_means[a].iter().zip(&self.whitened_means[b]);
        let square: f64 = pairs.map(|(a, b)| ((a[0] - b[0]) + (a[1] - b[1])).powi(2)).sum();
        a == b || square <= NEAR * NEAR
    }
}

/// The median of the class means in a column.
fn median(means: &[Vec<TwoParts>], column: usize) -> f64 {
    let mut values: Vec<f64> = means.iter().map(|mean| mean[column][0]).collect();
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// The class of the largest sum of score and logarithm of the prior, for each lane.
fn likeliest(scores: &[Double], log_prior: impl Fn(usize, usize) -> f64) -> [usize; Double::COUNT] {
    std::array::from_fn(|lane| {
        let mut best = (0, f64::NEG_INFINITY);
        for (class, scores) in scores.iter().enumerate() {
            let sum = scores[lane] + log_prior(class, lane);
            if sum > best.1 {
                best = (class, sum);
            }
        }
        best.0
    })
}

/// a + b, to twice the digits of a double (Knuth).
fn add(a: TwoParts, b: TwoParts) -> TwoParts {
    let sum = a[0] + b[0];
    let added = sum - a[0];
    let rest = (a[0] - (sum - added)) + (b[0] - added);
    two_parts(sum, rest + (a[1] + b[1]))
}

/// A product of two doubles, then of vectors, to twice the digits of a double (Dekker).
fn dot(direction: ArrayView1<'_, f64>, point: &[TwoParts]) -> TwoParts {
    direction.iter().zip(point).fold([0.0; 2], |sum, (&slope, &[high, low])| {
        let product = slope * high;
        add(sum, [product, slope.mul_add(high, -product) + slope * low])
    })
}
