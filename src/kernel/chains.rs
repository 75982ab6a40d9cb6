//! Quadratic forms of rows under tridiagonal matrices T = L D Lᵀ: L y = z is solved entry by entry, with a row in each lane.

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::Lanes;
use super::narrow::Double;

/// Matrices that are taken side by side: an entry need not wait for the one before it.
const TOGETHER: usize = 4;

/// Ratios are multiplied up so many at a time before a logarithm is taken.
const RATIOS: usize = 32;

/// zᵀ T⁻¹ z + c for some T and c of their own.
#[derive(Debug)]
pub(crate) struct Chains {
    /// L below the diagonal and D⁻¹, for some matrices side by side and each coordinate.
    steps: Vec<[[f64; 2]; TOGETHER]>,
    constants: Vec<f64>,
    width: usize,
}

impl Chains {
    /// For each matrix what is below the diagonal of L, after a 0 or nothing at all, and D⁻¹.
    pub(crate) fn new(matrices: &[(&[f64], &[f64])], constants: &[f64]) -> Self {
        let width = matrices.first().map_or(0, |(_, inverses)| inverses.len());
        let step = |&(couplings, inverses): &(&[f64], &[f64]), i: usize| {
            [couplings.get(i).copied().unwrap_or(0.0), inverses[i]]
        };
        let steps = matrices.chunks(TOGETHER).flat_map(|some| {
            (0..width).map(move |i| std::array::from_fn(|at| step(some.get(at).unwrap_or(&some[0]), i)))
        });
        Self { steps: steps.collect(), constants: constants.to_vec(), width }
    }

    /// Number of matrices.
    pub(crate) fn outputs(&self) -> usize {
        self.constants.len()
    }

    /// For each group of rows the forms of all matrices, one group after another.
    pub(crate) fn apply(&self, z: &[Double], out: &mut [Double]) {
        dispatch(Level::current(), Apply { chains: self, z, out });
    }
}

struct Apply<'a> {
    chains: &'a Chains,
    z: &'a [Double],
    out: &'a mut [Double],
}

impl Kernel for Apply<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(self, _: I) {
        let Chains { steps, constants, width } = self.chains;
        let groups = self.z.chunks_exact(*width).zip(self.out.chunks_exact_mut(constants.len()));
        for (z, out) in groups {
            let some =
                steps.chunks_exact(*width).zip(out.chunks_mut(TOGETHER)).zip(constants.chunks(TOGETHER));
            for ((steps, out), constants) in some {
                let mut solved = [[0.0; Double::COUNT]; TOGETHER];
                let mut sums = [[0.0; Double::COUNT]; TOGETHER];
                for (z, step) in z.iter().zip(steps) {
                    for ((solved, sum), [coupling, inverse]) in solved.iter_mut().zip(&mut sums).zip(step) {
                        *solved = z.add_scaled::<I>(-coupling, *solved);
                        *sum = sum.add_product::<I>(*solved, solved.scaled(*inverse));
                    }
                }
                out.iter_mut().zip(sums).zip(constants).for_each(|((out, sum), c)| *out = sum.plus(*c));
            }
        }
    }
}

/// uᵀT⁻¹u, uᵀT⁻¹v and vᵀT⁻¹v of rows about two points.
pub(crate) struct TwoForms<'a> {
    pub(crate) z: &'a [Double],
    /// What is taken from a row for u, and for v.
    pub(crate) points: [&'a [f64]; 2],
}

impl TwoForms<'_> {
    /// By L, whose entries below the diagonal come after a 0, and D⁻¹.
    pub(crate) fn under(&self, couplings: &[f64], inverses: &[f64]) -> [Double; 3] {
        dispatch(Level::current(), Under { forms: self, couplings, inverses })
    }

    /// The same where each row takes from the diagonal what it has lost, and by how much log det T changes by that; `inverses`
    /// are those of D before.
    pub(crate) fn under_lowered(
        &self,
        diagonal: &[f64],
        below: &[f64],
        inverses: &[f64],
        lost: &Double,
    ) -> ([Double; 3], Double) {
        dispatch(Level::current(), UnderLowered { forms: self, diagonal, below, inverses, lost })
    }

    #[inline(always)]
    fn rows(&self) -> impl Iterator<Item = [Double; 2]> {
        let [u, v] = self.points;
        self.z.iter().zip(u.iter().zip(v)).map(|(z, (&u, &v))| [z.minus(u), z.minus(v)])
    }
}

/// Sums over the entries of two solutions.
struct Sums {
    solved: [Double; 2],
    forms: [Double; 3],
}

impl Sums {
    const ZERO: Self = Self { solved: [[0.0; Double::COUNT]; 2], forms: [[0.0; Double::COUNT]; 3] };

    #[inline(always)]
    fn add<I: Instance>(&mut self, rows: [Double; 2], coupling: Double, inverse: Double) {
        for (solved, row) in self.solved.iter_mut().zip(rows) {
            *solved = row.add_product::<I>(coupling.scaled(-1.0), *solved);
        }
        let [u, v] = self.solved;
        let scaled = |x: Double| Double::splat(0.0).add_product::<I>(x, inverse);
        self.forms[0] = self.forms[0].add_product::<I>(u, scaled(u));
        self.forms[1] = self.forms[1].add_product::<I>(u, scaled(v));
        self.forms[2] = self.forms[2].add_product::<I>(v, scaled(v));
    }
}

struct Under<'a> {
    forms: &'a TwoForms<'a>,
    couplings: &'a [f64],
    inverses: &'a [f64],
}

impl Kernel for Under<'_> {
    type Output = [Double; 3];

    #[inline(always)]
    fn run<I: Instance>(self, _: I) -> Self::Output {
        let mut sums = Sums::ZERO;
        for (rows, (&coupling, &inverse)) in self.forms.rows().zip(self.couplings.iter().zip(self.inverses)) {
            sums.add::<I>(rows, Double::splat(coupling), Double::splat(inverse));
        }
        sums.forms
    }
}

struct UnderLowered<'a> {
    forms: &'a TwoForms<'a>,
    diagonal: &'a [f64],
    below: &'a [f64],
    inverses: &'a [f64],
    lost: &'a Double,
}

impl Kernel for UnderLowered<'_> {
    type Output = ([Double; 3], Double);

    #[inline(always)]
    fn run<I: Instance>(self, _: I) -> Self::Output {
        let mut sums = Sums::ZERO;
        let (mut last, mut ratios) = (Double::splat(0.0), Double::splat(1.0));
        let mut log_ratio = Double::splat(0.0);
        let beside = std::iter::once(&0.0).chain(self.below);
        let entries = self.diagonal.iter().zip(beside).zip(self.inverses).enumerate();
        for (rows, (i, ((&entry, &below), &inverse))) in self.forms.rows().zip(entries) {
            let coupling = last.scaled(below);
            let pivot =
                Double::splat(entry).add_scaled::<I>(-1.0, *self.lost).add_scaled::<I>(-below, coupling);
            last = pivot.map(f64::recip);
            ratios = std::array::from_fn(|lane| ratios[lane] * (pivot[lane] * inverse));
            sums.add::<I>(rows, coupling, last);
            if i % RATIOS == RATIOS - 1 {
                log_ratio = std::array::from_fn(|lane| log_ratio[lane] + ratios[lane].ln());
                ratios = Double::splat(1.0);
            }
        }
        (sums.forms, std::array::from_fn(|lane| log_ratio[lane] + ratios[lane].ln()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A positive definite tridiagonal matrix, T x for some x, and its factors.
    struct Sample {
        diagonal: Vec<f64>,
        below: Vec<f64>,
    }

    impl Sample {
        fn new(size: usize) -> Self {
            let diagonal = (0..size).map(|i| 3.0 + (i as f64).sin()).collect();
            Self { diagonal, below: (1..size).map(|i| (1.7 * i as f64).cos()).collect() }
        }

        /// T x less a multiple of x.
        fn times(&self, x: &[f64], less: f64) -> Vec<f64> {
            let beside = |i: usize, j: usize| x.get(j).map_or(0.0, |x| self.below[i.min(j)] * x);
            let product = |i: usize| {
                let before = if i > 0 { beside(i, i - 1) } else { 0.0 };
                (self.diagonal[i] - less) * x[i] + before + beside(i, i + 1)
            };
            (0..x.len()).map(product).collect()
        }

        /// What is below the diagonal of L, after a 0, and D.
        fn factors(&self, less: f64) -> (Vec<f64>, Vec<f64>) {
            let (mut couplings, mut pivots) = (vec![0.0], vec![self.diagonal[0] - less]);
            for (i, below) in self.below.iter().enumerate() {
                couplings.push(below / pivots[i]);
                pivots.push(self.diagonal[i + 1] - less - below * below / pivots[i]);
            }
            (couplings, pivots)
        }
    }

    fn entries(size: usize, seed: usize) -> Vec<f64> {
        (0..size).map(|i| ((i * 7 + seed * 13) as f64).sin()).collect()
    }

    fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    fn in_lanes(rows: &[Vec<f64>]) -> Vec<Double> {
        (0..rows[0].len()).map(|i| std::array::from_fn(|lane| rows[lane][i])).collect()
    }

    fn assert_near(got: f64, expected: f64) {
        assert!((got - expected).abs() <= 1e-13 * expected.abs().max(1.0), "{got} {expected}");
    }

    /// Miri takes minutes for larger ones.
    const MAX_SIZE: usize = if cfg!(miri) { 5 } else { 70 };

    #[test]
    fn forms_of_products_are_those_of_what_was_multiplied() {
        for size in [1, 2, 3, 17, 40].into_iter().filter(|&size| size <= MAX_SIZE) {
            let sample = Sample::new(size);
            for count in [1, 3, 4, 5, 9] {
                let shifts: Vec<f64> = (0..count).map(|at| -0.3 * at as f64).collect();
                let factors: Vec<_> = shifts.iter().map(|&less| sample.factors(less)).collect();
                let inverses: Vec<Vec<f64>> = factors
                    .iter()
                    .map(|(_, pivots)| pivots.iter().map(|pivot| pivot.recip()).collect())
                    .collect();
                let matrices: Vec<_> = factors
                    .iter()
                    .zip(&inverses)
                    .map(|((couplings, _), inverses)| (&**couplings, &**inverses))
                    .collect();
                let constants: Vec<f64> = (0..count).map(|at| at as f64).collect();
                let chains = Chains::new(&matrices, &constants);
                assert_eq!(chains.outputs(), count);
                let x: Vec<_> = (0..2 * Double::COUNT).map(|seed| entries(size, seed)).collect();
                for at in 0..count {
                    let rows: Vec<_> = x.iter().map(|x| sample.times(x, shifts[at])).collect();
                    let mut z = in_lanes(&rows[..Double::COUNT]);
                    z.extend(in_lanes(&rows[Double::COUNT..]));
                    Level::each(|| {
                        let mut out = vec![[f64::NAN; Double::COUNT]; 2 * count];
                        chains.apply(&z, &mut out);
                        for (row, x) in x.iter().enumerate() {
                            let found = out[row / Double::COUNT * count + at][row % Double::COUNT];
                            assert_near(found, dot(x, &rows[row]) + constants[at]);
                        }
                    });
                }
            }
        }
    }

    #[test]
    fn matrices_without_couplings_are_diagonal() {
        let inverses = [0.5, 0.25, 2.0];
        let mut out = [[0.0; Double::COUNT]];
        Chains::new(&[(&[], &inverses)], &[1.0]).apply(&[[2.0; 8], [4.0; 8], [3.0; 8]], &mut out);
        assert_eq!(out, [[25.0; 8]]);
    }

    #[test]
    fn forms_about_two_points_follow_what_each_row_loses() {
        for size in [1, 2, 5, 33, 70].into_iter().filter(|&size| size <= MAX_SIZE) {
            let sample = Sample::new(size);
            let (couplings, pivots) = sample.factors(0.0);
            let inverses: Vec<f64> = pivots.iter().map(|pivot| pivot.recip()).collect();
            let log_det = |pivots: &[f64]| pivots.iter().map(|pivot| pivot.ln()).sum::<f64>();
            for lost in [[0.0; Double::COUNT], std::array::from_fn(|lane| 0.05 * lane as f64)] {
                let v: Vec<_> = (0..Double::COUNT).map(|lane| entries(size, lane)).collect();
                let u = entries(size, 99);
                // Both points about the rows: z − p_v = (T − lost) v of each row, z − p_u = that + b.
                let rows: Vec<_> = v.iter().zip(lost).map(|(v, lost)| sample.times(v, lost)).collect();
                let z = in_lanes(&rows);
                let points = [u.iter().map(|u| -u).collect::<Vec<f64>>(), vec![0.0; size]];
                let forms = TwoForms { z: &z, points: [&points[0], &points[1]] };
                Level::each(|| {
                    let ([uu, uv, vv], log_ratio) =
                        forms.under_lowered(&sample.diagonal, &sample.below, &inverses, &lost);
                    for lane in 0..Double::COUNT {
                        // (T v + b)ᵀ T⁻¹ (T v + b) − vᵀ T v − 2 bᵀ v is a form of b alone, the same for rows of one loss.
                        assert_near(vv[lane], dot(&v[lane], &rows[lane]));
                        assert_near(uv[lane], dot(&v[lane], &rows[lane]) + dot(&u, &v[lane]));
                        let alone = uu[lane] - vv[lane] - 2.0 * dot(&u, &v[lane]);
                        let (couplings, pivots) = sample.factors(lost[lane]);
                        let mut solved = 0.0;
                        let mut form = 0.0;
                        for ((b, coupling), pivot) in u.iter().zip(&couplings).zip(&pivots) {
                            solved = b - coupling * solved;
                            form += solved * solved / pivot;
                        }
                        assert_near(alone, form);
                        assert_near(log_ratio[lane], log_det(&pivots) - log_det(&sample.factors(0.0).1));
                    }
                    if lost == [0.0; Double::COUNT] {
                        let plain = forms.under(&couplings, &inverses);
                        plain.into_iter().zip([uu, uv, vv]).for_each(|(plain, lowered)| {
                            plain.into_iter().zip(lowered).for_each(|(a, b)| assert_near(a, b));
                        });
                    }
                });
            }
        }
    }
}
