//! PMAC for kernels that take blocks in memory.

use super::{Block, KEPT_MASKS, MaskedPass, Padding, mask, split_last, words};
use crate::wipe::wipe;

/// So many blocks are masked at a time.
const RUN: usize = 8;

/// The PMAC by `encrypt`, which encrypts each block by itself.
#[inline(always)]
pub(super) fn mac(
    masks: &[Block; KEPT_MASKS],
    full: &Block,
    message: &[u8],
    tag: &mut Block,
    encrypt: impl Fn(&mut [Block]),
) {
    let (blocks, tail) = split_last(message);
    let (mut offset, mut count, mut sum) = ([0; 16], 0, [[0; 16]]);
    sum_by_runs(
        MaskedPass {
            masks,
            sum: &mut sum[0],
            offset: &mut offset,
            count: &mut count,
            runs: [blocks, &[]],
        },
        &encrypt,
    );
    let last = match tail.first_chunk() {
        Some(block) => xor(*block, *full),
        None => words::padded(tail, Padding::One).to_le_bytes(),
    };
    sum[0] = xor(sum[0], last);
    encrypt(&mut sum);
    *tag = sum[0];
    // The tag may be known, the mask may not.
    wipe(&mut offset);
}

/// The sum likewise.
#[inline(always)]
pub(super) fn sum_by_runs(pass: MaskedPass<'_, Block>, encrypt: impl Fn(&mut [Block])) {
    let MaskedPass { masks, sum, offset, count, runs } = pass;
    for run in runs.into_iter().flat_map(|run| run.chunks(RUN)) {
        let mut blocks = [[0; 16]; RUN];
        let blocks = &mut blocks[..run.len()];
        for (block, from) in blocks.iter_mut().zip(run) {
            *count += 1;
            *offset = xor(*offset, mask(masks, *count));
            *block = xor(*from, *offset);
        }
        encrypt(blocks);
        for block in blocks {
            *sum = xor(*sum, *block);
        }
    }
}

#[inline(always)]
fn xor(a: Block, b: Block) -> Block {
    (u128::from_ne_bytes(a) ^ u128::from_ne_bytes(b)).to_ne_bytes()
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::super::{Kernel, Schedule, mask};
    use super::*;
    use crate::kernels::Choice;

    /// Blocks that differ from place to place; with masks of these, any key's are tried.
    fn blocks(count: usize, seed: u32) -> Vec<Block> {
        let block = |i: u32| (seed + i).wrapping_mul(0x9e37_79b9).to_le_bytes();
        (0..4 * count as u32).map(block).collect::<Vec<_>>().as_flattened().as_chunks().0.to_vec()
    }

    struct Case<const KEYS: usize> {
        schedule: Schedule<KEYS>,
        masks: [Block; KEPT_MASKS],
        full: Block,
    }

    impl<const KEYS: usize> Case<KEYS> {
        fn new() -> Self {
            let mut schedule = Schedule::BLANK;
            let key = blocks(2, 5);
            Kernel::Soft.expand(&key.as_flattened()[..4 * KEYS - 28], &mut schedule);
            let (masks, full) = (*blocks(KEPT_MASKS, 900).first_chunk().unwrap(), blocks(1, 7)[0]);
            Self { schedule, masks, full }
        }

        /// Block by block: sum and offset after blocks behind `count` others.
        fn sum(&self, mut offset: Block, count: u64, blocks: &[Block]) -> [Block; 2] {
            let mut sum = [0; 16];
            for (count, block) in (count + 1..).zip(blocks) {
                offset = xor(offset, mask(&self.masks, count));
                let mut block = xor(*block, offset);
                Kernel::Soft.encrypt(&self.schedule, &mut block);
                sum = xor(sum, block);
            }
            [sum, offset]
        }

        fn try_macs(&self, lens: impl Iterator<Item = usize>) {
            let message = blocks(700, 17);
            for len in lens {
                let message = &message.as_flattened()[..len];
                let (head, tail) = split_last(message);
                let mut last = [0; 16];
                last[..tail.len()].copy_from_slice(tail);
                match last.get_mut(tail.len()) {
                    Some(end) => *end = 0x80,
                    None => last = xor(last, self.full),
                }
                let [sum, _] = self.sum([0; 16], 0, head);
                let mut expected = xor(sum, last);
                Kernel::Soft.encrypt(&self.schedule, &mut expected);
                for kernel in Kernel::ALL.iter().filter_map(|(_, get)| get()) {
                    let mut tag = [0; 16];
                    kernel.masked_mac(&self.schedule, &self.masks, &self.full, message, &mut tag);
                    assert_eq!(tag, expected, "{kernel:?}, {len} bytes, {KEYS} keys");
                }
            }
        }

        /// From any number of blocks on, in two runs.
        fn try_sums(&self) {
            let message = blocks(120, 31);
            for before in [0, 1, 7, 8, 15, 16, 17, 30, 32, 250, 255, 256, 65_520, (1 << 40) - 20] {
                for (first, then) in [(0, 0), (0, 5), (1, 0), (1, 14), (1, 31), (9, 100), (40, 20)]
                {
                    let runs = [&message[..first], &message[20..][..then]];
                    let start = blocks(1, before as u32)[0];
                    let [sum, offset] = self.sum(start, before, &runs.concat());
                    for kernel in Kernel::ALL.iter().filter_map(|(_, get)| get()) {
                        let (mut got, mut count) = ([[0; 16], start], before);
                        let [got_sum, got_offset] = &mut got;
                        let pass = MaskedPass {
                            masks: &self.masks,
                            sum: got_sum,
                            offset: got_offset,
                            count: &mut count,
                            runs,
                        };
                        kernel.masked_sum(&self.schedule, pass);
                        let what = (kernel, before, first, then);
                        assert_eq!(got, [sum, offset], "{what:?}, {KEYS} keys");
                        assert_eq!(count, before + (first + then) as u64, "{what:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_kernel_has_the_macs_of_blocks_one_by_one() {
        Case::<11>::new().try_macs((0..1200).chain([4095, 4096, 4112, 4113, 8208, 11_200]));
        Case::<13>::new().try_macs((0..1200).step_by(8));
        Case::<15>::new().try_macs((0..1200).step_by(7));
    }

    #[test]
    fn every_kernel_goes_on_from_any_block() {
        Case::<11>::new().try_sums();
        Case::<13>::new().try_sums();
        Case::<15>::new().try_sums();
    }
}
