//! AEGIS, RFC 10032: its variants, and what encryption and the MAC do alike. Each is a file of its
//! own.

use core::array;
use core::slice;

use digest::array::ArraySize;
use digest::consts::{U16, U32, U64, U128};
use digest::typenum::Unsigned;

use crate::facts::{ConstantTime, Hardware};
use crate::kernels::aegis::{Block, Lanes, State, Unit, four, one, two};
use crate::kernels::partial::write_number;
use crate::kernels::{Choice, by_place};
use crate::status::{Paths, Primitive, Standing};
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
    /// Name of the public type of the mac.
    const NAME: &'static str;
    /// What is known of it.
    const PRIMITIVE: &'static Primitive;

    /// The state that begins every message.
    fn begin(kernel: Self::Kernel, key: &[u8], nonce: &[u8]) -> Self::State;

    /// Absorbs data, zeros behind it up to a multiple of the rate.
    fn absorb(kernel: Self::Kernel, state: &mut Self::State, data: &[u8]);

    /// The tag of a message of this length, 16 or 32 bytes. The state is spent.
    fn end(kernel: Self::Kernel, state: &mut Self::State, message_len_bytes: u64, tag: &mut [u8]);

    /// Encrypts a message in place, or if it `opens` one decrypts it.
    fn crypt(kernel: Self::Kernel, state: &mut Self::State, data: &mut [u8], opens: bool);

    /// The tag, 16 or 32 bytes, of associated data and a message of these lengths. The state is
    /// spent.
    fn end_crypt(
        kernel: Self::Kernel,
        state: &mut Self::State,
        lens_bytes: [u64; 2],
        tag: &mut [u8],
    );
}

/// The variants of S blocks a state, of which M are added to at once, and D states.
macro_rules! variants {
    ($($(#[$doc:meta])* $name:ident $text:literal $primitive:ident $kernel:ident
       $key:ident $rate:ident $S:literal $M:literal $D:literal;)*) => {$(
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
            const PRIMITIVE: &'static Primitive = &$primitive;

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

            #[inline]
            fn crypt(kernel: Self::Kernel, state: &mut Self::State, data: &mut [u8], opens: bool) {
                crypt::<_, $S, $M, $D>(kernel, state, data, opens);
            }

            #[inline]
            fn end_crypt(
                kernel: Self::Kernel,
                state: &mut Self::State,
                lens_bytes: [u64; 2],
                tag: &mut [u8],
            ) {
                end_crypt::<_, $S, $M, $D>(kernel, state, lens_bytes, tag);
            }
        }
    )*};
}

variants! {
    /// AEGIS-128L.
    Aegis128L "AegisMac128L" AEGIS128L one U16 U32 8 2 1;
    /// AEGIS-128X with two states.
    Aegis128X2 "AegisMac128X2" AEGIS128X2 two U16 U64 8 2 2;
    /// AEGIS-128X with four states.
    Aegis128X4 "AegisMac128X4" AEGIS128X4 four U16 U128 8 2 4;
    /// AEGIS-256.
    Aegis256 "AegisMac256" AEGIS256 one U32 U16 6 1 1;
    /// AEGIS-256X with two states.
    Aegis256X2 "AegisMac256X2" AEGIS256X2 two U32 U32 6 1 2;
    /// AEGIS-256X with four states.
    Aegis256X4 "AegisMac256X4" AEGIS256X4 four U32 U64 6 1 4;
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

/// Enc, Dec and DecPartial: §3.6 to §3.8, §4.6 to §4.8, §5.4.
#[inline]
fn crypt<K, const S: usize, const M: usize, const D: usize>(
    kernel: K,
    state: &mut State<S, D>,
    data: &mut [u8],
    opens: bool,
) where
    K: Lanes<D>,
{
    let whole_len = data.len() - data.len() % size_of::<Unit<M, D>>();
    let (whole, tail) = data.split_at_mut(whole_len);
    let units = whole.as_chunks_mut().0.as_chunks_mut::<D>().0.as_chunks_mut::<M>().0;
    kernel.crypt(state, units, opens);
    if tail.is_empty() {
        return;
    }
    let mut unit = [[[0; 16]; D]; M];
    unit.as_flattened_mut().as_flattened_mut()[..tail.len()].copy_from_slice(tail);
    if opens {
        // What zeros are encrypted to is the stream. Behind the message, which is what is absorbed,
        // there are zeros again.
        let (mut copy, mut stream) = (*state, [[[0; 16]; D]; M]);
        kernel.crypt(&mut copy, slice::from_mut(&mut stream), false);
        overwrite(&mut copy, State::BLANK);
        let bytes = unit.as_flattened_mut().as_flattened_mut()[..tail.len()].iter_mut();
        let stream_bytes = stream.as_flattened().as_flattened();
        bytes.zip(stream_bytes).for_each(|(byte, mask)| *byte ^= mask);
        overwrite(&mut stream, [[[0; 16]; D]; M]);
        kernel.absorb(state, &[unit]);
    } else {
        kernel.crypt(state, slice::from_mut(&mut unit), false);
    }
    tail.copy_from_slice(&unit.as_flattened().as_flattened()[..tail.len()]);
    overwrite(&mut unit, [[[0; 16]; D]; M]);
}

/// Finalize: §3.9, §4.9, §5.4.
#[inline]
fn end_crypt<K, const S: usize, const M: usize, const D: usize>(
    kernel: K,
    state: &mut State<S, D>,
    lens_bytes: [u64; 2],
    tag: &mut [u8],
) where
    K: Lanes<D>,
{
    let [ad_bits, message_bits] = lens_bytes.map(|len_bytes| len_bytes.wrapping_mul(8));
    kernel.end::<S, M>(state, &lengths(ad_bits, message_bits));
    let mut all = [[0; 16]; S];
    for (sum, blocks) in all.iter_mut().zip(&state.0) {
        *sum = blocks.iter().fold([0; 16], |a, b| xor(&a, b));
    }
    sum(&all, tag);
    overwrite(&mut all, [[0; 16]; S]);
}

/// Two lengths in a block.
fn lengths(first: u64, second: u64) -> Block {
    let mut block = [0; 16];
    write_number(u128::from(second) << 64 | u128::from(first), &mut block);
    block
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
    let mut alone = State::<S, 1>(by_place([[0; 16]], |at| [state.0[at][0]]));
    if D > 1 {
        // The tags of all states, or of all but the first, become a message of the first.
        let from = usize::from(!(S == 8 && tag.len() == 16));
        let mut tags = [0; 32 * 4];
        let mut len = 0;
        for lane in from..D {
            let of_lane = &mut tags[len..][..tag.len()];
            sum(&by_place::<_, S>([0; 16], |at| state.0[at][lane]), of_lane);
            len += tag.len();
        }
        absorb::<_, S, M, 1>(kernel.for_one(), &mut alone, &tags[..len]);
        kernel.for_one().end::<S, M>(&mut alone, &lengths(D as u64, tag_bits));
        wipe(&mut tags);
    }
    sum(&by_place::<_, S>([0; 16], |at| alone.0[at][0]), tag);
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

static AEGIS128L: Primitive = primitive::<Aegis128L>("aegis-128l", "AEGIS-128L");
static AEGIS128X2: Primitive = primitive::<Aegis128X2>("aegis-128x2", "AEGIS-128X2");
static AEGIS128X4: Primitive = primitive::<Aegis128X4>("aegis-128x4", "AEGIS-128X4");
static AEGIS256: Primitive = primitive::<Aegis256>("aegis-256", "AEGIS-256");
static AEGIS256X2: Primitive = primitive::<Aegis256X2>("aegis-256x2", "AEGIS-256X2");
static AEGIS256X4: Primitive = primitive::<Aegis256X4>("aegis-256x4", "AEGIS-256X4");

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
