//! Where what is handed over lies in memory: at a cache line that is drawn from those of a page
//! whenever it is allocated, so that launches share no accident of layout. As in our own worker
//! (crates/lab/src/worker/serve/aligned.rs says more).

use std::hash::{BuildHasher, RandomState};
use std::ops::{Deref, DerefMut};

/// Distance between the beginnings of two messages in the pool: one cache line.
pub const STEP_BYTES: usize = 64;

const PAGE_BYTES: usize = 4096;

/// Bytes that begin at a cache line of a page, drawn at random.
pub struct Placed {
    bytes: Vec<u8>,
    begin: usize,
}

impl Placed {
    pub fn new(content: &[u8]) -> Self {
        let mut own = Self::zeros(content.len());
        own.copy_from_slice(content);
        own
    }

    pub fn zeros(len: usize) -> Self {
        let mut bytes = vec![0; len + STEP_BYTES + PAGE_BYTES];
        let line = bytes.as_ptr().align_offset(STEP_BYTES).min(STEP_BYTES);
        let begin = line + within_page(STEP_BYTES);
        bytes.truncate(begin + len);
        Self { bytes, begin }
    }

    /// Message i of a pool.
    pub fn message(&self, i: usize, len: usize) -> &[u8] {
        &self[i * STEP_BYTES..][..len]
    }
}

impl Deref for Placed {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.begin..]
    }
}

impl DerefMut for Placed {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.begin..]
    }
}

/// Memory that is held for no other use than to move what is allocated after it.
pub struct Shift(#[expect(dead_code, reason = "held, not read")] Vec<u8>);

impl Shift {
    /// Less than a page, in steps of an allocator's alignment.
    pub fn random() -> Self {
        Self(Vec::with_capacity(within_page(16)))
    }
}

/// A multiple of `step` below a page. The keys of a map's hasher are the random numbers of `std`.
fn within_page(step: usize) -> usize {
    let drawn = RandomState::new().hash_one(0) as usize;
    drawn % (PAGE_BYTES / step) * step
}
