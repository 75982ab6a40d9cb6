//! Fisher's iris: posteriors, doubtful rows left undecided, and what a mistake costs.
//!
//! Run it with `cargo run --example iris`.

use std::error::Error;
use std::fs;

use gauda::{Lda, Qda};
use ndarray::{Array2, array, s};

fn main() -> Result<(), Box<dyn Error>> {
    let (x, y) = read("tests/reference/data/iris.csv")?;

    let qda = Qda::params().fit(&x, &y)?;
    println!("{} rows of {} columns, classes {:?}", x.nrows(), x.ncols(), qda.classes());
    println!("accuracy on the rows of the fit: {:.3}", qda.accuracy(&x, &y)?);

    // Labels, posteriors and densities come from one pass over the rows.
    let answer = qda.ask(&x).label().posterior().log_density().reject_below(0.9).run()?;
    println!("\nrows whose label has a posterior below 0.9:");
    for row in (0..x.nrows()).filter(|&row| answer.label[row].is_none()) {
        println!(
            "{row:4}  {:<11} {:6.3}  log p(x) {:6.2}",
            y[row],
            answer.posterior.row(row),
            answer.log_density[row]
        );
    }

    // To take virginica (the last class) for another one is ten times as bad as any other mistake.
    let costs = array![[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [10.0, 10.0, 0.0]];
    let careful = qda.ask(&x).label().costs(&costs).run()?.label;
    let called = |labels: &[Option<String>]| {
        labels.iter().filter(|label| label.as_deref() == Some("virginica")).count()
    };
    let plain = qda.ask(&x).label().run()?.label;
    println!("\ncalled virginica: {}, and {} by these costs", called(&plain), called(&careful));

    let lda = Lda::params().fit(&x, &y)?;
    println!(
        "\nshare of the variance between classes along each axis: {:.4?}",
        lda.explained_variance_ratio()
    );
    println!("the first three rows along these axes:\n{:8.4}", lda.transform(x.slice(s![..3, ..]))?);
    Ok(())
}

/// Columns of numbers, and the last one, which holds the class.
fn read(path: &str) -> Result<(Array2<f64>, Vec<String>), Box<dyn Error>> {
    let text = fs::read_to_string(path)?;
    let (mut numbers, mut labels) = (vec![], vec![]);
    for line in text.lines().skip(1) {
        let (row, label) = line.rsplit_once(',').ok_or("a line without a class")?;
        for cell in row.split(',') {
            numbers.push(cell.parse()?);
        }
        labels.push(label.to_owned());
    }
    Ok((Array2::from_shape_vec((labels.len(), numbers.len() / labels.len()), numbers)?, labels))
}
