//! Nonces: no two messages under one key may share one.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// From this length on nonces are drawn at random.
const RANDOM_FROM_BYTES: usize = 16;

/// Nonces of one length under one key. Those of 16 bytes are random: as counter blocks (CTR) they
/// then begin far from each other, so that no two messages share key stream, and as initialization
/// vectors (CBC) they cannot be foreseen. Shorter ones count from a random start, since so few
/// bytes would repeat if they were drawn; one of 8 bytes, a counter block of TDES, counts in its
/// first half, and leaves the other to the blocks of its message.
#[derive(Debug)]
pub(super) struct Nonces {
    random: StdRng,
    start: [u8; RANDOM_FROM_BYTES],
    count: u64,
}

impl Nonces {
    pub(super) fn new(len: usize, seed: u64) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let mut start = [0; RANDOM_FROM_BYTES];
        random.fill_bytes(&mut start[..len.min(RANDOM_FROM_BYTES)]);
        Self { random, start, count: 0 }
    }

    /// The next one.
    pub(super) fn next(&mut self, nonce: &mut [u8]) {
        let len = nonce.len();
        if len >= RANDOM_FROM_BYTES {
            return self.random.fill_bytes(nonce);
        }
        nonce.copy_from_slice(&self.start[..len]);
        let counting = if len == 8 { &mut nonce[..4] } else { &mut nonce[len.saturating_sub(8)..] };
        let mut carry = self.count;
        for byte in counting.iter_mut().rev() {
            carry += u64::from(*byte);
            *byte = carry as u8;
            carry >>= 8;
        }
        if len == 8 {
            nonce[4..].fill(0);
        }
        self.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonces_differ_and_counter_blocks_leave_room_for_the_blocks_of_a_message() {
        for len in [7, 8, 12, 13, 16] {
            let mut nonces = Nonces::new(len, 7);
            let mut seen = std::collections::BTreeSet::new();
            for _ in 0..1000 {
                let mut nonce = vec![0; len];
                nonces.next(&mut nonce);
                assert!(len != 8 || nonce[4..] == [0; 4]);
                assert!(seen.insert(nonce), "{len}");
            }
        }
    }
}
