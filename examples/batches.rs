//! More rows than fit into memory: moments of batches are merged, rows of long ago count less, and a batch that turns out to
//! be wrong is taken out again.
//!
//! Run it with `cargo run --release --example batches`.

use gauda::{Moments, Qda, Result, Structure};
use ndarray::Array2;

const BATCH: usize = 10_000;

fn main() -> Result<()> {
    let mut noise = Noise(1);

    // Each batch is read once and dropped; its moments are a few hundred numbers.
    let (x, y) = batch(&mut noise, 0.0);
    let mut all = Moments::from_rows(&x, &y, Structure::Full)?;
    for _ in 1..20 {
        let (x, y) = batch(&mut noise, 0.0);
        all = all.merge(&Moments::from_rows(&x, &y, Structure::Full)?)?;
    }
    let model = Qda::params().fit_moments(&all)?;
    let (test, truth) = batch(&mut noise, 0.0);
    println!("{} rows seen, accuracy on new ones {:.4}", all.weights().sum(), model.accuracy(&test, &truth)?);

    // A batch of a broken sensor is merged, and taken out again.
    let (x, y) = batch(&mut noise, 50.0);
    let broken = Moments::from_rows(&x, &y, Structure::Full)?;
    let spoilt = all.merge(&broken)?;
    let mended = spoilt.subtract(&broken)?;
    for (name, moments) in [("with the broken batch", &spoilt), ("without it again", &mended)] {
        let model = Qda::params().fit_moments(moments)?;
        println!("{name}: accuracy {:.4}", model.accuracy(&test, &truth)?);
    }

    // Data that drift: before each batch, the weight of all that was seen is halved.
    let mut recent = all.clone();
    for step in 1..=10 {
        let (x, y) = batch(&mut noise, f64::from(step) / 10.0);
        recent = recent.scale(0.5)?.merge(&Moments::from_rows(&x, &y, Structure::Full)?)?;
    }
    let (test, truth) = batch(&mut noise, 1.0);
    let (old, new) = (Qda::params().fit_moments(&all)?, Qda::params().fit_moments(&recent)?);
    println!(
        "after a drift: accuracy {:.4} of the old model, {:.4} of one that forgets",
        old.accuracy(&test, &truth)?,
        new.accuracy(&test, &truth)?
    );
    Ok(())
}

/// Rows of two overlapping classes, moved by `drift`.
fn batch(noise: &mut Noise, drift: f64) -> (Array2<f64>, Vec<&'static str>) {
    let labels: Vec<_> = (0..BATCH).map(|row| if row % 3 == 0 { "rare" } else { "usual" }).collect();
    let x = Array2::from_shape_fn((BATCH, 3), |(row, column)| {
        let (center, spread) = if row % 3 == 0 { (1.5, 1.0) } else { (0.0, 0.5 + column as f64 / 4.0) };
        center + drift + spread * noise.normal()
    });
    (x, labels)
}

/// Random numbers (SplitMix64), nearly normal: sums of twelve.
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as f64 / 2f64.powi(64)
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}
