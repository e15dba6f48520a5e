//! KHC1 and KHC2 over SHA-256's compression function F: S. Hirose and H. Kuwakado,
//! "Collision-Resistant and Pseudorandom Hashing Modes of Compression Functions", SCIS 2025, 2B4-2.
//! The key is the chaining value that the first block meets, so that it costs no compression; what
//! the length field does in SHA-256, two constants do here. In bytes, as the authors' program:
//!
//! h = F(key, B1) ⊕ 11…11, h = F(h, Bi) for the middle blocks, tag = F(h ⊕ c, Bm).

#[cfg(feature = "batch")]
mod batch;

#[cfg(feature = "batch")]
use alloc::boxed::Box;
use core::marker::PhantomData;
use core::slice;

use digest::array::Array;
use digest::block_buffer::LazyBuffer;
use digest::consts::{U32, U64};
use digest::{InvalidLength, Output};

use crate::compression::{Block, Compression, Sha256};
use crate::digest_traits::digest_traits;
use crate::facts::{Facts, Prf};
use crate::hmac;
#[cfg(feature = "batch")]
use crate::inside::Inside;
use crate::kernels::Pin;
use crate::kernels::sha256::{KhcKernel, KhcVariant};
#[cfg(feature = "batch")]
use crate::keyed::KeyedBatch;
use crate::len::Len;
use crate::prepared::{ByRow, PreparedMac};
use crate::row::MacInfo;
use crate::status::{Mode, Standing};
use crate::wipe::{overwrite, wipe_buffer};
use crate::work::Theory;

const KEY_LEN_BYTES: usize = 32;
const BLOCK_LEN_BYTES: usize = 64;

/// After the first of several blocks.
const FIRST: u32 = 0x11111111;
/// Before the last block, in KHC2 one that is not padded.
const LAST: u32 = 0x22222222;
/// Before the last block of KHC2 if there is padding.
const LAST_PADDED: u32 = 0x44444444;

type State = <Sha256 as Compression>::State;
type OwnKernel = <Sha256 as Compression>::Kernel;

/// KHC1-SHA-256: one compression for a message shorter than a block, and one a block and padding.
pub type Khc1Sha256 = Khc<Khc1>;

/// KHC2-SHA-256: a message of two or more full blocks is not padded.
pub type Khc2Sha256 = Khc<Khc2>;

/// A message being hashed.
#[derive(Clone, Copy)]
pub struct Running<K: KhcKernel> {
    kernel: K,
    state: State,
    /// Whether the first block is absorbed.
    is_begun: bool,
}

impl<K: KhcKernel> Running<K> {
    fn begin(kernel: K, key: &State) -> Self {
        Self { kernel, state: *key, is_begun: false }
    }

    /// Absorbs blocks that are not the last.
    #[inline(always)]
    fn absorb(&mut self, mut blocks: &[Block<Sha256>]) {
        if !self.is_begun {
            let Some((first, rest)) = blocks.split_first() else { return };
            self.compress(slice::from_ref(first));
            self.mask(FIRST);
            self.is_begun = true;
            blocks = rest;
        }
        if !blocks.is_empty() {
            self.compress(blocks);
        }
    }

    #[inline(always)]
    fn close(&mut self, mask: u32, last: &Block<Sha256>) {
        self.mask(mask);
        self.compress(slice::from_ref(last));
    }

    #[inline(always)]
    fn compress(&mut self, blocks: &[Block<Sha256>]) {
        self.kernel.compress(&mut self.state, Array::cast_slice_to_core(blocks));
    }

    #[inline(always)]
    fn mask(&mut self, constant: u32) {
        self.state.iter_mut().for_each(|word| *word ^= constant);
    }
}

/// 0x80 and zeros up to a full block; `tail` is shorter than one.
#[inline(always)]
fn padded(tail: &[u8]) -> Block<Sha256> {
    let mut block = Block::<Sha256>::default();
    block[..tail.len()].copy_from_slice(tail);
    block[tail.len()] = 0x80;
    block
}

/// What sets KHC1 and KHC2 apart: how the message ends.
pub trait Variant: Clone + Send + Sync + 'static {
    /// Which of the two the kernels are to take.
    const VARIANT: KhcVariant;

    /// Absorbs the rest of the message, a full block at most, with its padding.
    fn close<K: KhcKernel>(running: &mut Running<K>, tail: &[u8]);
}

/// Always padded; the last bit of the padding tells one block from several.
#[derive(Clone, Debug)]
pub enum Khc1 {}

/// Padded to two blocks at least, and not at all if the message fills two or more.
#[derive(Clone, Debug)]
pub enum Khc2 {}

impl Variant for Khc1 {
    const VARIANT: KhcVariant = KhcVariant::Khc1;

    #[inline(always)]
    fn close<K: KhcKernel>(running: &mut Running<K>, tail: &[u8]) {
        let (blocks, tail) = Block::<Sha256>::slice_as_chunks(tail);
        running.absorb(blocks);
        let mut last = padded(tail);
        last[BLOCK_LEN_BYTES - 1] |= u8::from(running.is_begun);
        running.close(LAST, &last);
    }
}

impl Variant for Khc2 {
    const VARIANT: KhcVariant = KhcVariant::Khc2;

    #[inline(always)]
    fn close<K: KhcKernel>(running: &mut Running<K>, tail: &[u8]) {
        let (blocks, tail) = Block::<Sha256>::slice_as_chunks(tail);
        if let ([last], true) = (blocks, running.is_begun) {
            return running.close(LAST, last);
        }
        running.absorb(blocks);
        let mut last = padded(tail);
        if !running.is_begun {
            running.absorb(slice::from_ref(&last));
            last = Block::<Sha256>::default();
        }
        running.close(LAST_PADDED, &last);
    }
}

/// KHC over SHA-256's compression function.
#[derive(Clone)]
pub struct Khc<V: Variant, K: KhcKernel = OwnKernel> {
    /// The key as chaining value: eight big-endian words.
    key: State,
    running: Running<K>,
    /// The last bytes, a full block at most: what becomes of them is known only at the end.
    buffer: LazyBuffer<U64>,
    variant: PhantomData<V>,
}

impl<V: Variant, K: KhcKernel> Khc<V, K> {
    #[inline]
    fn keyed_on(kernel: K, key: &[u8]) -> Result<Self, InvalidLength> {
        let key = state(key)?;
        let running = Running::begin(kernel, &key);
        Ok(Self { key, running, buffer: LazyBuffer::default(), variant: PhantomData })
    }

    fn keyed(key: &[u8]) -> Result<Self, InvalidLength> {
        Self::keyed_on(K::best(), key)
    }

    fn absorb(&mut self, data: &[u8]) {
        let Self { running, buffer, .. } = self;
        buffer.digest_blocks(data, |blocks| running.absorb(blocks));
    }

    fn finish(&mut self, tag: &mut Output<Self>) {
        V::close(&mut self.running, self.buffer.get_data());
        Sha256::write_digest(&self.running.state, tag);
    }

    fn restart(&mut self) {
        self.running = Running::begin(self.running.kernel, &self.key);
        wipe_buffer(&mut self.buffer);
    }
}

/// The chaining value that a key is.
#[inline(always)]
fn state(key: &[u8]) -> Result<State, InvalidLength> {
    let key: &[u8; KEY_LEN_BYTES] = key.try_into().map_err(|_| InvalidLength)?;
    let (words, _) = key.as_chunks();
    Ok(core::array::from_fn(|i| u32::from_be_bytes(words[i])))
}

impl<V: Variant, K: KhcKernel> ByRow for Khc<V, K> {
    #[cfg(feature = "batch")]
    fn batch(pin: Pin, keys: &[&[u8]], _: Inside) -> Result<Box<dyn KeyedBatch>, InvalidLength> {
        batch::KhcBatch::boxed(K::pinned(pin), keys, V::VARIANT)
    }
}

impl<V: Variant, K: KhcKernel> PreparedMac for Khc<V, K> {
    #[inline]
    fn new_on(pin: Pin, key: &[u8]) -> Result<Self, InvalidLength> {
        Self::keyed_on(K::pinned(pin), key)
    }

    #[inline]
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        self.key = state(key)?;
        self.restart();
        Ok(())
    }

    #[inline]
    fn mac_into(&self, message: &[u8], tag: &mut Output<Self>) {
        self.running.kernel.khc(V::VARIANT, &self.key, message, &mut tag.0);
    }

    #[inline]
    fn mac_once(key: &[u8], message: &[u8], tag: &mut Output<Self>) -> Result<(), InvalidLength> {
        let mut key = state(key)?;
        K::best().khc(V::VARIANT, &key, message, &mut tag.0);
        overwrite(&mut key, Sha256::INITIAL);
        Ok(())
    }
}

impl<V: Variant, K: KhcKernel> Drop for Khc<V, K> {
    fn drop(&mut self) {
        overwrite(&mut self.key, Sha256::INITIAL);
        overwrite(&mut self.running.state, Sha256::INITIAL);
        wipe_buffer(&mut self.buffer);
    }
}

digest_traits! { [V: Variant, K: KhcKernel] Khc<V, K>, "Khc", key: U32, tag: U32 }

pub(crate) const ROWS: &[MacInfo] = &[
    row::<Khc1>("khc1-sha256", "KHC1-SHA-256", &KHC1_MODE).with_theory(Theory::KHC1),
    row::<Khc2>("khc2-sha256", "KHC2-SHA-256", &KHC2_MODE).with_theory(Theory::KHC2),
];

const fn row<V: Variant>(name: &'static str, title: &'static str, mode: &'static Mode) -> MacInfo {
    let key_len = (KEY_LEN_BYTES, Len::Exactly(KEY_LEN_BYTES as u64));
    MacInfo::mac::<Khc<V>>(name, title, mode, &hmac::SHA256, key_len)
}

static KHC1_MODE: Mode = mode("KHC1");
static KHC2_MODE: Mode = mode("KHC2");

const fn mode(title: &'static str) -> Mode {
    Mode {
        title,
        specification: "Hirose, Kuwakado: Collision-Resistant and Pseudorandom Hashing Modes of \
                        Compression Functions, SCIS 2025, 2B4-2",
        standing: Standing::Sound,
        proof: "collision resistant, and a pseudorandom function, under assumptions on the \
                compression function that its authors name (Hirose, Kuwakado 2025)",
        bound: "in the paper",
        nonce: "",
        key_life: "none named; as HMAC of the same hash",
        approved_by: "nobody: a research proposal of 2025, studied by few besides its authors",
        attacks: "",
        // Proved by its authors alone, so far.
        facts: Facts { prf: Prf::Claimed, ..Facts::MAC },
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use core::cell::Cell;

    use digest::{KeyInit, Mac};

    use super::*;
    use crate::inside::Sealed;
    use crate::kernels::{Choice, Getter, Job, KernelName};

    std::thread_local! {
        static CALLS: Cell<u64> = const { Cell::new(0) };
    }

    /// A code path that counts what it compresses.
    #[derive(Clone, Copy)]
    struct Counting(OwnKernel);

    impl Sealed for Counting {}

    impl Choice for Counting {
        const ALL: &'static [(KernelName, Getter<Self>)] = &[];

        fn name(self) -> KernelName {
            self.0.name()
        }

        fn best() -> Self {
            Self(OwnKernel::best())
        }
    }

    impl KhcKernel for Counting {
        fn compress(self, state: &mut State, blocks: &[[u8; BLOCK_LEN_BYTES]]) {
            CALLS.set(CALLS.get() + blocks.len() as u64);
            KhcKernel::compress(self.0, state, blocks);
        }

        fn khc(self, _: KhcVariant, _: &State, _: &[u8], _: &mut [u8; 32]) {
            unreachable!("streams only");
        }

        fn khc_batch(self, _: KhcVariant, _: &[State], _: &[Job<'_>], _: &mut [u8]) {
            unreachable!("streams only");
        }
    }

    fn counted<V: Variant>(message: &[u8]) -> u64 {
        CALLS.set(0);
        let mut mac = Khc::<V, Counting>::new(&[1; KEY_LEN_BYTES].into());
        Mac::update(&mut mac, message);
        mac.finalize();
        CALLS.get()
    }

    #[test]
    fn as_many_calls_as_theory_says() {
        let work = |name, len| crate::find(name).expect("a row").work(len as u64).expect("known");
        for len in 0..=400 {
            let message = &[7; 400][..len];
            let [khc1, khc2] = ["khc1-sha256", "khc2-sha256"].map(|name| work(name, len));
            assert_eq!(khc1.message_calls, counted::<Khc1>(message), "KHC1, {len} bytes");
            assert_eq!(khc2.message_calls, counted::<Khc2>(message), "KHC2, {len} bytes");
            let set_ups = [khc1, khc2].map(|work| (work.set_up_calls, work.key_schedules));
            assert_eq!(set_ups, [(0, 0); 2]);
        }
    }
}
