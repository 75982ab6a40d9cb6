//! Numbers beside categories, some of them missing; doubtful rows left to a human; the model in a file that Python reads too.
//!
//! Run it with `cargo run --example mixed`.

use std::error::Error;

use gauda::{Fitted, Lda, Missing, MixedNb};
use ndarray::{array, s};

fn main() -> Result<(), Box<dyn Error>> {
    // Temperature, pulse, and a cough: 0 none, 1 dry, 2 wet. NaN stands for what was not measured.
    let nan = f64::NAN;
    let x = array![
        [36.6, 70.0, 0.0],
        [36.8, nan, 0.0],
        [37.0, 75.0, 1.0],
        [36.5, 66.0, nan],
        [38.9, 95.0, 2.0],
        [nan, 101.0, 2.0],
        [39.4, 88.0, 1.0],
        [38.2, nan, 2.0],
    ];
    let y = ["well", "well", "well", "well", "ill", "ill", "ill", "ill"];

    // To send an ill patient home is ten times as bad as a needless visit; to ask a doctor costs a little, whoever comes.
    let costs = array![[0.0, 10.0, 0.3], [1.0, 0.0, 0.3]]; // in the order of the classes: ill, well
    let model = MixedNb::params().categorical([2]).var_smoothing(0.01).fit(&x, &y)?;
    let patients = array![[36.7, 68.0, 0.0], [37.9, nan, 1.0], [nan, nan, 2.0]];
    let answer = model.ask(&patients).label().posterior().costs(&costs).run()?;
    for (label, posterior) in answer.label.iter().zip(answer.posterior.outer_iter()) {
        println!("{:<13} {posterior:.3}", label.as_deref().unwrap_or("ask a doctor"));
    }

    // `gauda.load` of Python reads the same file.
    let path = std::env::temp_dir().join("gauda-example-mixed.gauda");
    model.save(&path)?;
    let loaded = Fitted::<String>::load(&path)?;
    std::fs::remove_file(&path)?;
    assert_eq!(loaded.predict(&patients)?, model.predict(&patients)?);

    // Columns of numbers that depend on each other: EM finds the moments, scores integrate out what is missing.
    let numbers = x.slice(s![.., ..2]);
    let lda = Lda::params().missing(Missing::Marginalize).fit(numbers, &y)?;
    println!("by temperature alone: {:?}", lda.predict(&array![[38.5, nan], [36.4, nan]])?);
    Ok(())
}
