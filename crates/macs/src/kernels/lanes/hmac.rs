//! HMAC in lanes (RFC 2104 §2, FIPS 198-1 §4), for every hash of the MD family.

use core::borrow::Borrow;
use core::marker::PhantomData;

use super::{Buffer, Lanes, Plan, Run};

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

/// The chaining values after the two blocks of a key: RFC 2104 §4.
#[derive(Clone, Copy)]
pub(crate) struct HmacKey<S> {
    /// After K0 ⊕ ipad.
    pub(crate) inner: S,
    /// After K0 ⊕ opad.
    pub(crate) outer: S,
}

/// A message of a batch.
pub(crate) trait Job<'a> {
    /// Number of its key.
    fn key(&self) -> usize;
    /// The message.
    fn message(&self) -> &'a [u8];
}

impl<'a> Job<'a> for (usize, &'a [u8]) {
    #[inline(always)]
    fn key(&self) -> usize {
        self.0
    }

    #[inline(always)]
    fn message(&self) -> &'a [u8] {
        self.1
    }
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

/// The tags of HMAC's messages.
pub(crate) struct Tags<'a, H, K, J, const B: usize> {
    keys: &'a [K],
    jobs: &'a [J],
    /// `DIGEST_LEN` bytes for each job.
    tags: &'a mut [u8],
    hash: PhantomData<H>,
}

impl<'a, H, K, J, const B: usize> Tags<'a, H, K, J, B> {
    #[inline(always)]
    pub(crate) fn new(keys: &'a [K], jobs: &'a [J], tags: &'a mut [u8]) -> Self {
        Self { keys, jobs, tags, hash: PhantomData }
    }
}

impl<'a, H, K, J, const B: usize> Plan<'a, B> for Tags<'a, H, K, J, B>
where
    H: Hash<B>,
    K: Borrow<HmacKey<H::State>>,
    J: Job<'a>,
{
    type State = H::State;

    #[inline(always)]
    fn jobs(&self) -> usize {
        self.jobs.len()
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
        let message = self.jobs[job].message();
        let key = self.keys[self.jobs[job].key()].borrow();
        if *stage == 0 {
            lanes.put(lane, &key.inner);
            *stage = 1;
            let (blocks, _) = message.as_chunks();
            if !blocks.is_empty() {
                return Run::Message(blocks);
            }
        }
        *stage += 1;
        match *stage {
            2 => {
                let field = field::<H, B>(B + message.len());
                Run::Buffer(L::close(message, field, H::FIELD_LEN, buffer))
            }
            3 => {
                let [block, _] = buffer;
                *block = const { digest_block::<H, B>() };
                H::write_digest(&lanes.take(lane), &mut block[..H::DIGEST_LEN]);
                lanes.put(lane, &key.outer);
                Run::Buffer(1)
            }
            _ => {
                let tag = &mut self.tags[job * H::DIGEST_LEN..][..H::DIGEST_LEN];
                H::write_digest(&lanes.take(lane), tag);
                Run::End
            }
        }
    }
}

/// The two blocks of keys, each a job of its own: FIPS 198-1 §4 steps 1 to 4 and 7.
pub(crate) struct KeyBlocks<'a, H: Hash<B>, F, const B: usize> {
    keys: &'a [&'a [u8]],
    states: &'a mut [HmacKey<H::State>],
    /// Writes the digest of a key longer than a block.
    hash: F,
}

impl<'a, H: Hash<B>, F: Fn(&[u8], &mut [u8]), const B: usize> KeyBlocks<'a, H, F, B> {
    #[inline(always)]
    pub(crate) fn new(keys: &'a [&'a [u8]], states: &'a mut [HmacKey<H::State>], hash: F) -> Self {
        Self { keys, states, hash }
    }
}

impl<'a, H: Hash<B>, F: Fn(&[u8], &mut [u8]), const B: usize> Plan<'a, B>
    for KeyBlocks<'a, H, F, B>
{
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
        let (pad, state) = if job.is_multiple_of(2) { (0x36, inner) } else { (0x5c, outer) };
        if *stage == 1 {
            *state = lanes.take(lane);
            return Run::End;
        }
        *stage = 1;
        lanes.put(lane, &H::INITIAL);
        let key = self.keys[job / 2];
        let [block, _] = buffer;
        *block = [0; B];
        match block.get_mut(..key.len()) {
            Some(start) => start.copy_from_slice(key),
            None => (self.hash)(key, &mut block[..H::DIGEST_LEN]),
        }
        block.iter_mut().for_each(|byte| *byte ^= pad);
        Run::Buffer(1)
    }
}
