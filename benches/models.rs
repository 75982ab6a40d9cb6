//! Fit and scores of the three models over the number of columns, in rows per second.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gauda::{Answers, LinearFit, Model, Moments, Parallel, Rows, Structure, covariance, score};
use ndarray::Array2;

const CLASSES: usize = 10;
const COLUMNS: [usize; 3] = [10, 50, 200];

/// Entries in a table, about: fewer rows where there are more columns.
const ENTRIES: usize = 1 << 20;

#[derive(Clone, Copy)]
enum Kind {
    Quadratic,
    Linear,
    Naive,
}

impl Kind {
    const ALL: [(&'static str, Self); 3] =
        [("quadratic", Self::Quadratic), ("linear", Self::Linear), ("naive", Self::Naive)];

    fn fit(self, x: &Array2<f64>, labels: &[u32]) -> Model {
        let structure = match self {
            Self::Quadratic => Structure::Full,
            Self::Linear => Structure::Tied,
            Self::Naive => Structure::Diag,
        };
        let rows = Rows::from(x.view());
        let moments = Moments::from_rows(&rows, labels, CLASSES, None, structure, Parallel::default())
            .expect("finite rows");
        let priors = moments.priors();
        let model = match self {
            Self::Quadratic => covariance::of_classes(&moments, false).and_then(|covariances| {
                Model::quadratic(&moments, covariances.view(), &priors, 1e-4, Parallel::default())
            }),
            Self::Linear => LinearFit::svd(&moments, &priors, 1e-4, false).map(|fit| fit.model),
            Self::Naive => covariance::variances(&moments, false)
                .and_then(|variances| Model::naive(&moments, variances.view(), &priors)),
        };
        model.expect("regular covariances")
    }
}

/// Overlapping classes of uniform noise, the same on every run (Marsaglia's xorshift).
fn table(d: usize) -> (Array2<f64>, Vec<u32>) {
    let n = ENTRIES / d;
    let labels: Vec<u32> = (0..n).map(|row| (row % CLASSES) as u32).collect();
    let mut state = 88_172_645_463_325_252_u64;
    let x = Array2::from_shape_fn((n, d), |(row, _)| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64 + 0.1 * f64::from(labels[row])
    });
    (x, labels)
}

fn fit(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fit");
    for d in COLUMNS {
        let (x, labels) = table(d);
        group.throughput(Throughput::Elements(x.nrows() as u64));
        for (name, kind) in Kind::ALL {
            group.bench_function(BenchmarkId::new(name, d), |bencher| {
                bencher.iter(|| black_box(kind.fit(&x, &labels)));
            });
        }
    }
    group.finish();
}

fn posterior(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("posterior");
    for d in COLUMNS {
        let (x, labels) = table(d);
        let rows = Rows::from(x.view());
        let mut posterior = vec![0.0; x.nrows() * CLASSES];
        group.throughput(Throughput::Elements(x.nrows() as u64));
        for (name, kind) in Kind::ALL {
            let model = kind.fit(&x, &labels);
            group.bench_function(BenchmarkId::new(name, d), |bencher| {
                bencher.iter(|| {
                    let answers = Answers { posterior: Some(&mut posterior), ..Answers::default() };
                    score(&model, &rows, answers, Parallel::default()).expect("finite rows");
                });
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = models;
    config = Criterion::default().sample_size(10).warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_secs(1));
    targets = fit, posterior
}
criterion_main!(models);
