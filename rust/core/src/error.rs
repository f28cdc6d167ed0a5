//! The one error type of the crate.

use thiserror::Error;

/// Everything that can end a computation early.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Error {
    /// An argument that no computation can start from.
    #[error("{argument} {found}; {remedy}")]
    Invalid {
        /// The argument's public name.
        argument: &'static str,
        /// What was found, as the rest of a sentence that begins with the name.
        found: String,
        /// What would do instead.
        remedy: String,
    },
    /// The caller asked to stop through [`crate::control::Control::cancel`].
    #[error("cancelled")]
    Cancelled,
}

impl Error {
    /// Build an [`Error::Invalid`]: `argument`, what was `found`, what would be a `remedy`.
    pub fn invalid(
        argument: &'static str,
        found: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self::Invalid { argument, found: found.into(), remedy: remedy.into() }
    }
}

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;
