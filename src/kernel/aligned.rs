//! Memory for lanes that begins where a line of the cache begins, so that no lanes lie across two lines.

use std::ops::{Deref, DerefMut};

use super::lanes::{Lane, Lanes};

/// Lanes one after another. They fill their lines, so that these are an array of lanes too.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
struct Line<L>(L);

/// A list of lanes.
#[derive(Debug)]
pub(crate) struct AlignedLanes<T: Lane>(Vec<Line<T::Lanes>>);

impl<T: Lane> Default for AlignedLanes<T> {
    fn default() -> Self {
        Self(vec![])
    }
}

impl<T: Lane> AlignedLanes<T> {
    const FULL: () = assert!(size_of::<Line<T::Lanes>>() == size_of::<T::Lanes>(), "lanes fill their lines");

    /// Makes room for so many; new ones are 0.
    pub(crate) fn resize(&mut self, count: usize) {
        self.0.resize(count, Line(T::Lanes::splat(T::zero())));
    }
}

impl<T: Lane> Deref for AlignedLanes<T> {
    type Target = [T::Lanes];

    #[expect(unsafe_code, reason = "lines seen as the lanes that fill them")]
    fn deref(&self) -> &[T::Lanes] {
        let () = Self::FULL;
        // SAFETY: a line is lanes and nothing else, as was checked.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), self.0.len()) }
    }
}

impl<T: Lane> DerefMut for AlignedLanes<T> {
    #[expect(unsafe_code, reason = "lines seen as the lanes that fill them")]
    fn deref_mut(&mut self) -> &mut [T::Lanes] {
        let () = Self::FULL;
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), self.0.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_begin_with_a_line_and_keep_what_they_hold() {
        for count in [1, 2, 7, 1000] {
            let mut lanes = AlignedLanes::<f32>::default();
            lanes.resize(count);
            assert_eq!((lanes.as_ptr() as usize % 64, lanes.len()), (0, count));
            lanes.iter_mut().enumerate().for_each(|(i, lanes)| *lanes = [i as f32; 16]);
            lanes.resize(count + 1);
            assert!((0..count).all(|i| lanes[i] == [i as f32; 16]) && lanes[count] == [0.0; 16]);
        }
    }
}
