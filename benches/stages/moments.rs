//! The pass over labeled rows, in rows per second.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};
use gauda::core::Structure;

use crate::table::Table;

const STRUCTURES: [(&str, Structure); 3] =
    [("full", Structure::Full), ("tied", Structure::Tied), ("diag", Structure::Diag)];

pub fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("moments");
    group.sampling_mode(SamplingMode::Flat);
    for (d, classes) in [(10, 10), (50, 10), (200, 10), (32, 300)] {
        let table = Table::new(d, classes, 1.0);
        group.throughput(Throughput::Elements(table.x.nrows() as u64));
        for (name, structure) in STRUCTURES {
            group.bench_function(BenchmarkId::new(name, format!("d={d} K={classes}")), |bencher| {
                bencher.iter(|| black_box(table.moments(structure)));
            });
        }
    }
    group.finish();
}
