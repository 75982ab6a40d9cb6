//! From moments to a model that can score, in classes per second.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};
use gauda::core::{LinearFit, Model, Parallel, Structure, covariance};

use crate::table::Table;

const CLASSES: usize = 4;

pub fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("factorization");
    group.sampling_mode(SamplingMode::Flat);
    group.throughput(Throughput::Elements(CLASSES as u64));
    for d in [10, 50, 200, 784] {
        let table = Table::new(d, CLASSES, 1.0);
        let full = table.moments(Structure::Full);
        let tied = table.moments(Structure::Tied);
        let priors = full.priors().expect("rows");
        let covariances = covariance::of_classes(&full, false).expect("rows of all classes");
        group.bench_function(BenchmarkId::new("quadratic", format!("d={d}")), |bencher| {
            bencher.iter(|| {
                let model = Model::quadratic(&full, covariances.view(), &priors, 1e-4, Parallel::default());
                black_box(model.expect("regular classes"))
            });
        });
        group.bench_function(BenchmarkId::new("linear svd", format!("d={d}")), |bencher| {
            bencher.iter(|| {
                black_box(LinearFit::svd(&tied, &priors, 1e-4, false).expect("rows of all classes"))
            });
        });
    }
    group.finish();
}
