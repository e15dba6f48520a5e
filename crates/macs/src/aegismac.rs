//! AEGISMAC-128L, -128X and -256: RFC 10032 §8, with tags of 16 or 32 bytes. Of all that AEGIS does
//! only this may be done more than once under one key and nonce: both are set up together and kept,
//! and the macs take no nonce with a message.

use core::array;
use core::marker::PhantomData;

use digest::array::{Array, ArraySize};
use digest::consts::{U16, U32, U64, U128};
use digest::typenum::Unsigned;
use digest::{InvalidLength, Output};

use crate::digest_traits::digest_traits;
use crate::facts::{ConstantTime, Facts, Hardware, Prf, ShortTags};
use crate::kernels::aegis::{Block, Lanes, State, four, one, two};
use crate::kernels::{Choice, Pin};
use crate::len::Len;
use crate::prepared::{ByRow, PreparedMac};
use crate::row::MacInfo;
use crate::status::{Mode, Paths, Primitive, Standing};
use crate::wipe::{overwrite, wipe};

/// The constants of RFC 10032 §2: Fibonacci's numbers modulo 256.
const C0: Block = [
    0x00, 0x01, 0x01, 0x02, 0x03, 0x05, 0x08, 0x0d, 0x15, 0x22, 0x37, 0x59, 0x90, 0xe9, 0x79, 0x62,
];
const C1: Block = [
    0xdb, 0x3d, 0x18, 0x55, 0x6d, 0xc2, 0x2f, 0xf1, 0x20, 0x11, 0x31, 0x42, 0x73, 0xb5, 0x28, 0xdd,
];

/// One of the algorithms.
pub trait Variant: Copy + Send + Sync + 'static {
    /// The code paths.
    type Kernel: Choice;
    /// Length of the key, and of the nonce, in bytes.
    type KeySize: ArraySize;
    /// So many bytes of the message are absorbed at once.
    type Rate: ArraySize;
    /// All that is kept of key, nonce and message.
    type State: Copy + Send + Sync + 'static;

    /// What takes the place of a secret state.
    const BLANK: Self::State;
    /// Name of the public type.
    const NAME: &'static str;

    /// The state that begins every message.
    fn begin(kernel: Self::Kernel, key: &[u8], nonce: &[u8]) -> Self::State;

    /// Absorbs data, zeros behind it up to a multiple of the rate.
    fn absorb(kernel: Self::Kernel, state: &mut Self::State, data: &[u8]);

    /// The tag of a message of this length, 16 or 32 bytes. The state is spent.
    fn end(kernel: Self::Kernel, state: &mut Self::State, message_len_bytes: u64, tag: &mut [u8]);
}

/// The variants of S blocks a state, of which M are added to at once, and D states.
macro_rules! variants {
    ($($(#[$doc:meta])* $name:ident $text:literal $kernel:ident $key:ident $rate:ident
       $S:literal $M:literal $D:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Variant for $name {
            type Kernel = $kernel::Kernel;
            type KeySize = $key;
            type Rate = $rate;
            type State = State<$S, $D>;

            const BLANK: Self::State = State::BLANK;
            const NAME: &'static str = $text;

            #[inline]
            fn begin(kernel: Self::Kernel, key: &[u8], nonce: &[u8]) -> Self::State {
                begin::<_, $S, $M, $D>(kernel, key, nonce)
            }

            #[inline]
            fn absorb(kernel: Self::Kernel, state: &mut Self::State, data: &[u8]) {
                absorb::<_, $S, $M, $D>(kernel, state, data);
            }

            #[inline]
            fn end(kernel: Self::Kernel, state: &mut Self::State, len_bytes: u64, tag: &mut [u8]) {
                end::<_, $S, $M, $D>(kernel, state, len_bytes, tag);
            }
        }
    )*};
}

variants! {
    /// AEGIS-128L.
    Aegis128L "AegisMac128L" one U16 U32 8 2 1;
    /// AEGIS-128X with two states.
    Aegis128X2 "AegisMac128X2" two U16 U64 8 2 2;
    /// AEGIS-128X with four states.
    Aegis128X4 "AegisMac128X4" four U16 U128 8 2 4;
    /// AEGIS-256.
    Aegis256 "AegisMac256" one U32 U16 6 1 1;
}

fn xor(a: &Block, b: &Block) -> Block {
    (u128::from_ne_bytes(*a) ^ u128::from_ne_bytes(*b)).to_ne_bytes()
}

/// The blocks of a key or a nonce; of one block, that block twice.
fn blocks(bytes: &[u8]) -> [Block; 2] {
    let blocks = bytes.as_chunks().0;
    [blocks[0], blocks[blocks.len() - 1]]
}

/// Init: §3.4, §4.4 and §5.4.2.
#[inline]
fn begin<K, const S: usize, const M: usize, const D: usize>(
    kernel: K,
    key: &[u8],
    nonce: &[u8],
) -> State<S, D>
where
    K: Lanes<D>,
{
    let ([k0, k1], [n0, n1]) = (blocks(key), blocks(nonce));
    let (both0, both1) = (xor(&k0, &n0), xor(&k1, &n1));
    let (mut first, mut inputs, updates);
    if S == 8 {
        let (with_c0, with_c1) = (xor(&k0, &C0), xor(&k0, &C1));
        first = [both0, C1, C0, C1, both0, with_c0, with_c1, with_c0];
        (inputs, updates) = ([[n0, k0]; 4], 10);
    } else {
        first = [both0, both1, C1, C0, xor(&k0, &C0), xor(&k1, &C1), [0; 16], [0; 16]];
        (inputs, updates) = ([k0, k1, both0, both1].map(|block| [block; 2]), 16);
    }
    let mut state = State(array::from_fn(|at| [first[at]; D]));
    let narrow = inputs.each_ref().map(|input| array::from_fn::<Block, M, _>(|at| input[at]));
    kernel.begin(&mut state, &narrow, updates);
    overwrite(&mut first, [[0; 16]; 8]);
    overwrite(&mut inputs, [[[0; 16]; 2]; 4]);
    state
}

#[inline]
fn absorb<K, const S: usize, const M: usize, const D: usize>(
    kernel: K,
    state: &mut State<S, D>,
    data: &[u8],
) where
    K: Lanes<D>,
{
    let units = data.as_chunks().0.as_chunks::<D>().0.as_chunks::<M>().0;
    kernel.absorb(state, units);
    let tail = &data[units.as_flattened().as_flattened().as_flattened().len()..];
    if !tail.is_empty() {
        let mut unit = [[[0; 16]; D]; M];
        unit.as_flattened_mut().as_flattened_mut()[..tail.len()].copy_from_slice(tail);
        kernel.absorb(state, &[unit]);
    }
}

/// Two lengths in a block.
fn lengths(first: u64, second: u64) -> Block {
    (u128::from(second) << 64 | u128::from(first)).to_le_bytes()
}

/// Finalize, and of several states FinalizeMac: §3.9, §4.9, §8.3.2.
#[inline]
fn end<K, const S: usize, const M: usize, const D: usize>(
    kernel: K,
    state: &mut State<S, D>,
    message_len_bytes: u64,
    tag: &mut [u8],
) where
    K: Lanes<D>,
{
    let tag_bits = 8 * tag.len() as u64;
    kernel.end::<S, M>(state, &lengths(message_len_bytes.wrapping_mul(8), tag_bits));
    let mut alone = State::<S, 1>(state.0.map(|blocks| [blocks[0]]));
    if D > 1 {
        // The tags of all states, or of all but the first, become a message of the first.
        let from = usize::from(!(S == 8 && tag.len() == 16));
        let mut tags = [0; 32 * 4];
        let mut len = 0;
        for lane in from..D {
            let of_lane = &mut tags[len..][..tag.len()];
            sum(&state.0.map(|blocks| blocks[lane]), of_lane);
            len += tag.len();
        }
        absorb::<_, S, M, 1>(kernel.for_one(), &mut alone, &tags[..len]);
        kernel.for_one().end::<S, M>(&mut alone, &lengths(D as u64, tag_bits));
        wipe(&mut tags);
    }
    sum(&alone.0.map(|[block]| block), tag);
    overwrite(&mut alone, State::BLANK);
}

/// The sum of all blocks but an eighth, or of either half.
#[inline]
fn sum<const S: usize>(state: &[Block; S], tag: &mut [u8]) {
    let all = |blocks: &[Block]| blocks.iter().fold([0; 16], |a, b| xor(&a, b));
    let (halves, _) = tag.as_chunks_mut();
    match halves {
        [whole] => *whole = all(&state[..S.min(7)]),
        [low, high] => (*low, *high) = (all(&state[..S / 2]), all(&state[S / 2..])),
        _ => unreachable!("tags have 16 or 32 bytes"),
    }
}

/// AEGISMAC by the variant `V` with a tag of `N` bytes, 16 or 32. As the key it takes a key alone,
/// whose nonce then is zeros, or a key and behind it a nonce of the same length.
#[derive(Clone)]
pub struct AegisMac<V: Variant, N: TagSize> {
    kernel: V::Kernel,
    keyed: V::State,
    running: V::State,
    /// The last bytes of the message under way, less than the rate.
    buffer: Array<u8, V::Rate>,
    message_len_bytes: u64,
    tag_size: PhantomData<N>,
}

/// The lengths of tags, 16 and 32 bytes.
pub trait TagSize: ArraySize + Send + Sync + 'static {}

impl TagSize for U16 {}
impl TagSize for U32 {}

/// AEGISMAC-128L, tag of 16 bytes.
pub type AegisMac128L = AegisMac<Aegis128L, U16>;
/// AEGISMAC-128L, tag of 32 bytes.
pub type AegisMac128LTag256 = AegisMac<Aegis128L, U32>;
/// AEGISMAC-128X2, tag of 16 bytes.
pub type AegisMac128X2 = AegisMac<Aegis128X2, U16>;
/// AEGISMAC-128X2, tag of 32 bytes.
pub type AegisMac128X2Tag256 = AegisMac<Aegis128X2, U32>;
/// AEGISMAC-128X4, tag of 16 bytes.
pub type AegisMac128X4 = AegisMac<Aegis128X4, U16>;
/// AEGISMAC-128X4, tag of 32 bytes.
pub type AegisMac128X4Tag256 = AegisMac<Aegis128X4, U32>;
/// AEGISMAC-256, tag of 16 bytes.
pub type AegisMac256 = AegisMac<Aegis256, U16>;
/// AEGISMAC-256, tag of 32 bytes.
pub type AegisMac256Tag256 = AegisMac<Aegis256, U32>;

impl<V: Variant, N: TagSize> AegisMac<V, N> {
    /// With a nonce, which may serve any number of messages.
    #[must_use]
    pub fn with_nonce(key: &Array<u8, V::KeySize>, nonce: &Array<u8, V::KeySize>) -> Self {
        let kernel = V::Kernel::best();
        Self::begun(kernel, V::begin(kernel, key, nonce))
    }

    fn begun(kernel: V::Kernel, keyed: V::State) -> Self {
        let (buffer, tag_size) = (Array::default(), PhantomData);
        Self { kernel, keyed, running: keyed, buffer, message_len_bytes: 0, tag_size }
    }

    fn keyed(key: &[u8]) -> Result<Self, InvalidLength> {
        Self::new_on(Pin::BEST, key)
    }

    fn absorb(&mut self, mut data: &[u8]) {
        let rate = self.buffer.len();
        let buffered = self.buffered_len();
        self.message_len_bytes = self.message_len_bytes.wrapping_add(data.len() as u64);
        if buffered > 0 {
            let (fill, rest) = data.split_at(data.len().min(rate - buffered));
            self.buffer[buffered..][..fill.len()].copy_from_slice(fill);
            if buffered + fill.len() < rate {
                return;
            }
            V::absorb(self.kernel, &mut self.running, &self.buffer);
            data = rest;
        }
        let (whole, tail) = data.split_at(data.len() - data.len() % rate);
        V::absorb(self.kernel, &mut self.running, whole);
        self.buffer[..tail.len()].copy_from_slice(tail);
    }

    fn buffered_len(&self) -> usize {
        (self.message_len_bytes % V::Rate::U64) as usize
    }

    fn finish(&mut self, tag: &mut Output<Self>) {
        let tail = &self.buffer[..self.buffered_len()];
        V::absorb(self.kernel, &mut self.running, tail);
        V::end(self.kernel, &mut self.running, self.message_len_bytes, tag);
    }

    fn restart(&mut self) {
        self.running = self.keyed;
        self.message_len_bytes = 0;
        wipe(&mut self.buffer);
    }
}

/// The state of a key alone or of a key and a nonce.
fn state<V: Variant>(kernel: V::Kernel, key: &[u8]) -> Result<V::State, InvalidLength> {
    let no_nonce = Array::<u8, V::KeySize>::default();
    let (key, nonce) = key.split_at_checked(no_nonce.len()).ok_or(InvalidLength)?;
    match nonce.len() {
        0 => Ok(V::begin(kernel, key, &no_nonce)),
        len if len == no_nonce.len() => Ok(V::begin(kernel, key, nonce)),
        _ => Err(InvalidLength),
    }
}

#[inline]
fn mac<V: Variant>(kernel: V::Kernel, mut state: V::State, message: &[u8], tag: &mut [u8]) {
    V::absorb(kernel, &mut state, message);
    V::end(kernel, &mut state, message.len() as u64, tag);
    overwrite(&mut state, V::BLANK);
}

impl<V: Variant, N: TagSize> ByRow for AegisMac<V, N> {}

impl<V: Variant, N: TagSize> PreparedMac for AegisMac<V, N> {
    fn new_on(pin: Pin, key: &[u8]) -> Result<Self, InvalidLength> {
        let kernel = V::Kernel::pinned(pin);
        Ok(Self::begun(kernel, state::<V>(kernel, key)?))
    }

    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        self.keyed = state::<V>(self.kernel, key)?;
        self.restart();
        Ok(())
    }

    #[inline]
    fn mac_into(&self, message: &[u8], tag: &mut Output<Self>) {
        mac::<V>(self.kernel, self.keyed, message, tag);
    }

    #[inline]
    fn mac_once(key: &[u8], message: &[u8], tag: &mut Output<Self>) -> Result<(), InvalidLength> {
        let kernel = V::Kernel::best();
        mac::<V>(kernel, state::<V>(kernel, key)?, message, tag);
        Ok(())
    }
}

impl<V: Variant, N: TagSize> Drop for AegisMac<V, N> {
    fn drop(&mut self) {
        overwrite(&mut self.keyed, V::BLANK);
        overwrite(&mut self.running, V::BLANK);
        wipe(&mut self.buffer);
    }
}

digest_traits! {
    [V: Variant, N: TagSize] AegisMac<V, N>, "AegisMac", key: V::KeySize, tag: N
}

pub(crate) const ROWS: &[MacInfo] = &[
    row::<Aegis128L, U16>("aegismac-128l", "AEGISMAC-128L", &AEGIS128L),
    row::<Aegis128L, U32>("aegismac-128l-256", "AEGISMAC-128L, 256-bit tag", &AEGIS128L),
    row::<Aegis128X2, U16>("aegismac-128x2", "AEGISMAC-128X2", &AEGIS128X2),
    row::<Aegis128X2, U32>("aegismac-128x2-256", "AEGISMAC-128X2, 256-bit tag", &AEGIS128X2),
    row::<Aegis128X4, U16>("aegismac-128x4", "AEGISMAC-128X4", &AEGIS128X4),
    row::<Aegis128X4, U32>("aegismac-128x4-256", "AEGISMAC-128X4, 256-bit tag", &AEGIS128X4),
    row::<Aegis256, U16>("aegismac-256", "AEGISMAC-256", &AEGIS256),
    row::<Aegis256, U32>("aegismac-256-256", "AEGISMAC-256, 256-bit tag", &AEGIS256),
];

/// A key alone is the usual one. The longest message is that whose length in bits has 64 bits (§3).
const fn row<V: Variant, N: TagSize>(
    name: &'static str,
    title: &'static str,
    primitive: &'static Primitive,
) -> MacInfo {
    let accepted = if V::KeySize::USIZE == 16 { &[16, 32] } else { &[32, 64] };
    let key_len = (V::KeySize::USIZE, Len::OneOf(accepted));
    MacInfo::mac::<AegisMac<V, N>>(name, title, &MODE, primitive, key_len)
        .with_message_len_max((1 << 61) - 1)
}

static AEGIS128L: Primitive = primitive::<Aegis128L>("aegis-128l", "AEGIS-128L");
static AEGIS128X2: Primitive = primitive::<Aegis128X2>("aegis-128x2", "AEGIS-128X2");
static AEGIS128X4: Primitive = primitive::<Aegis128X4>("aegis-128x4", "AEGIS-128X4");
static AEGIS256: Primitive = primitive::<Aegis256>("aegis-256", "AEGIS-256");

const fn primitive<V: Variant>(name: &'static str, title: &'static str) -> Primitive {
    Primitive {
        name,
        title,
        standing: Standing::Sound,
        note: "rounds of AES without its key schedule; of the family that CAESAR chose in 2019",
        constant_time: ConstantTime::Yes("AES instructions, or bit-sliced"),
        hardware: Hardware::Aes,
        block_len_bytes: V::Rate::USIZE,
        paths: Paths::own::<V::Kernel>(),
    }
}

static MODE: Mode = Mode {
    title: "AEGISMAC",
    specification: "RFC 10032 §8",
    standing: Standing::Sound,
    proof: "none by reduction: cryptanalysis of AEGIS that RFC 10032 lists",
    bound: "claimed: 128 bits of strength against forgery and recovery of the state; more against \
            differential forgeries with tags of 256 bits",
    nonce: "",
    key_life: "none named: key and nonce are set up together, and may serve any number of \
               messages; but AEGIS that encrypts, never under the same key and nonce",
    approved_by: "IRTF (RFC 10032)",
    attacks: "no hash function, for who knows the key makes messages of one tag; and tags are no \
              keys, for nobody says that they are random (RFC 10032 §8)",
    facts: Facts {
        prf: Prf::No,
        // A tag of 16 bytes is not the beginning of one of 32, and there are no others.
        short_tags: ShortTags::No,
        ..Facts::MAC
    },
};
