//! Which of several refusals is told: that of the first row, as if rows were read one by one.

use crate::error::{Error, InputError, Result};

/// Runs `each` on the columns of a block of rows. Where several refuse a row, the error is that of the first row.
pub(super) fn for_each_column(columns: usize, mut each: impl FnMut(usize) -> Result<()>) -> Result<()> {
    let mut told = Ok(());
    for column in 0..columns {
        if let Err(error) = each(column) {
            let Some(row) = row_of(&error) else { return Err(error) };
            if told.as_ref().err().and_then(row_of).is_none_or(|first| row < first) {
                told = Err(error);
            }
        }
    }
    told
}

fn row_of(error: &Error) -> Option<usize> {
    match error {
        Error::Input(InputError::NonFinite { row, .. })
        | Error::Input(InputError::NoLevel { row, .. })
        | Error::Input(InputError::UnknownLevel { row, .. }) => Some(*row),
        _ => None,
    }
}
