//! TDES on bits, 64 blocks in the bits of `u64`s: portable and constant-time.

use super::bitslice::{self, Slice, Word};
use super::{Schedule, table};
use crate::kernels::lanes::cbc::{CbcJob, CbcLanes, Fill, Worth, cbc_many};

/// The chains of `jobs`, 64 at once. With `TABLES`, few of them go through `table`, and the indices
/// there depend on the secrets; without, everything is constant-time.
pub(crate) fn cbc<const TABLES: bool>(jobs: &[CbcJob<'_, Schedule, 8>], y: &mut [[u8; 8]]) {
    cbc_many::<Lanes<TABLES>, _, 8, 64>(|_| Lanes(bitslice::Lanes::new()), jobs, y);
}

/// One chain, constant-time: it is alone in 64 lanes.
pub(crate) fn chain(schedule: &Schedule, y: &mut [u8; 8], run: &[[u8; 8]]) {
    let mut lanes = bitslice::Lanes::<u64>::new();
    put(&mut lanes, &[Fill { lane: 0, schedule, y: *y }]);
    absorb(&mut lanes, &[run; 64], run.len());
    take(&lanes, &[(0, 0)], core::slice::from_mut(y));
}

/// Apart from its callers, as all that is long here.
#[inline(never)]
fn put(lanes: &mut bitslice::Lanes<u64>, fills: &[Fill<'_, Schedule, 8>]) {
    lanes.put::<64>(fills);
}

#[inline(never)]
fn absorb(lanes: &mut bitslice::Lanes<u64>, runs: &[&[[u8; 8]]; 64], count: usize) {
    lanes.absorb(runs, count, round);
}

#[inline(never)]
fn take(lanes: &bitslice::Lanes<u64>, ended: &[(usize, usize)], y: &mut [[u8; 8]]) {
    lanes.take::<64>(ended, y);
}

pub(super) const WORTH: Worth = Worth { least: 1, start: 0 };
pub(super) const WORTH_OF_TABLES: Worth = Worth { least: 14, start: 12 };

struct Lanes<const TABLES: bool>(bitslice::Lanes<u64>);

impl<'a, const TABLES: bool> CbcLanes<'a, Schedule, 8, 64> for Lanes<TABLES> {
    const WORTH: Worth = if TABLES { WORTH_OF_TABLES } else { WORTH };
    const REFILL: usize = 16;

    fn put(&mut self, fills: &[Fill<'a, Schedule, 8>]) {
        put(&mut self.0, fills);
    }

    fn absorb(&mut self, runs: &[&[[u8; 8]]; 64], count: usize) {
        absorb(&mut self.0, runs, count);
    }

    fn take(&self, ended: &[(usize, usize)], y: &mut [[u8; 8]]) {
        take(&self.0, ended, y);
    }

    fn chain(schedule: &Schedule, y: &mut [u8; 8], run: &[[u8; 8]]) {
        if TABLES { table::chain(schedule, y, run) } else { chain(schedule, y, run) }
    }
}

#[inline(never)]
fn round(l: &mut [u64; 32], r: &[u64; 32], keys: &[u64; 64], pick: &[u8; 48]) {
    bitslice::round(l, r, keys, pick);
}

impl Word for u64 {
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self & other
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        self & !other
    }

    #[inline(always)]
    fn not(self) -> Self {
        !self
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }
}

impl Slice for u64 {
    const LEN: usize = 1;

    #[inline(always)]
    fn zero() -> Self {
        0
    }

    #[inline(always)]
    fn splat(x: u64) -> Self {
        x
    }

    #[inline(always)]
    fn load(from: &[u64]) -> Self {
        from[0]
    }

    #[inline(always)]
    fn store(self, to: &mut [u64]) {
        to[0] = self;
    }

    #[inline(always)]
    fn shl<const N: u32>(self) -> Self {
        self << N
    }

    #[inline(always)]
    fn shr<const N: u32>(self) -> Self {
        self >> N
    }
}
