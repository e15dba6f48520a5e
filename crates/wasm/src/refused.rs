//! Why a call did not do what it should.

use macs::Error;

/// What JavaScript makes an error of.
pub enum Refused {
    /// By the library.
    Macs(Error),
    /// There is no such object; the package does not ask for one.
    NoObject,
    /// A length is beyond the input area, or a number beyond an array; the package asks for none.
    Outside,
    /// There is not so much memory, in bytes.
    Memory(usize),
}

impl Refused {
    pub const fn memory(len: usize) -> Self {
        Self::Memory(len)
    }

    /// The number that stands for the kind of error: a range, or something missing.
    pub const fn status(&self) -> i32 {
        match self {
            Self::Macs(Error::NonceMissing { .. }) => MISSING,
            _ => OUT_OF_RANGE,
        }
    }

    /// One line: what was given, and what would be right.
    pub fn words(&self) -> String {
        match self {
            Self::Macs(error) => error.to_string(),
            Self::NoObject => "there is no such object".into(),
            Self::Outside => "beyond the input area".into(),
            Self::Memory(len) => format!("there is no memory for {len} bytes more"),
        }
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::Macs(error)
    }
}

/// A `RangeError`.
const OUT_OF_RANGE: i32 = -1;

/// A `TypeError`.
const MISSING: i32 = -2;
