//! Rows say what they are. How they are read is tested through moments and scores, in every layout.

use ndarray::Array2;

use super::Rows;

#[test]
fn rows_are_counted_along_the_first_axis_whatever_the_memory_order() {
    let x = Array2::<u8>::zeros((3, 5));
    let of = |rows: Rows<'_>| (rows.n_rows(), rows.n_features());
    assert_eq!(of(Rows::from(x.view())), (3, 5));
    assert_eq!(of(Rows::from(x.t())), (5, 3));
}

#[test]
fn numbers_of_at_most_24_bits_are_scored_in_single_precision() {
    macro_rules! check {
        ($($element:ty => $single:expr),+ $(,)?) => {$(
            let x = Array2::<$element>::default((1, 1));
            assert_eq!(Rows::from(x.view()).is_single(), $single, stringify!($element));
        )+};
    }
    check!(
        f32 => true, i8 => true, i16 => true, u8 => true, u16 => true,
        f64 => false, i32 => false, i64 => false, u32 => false, u64 => false, bool => false,
    );
}
