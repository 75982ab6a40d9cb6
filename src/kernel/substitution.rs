//! ‖L⁻¹ b‖² for many rows and the Cholesky factor of one class, by forward substitution with a row in each lane. Each takes
//! the steps that it takes in `factors.rs`, where classes stand side by side, so that a distance has the same bits.

use super::factors::{SIDES, Side, row_start};
use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::{Lane, Lanes};

/// A class in the columns that some rows show.
#[derive(Debug)]
pub(crate) struct ShownClass {
    /// For each column the mean, in two parts, and one over the deviation.
    columns: Vec<[f64; 3]>,
    /// Row by row −L of the correlations below the diagonal, and on it 1 / L_ii.
    lower: Vec<f64>,
}

impl ShownClass {
    /// `lower` has L row by row, which ends with 1 / L_ii.
    pub(crate) fn new(columns: Vec<[f64; 3]>, mut lower: Vec<f64>) -> Self {
        for row in 1..columns.len() {
            lower[row_start(row)..][..row].iter_mut().for_each(|entry| *entry = -*entry);
        }
        Self { columns, lower }
    }

    /// The squared distance of so many rows, `x[group][column]`, to every `stride`-th of `distances`. `memory` is overwritten.
    pub(crate) fn to_rows<T: Lane>(
        &self,
        rows: usize,
        x: &[T::Lanes],
        memory: &mut Vec<Side>,
        (distances, stride): (&mut [T::Lanes], usize),
    ) {
        memory.resize(2 * self.columns.len(), [0.0; SIDES]);
        dispatch(Level::current(), ToRows::<T> { class: self, rows, x, memory, distances, stride });
    }
}

struct ToRows<'a, T: Lane> {
    class: &'a ShownClass,
    rows: usize,
    x: &'a [T::Lanes],
    memory: &'a mut [Side],
    distances: &'a mut [T::Lanes],
    stride: usize,
}

impl<T: Lane> Kernel for ToRows<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instance>(mut self, _: I) {
        let pieces = self.rows.div_ceil(SIDES);
        let pairs = if I::ROOMY { pieces / 2 * 2 } else { 0 };
        for first in (0..pairs).step_by(2) {
            self.measure::<I, 2>(first);
        }
        for first in pairs..pieces {
            self.measure::<I, 1>(first);
        }
    }
}

impl<T: Lane> ToRows<'_, T> {
    /// Measures some pieces of as many rows as stand side by side in double precision.
    #[inline(always)]
    fn measure<I: Instance, const P: usize>(&mut self, first: usize) {
        let ShownClass { columns, lower } = self.class;
        let place = |piece: usize| {
            let row = (first + piece) * SIDES;
            (row / T::Lanes::COUNT, row % T::Lanes::COUNT)
        };
        let x: [&[T::Lanes]; P] =
            std::array::from_fn(|piece| &self.x[place(piece).0 * columns.len()..][..columns.len()]);
        let lanes: [usize; P] = std::array::from_fn(|piece| place(piece).1);
        let centered = |column: usize| -> [Side; P] {
            let [shift, offset, scale] = columns[column];
            std::array::from_fn(|piece| {
                let x =
                    x[piece][column].entries()[lanes[piece]..].first_chunk::<SIDES>().expect("whole pieces");
                x.map(|x| ((x.into() - shift) - offset) * scale)
            })
        };
        let solved = &mut self.memory.as_chunks_mut::<P>().0[..columns.len()];
        let squares = substitute_all::<I, P>(lower, centered, solved);
        for (piece, squares) in squares.iter().enumerate() {
            let (group, lane) = place(piece);
            let distance = &mut self.distances[group * self.stride];
            squares.iter().zip(lane..).for_each(|(&square, lane)| distance.set(lane, T::rounded(square)));
        }
    }
}

/// Solves L y = b for the entries of `b`, and gives the squared length of y.
#[inline(always)]
fn substitute_all<I: Instance, const P: usize>(
    lower: &[f64],
    b: impl Fn(usize) -> [Side; P],
    solved: &mut [[Side; P]],
) -> [Side; P] {
    let mut squares = [[0.0; SIDES]; P];
    let mut first = 0;
    while I::ROOMY && first + 4 <= solved.len() {
        substitute::<I, P, 4>(lower, first, &b, solved, &mut squares);
        first += 4;
    }
    while first + 2 <= solved.len() {
        substitute::<I, P, 2>(lower, first, &b, solved, &mut squares);
        first += 2;
    }
    if first < solved.len() {
        substitute::<I, P, 1>(lower, first, &b, solved, &mut squares);
    }
    squares
}

/// Solves for `R` rows of L, of which there is one or the first is even.
#[inline(always)]
fn substitute<I: Instance, const P: usize, const R: usize>(
    lower: &[f64],
    first: usize,
    b: &impl Fn(usize) -> [Side; P],
    solved: &mut [[Side; P]],
    squares: &mut [Side; P],
) {
    let rows: [&[f64]; R] = std::array::from_fn(|r| &lower[row_start(first + r)..][..=first + r]);
    let (solved, now) = solved.split_at_mut(first);
    // Columns by turns add to two sums, so that a product need not wait for the one before.
    let mut sums: [[[Side; P]; 2]; R] = std::array::from_fn(|r| [b(first + r), [[0.0; SIDES]; P]]);
    let (pairs, last) = solved.as_chunks::<2>();
    let entries = rows.map(|row| &row[..first].as_chunks::<2>().0[..pairs.len()]);
    for (place, pair) in pairs.iter().enumerate() {
        for (sums, entries) in sums.iter_mut().zip(entries) {
            for ((sum, &entry), solved) in sums.iter_mut().zip(&entries[place]).zip(pair) {
                add::<I, P>(sum, entry, solved);
            }
        }
    }
    for solved in last {
        sums.iter_mut().zip(rows).for_each(|(sums, row)| add::<I, P>(&mut sums[0], row[first - 1], solved));
    }
    for column in 0..R {
        for piece in 0..P {
            let [even, odd] = [sums[column][0][piece], sums[column][1][piece]];
            let pivot = rows[column][first + column];
            let solved: Side = std::array::from_fn(|lane| (even[lane] + odd[lane]) * pivot);
            squares[piece] = squares[piece].add_square::<I>(solved);
            now[column][piece] = solved;
        }
        for r in 0..R {
            if r > column {
                add::<I, P>(&mut sums[r][column % 2], rows[r][first + column], &now[column]);
            }
        }
    }
}

#[inline(always)]
fn add<I: Instance, const P: usize>(sums: &mut [Side; P], entry: f64, solved: &[Side; P]) {
    for (sum, solved) in sums.iter_mut().zip(solved) {
        *sum = sum.add_scaled::<I>(entry, *solved);
    }
}

#[cfg(test)]
mod tests {
    use super::super::factors::{factor_sides, solve_sides};
    use super::*;

    #[test]
    fn rows_side_by_side_have_the_bits_of_classes_side_by_side() {
        same_bits::<f64>();
        same_bits::<f32>();
    }

    fn same_bits<T: Lane>() {
        let rho = |side: usize| 0.1 * side as f64 + 0.03;
        let entry = |i: usize, j: usize| -> Side { std::array::from_fn(|s| rho(s).powi((i - j) as i32)) };
        let value = |row: usize, i: usize| T::rounded(((i * 37 + row * 11) as f64).sin());
        let column = |i: usize| [0.25 * i as f64, 1e-9, 1.0 + i as f64];
        let shapes = [(1_usize, 1_usize), (2, 40), (3, 7), (5, 8), (16, 9), (19, 17), (33, 33)];
        for (size, rows) in shapes.into_iter().filter(|(size, _)| !cfg!(miri) || *size <= 5) {
            Level::each(|| {
                let mut factors: Vec<Side> =
                    (0..size).flat_map(|i| (0..=i).map(move |j| entry(i, j))).collect();
                factor_sides(&mut factors, size).unwrap();
                let groups = rows.div_ceil(T::Lanes::COUNT);
                let lanes = |group: usize, i: usize| {
                    T::Lanes::from_fn(|lane| value((group * T::Lanes::COUNT + lane).min(rows - 1), i))
                };
                let x: Vec<T::Lanes> =
                    (0..groups).flat_map(|group| (0..size).map(move |i| lanes(group, i))).collect();
                for side in 0..SIDES {
                    let lower = factors.iter().map(|entry| entry[side]).collect();
                    let class = ShownClass::new((0..size).map(column).collect(), lower);
                    let mut distances = vec![T::Lanes::splat(T::zero()); 3 * groups];
                    class.to_rows::<T>(rows, &x, &mut vec![], (&mut distances[1..], 3));
                    for row in 0..rows {
                        let of_row = |i: usize| {
                            let [shift, offset, scale] = column(i);
                            [((value(row, i).into() - shift) - offset) * scale; SIDES]
                        };
                        let mut b: Vec<Side> = (0..size).map(of_row).collect();
                        let square = T::rounded(solve_sides(&factors, &mut b)[side]);
                        let found = distances[row / T::Lanes::COUNT * 3 + 1].entries()[row % T::Lanes::COUNT];
                        let [square, found]: [f64; 2] = [square.into(), found.into()];
                        assert_eq!(found.to_bits(), square.to_bits(), "{size}, {rows}");
                    }
                }
            });
        }
    }
}
