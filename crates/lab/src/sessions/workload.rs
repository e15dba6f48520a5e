//! What sessions work on: the cell that was opened, a key of its own for each, and lengths of
//! messages in an order without pattern.

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use words::{KeyLife, Provider};

use super::error::SessionsError;
use crate::record::sessions::Load;
use crate::worker::{MESSAGE_STEP_BYTES, WINDOWS, pool_len_bytes};

/// Most lengths in a deck. A mix whose weights add up to more is rounded to so many.
const DECK_MAX: u64 = 4096;

/// A cell as it was opened.
#[derive(Clone, Copy)]
pub struct Workload<'a> {
    /// The provider that computes the tags.
    pub provider: &'a dyn Provider,
    /// Name of the mac.
    pub mac: &'a str,
    /// How long each key lives.
    pub key_life: KeyLife,
    /// The keys of the windows: key i begins at byte i.
    pub keys: &'a [u8],
    /// Content of the pool that messages are copied from.
    pub pool: &'a [u8],
    /// Length of a tag in bytes.
    pub tag_len: usize,
}

impl Workload<'_> {
    /// The first `len` bytes of the message of session i, as they lie in the pool.
    pub(super) fn message(&self, i: u32, len: u32) -> &[u8] {
        &self.pool[i as usize % WINDOWS * MESSAGE_STEP_BYTES..][..len as usize]
    }

    /// What is wrong with asking `load` of this cell.
    pub(super) fn check(&self, load: &Load) -> Result<(), SessionsError> {
        let longest = load.lengths.iter().map(|(len, _)| *len).max();
        let longest = longest.ok_or(SessionsError::NoLength)?;
        if load.lengths.iter().all(|(_, weight)| *weight == 0) {
            return Err(SessionsError::NoWeight);
        }
        if self.pool.len() < pool_len_bytes(longest.into()) {
            return Err(SessionsError::Pool(longest));
        }
        if load.count == 0 {
            return Err(SessionsError::NoSessions);
        }
        let is_window = load.from_ms >= 0.0 && load.to_ms > load.from_ms && load.to_ms < 1e9;
        if !is_window {
            let Load { from_ms, to_ms, .. } = *load;
            return Err(SessionsError::NoWindow { from_ms, to_ms });
        }
        match load.rate_per_s {
            Some(rate) if !(rate > 0.0 && rate < 1e9) => Err(SessionsError::Rate(rate)),
            _ => Ok(()),
        }
    }
}

/// The key of session i, or key i of many: that of window i, and for those behind the windows i/16
/// is folded into its last bytes, so that all differ.
#[must_use]
pub fn key_of(keys: &[u8], i: u32) -> Vec<u8> {
    let windows = WINDOWS as u32;
    let first = (i % windows) as usize;
    let mut key = keys[first..keys.len() - (WINDOWS - 1) + first].to_vec();
    let folded = (i / windows).to_le_bytes();
    key.iter_mut().rev().zip(folded).for_each(|(byte, other)| *byte ^= other);
    key
}

/// The lengths of a mix, each as often as its weight says, shuffled once for all sessions.
pub(super) fn deck(lengths: &[(u32, u32)]) -> Vec<u32> {
    let divisor = lengths.iter().fold(0, |divisor, &(_, weight)| common_divisor(divisor, weight));
    let sum: u64 = lengths.iter().map(|&(_, weight)| u64::from(weight / divisor.max(1))).sum();
    let count = sum.min(DECK_MAX);
    let mut deck = Vec::with_capacity(count as usize);
    let mut below = 0;
    for &(len, weight) in lengths {
        below += u64::from(weight / divisor.max(1));
        // Rounded to the nearest entry, so that many small weights do not all vanish.
        deck.resize(((below * count + sum / 2) / sum) as usize, len);
    }
    deck.shuffle(&mut StdRng::seed_from_u64(sum));
    deck
}

fn common_divisor(mut a: u32, mut b: u32) -> u32 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_all_sessions_differ_and_the_first_are_those_of_the_windows() {
        let keys: Vec<u8> = (0..31).map(|i: u8| i.wrapping_mul(37)).collect();
        assert_eq!(key_of(&keys, 3), keys[3..19]);
        let all: std::collections::BTreeSet<_> = (0..100_000).map(|i| key_of(&keys, i)).collect();
        assert_eq!(all.len(), 100_000);
    }

    #[test]
    fn a_deck_holds_each_length_as_often_as_its_weight_says() {
        let deck_of = |lengths: &[(u32, u32)]| {
            let deck = deck(lengths);
            let of = |&(len, _): &(u32, u32)| deck.iter().filter(|it| **it == len).count();
            (deck.len(), lengths.iter().map(of).collect::<Vec<_>>())
        };
        assert_eq!(deck_of(&[(64, 7), (570, 4), (1518, 1)]), (12, vec![7, 4, 1]));
        assert_eq!(deck_of(&[(64, 1)]), (1, vec![1]));
        assert_eq!(deck_of(&[(64, 1000), (65, 3000)]), (4, vec![1, 3]));
        assert_eq!(deck_of(&[(0, 1), (9, 999_999)]), (4096, vec![0, 4096]));
    }
}
