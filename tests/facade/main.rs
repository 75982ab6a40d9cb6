//! The interface for Rust, as a user has it: against answers with 60 digits, other programs' tables, and the formulas of
//! textbooks.

mod conduct;
mod discrete;
mod exact;
#[cfg(feature = "files")]
mod files;
mod wrong_use;

use std::fs;

use gauda::Fitted;
use ndarray::{Array1, Array2, Axis, s};

/// The cells of a table without its header.
fn lines(path: &str) -> Vec<Vec<String>> {
    cells(path).split_off(1)
}

fn cells(path: &str) -> Vec<Vec<String>> {
    let path = format!("{}/tests/reference/{path}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let cells = |line: &str| line.split(',').map(|cell| cell.trim_matches('"').to_owned()).collect();
    text.lines().map(cells).collect()
}

/// Rows and labels of a data set.
fn data(name: &str) -> (Array2<f64>, Vec<String>) {
    let lines = lines(&format!("data/{name}.csv"));
    let d = lines[0].len() - 1;
    let x = Array2::from_shape_fn((lines.len(), d), |(row, column)| lines[row][column].parse().unwrap());
    (x, lines.iter().map(|line| line[d].clone()).collect())
}

/// Log-posteriors and log-densities that were computed with 60 digits.
fn exact(name: &str, model: &str) -> (Array2<f64>, Array1<f64>) {
    let lines = lines(&format!("exact/{name}/{model}.csv"));
    let k = lines[0].len() - 1;
    let all =
        Array2::from_shape_fn((lines.len(), k + 1), |(row, column)| lines[row][column].parse().unwrap());
    (all.slice(s![.., ..k]).to_owned(), all.column(k).to_owned())
}

fn largest_error(got: &Array2<f64>, expected: &Array2<f64>) -> f64 {
    assert_eq!(got.dim(), expected.dim());
    let error = |(got, expected): (&f64, &f64)| (got - expected).abs() / (1.0 + expected.abs());
    got.iter().zip(expected).map(error).fold(0.0, f64::max)
}

fn assert_exact(model: &Fitted<String>, x: &Array2<f64>, name: &str, reference: &str) {
    let (log_posterior, log_density) = exact(name, reference);
    let answer = model.ask(x).log_posterior().posterior().log_density().label().run().unwrap();
    assert!(largest_error(&answer.log_posterior, &log_posterior) < 1e-11, "{name} {reference}");
    assert!(largest_error(&answer.posterior, &log_posterior.mapv(f64::exp)) < 1e-11, "{name} {reference}");
    let densities = answer.log_density.insert_axis(Axis(1));
    assert!(largest_error(&densities, &log_density.insert_axis(Axis(1))) < 1e-11, "{name} {reference}");
    for (row, label) in log_posterior.outer_iter().zip(&answer.label) {
        let best = (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap();
        assert_eq!(label.as_ref(), Some(&model.classes()[best]));
    }
}
