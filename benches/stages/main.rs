//! The stages of the core, each on its own: moments, factorization, scores, one row. `cargo bench -- moments` runs one.

mod factorization;
mod moments;
mod one_row;
mod scores;
mod table;

use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};

criterion_group! {
    name = stages;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(600));
    targets = moments::bench, factorization::bench, scores::bench, one_row::bench
}
criterion_main!(stages);
