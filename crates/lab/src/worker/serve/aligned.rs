//! Where what is handed over lies in memory. Times depend on it: a key across two cache lines takes
//! longer to load, and a load may wait for a store to the same place in another page. What is
//! allocated first lies alike in all launches, so that they would share one accident. So keys
//! and tags of each cell, and the messages of a worker, begin at a cache line that is drawn from
//! those of a page whenever they are allocated; and what a provider allocates may be moved as well
//! (T. Mytkowicz et al., “Producing Wrong Data Without Doing Anything Obviously Wrong!”, ASPLOS
//! 2009).

use std::ops::{Deref, DerefMut};

use crate::worker::MESSAGE_STEP_BYTES;

/// Addresses that differ by a multiple of this are taken for one by processors that look for a
/// store before a load.
const PAGE_BYTES: usize = 4096;

/// Bytes that begin at a cache line of a page, drawn at random.
#[derive(Default)]
pub(super) struct Aligned {
    bytes: Vec<u8>,
    begin: usize,
}

impl Aligned {
    pub(super) fn new(content: &[u8]) -> Self {
        let mut own = Self::zeros(content.len());
        own.copy_from_slice(content);
        own
    }

    pub(super) fn zeros(len: usize) -> Self {
        let mut bytes = vec![0; len + MESSAGE_STEP_BYTES + PAGE_BYTES];
        let line = bytes.as_ptr().align_offset(MESSAGE_STEP_BYTES).min(MESSAGE_STEP_BYTES);
        let begin = line + within_page(MESSAGE_STEP_BYTES);
        bytes.truncate(begin + len);
        Self { bytes, begin }
    }

    /// Message i of a pool.
    pub(super) fn message(&self, i: usize, len: usize) -> &[u8] {
        &self[i * MESSAGE_STEP_BYTES..][..len]
    }
}

/// A multiple of `step` below a page.
fn within_page(step: usize) -> usize {
    usize::from(rand::random::<u16>()) % (PAGE_BYTES / step) * step
}

impl Deref for Aligned {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.begin..]
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.begin..]
    }
}

/// Memory that is held for no other use than to move what is allocated after it.
pub(super) struct Shift(#[expect(dead_code, reason = "held, not read")] Vec<u8>);

impl Shift {
    /// Less than a page, in steps of an allocator's alignment.
    pub(super) fn random() -> Self {
        Shift(Vec::with_capacity(within_page(16)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn what_is_handed_over_begins_at_a_cache_line_that_is_drawn() {
        let all: Vec<Aligned> = (0..64).map(|i| Aligned::new(&[i; 100])).collect();
        let at = |own: &Aligned| own.as_ptr().addr();
        assert!(all.iter().all(|own| at(own).is_multiple_of(64) && own.len() == 100));
        assert!(all.iter().zip(0..).all(|(own, i)| own.iter().all(|byte| *byte == i)));
        // Where it begins within its own memory, whatever the allocator gave.
        let lines: BTreeSet<usize> = all.iter().map(|own| own.begin / 64).collect();
        assert!(lines.len() > 16, "{lines:?}");
        assert_eq!(all[3].message(1, 20), [3; 20]);
    }
}
