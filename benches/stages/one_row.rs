//! The latency of a single row, d = 10 and K = 3.

use criterion::{BenchmarkId, Criterion, Throughput};
use gauda::core::Rows;
use ndarray::s;

use crate::scores::Answer;
use crate::table::Table;

pub fn bench(criterion: &mut Criterion) {
    let table = Table::new(10, 3, 1.0);
    let rows = Rows::from(table.x.slice(s![..1, ..]));
    let mut group = criterion.benchmark_group("one row");
    group.throughput(Throughput::Elements(1));
    for (name, model) in
        [("quadratic", table.quadratic()), ("linear", table.linear()), ("naive", table.naive())]
    {
        for answer in [Answer::Posterior, Answer::Label] {
            let id = BenchmarkId::new(name, format!("{answer:?}").to_lowercase());
            let mut ask = answer.question(&model, &rows);
            group.bench_function(id, |bencher| bencher.iter(&mut ask));
        }
    }
    group.finish();
}
