//! Rows brought together by what they have in common.

/// Writes the rows `first..`, those of one code after those of another, in their order within a code (a counting sort).
pub(crate) fn sort_by_code(first: usize, codes: &[u32], classes: usize, order: &mut Vec<usize>) {
    sort_with_ends(first, codes, classes, order, &mut vec![]);
}

/// The same, and where each code ends.
pub(crate) fn sort_with_ends(
    first: usize,
    codes: &[u32],
    classes: usize,
    order: &mut Vec<usize>,
    next: &mut Vec<usize>,
) {
    next.clear();
    next.resize(classes + 1, 0);
    for &code in codes {
        next[code as usize + 1] += 1;
    }
    for class in 0..classes {
        next[class + 1] += next[class];
    }
    order.resize(codes.len(), 0);
    for (row, &code) in (first..).zip(codes) {
        let slot = &mut next[code as usize];
        order[*slot] = row;
        *slot += 1;
    }
    next.truncate(classes);
}
