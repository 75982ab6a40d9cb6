//! EM against closed forms, in the cases that have one.
