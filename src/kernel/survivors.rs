//! Which rows of a block a class still has to be measured for.

use super::instance::{Instance, Kernel, Level, dispatch};
use super::lanes::Lanes;
use super::narrow::Single;

/// Writes the places of the lanes in which every `stride`-th of `bounds` is not less than `min_bounds`, counted from `first`;
/// returns how many there are. `places` has room for all lanes.
pub(crate) fn survivors(
    bounds: &[Single],
    stride: usize,
    min_bounds: &[Single],
    first: usize,
    places: &mut [usize],
) -> usize {
    dispatch(Level::current(), Survivors { bounds, stride, min_bounds, first, places })
}

struct Survivors<'a> {
    bounds: &'a [Single],
    stride: usize,
    min_bounds: &'a [Single],
    first: usize,
    places: &'a mut [usize],
}

impl Kernel for Survivors<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<I: Instance>(self, _: I) -> usize {
        let mut count = 0;
        for (group, (bound, min_bounds)) in
            self.bounds.iter().step_by(self.stride).zip(self.min_bounds).enumerate()
        {
            let is_out = |lane: usize| bound[lane] < min_bounds[lane];
            if (0..Single::COUNT).fold(true, |all, lane| all & is_out(lane)) {
                continue;
            }
            for lane in 0..Single::COUNT {
                self.places[count] = self.first + group * Single::COUNT + lane;
                count += usize::from(!is_out(lane));
            }
        }
        count
    }
}
