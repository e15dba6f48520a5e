//! HMAC in lanes (RFC 2104 §2, FIPS 198-1 §4), for every hash of the MD family.

pub(crate) mod batch;

use core::fmt;
use core::marker::PhantomData;

use super::{Buffer, Lanes, Plan, Run};
use crate::kernels::{InTurn, Job};

/// What sets the hashes apart; `B` is the block length in bytes. FIPS 180-4 §5, RFC 1321 §3.
pub(crate) trait Hash<const B: usize>: 'static {
    /// The chaining value.
    type State: Copy + 'static;
    /// The chaining value before the first block.
    const INITIAL: Self::State;
    /// Length of the digest in bytes.
    const DIGEST_LEN: usize;
    /// Length of the padding's length field in bytes.
    const FIELD_LEN: usize;

    /// Whether the length field is big-endian.
    const IS_BIG_ENDIAN: bool;

    /// The first `bytes.len()` bytes of the chaining value as a digest.
    fn write_digest(state: &Self::State, bytes: &mut [u8]);
}

/// One row a hash: name, block length in bytes, words of the chaining value, length of digest and
/// of length field in bytes, how a word becomes bytes, initial value.
macro_rules! hashes {
    ($($(#[$doc:meta])* $hash:ident: $block_len:literal [$word:ty; $words:literal]
       $digest_len:literal $field_len:literal $to_bytes:ident $is_big_endian:literal
       $initial:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $hash;

        impl $crate::kernels::lanes::hmac::Hash<$block_len> for $hash {
            type State = [$word; $words];
            const INITIAL: Self::State = $initial;
            const DIGEST_LEN: usize = $digest_len;
            const FIELD_LEN: usize = $field_len;
            const IS_BIG_ENDIAN: bool = $is_big_endian;

            #[inline(always)]
            fn write_digest(state: &Self::State, bytes: &mut [u8]) {
                let (whole, cut) = bytes.as_chunks_mut();
                if let Some(word) = state.get(whole.len()) {
                    cut.copy_from_slice(&word.$to_bytes()[..cut.len()]);
                }
                for (bytes, word) in whole.iter_mut().zip(state) {
                    *bytes = word.$to_bytes();
                }
            }
        }
    )*};
}
pub(crate) use hashes;

/// In every byte of the inner hash's key block: FIPS 198-1 §3.
pub(crate) const IPAD: u8 = 0x36;
/// In every byte of the outer hash's key block: FIPS 198-1 §3.
pub(crate) const OPAD: u8 = 0x5c;

/// What HMAC asks of a code path.
pub(crate) trait HmacKernel<H: Hash<B>, const B: usize>: Copy {
    /// Absorbs a run of blocks.
    fn compress(self, state: &mut H::State, blocks: &[[u8; B]]);

    /// Prepares a key of at most a block: FIPS 198-1 §4 steps 1 to 4 and 7.
    fn hmac_key(self, key: &[u8], states: &mut HmacKey<H::State>);

    /// The tag of a whole message, `DIGEST_LEN` bytes: FIPS 198-1 §4 steps 5 to 9.
    fn hmac(self, key: &HmacKey<H::State>, message: &[u8], tag: &mut [u8]);

    /// The same under a key of at most a block that is used once.
    fn hmac_once(self, key: &[u8], message: &[u8], tag: &mut [u8]);

    /// Prepares many keys of at most a block: `states[i]` from `keys[i]`.
    fn hmac_keys(self, keys: &[&[u8]], states: &mut [HmacKey<H::State>]);

    /// Which batches are not worth a call of [`hmac_batch`](Self::hmac_batch): none of their
    /// messages go together, and its frame would be felt by them.
    fn in_turn(self) -> InTurn {
        InTurn::ONE
    }

    /// The tags of many messages, in the order of the jobs.
    fn hmac_batch(self, keys: &[HmacKey<H::State>], jobs: &[Job<'_>], tags: &mut [u8]);
}

/// `HmacKernel::hmac_keys`, one key after the other.
pub(crate) fn keys_in_turn<K: HmacKernel<H, B>, H: Hash<B>, const B: usize>(
    kernel: K,
    keys: &[&[u8]],
    states: &mut [HmacKey<H::State>],
) {
    for (key, states) in keys.iter().zip(states) {
        kernel.hmac_key(key, states);
    }
}

/// `HmacKernel::hmac_batch`, one message after the other.
pub(crate) fn macs_in_turn<K: HmacKernel<H, B>, H: Hash<B>, const B: usize>(
    kernel: K,
    keys: &[HmacKey<H::State>],
    jobs: &[Job<'_>],
    tags: &mut [u8],
) {
    for (job, tag) in jobs.iter().zip(tags.chunks_exact_mut(H::DIGEST_LEN)) {
        kernel.hmac(&keys[job.key], job.message, tag);
    }
}

/// The chaining values after the two blocks of a key: RFC 2104 §4. They stand for the key, so
/// nobody outside this crate makes, holds or prints one; who holds one here wipes it.
#[derive(Clone, Copy)]
pub struct HmacKey<S> {
    /// After K0 ⊕ ipad.
    pub(crate) inner: S,
    /// After K0 ⊕ opad.
    pub(crate) outer: S,
}

impl<S> fmt::Debug for HmacKey<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HmacKey { .. }")
    }
}

/// The blocks that the inner hash of a message of so many bytes takes, besides the key's.
#[inline(always)]
pub(crate) const fn blocks<H: Hash<B>, const B: usize>(message_len: usize) -> usize {
    (message_len + H::FIELD_LEN) / B + 1
}

/// The last eight bytes of the padding, of a message shorter than 2^61 bytes.
#[inline(always)]
const fn field<H: Hash<B>, const B: usize>(hashed_len: usize) -> [u8; 8] {
    let len_bits = (hashed_len as u64) << 3;
    if H::IS_BIG_ENDIAN { len_bits.to_be_bytes() } else { len_bits.to_le_bytes() }
}

/// A padded block that follows a key block and begins with a digest, here of zeros.
const fn digest_block<H: Hash<B>, const B: usize>() -> [u8; B] {
    let mut block = [0; B];
    block[H::DIGEST_LEN] = 0x80;
    let (_, last) = block.split_at_mut(B - 8);
    last.copy_from_slice(&field::<H, B>(B + H::DIGEST_LEN));
    block
}

/// Messages and the place for their tags.
pub(crate) struct Tags<'a, 'b, H: Hash<B>, const B: usize> {
    keys: &'b [HmacKey<H::State>],
    jobs: &'b [Job<'a>],
    /// `DIGEST_LEN` bytes for each job.
    tags: &'b mut [u8],
    hash: PhantomData<H>,
}

impl<'a, 'b, H: Hash<B>, const B: usize> Tags<'a, 'b, H, B> {
    #[inline(always)]
    pub(crate) fn new(
        keys: &'b [HmacKey<H::State>],
        jobs: &'b [Job<'a>],
        tags: &'b mut [u8],
    ) -> Self {
        assert_eq!(jobs.len() * H::DIGEST_LEN, tags.len(), "a place for each tag");
        Self { keys, jobs, tags, hash: PhantomData }
    }

    #[inline(always)]
    pub(crate) fn key(&self, number: u16) -> &'b HmacKey<H::State> {
        &self.keys[self.jobs[usize::from(number)].key]
    }

    #[inline(always)]
    pub(crate) fn message(&self, number: u16) -> &'a [u8] {
        self.jobs[usize::from(number)].message
    }

    #[inline(always)]
    pub(crate) fn tag(&mut self, number: u16) -> &mut [u8] {
        &mut self.tags[usize::from(number) * H::DIGEST_LEN..][..H::DIGEST_LEN]
    }
}

/// Some of the messages, each at its own pace.
pub(crate) struct Unlike<'a, 'b, 'c, H: Hash<B>, const B: usize> {
    pub(crate) tags: &'c mut Tags<'a, 'b, H, B>,
    pub(crate) numbers: &'c [u16],
}

impl<'a, H: Hash<B>, const B: usize> Plan<'a, B> for Unlike<'a, '_, '_, H, B> {
    type State = H::State;

    #[inline(always)]
    fn jobs(&self) -> usize {
        self.numbers.len()
    }

    /// Full blocks, padded tail, outer hash, tag.
    #[inline(always)]
    fn next<L: Lanes<State = H::State, Block = [u8; B]>>(
        &mut self,
        job: usize,
        stage: &mut usize,
        lanes: &mut L,
        lane: usize,
        buffer: &mut Buffer<B>,
    ) -> Run<'a, B> {
        let number = self.numbers[job];
        if *stage == 0 {
            lanes.put(lane, &self.tags.key(number).inner);
            *stage = 1;
            let (blocks, _) = self.tags.message(number).as_chunks();
            if !blocks.is_empty() {
                return Run::Message(blocks);
            }
        }
        *stage += 1;
        match *stage {
            2 => {
                let message = self.tags.message(number);
                let field = field::<H, B>(B + message.len());
                Run::Buffer(L::close(message, field, H::FIELD_LEN, buffer))
            }
            3 => {
                let [block, _] = buffer;
                *block = const { digest_block::<H, B>() };
                H::write_digest(&lanes.take(lane), &mut block[..H::DIGEST_LEN]);
                lanes.put(lane, &self.tags.key(number).outer);
                Run::Buffer(1)
            }
            _ => {
                H::write_digest(&lanes.take(lane), self.tags.tag(number));
                Run::End
            }
        }
    }
}

/// The two blocks of keys of at most a block, each a job of its own: FIPS 198-1 §4 steps 1 to 4
/// and 7.
pub(crate) struct KeyBlocks<'a, H: Hash<B>, const B: usize> {
    pub(crate) keys: &'a [&'a [u8]],
    pub(crate) states: &'a mut [HmacKey<H::State>],
}

impl<'a, H: Hash<B>, const B: usize> Plan<'a, B> for KeyBlocks<'a, H, B> {
    type State = H::State;

    #[inline(always)]
    fn jobs(&self) -> usize {
        2 * self.keys.len()
    }

    #[inline(always)]
    fn next<L: Lanes<State = H::State, Block = [u8; B]>>(
        &mut self,
        job: usize,
        stage: &mut usize,
        lanes: &mut L,
        lane: usize,
        buffer: &mut Buffer<B>,
    ) -> Run<'a, B> {
        let HmacKey { inner, outer } = &mut self.states[job / 2];
        let (pad, state) = if job.is_multiple_of(2) { (IPAD, inner) } else { (OPAD, outer) };
        if *stage == 1 {
            *state = lanes.take(lane);
            return Run::End;
        }
        *stage = 1;
        lanes.put(lane, &H::INITIAL);
        let key = self.keys[job / 2];
        let [block, _] = buffer;
        *block = [0; B];
        block[..key.len()].copy_from_slice(key);
        block.iter_mut().for_each(|byte| *byte ^= pad);
        Run::Buffer(1)
    }
}

#[cfg(test)]
mod tests {
    use super::HmacKey;

    #[test]
    fn chaining_values_are_not_printed() {
        let key = HmacKey { inner: [0xdead_beef_u32; 8], outer: [7; 8] };
        assert_eq!(alloc::format!("{key:?}"), "HmacKey { .. }");
    }
}
