//! Why a file cannot be written or read.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error as Derived;

use super::container::FORMAT;
use crate::error::Error;

/// What went wrong with a file.
///
/// ```
/// use gauda::{FileError, Fitted};
///
/// let error = Fitted::<i64>::load("no/such/file").unwrap_err();
/// assert!(matches!(error, FileError::Io { .. }));
/// ```
#[derive(Debug, Derived)]
#[non_exhaustive]
pub enum FileError {
    /// The system refuses to read or write.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },

    /// Something else's file, or the beginning of one of ours.
    #[error("{} is not a gauda file, or is damaged: {why}; give a file that save has written", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is missing.
        why: String,
    },

    /// A file of a later version.
    #[error(
        "{} was written by gauda {version} in format {format}; this version reads up to format {FORMAT}; upgrade gauda",
        path.display()
    )]
    Later {
        /// The file.
        path: PathBuf,
        /// The version that wrote it.
        version: String,
        /// Its format.
        format: u64,
    },

    /// A file that is not as it was written.
    #[error("{} is damaged: {why}; take it from a backup, or save it anew", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        why: String,
    },

    /// A file of something for which there is no counterpart here, or the other way round.
    #[error("{}: {why}", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// What it is, and what to do.
        why: String,
    },

    /// Statistics that lead to no model.
    #[error("{}: {source}", path.display())]
    Model {
        /// The file.
        path: PathBuf,
        /// What the model refuses.
        source: Error,
    },
}

/// The same before the name of the file is known.
#[derive(Debug)]
pub(super) enum Fault {
    Io(io::Error),
    Foreign(String),
    Later { version: String, format: u64 },
    Damaged(String),
    Unsupported(String),
    Model(Error),
}

impl Fault {
    pub(super) fn at(self, path: &Path) -> FileError {
        let path = path.to_owned();
        match self {
            Self::Io(source) => FileError::Io { path, source },
            Self::Foreign(why) => FileError::Foreign { path, why },
            Self::Later { version, format } => FileError::Later { path, version, format },
            Self::Damaged(why) => FileError::Damaged { path, why },
            Self::Unsupported(why) => FileError::Unsupported { path, why },
            Self::Model(source) => FileError::Model { path, source },
        }
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Model(error)
    }
}

pub(super) type Outcome<T> = std::result::Result<T, Fault>;
