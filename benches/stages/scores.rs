//! The pass over new rows, in rows per second: posteriors and labels of a quadratic model over columns, classes and element
//! types, and of the other two models.

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput};
use gauda::core::{Answers, Model, Parallel, Rows, Rules, score};

use crate::table::{Table, quadratic_of};

/// Columns and classes: first one grows, then the other.
const GRID: [(usize, usize); 6] = [(10, 10), (50, 10), (200, 10), (32, 3), (32, 30), (32, 100)];

pub fn bench(criterion: &mut Criterion) {
    for answer in [Answer::Posterior, Answer::Label] {
        let mut group = criterion.benchmark_group(format!("{answer:?}").to_lowercase());
        group.sampling_mode(SamplingMode::Flat);
        for (d, classes) in GRID {
            bench_elements(&mut group, answer, &Table::new(d, classes, 1.0));
        }
        for (d, classes) in [(10, 10), (200, 10)] {
            bench_models(&mut group, answer, &Table::new(d, classes, 1.0));
        }
        // No class can be left out early where all are alike.
        let alike = Table::new(50, 10, 0.0);
        bench_one(&mut group, answer, "f64 alike", &alike.quadratic(), &Rows::from(alike.x.view()));
        group.finish();
    }
}

fn bench_elements(group: &mut BenchmarkGroup<'_, WallTime>, answer: Answer, table: &Table) {
    let (single, counts) = (table.single(), table.counts());
    let elements = [
        ("f64", Rows::from(table.x.view())),
        ("f32", Rows::from(single.view())),
        ("u16", Rows::from(counts.view())),
    ];
    for (name, rows) in elements {
        bench_one(group, answer, name, &quadratic_of(&rows, table), &rows);
    }
}

fn bench_models(group: &mut BenchmarkGroup<'_, WallTime>, answer: Answer, table: &Table) {
    let rows = Rows::from(table.x.view());
    bench_one(group, answer, "f64 linear", &table.linear(), &rows);
    bench_one(group, answer, "f64 naive", &table.naive(), &rows);
}

fn bench_one(
    group: &mut BenchmarkGroup<'_, WallTime>,
    answer: Answer,
    name: &str,
    model: &Model,
    rows: &Rows<'_>,
) {
    let sizes = format!("d={} K={}", model.n_features(), model.n_classes());
    let mut ask = answer.question(model, rows);
    group.throughput(Throughput::Elements(rows.n_rows() as u64));
    group.bench_function(BenchmarkId::new(name, sizes), |bencher| bencher.iter(&mut ask));
}

/// What is asked of every row.
#[derive(Debug, Clone, Copy)]
pub enum Answer {
    Posterior,
    Label,
}

impl Answer {
    /// The pass over these rows in the precision that they deserve, its answers going to the same memory each time.
    pub fn question<'a>(self, model: &'a Model, rows: &'a Rows<'_>) -> Box<dyn FnMut() + 'a> {
        let (n, rules, parallel) = (rows.n_rows(), Rules::default(), Parallel::default());
        match (self, rows.is_single()) {
            (Self::Label, single) => {
                let mut label = vec![0; n];
                Box::new(move || {
                    match single {
                        true => {
                            score(model, rows, &rules, Answers::<f32>::default().label(&mut label), parallel)
                        }
                        false => {
                            score(model, rows, &rules, Answers::<f64>::default().label(&mut label), parallel)
                        }
                    }
                    .expect("finite rows");
                })
            }
            (Self::Posterior, true) => {
                let mut posterior = vec![0_f32; n * model.n_classes()];
                Box::new(move || {
                    let answers = Answers::default().posterior(&mut posterior);
                    score(model, rows, &rules, answers, parallel).expect("finite rows");
                })
            }
            (Self::Posterior, false) => {
                let mut posterior = vec![0_f64; n * model.n_classes()];
                Box::new(move || {
                    let answers = Answers::default().posterior(&mut posterior);
                    score(model, rows, &rules, answers, parallel).expect("finite rows");
                })
            }
        }
    }
}
