//! BLAKE2b and BLAKE2s with a key: RFC 7693 §3.3. The key, padded to a block, is the first
//! block of the message. It is compressed at key set-up, so that a prepared tag of a short message
//! costs one compression. Only before the empty message it is the last block, and compressed then.
//! The length of the tag is an input (§2.5): a short tag is not the beginning of a longer one.
//!
//! The compression functions are those of the `blake2` crate.

#[cfg(feature = "dyn")]
mod boxed;

use core::marker::PhantomData;
use core::slice;

use digest::array::{Array, ArraySize};
use digest::block_api::{Block, Buffer, BufferKindUser, Lazy, UpdateCore, VariableOutputCore};
use digest::consts::U16;
use digest::typenum::Unsigned;
use digest::{InvalidLength, Output, OutputSizeUser};
use zeroize::optimization_barrier;

use crate::after_block::AfterBlock;
use crate::digest_traits::digest_traits;
use crate::facts::{ConstantTime, Facts, Hardware, LeastBits, ShortTags};
use crate::kernels::OnlySoft;
use crate::len::Len;
use crate::prepared::{ByRow, PreparedMac};
use crate::row::{MacInfo, Maker};
use crate::status::{Mode, Paths, Primitive, Standing};
use crate::wipe::{wipe, wipe_buffer};

pub use blake2::{Blake2bVarCore as Blake2bCore, Blake2sVarCore as Blake2sCore};

/// What the `blake2` crate has in traits.
pub trait Blocks: UpdateCore + VariableOutputCore + BufferKindUser<BufferKind = Lazy> {}

impl<C: UpdateCore + VariableOutputCore + BufferKindUser<BufferKind = Lazy>> Blocks for C {}

/// BLAKE2b or BLAKE2s on whole blocks.
pub trait Core: Blocks + Clone + Send + Sync + 'static {
    /// The state before the first block: RFC 7693 §3.3.
    fn initial(key_len_bytes: usize, digest_len_bytes: usize) -> Self;
}

/// One implementation a type: the constructor is not in a trait of `blake2`.
macro_rules! cores {
    ($($core:ident)*) => {$(
        impl Core for $core {
            #[inline]
            fn initial(key_len_bytes: usize, digest_len_bytes: usize) -> Self {
                Self::new_with_params(&[], &[], key_len_bytes, digest_len_bytes)
            }
        }
    )*};
}

cores! { Blake2bCore Blake2sCore }

/// A message of BLAKE2 whose first block is set and compressed ahead.
pub struct Prefixed<C: Core> {
    key_len_bytes: usize,
    digest_len_bytes: usize,
    first: Block<C>,
    /// After the first block, if it is not the last.
    keyed: C,
    /// The message under way.
    running: C,
    /// Its last bytes: empty only if it is.
    buffer: Buffer<C>,
}

impl<C: Core> Prefixed<C> {
    #[inline]
    fn new(key_len_bytes: usize, digest_len_bytes: usize, first: &Block<C>) -> Self {
        let mut keyed = C::initial(key_len_bytes, digest_len_bytes);
        keyed.update_blocks(slice::from_ref(first));
        let (first, running) = (first.clone(), keyed.clone());
        let buffer = Buffer::<C>::default();
        Self { key_len_bytes, digest_len_bytes, first, keyed, running, buffer }
    }

    /// With a key, which is padded to the first block.
    #[inline]
    fn with_key(key: &[u8], digest_len_bytes: usize) -> Result<Self, InvalidLength> {
        if key.is_empty() || key.len() > C::OutputSize::USIZE {
            return Err(InvalidLength);
        }
        let mut block = Block::<C>::default();
        block[..key.len()].copy_from_slice(key);
        let prefixed = Self::new(key.len(), digest_len_bytes, &block);
        wipe(&mut block);
        Ok(prefixed)
    }

    /// The digest of what `core` absorbed and `buffer` holds, as long as `digest`; wipes both.
    #[inline(always)]
    fn close(&self, core: &mut C, buffer: &mut Buffer<C>, digest: &mut [u8]) {
        if buffer.get_pos() == 0 {
            *core = C::initial(self.key_len_bytes, self.digest_len_bytes);
            buffer.digest_blocks(&self.first, |_| {});
        }
        if let Some(digest) = Array::slice_as_mut_array(digest) {
            core.finalize_variable_core(buffer, digest);
        } else {
            let mut whole = Output::<C>::default();
            core.finalize_variable_core(buffer, &mut whole);
            digest.copy_from_slice(&whole[..digest.len()]);
            wipe(&mut whole);
        }
        wipe_buffer(buffer);
        wipe_core(core);
    }

    /// The digest of a whole message, as long as `digest`.
    #[inline(always)]
    fn whole(&self, message: &[u8], digest: &mut [u8]) {
        let (mut core, mut buffer) = (self.keyed.clone(), Buffer::<C>::default());
        buffer.digest_blocks(message, |blocks| core.update_blocks(blocks));
        self.close(&mut core, &mut buffer, digest);
    }

    /// That of the message under way.
    fn close_running(&self, digest: &mut [u8]) {
        let (mut core, mut buffer) = (self.running.clone(), self.buffer.clone());
        self.close(&mut core, &mut buffer, digest);
    }
}

impl<C: Core> AfterBlock for Prefixed<C> {
    type BlockSize = C::BlockSize;
    type OutputSize = C::OutputSize;

    fn after_block(block: &Block<C>) -> Self {
        Self::new(0, C::OutputSize::USIZE, block)
    }

    fn hash(data: &[u8]) -> Output<C> {
        let mut core = C::initial(0, C::OutputSize::USIZE);
        let mut buffer = Buffer::<C>::default();
        buffer.digest_blocks(data, |blocks| core.update_blocks(blocks));
        let mut digest = Output::<C>::default();
        core.finalize_variable_core(&mut buffer, &mut digest);
        wipe_buffer(&mut buffer);
        wipe_core(&mut core);
        digest
    }

    #[inline]
    fn digest_into(&self, message: &[u8], digest: &mut Output<C>) {
        self.whole(message, digest);
    }

    fn absorb(&mut self, data: &[u8]) {
        let Self { running, buffer, .. } = self;
        buffer.digest_blocks(data, |blocks| running.update_blocks(blocks));
    }

    fn finish(&mut self, digest: &mut Output<C>) {
        self.close_running(digest);
    }

    fn restart(&mut self) {
        self.running = self.keyed.clone();
        wipe_buffer(&mut self.buffer);
    }
}

impl<C: Core> Clone for Prefixed<C> {
    fn clone(&self) -> Self {
        Self {
            key_len_bytes: self.key_len_bytes,
            digest_len_bytes: self.digest_len_bytes,
            first: self.first.clone(),
            keyed: self.keyed.clone(),
            running: self.running.clone(),
            buffer: self.buffer.clone(),
        }
    }
}

impl<C: Core> Drop for Prefixed<C> {
    fn drop(&mut self) {
        wipe(&mut self.first);
        wipe_core(&mut self.keyed);
        wipe_core(&mut self.running);
        wipe_buffer(&mut self.buffer);
    }
}

/// A public state takes the place of the secret one, whatever features `blake2` was built with.
#[inline(always)]
fn wipe_core<C: Core>(core: &mut C) {
    *core = C::initial(0, C::OutputSize::USIZE);
    optimization_barrier(core);
}

/// BLAKE2 with a key and a tag of `N` bytes, at most as many as the longest digest has.
#[derive(Clone)]
pub struct Blake2Keyed<C: Core, N: ArraySize = <C as OutputSizeUser>::OutputSize> {
    prefixed: Prefixed<C>,
    tag_size: PhantomData<fn() -> N>,
}

impl<C: Core, N: ArraySize> Blake2Keyed<C, N> {
    #[inline]
    fn keyed(key: &[u8]) -> Result<Self, InvalidLength> {
        const { assert!(0 < N::USIZE && N::USIZE <= C::OutputSize::USIZE, "no such digest") };
        Ok(Self { prefixed: Prefixed::with_key(key, N::USIZE)?, tag_size: PhantomData })
    }

    fn absorb(&mut self, data: &[u8]) {
        self.prefixed.absorb(data);
    }

    fn finish(&mut self, tag: &mut Output<Self>) {
        self.prefixed.close_running(tag);
    }

    fn restart(&mut self) {
        self.prefixed.restart();
    }
}

impl<C: Core, N: ArraySize> ByRow for Blake2Keyed<C, N> {}

impl<C: Core, N: ArraySize> PreparedMac for Blake2Keyed<C, N> {
    #[inline]
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        *self = Self::keyed(key)?;
        Ok(())
    }

    #[inline]
    fn mac_into(&self, message: &[u8], tag: &mut Output<Self>) {
        self.prefixed.whole(message, tag);
    }
}

// The longest key is as long as the longest digest (RFC 7693 §2.1).
digest_traits! {
    [C: Core, N: ArraySize] Blake2Keyed<C, N>, "Blake2Keyed", key: C::OutputSize, tag: N
}

/// BLAKE2b with a key of 1 to 64 bytes and a tag of 64 bytes.
pub type Blake2bKeyed = Blake2Keyed<Blake2bCore>;
/// BLAKE2s with a key of 1 to 32 bytes and a tag of 32 bytes.
pub type Blake2sKeyed = Blake2Keyed<Blake2sCore>;
/// BLAKE2s with a key of 1 to 32 bytes and a tag of 16 bytes, as WireGuard has it.
pub type Blake2sKeyed128 = Blake2Keyed<Blake2sCore, U16>;

pub(crate) const ROWS: &[MacInfo] = &[
    row::<Blake2bCore>("blake2b-keyed", "BLAKE2b (keyed)", &BLAKE2B),
    row::<Blake2sCore>("blake2s-keyed", "BLAKE2s (keyed)", &BLAKE2S),
];

/// The default key is as long as the longest tag, which is the default.
const fn row<C: Core>(
    name: &'static str,
    title: &'static str,
    primitive: &'static Primitive,
) -> MacInfo {
    let max = C::OutputSize::USIZE;
    let key_len = (max, Len::Between(1, max as u64));
    let maker = Maker::Mac {
        #[cfg(feature = "dyn")]
        keyed: boxed::keyed::<C>,
        #[cfg(feature = "dyn")]
        one_shot: boxed::one_shot::<C>,
        #[cfg(feature = "batch")]
        batch: boxed::batch::<C>,
    };
    MacInfo {
        accepted_tag_len: Len::Between(1, max as u64),
        ..MacInfo::new(name, title, &MODE, primitive, key_len, max, maker)
    }
}

pub(crate) static BLAKE2B: Primitive = primitive::<Blake2bCore>("blake2b", "BLAKE2b");
pub(crate) static BLAKE2S: Primitive = primitive::<Blake2sCore>("blake2s", "BLAKE2s");

const fn primitive<C: Core>(name: &'static str, title: &'static str) -> Primitive {
    Primitive {
        name,
        title,
        standing: Standing::Sound,
        note: "",
        constant_time: ConstantTime::Yes("no table, no branch by data"),
        hardware: Hardware::None,
        block_len_bytes: C::BlockSize::USIZE,
        paths: Paths::own::<OnlySoft>(),
    }
}

static MODE: Mode = Mode {
    title: "keyed BLAKE2",
    specification: "RFC 7693 §3.3",
    standing: Standing::Sound,
    proof: "pseudorandom function if BLAKE2's cipher is ideal but for known weak keys (Luykx, \
            Mennink, Neves 2016)",
    bound: "birthday bound of the chaining value: 2^256 blocks with BLAKE2b, 2^128 with BLAKE2s",
    nonce: "",
    key_life: "no practical limit",
    approved_by: "no standards body; RFC 7693 is an independent submission",
    attacks: "",
    facts: Facts {
        // The length is in the parameter block: RFC 7693 §2.5. It allows keys of a byte, which
        // nobody should take for a key.
        short_tags: ShortTags::Input(LeastBits::Unstated),
        key_bits_min: Some(128),
        ..Facts::MAC
    },
};
