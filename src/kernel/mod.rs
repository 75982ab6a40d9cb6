//! The inner loops, one file each. They see slices only: no models, no rules, no errors.

mod affine;
mod aligned;
mod chains;
mod cholesky;
mod distance;
mod evidence;
mod exp;
mod factors;
mod flags;
mod gaps;
mod gather;
mod guarded;
#[cfg(target_arch = "x86_64")]
mod halves;
mod instance;
mod lanes;
mod levels;
mod log;
mod narrow;
mod normals;
mod pack;
mod powers;
mod prefetch;
mod presence;
mod quadratic;
mod recenter;
mod repack;
mod scatter;
mod sparse;
mod squares;
mod stripes;
mod substitution;
mod survivors;
mod sweep;
mod tiles;
mod transpose;
mod zeros;

pub(crate) use affine::Affine;
pub(crate) use aligned::AlignedLanes;
pub(crate) use chains::{Chains, TwoForms};
pub(crate) use cholesky::{SMALL, factor_small};
pub(crate) use distance::Distances;
pub(crate) use evidence::{Added, Evidence, Terms, Worst, all_finite, divide, exponentials, rate};
pub(crate) use factors::{SIDES, Side, factor_sides, row_start, solve_sides};
pub(crate) use flags::flags;
pub(crate) use gaps::{WORD, find_gaps, has_gaps};
pub(crate) use gather::gather;
pub(crate) use guarded::{DiagDistances, TiedDistances};
#[cfg(feature = "python")]
pub(crate) use instance::Level;
pub(crate) use lanes::{Lane, Lanes, rounded_center, two_parts};
pub(crate) use levels::{Quad, add_levels, add_normal, in_quads, transpose_to_lanes};
pub(crate) use log::logarithms;
pub(crate) use narrow::{Double, Single, narrow};
pub(crate) use normals::Normals;
pub(crate) use pack::pack;
pub(crate) use prefetch::{Ahead, RowsAhead, ahead, prefetch};
pub(crate) use presence::{Counted, Presence, add_presence, binarize};
pub(crate) use quadratic::Whitened;
pub(crate) use recenter::recenter;
pub(crate) use repack::{repack, unpack};
pub(crate) use scatter::{Panel, padded};
pub(crate) use sparse::{AlignedQuads, SparseRows, add_sparse_rows, exact_sum, read_shares, survey_columns};
pub(crate) use squares::{COLUMNS, ClassSums, InOrder, LONG, add_columns, add_squares};
pub(crate) use stripes::{Extent, Stripes, add_product};
pub(crate) use substitution::ShownClass;
pub(crate) use survivors::survivors;
pub(crate) use sweep::{Eight, LowerRows};
pub(crate) use zeros::retain_zeros;

#[cfg(test)]
mod tests;
