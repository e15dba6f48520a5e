//! Memory for a context that a library leaves to its caller to allocate.

use zeroize::{Zeroize, ZeroizeOnDrop};

/// As much as the strictest library asks for: a cache line.
#[derive(Clone, Copy, Default, Zeroize)]
#[repr(align(64))]
struct Line([u64; 8]);

/// Zeros at first, aligned to a cache line, wiped on drop.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub(super) struct State(Vec<Line>);

impl State {
    /// At least this many bytes.
    pub(super) fn new(len_bytes: usize) -> Self {
        Self(vec![Line::default(); len_bytes.div_ceil(size_of::<Line>()).max(1)])
    }

    /// Where it begins, as the pointer that the library takes.
    pub(super) fn as_mut_ptr<T>(&mut self) -> *mut T {
        self.0.as_mut_ptr().cast()
    }

    /// Becomes a copy of another one of the same length, as `*a = *b` does in C.
    #[inline]
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.0.copy_from_slice(&other.0);
    }
}
