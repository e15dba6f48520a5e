//! Chains of many lengths under many keys against a block cipher taken block by block.

use alloc::vec::Vec;
use core::array::from_fn;

use super::CbcJob;
use crate::kernels::tests::random::Random;

/// The cipher that chains are checked against.
pub(crate) struct Chains<const B: usize> {
    /// Lengths of keys in bytes.
    pub(crate) key_lens: &'static [usize],
    /// One block under a key.
    pub(crate) reference: fn(&[u8], &mut [u8; B]),
}

/// The key's number, the blocks, and the last one.
type Chain<const B: usize> = (usize, Vec<[u8; B]>, Option<[u8; B]>);

/// Batches around `lanes`, all of one length, of mixed lengths, and with one long chain among
/// short ones; chains without blocks, without a last block, with nothing else.
pub(crate) fn check<S, const B: usize>(
    cipher: &Chains<B>,
    lanes: usize,
    schedule: impl Fn(&[u8]) -> S,
    chain: impl Fn(&S, &mut [u8; B], &[[u8; B]]),
    many: impl Fn(&[CbcJob<'_, S, B>], &mut [[u8; B]]),
) {
    let random = &mut Random(B as u64);
    for &key_len in cipher.key_lens {
        let keys: Vec<[u8; 32]> = (0..lanes + 9).map(|_| random.array()).collect();
        let schedules: Vec<S> = keys.iter().map(|key| schedule(&key[..key_len])).collect();
        let counts =
            [0, 1, 2, 3, 5, lanes / 4, lanes / 2, lanes - 1, lanes, lanes + 1, 2 * lanes + 7];
        for (count, longest) in counts.iter().flat_map(|&count| [(count, 0), (count, 6)]) {
            let same = random.below(3);
            let messages: Vec<Chain<B>> = (0..count)
                .map(|i| {
                    let len = if longest == 0 { same } else { random.below(longest) };
                    let len = if longest > 0 && i == count / 2 { 40 } else { len };
                    let blocks = (0..len).map(|_| random.array()).collect();
                    let last = (longest == 0 || random.below(2) == 0).then(|| random.array());
                    (random.below(keys.len()), blocks, last)
                })
                .collect();
            let jobs: Vec<CbcJob<'_, S, B>> = messages
                .iter()
                .map(|(key, blocks, last)| CbcJob {
                    schedule: &schedules[*key],
                    blocks,
                    last: *last,
                })
                .collect();
            let mut y: Vec<[u8; B]> = (0..count).map(|_| random.array()).collect();
            let (before, mut alone) = (y.clone(), y.clone());
            many(&jobs, &mut y);
            for (i, (key, blocks, last)) in messages.iter().enumerate() {
                let mut expected = before[i];
                for block in blocks.iter().chain(last) {
                    expected = from_fn(|j| expected[j] ^ block[j]);
                    (cipher.reference)(&keys[*key][..key_len], &mut expected);
                }
                assert_eq!(y[i], expected, "chain {i} of {count}, key of {key_len} bytes");
                if i < 40 {
                    chain(&schedules[*key], &mut alone[i], blocks);
                    chain(&schedules[*key], &mut alone[i], last.as_slice());
                    assert_eq!(alone[i], expected, "alone, key of {key_len} bytes");
                }
            }
        }
    }
}
