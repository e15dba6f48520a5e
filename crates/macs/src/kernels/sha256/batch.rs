//! Many messages at once, and keys. A batch too small for lanes goes one after the other.

use core::borrow::Borrow;
use core::marker::PhantomData;

use super::khc::{Khc, KhcTags};
use super::message::{self, Hmac, Plain, SetUp};
use super::unit::{Task, Unit};
use super::{BLOCK_LEN, Digest, State};
use crate::kernels::lanes::hmac::{Hash, HmacKey, Job, KeyBlocks, Tags};

/// Key set-ups.
pub(crate) struct SetUps<'a, H> {
    keys: &'a [&'a [u8]],
    states: &'a mut [HmacKey<State>],
    hash: PhantomData<H>,
}

impl<'a, H> SetUps<'a, H> {
    #[inline(always)]
    pub(crate) fn new(keys: &'a [&'a [u8]], states: &'a mut [HmacKey<State>]) -> Self {
        Self { keys, states, hash: PhantomData }
    }
}

impl<H: Hash<BLOCK_LEN, State = State>> Task for SetUps<'_, H> {
    type Output = ();

    #[inline(always)]
    fn run<U: Unit>(self, unit: U, _: &[u8]) {
        // A key takes two lanes.
        if U::SETS_UP_BY_TWO || 2 * self.keys.len() < U::BATCH_MIN {
            let (keys, last_key) = self.keys.as_chunks();
            let (states, last_state) = self.states.as_chunks_mut();
            for (keys, states) in keys.iter().zip(states) {
                *states = message::set_up_two::<U, H>(unit, *keys);
            }
            for (key, state) in last_key.iter().zip(last_state) {
                *state = SetUp::<H>::new().run(unit, key);
            }
            return;
        }
        unit.drive(KeyBlocks::<H, _, BLOCK_LEN>::new(self.keys, self.states, |key, digest| {
            digest.copy_from_slice(&Plain { initial: &H::INITIAL }.run(unit, key)[..H::DIGEST_LEN]);
        }));
    }
}

/// HMAC.
pub(crate) struct Hmacs<'a, H, K, J> {
    keys: &'a [K],
    jobs: &'a [J],
    tags: &'a mut [u8],
    hash: PhantomData<H>,
}

impl<'a, H, K, J> Hmacs<'a, H, K, J> {
    #[inline(always)]
    pub(crate) fn new(keys: &'a [K], jobs: &'a [J], tags: &'a mut [u8]) -> Self {
        Self { keys, jobs, tags, hash: PhantomData }
    }
}

impl<'a, H, K, J> Task for Hmacs<'a, H, K, J>
where
    H: Hash<BLOCK_LEN, State = State>,
    K: Borrow<HmacKey<State>>,
    J: Job<'a>,
{
    type Output = ();

    #[inline(always)]
    fn run<U: Unit>(self, unit: U, _: &[u8]) {
        if self.jobs.len() < U::BATCH_MIN {
            for (job, tag) in self.jobs.iter().zip(self.tags.chunks_exact_mut(H::DIGEST_LEN)) {
                let key = self.keys[job.key()].borrow();
                let digest = Hmac::<H>::new(&key.inner, &key.outer).run(unit, job.message());
                tag.copy_from_slice(&digest[..H::DIGEST_LEN]);
            }
            return;
        }
        unit.drive(Tags::<H, K, J, BLOCK_LEN>::new(self.keys, self.jobs, self.tags));
    }
}

/// KHC2 if `TWO`, else KHC1.
pub(crate) struct Khcs<'a, K, J, const TWO: bool> {
    keys: &'a [K],
    jobs: &'a [J],
    tags: &'a mut [u8],
}

impl<'a, K, J, const TWO: bool> Khcs<'a, K, J, TWO> {
    #[inline(always)]
    pub(crate) fn new(keys: &'a [K], jobs: &'a [J], tags: &'a mut [u8]) -> Self {
        Self { keys, jobs, tags }
    }
}

impl<'a, K: Borrow<State>, J: Job<'a>, const TWO: bool> Task for Khcs<'a, K, J, TWO> {
    type Output = ();

    #[inline(always)]
    fn run<U: Unit>(self, unit: U, _: &[u8]) {
        let (tags, _) = self.tags.as_chunks_mut::<{ size_of::<Digest>() }>();
        let Self { keys, jobs, .. } = self;
        if jobs.len() < U::BATCH_MIN {
            for (job, tag) in jobs.iter().zip(tags) {
                *tag = Khc::<TWO> { key: keys[job.key()].borrow() }.run(unit, job.message());
            }
            return;
        }
        unit.drive(KhcTags::<K, J, TWO> { keys, jobs, tags });
    }
}
