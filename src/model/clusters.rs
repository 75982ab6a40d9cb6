//! Classes with a common covariance that lie far apart. Linear functions about one centre err by ε ‖b‖², which is all that
//! tells classes apart whose b are long and nearly the same. So each row is taken about a point a near its likeliest
//! classes, in double precision:
//!
//! s_k − s_a = (b_k − b_a)·z_a − ½ ‖b_k − b_a‖² with z_a = W (x − μ_a).
//!
//! Classes near each other share such an anchor. Their b about it are short and keep their digits; the others' are long,
//! but so are the differences between their scores.

use ndarray::{Array2, ArrayView1, Axis};

use super::packed::{decision, far_apart};
use super::{Parts, Shape};
use crate::kernel::{Affine, Distances, Double, Lane, Lanes, two_parts};
use crate::moments::Means;

/// Standard deviations between the classes of different clusters, at least.
const APART: f64 = 64.0;

/// Times that a row moves to another anchor at most. Only rows as near to one cluster as to another move more than once.
const MOST_MOVES: usize = 8;

/// Anchors, and everything about them.
#[derive(Debug)]
pub(crate) struct Clusters {
    /// The centre, then the mean of one class of each cluster, in two parts: [anchor][column].
    anchors: Vec<Vec<[f64; 2]>>,
    /// The same, whitened, about the centre: [anchor][direction].
    whitened_anchors: Array2<f64>,
    /// The anchor of each class.
    anchor_of: Vec<usize>,
    /// Slopes of the classes about their anchors, then of the anchors about the centre.
    slopes: Affine<f64>,
    /// ½ ‖b‖² of the classes about their anchors.
    half_squares: Vec<f64>,
    /// From whitened points about the centre to the classes.
    between: Distances<f64>,
    whiten: Affine<f64>,
    clusters: Vec<Cluster>,
    /// The reported decisions on rows about the centre, one for two classes.
    decision: Affine<f64>,
}

/// Classes that share an anchor, and the distances of whitened rows about it to them.
#[derive(Debug)]
struct Cluster {
    anchor: usize,
    classes: Vec<usize>,
    distances: Distances<f64>,
}

/// What rows are scored in, a few at a time.
#[derive(Debug, Default)]
pub(crate) struct ClusterMemory {
    /// The rows about their anchors: [column].
    about: Vec<Double>,
    /// Whitened rows, or anchors: [direction].
    whitened: Vec<Double>,
    /// What slopes or distances give.
    products: Vec<Double>,
    squares: Vec<Double>,
    /// The answers: [class].
    pub(crate) answers: Vec<Double>,
}

impl Clusters {
    /// Of a model with a common covariance.
    pub(super) fn new(parts: &Parts) -> Self {
        let Shape::Tied { whitening, whitened_means, uncentred } = &parts.shape else {
            unreachable!("called for a common covariance only");
        };
        let matrix = whitening.matrix.view();
        // Single precision may fail where double does not: then the centre is as good an anchor as any.
        let anchor_of = match far_apart::<f64>(parts) {
            true => clustered(whitened_means),
            false => vec![0; whitened_means.nrows()],
        };
        let firsts = first_classes(&anchor_of);
        let mut anchors = vec![parts.center.iter().map(|&value| [value, 0.0]).collect::<Vec<_>>()];
        anchors.extend(firsts.iter().map(|&class| mean_in_parts(&parts.means, class)));
        let own_means = means_about_anchors(&parts.means, &anchors, &anchor_of).dot(&matrix.t());
        let mut whitened_anchors = Array2::zeros((1, matrix.nrows()));
        whitened_anchors
            .append(Axis(0), whitened_means.select(Axis(0), &firsts).view())
            .expect("as many directions");
        let clusters = (0..anchors.len()).filter_map(|anchor| Cluster::new(anchor, &anchor_of, &own_means));
        let slopes = ndarray::concatenate![Axis(0), own_means, whitened_anchors].dot(&matrix);
        let center = uncentred.then(|| parts.center.iter().copied().collect());
        Self {
            slopes: Affine::new(slopes.view(), &vec![0.0; slopes.nrows()]),
            half_squares: own_means.outer_iter().map(|b| 0.5 * b.dot(&b)).collect(),
            between: plain_distances(whitened_means),
            whiten: Affine::new(matrix, &vec![0.0; matrix.nrows()]),
            clusters: clusters.collect(),
            decision: decision(whitened_means, center, matrix),
            anchors,
            whitened_anchors,
            anchor_of,
        }
    }

    /// Decisions that are reported for each row.
    pub(crate) fn n_decisions(&self) -> usize {
        self.decision.outputs()
    }

    /// For rows and each class its score less that of the likeliest, given the logarithm of the prior of a class for a lane.
    pub(crate) fn score(
        &self,
        x: &[Double],
        log_prior: impl Fn(usize, usize) -> f64,
        memory: &mut ClusterMemory,
    ) {
        let mut anchors = [0; Double::COUNT];
        let mut best = [0; Double::COUNT];
        // A lane whose anchor stays has the same scores in all further rounds: none depends on its neighbours.
        for _ in 0..MOST_MOVES {
            self.score_about(anchors, x, memory);
            best = likeliest(&memory.answers, &log_prior);
            let nearer = best.map(|class| self.anchor_of[class]);
            if nearer == anchors {
                break;
            }
            anchors = nearer;
        }
        let most: Double = std::array::from_fn(|lane| memory.answers[best[lane]][lane]);
        for scores in &mut memory.answers {
            *scores = std::array::from_fn(|lane| scores[lane] - most[lane]);
        }
    }

    /// Scores about an anchor for each lane.
    fn score_about(&self, anchors: [usize; Double::COUNT], x: &[Double], memory: &mut ClusterMemory) {
        let (classes, directions) = (self.anchor_of.len(), self.whitened_anchors.ncols());
        let ClusterMemory { about, whitened, products, squares, answers } = memory;
        self.take_about(anchors, x, about);
        products.resize(self.slopes.outputs(), [0.0; Double::COUNT]);
        self.slopes.apply(about, x.len(), products);
        if self.anchors.len() > 1 {
            whitened.clear();
            whitened.extend((0..directions).map(|direction| -> Double {
                std::array::from_fn(|lane| self.whitened_anchors[(anchors[lane], direction)])
            }));
            squares.resize(classes, [0.0; Double::COUNT]);
            self.between.to_all(whitened, squares);
        }
        answers.clear();
        answers.extend(self.anchor_of.iter().enumerate().map(|(class, &own)| -> Double {
            std::array::from_fn(|lane| {
                let (product, anchor) = (products[class][lane], anchors[lane]);
                if own == anchor {
                    return product - self.half_squares[class];
                }
                let moved = products[classes + own][lane] - products[classes + anchor][lane];
                (product + moved) - 0.5 * squares[class][lane]
            })
        }));
    }

    /// Squared distances to every class.
    pub(crate) fn measure(&self, x: &[Double], memory: &mut ClusterMemory) {
        let ClusterMemory { about, whitened, squares, answers, .. } = memory;
        answers.resize(self.anchor_of.len(), [0.0; Double::COUNT]);
        whitened.resize(self.whiten.outputs(), [0.0; Double::COUNT]);
        for Cluster { anchor, classes, distances } in &self.clusters {
            self.take_about([*anchor; Double::COUNT], x, about);
            self.whiten.apply(about, x.len(), whitened);
            squares.resize(classes.len(), [0.0; Double::COUNT]);
            distances.to_all(whitened, squares);
            classes.iter().zip(&*squares).for_each(|(&class, square)| answers[class] = *square);
        }
    }

    /// The decisions that are reported, without priors.
    pub(crate) fn decide(&self, x: &[Double], memory: &mut ClusterMemory) {
        let ClusterMemory { about, answers, .. } = memory;
        self.take_about([0; Double::COUNT], x, about);
        answers.resize(self.decision.outputs(), [0.0; Double::COUNT]);
        self.decision.apply(about, x.len(), answers);
    }

    fn take_about(&self, anchors: [usize; Double::COUNT], x: &[Double], about: &mut Vec<Double>) {
        about.clear();
        about.extend(x.iter().enumerate().map(|(column, x)| -> Double {
            std::array::from_fn(|lane| {
                let [mean, rest] = self.anchors[anchors[lane]][column];
                (x[lane] - mean) - rest
            })
        }));
    }
}

impl Cluster {
    /// None if no class has this anchor.
    fn new(anchor: usize, anchor_of: &[usize], own_means: &Array2<f64>) -> Option<Self> {
        let classes: Vec<usize> = (0..anchor_of.len()).filter(|&class| anchor_of[class] == anchor).collect();
        let distances =
            (!classes.is_empty()).then(|| plain_distances(&own_means.select(Axis(0), &classes)))?;
        Some(Self { anchor, classes, distances })
    }
}

/// Distances in white directions.
pub(super) fn plain_distances<T: Lane>(means: &Array2<f64>) -> Distances<T> {
    Distances::new(means, &Array2::zeros(means.raw_dim()), &Array2::ones(means.raw_dim()))
}

/// For each class its cluster, counted from 1. A chain of classes that are near each other is one cluster.
fn clustered(whitened_means: &Array2<f64>) -> Vec<usize> {
    let classes = whitened_means.nrows();
    let size = |b: ArrayView1<'_, f64>| b.dot(&b).sqrt();
    let sizes: Vec<f64> = whitened_means.outer_iter().map(size).collect();
    let mut cluster: Vec<usize> = (0..classes).collect();
    for (i, j) in (0..classes).flat_map(|i| (0..i).map(move |j| (i, j))) {
        if cluster[i] == cluster[j] {
            continue;
        }
        // What rounding hides counts as near.
        let near = APART.max(16.0 * f64::EPSILON * (sizes[i] + sizes[j]));
        if size((&whitened_means.row(i) - &whitened_means.row(j)).view()) <= near {
            let (from, to) = (cluster[i].max(cluster[j]), cluster[i].min(cluster[j]));
            cluster.iter_mut().filter(|cluster| **cluster == from).for_each(|cluster| *cluster = to);
        }
    }
    let mut names = vec![0; classes];
    let mut known = 0;
    let number = |first: usize| {
        if names[first] == 0 {
            known += 1;
            names[first] = known;
        }
        names[first]
    };
    cluster.into_iter().map(number).collect()
}

/// The first class of each cluster; none of the centre's.
fn first_classes(anchor_of: &[usize]) -> Vec<usize> {
    let last = anchor_of.iter().copied().max().unwrap_or(0);
    let first = |anchor: usize| anchor_of.iter().position(|&own| own == anchor).expect("numbered in order");
    (1..=last).map(first).collect()
}

fn mean_in_parts(means: &Means, class: usize) -> Vec<[f64; 2]> {
    let parts = means.shift.row(class).into_iter().zip(means.offset.row(class));
    parts.map(|(&shift, &offset)| two_parts(shift, offset)).collect()
}

/// Class means about their anchors.
fn means_about_anchors(means: &Means, anchors: &[Vec<[f64; 2]>], anchor_of: &[usize]) -> Array2<f64> {
    Array2::from_shape_fn(means.shift.raw_dim(), |(class, column)| {
        let [mean, rest] = anchors[anchor_of[class]][column];
        (means.shift[(class, column)] - mean) + (means.offset[(class, column)] - rest)
    })
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
