//! Values of options that are not in the form that they must have.

use thiserror::Error;

/// What a value must be; the option and the value are told before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("must be {0}")]
pub struct MustBe(pub &'static str);
