//! Which values of a study are right, and what is wrong with the others.

use std::fmt;

use thiserror::Error;

use super::{LEN_BYTES_MAX, SIZES_MAX};

/// A value that its field cannot have.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error("{field} = {value}: {right}")]
pub struct OutOfRange {
    /// Name of the field, as in the file.
    pub field: &'static str,
    /// The value that stands there.
    pub value: f64,
    /// What would be right.
    pub right: Bounds,
}

/// Which values are right.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bounds {
    /// All above 0.
    Positive,
    /// All above this one.
    Above(f64),
    /// This one, and all above it.
    AtLeast(f64),
    /// From the one to the other.
    Between(f64, f64),
    /// All above 0 that are not above 1.
    Share,
}

impl Bounds {
    /// Refuses a value that is not right.
    pub(super) fn check(self, field: &'static str, value: f64) -> Result<(), OutOfRange> {
        let is_right = match self {
            Self::Positive => value > 0.0,
            Self::Above(least) => value > least,
            Self::AtLeast(least) => value >= least,
            Self::Between(least, most) => (least..=most).contains(&value),
            Self::Share => value > 0.0 && value <= 1.0,
        };
        let right = self;
        if is_right && value.is_finite() { Ok(()) } else { Err(OutOfRange { field, value, right }) }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Positive => f.write_str("must be a positive number"),
            Self::Above(least) => write!(f, "must be more than {least}"),
            Self::AtLeast(least) => write!(f, "must be at least {least}"),
            Self::Between(least, most) => write!(f, "must be {least} to {most}"),
            Self::Share => f.write_str("must be above 0 and at most 1"),
        }
    }
}

/// Message lengths that cannot be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum LengthError {
    /// There are more than a part may list.
    #[error("{count} sizes: must be at most {SIZES_MAX}; a size_range in a study may have more")]
    Count {
        /// How many there are.
        count: usize,
    },
    /// No block could hold such messages.
    #[error("message length {len_bytes}: must be 0 to {LEN_BYTES_MAX} bytes")]
    TooLong {
        /// Length of the message in bytes.
        len_bytes: u64,
    },
}

/// Refuses more message lengths than a part may list.
pub(crate) fn check_count(count: usize) -> Result<(), LengthError> {
    if count <= SIZES_MAX { Ok(()) } else { Err(LengthError::Count { count }) }
}

/// Refuses message lengths that no block could hold.
pub(crate) fn check_len(len_bytes: u64) -> Result<(), LengthError> {
    if len_bytes <= LEN_BYTES_MAX { Ok(()) } else { Err(LengthError::TooLong { len_bytes }) }
}
