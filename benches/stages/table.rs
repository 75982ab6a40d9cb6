//! The tables that all benches run on, the same on every run, and the models fitted to them.

use gauda::core::{LinearFit, Model, Moments, Parallel, Rows, Structure, covariance};
use ndarray::Array2;

/// Entries of a table, about: fewer rows where there are more columns.
const ENTRIES: usize = 1 << 20;

/// Rows in random order and their classes.
pub struct Table {
    pub x: Array2<f64>,
    pub labels: Vec<u32>,
    pub classes: usize,
}

impl Table {
    /// Uniform noise about class means that are spread over `apart` in every column.
    pub fn new(d: usize, classes: usize, apart: f64) -> Self {
        // A class has more rows than columns: no covariance is singular.
        let n = (ENTRIES / d).max(2 * d * classes);
        let mut random = Xorshift::default();
        let means = Array2::from_shape_simple_fn((classes, d), || apart * random.uniform());
        let labels: Vec<u32> = (0..n).map(|row| (row % classes) as u32).collect();
        let x = Array2::from_shape_fn((n, d), |(row, column)| {
            means[(labels[row] as usize, column)] + random.uniform()
        });
        Self { x, labels, classes }
    }

    /// The same rows in single precision.
    pub fn single(&self) -> Array2<f32> {
        self.x.mapv(|entry| entry as f32)
    }

    /// The same rows in thousandths, as a sensor would count them.
    pub fn counts(&self) -> Array2<u16> {
        self.x.mapv(|entry| (1000.0 * entry) as u16)
    }

    pub fn moments(&self, structure: Structure) -> Moments {
        let parallel = Parallel::default();
        Moments::from_rows(&Rows::from(self.x.view()), &self.labels, self.classes, None, structure, parallel)
            .expect("finite rows")
    }

    pub fn quadratic(&self) -> Model {
        quadratic_of(&Rows::from(self.x.view()), self)
    }

    pub fn linear(&self) -> Model {
        let moments = self.moments(Structure::Tied);
        LinearFit::svd(&moments, &moments.priors().expect("rows"), 1e-4, false)
            .expect("rows of all classes")
            .model
    }

    pub fn naive(&self) -> Model {
        let moments = self.moments(Structure::Diag);
        let variances = covariance::variances(&moments, false).expect("rows of all classes");
        Model::naive(&moments, variances.view(), &moments.priors().expect("rows")).expect("columns vary")
    }
}

/// The quadratic model of a table's classes, fitted to its rows in another element type.
pub fn quadratic_of(rows: &Rows<'_>, table: &Table) -> Model {
    let parallel = Parallel::default();
    let moments = Moments::from_rows(rows, &table.labels, table.classes, None, Structure::Full, parallel)
        .expect("finite rows");
    let covariances = covariance::of_classes(&moments, false).expect("rows of all classes");
    Model::quadratic(&moments, covariances.view(), &moments.priors().expect("rows"), 1e-4, parallel)
        .expect("regular classes")
}

/// Marsaglia's generator.
struct Xorshift(u64);

impl Default for Xorshift {
    fn default() -> Self {
        Self(88_172_645_463_325_252)
    }
}

impl Xorshift {
    /// A number from 0 to 1.
    fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}
