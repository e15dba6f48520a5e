//! A step of the chain and a block of the keystream in the planes of one call: there is room for
//! four blocks, under one key. Under two keys, one after the other.

use core::ptr;

use super::super::counter::WHOLE_BLOCK;
use super::super::ctr_cbc::{self, Pair};
use super::super::{Block, Ending, Padding, Schedule, split_last};
use super::super::{EaxPass, Pass};
use super::{Keys, cbc, cbc_finish, ctr, to_blocks, to_planes, xor};

impl Keys {
    #[inline(never)]
    fn two(&self, a: Block, b: Block) -> [Block; 2] {
        let mut planes = to_planes(&[a, b, [0; 16], [0; 16]]);
        self.encrypt(&mut planes);
        let [a, b, ..] = to_blocks(planes);
        [a, b]
    }
}

impl Pair for Keys {
    type V = Block;
    type Pending = Block;

    #[inline(always)]
    fn load(block: &Block) -> Block {
        *block
    }

    #[inline(always)]
    fn store(block: &mut Block, value: Block) {
        *block = value;
    }

    #[inline(always)]
    fn of_number(number: u128) -> Block {
        number.to_le_bytes()
    }

    #[inline(always)]
    fn number(value: Block) -> u128 {
        u128::from_le_bytes(value)
    }

    #[inline(always)]
    fn xor(a: Block, b: Block) -> Block {
        xor(a, b)
    }

    fn keystream(&self, [a, b]: [Block; 2]) -> [Block; 2] {
        self.two(a, b)
    }

    #[inline(always)]
    fn begin(&self, y: Block, block: Block) -> Block {
        xor(y, block)
    }

    fn chain(&self, pending: Block, next: Block) -> Block {
        xor(self.one(pending), next)
    }

    fn step(&self, pending: Block, next: Block, counter: Block) -> (Block, Block) {
        let [y, keystream] = self.two(pending, counter);
        (xor(y, next), keystream)
    }

    fn end(&self, pending: Block) -> Block {
        self.one(pending)
    }
}

/// As `Kernel::ctr_cbc`.
#[inline(never)]
pub(in super::super) fn ctr_cbc<const KEYS: usize, const TAKES_OUTPUT: bool>(
    cipher: &Schedule<KEYS>,
    mac: &Schedule<KEYS>,
    pass: Pass<'_, Block>,
) {
    if ptr::eq(cipher, mac) {
        return side_by_side::<TAKES_OUTPUT>(&Keys::new(&cipher.keys), pass);
    }
    let Pass { counter, y, head, data, masks } = pass;
    let mut counter = *counter;
    if TAKES_OUTPUT {
        ctr::<KEYS, WHOLE_BLOCK>(cipher, &mut counter, (&mut *data).into());
    }
    cbc(mac, y, head, &[]);
    if !data.is_empty() {
        let ending = match masks {
            Some([full, padded]) => Ending { full, padded, padding: Padding::One, outer: None },
            None => {
                let none = &[0; 16];
                Ending { full: none, padded: none, padding: Padding::Zeros, outer: None }
            }
        };
        let (blocks, tail) = split_last(data);
        let from = *y;
        cbc_finish(mac, &from, blocks, tail, ending, y);
    }
    if !TAKES_OUTPUT {
        ctr::<KEYS, WHOLE_BLOCK>(cipher, &mut counter, (&mut *data).into());
    }
}

/// As `Kernel::eax`.
#[inline(never)]
pub(in super::super) fn eax<const KEYS: usize, const SEALS: bool>(
    schedule: &Schedule<KEYS>,
    pass: EaxPass<'_, Block>,
) {
    eax_of::<SEALS>(&Keys::new(&schedule.keys), pass);
}

#[inline(never)]
fn side_by_side<const TAKES_OUTPUT: bool>(keys: &Keys, pass: Pass<'_, Block>) {
    ctr_cbc::ctr_cbc::<_, TAKES_OUTPUT>(keys, pass);
}

#[inline(never)]
fn eax_of<const SEALS: bool>(keys: &Keys, pass: EaxPass<'_, Block>) {
    ctr_cbc::eax::<_, SEALS>(keys, pass);
}
