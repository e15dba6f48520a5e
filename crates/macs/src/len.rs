//! The lengths that a mac takes of something: of keys, nonces, tags, messages.

use core::fmt;

/// A set of lengths in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Len {
    /// Any length, zero included.
    Any,
    /// This many bytes and no other number.
    Exactly(u64),
    /// From the first to the second, both included.
    Between(u64, u64),
    /// One of these numbers of bytes.
    OneOf(&'static [u64]),
}

impl Len {
    /// The least and the greatest of the numbers, if all between them are taken as well; else
    /// nothing that is not empty.
    pub(crate) const fn range(self) -> (u64, u64) {
        match self {
            Self::Any => (0, u64::MAX),
            Self::Exactly(len) => (len, len),
            Self::Between(min, max) => (min, max),
            Self::OneOf(_) => (1, 0),
        }
    }

    /// The least and the greatest of the numbers.
    pub fn bounds(self) -> (u64, u64) {
        match self {
            Self::OneOf(lens) => {
                let (least, greatest) = (lens.iter().min(), lens.iter().max());
                (least.copied().unwrap_or(0), greatest.copied().unwrap_or(0))
            }
            Self::Any | Self::Exactly(_) | Self::Between(..) => self.range(),
        }
    }

    /// Whether this many bytes are taken.
    #[inline]
    pub const fn accepts(self, len_bytes: usize) -> bool {
        let given = len_bytes as u64;
        match self {
            Self::Any => true,
            Self::Exactly(len) => given == len,
            Self::Between(min, max) => min <= given && given <= max,
            Self::OneOf(lens) => {
                let mut i = 0;
                while i < lens.len() {
                    if lens[i] == given {
                        return true;
                    }
                    i += 1;
                }
                false
            }
        }
    }
}

impl fmt::Display for Len {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Any => f.write_str("any length"),
            Self::Exactly(1) => f.write_str("1 byte"),
            Self::Exactly(len) => write!(f, "{len} bytes"),
            Self::Between(0, max) => write!(f, "at most {max} bytes"),
            Self::Between(1, u64::MAX) => f.write_str("at least 1 byte"),
            Self::Between(min, u64::MAX) => write!(f, "at least {min} bytes"),
            Self::Between(min, max) => write!(f, "{min} to {max} bytes"),
            Self::OneOf(lens) => {
                for (i, len) in lens.iter().enumerate() {
                    let separator = match i {
                        0 => "",
                        _ if i + 1 == lens.len() => " or ",
                        _ => ", ",
                    };
                    write!(f, "{separator}{len}")?;
                }
                f.write_str(" bytes")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Len;

    #[test]
    fn bounds_are_taken_and_nothing_beyond_them_is() {
        assert_eq!(Len::Any.bounds(), (0, u64::MAX));
        for len in [Len::Exactly(5), Len::Between(3, 9), Len::OneOf(&[4, 8, 12, 13])] {
            let (least, greatest) = len.bounds();
            assert!(len.accepts(least as usize) && len.accepts(greatest as usize), "{len}");
            assert!(!len.accepts(least as usize - 1) && !len.accepts(greatest as usize + 1));
        }
    }
}
