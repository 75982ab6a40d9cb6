//! Rows of either precision in double precision, a few at a time.

use crate::kernel::{Double, Lane, Lanes};
use crate::model::AnchorMemory;

/// Memory for as many rows as there are lanes of double precision.
#[derive(Default)]
pub(super) struct Few {
    x: Vec<Double>,
    memory: AnchorMemory,
}

impl Few {
    /// Writes what `answer` finds for packed rows, [group][output]. It is given the rows, which of them is the first, and
    /// memory in which it leaves its answers.
    pub(super) fn answer<T: Lane>(
        &mut self,
        x: &[T::Lanes],
        out: &mut [T::Lanes],
        (features, outputs): (usize, usize),
        answer: impl Fn(&[Double], usize, &mut AnchorMemory),
    ) {
        let groups = x.chunks_exact(features).zip(out.chunks_exact_mut(outputs));
        for (group, (x, out)) in groups.enumerate() {
            for first in (0..T::Lanes::COUNT).step_by(Double::COUNT) {
                let widened =
                    |x: &T::Lanes| -> Double { std::array::from_fn(|lane| x.entries()[first + lane].into()) };
                self.x.clear();
                self.x.extend(x.iter().map(widened));
                answer(&self.x, group * T::Lanes::COUNT + first, &mut self.memory);
                for (out, answers) in out.iter_mut().zip(&self.memory.answers) {
                    (first..).zip(answers).for_each(|(lane, &answer)| out.set(lane, T::rounded(answer)));
                }
            }
        }
    }
}
