//! SipHash-c-d: J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF", 2012, §2,
//! and the 128-bit tags of their reference program. Words are little-endian, tags too.

use core::marker::PhantomData;

use digest::array::{Array, ArraySize};
use digest::block_buffer::EagerBuffer;
use digest::consts::{U8, U16};
use digest::{InvalidLength, Output};

use crate::digest_traits::digest_traits;
use crate::facts::{ConstantTime, Facts, Hardware, Kind, Prf, ShortTags};
use crate::kernels::OnlySoft;
use crate::len::Len;
use crate::prepared::{ByRow, PreparedMac};
use crate::row::MacInfo;
use crate::status::{Mode, Paths, Primitive, Standing};
use crate::wipe::{overwrite, wipe_buffer};

const KEY_LEN_BYTES: usize = 16;
const WORD_LEN_BYTES: usize = 8;

/// SipHash with `C` rounds a word and `D` at the end, and a tag of `N` bytes, 8 or 16.
#[derive(Clone)]
pub struct SipHash<const C: usize, const D: usize, N: TagSize> {
    /// The state before the first word: all that the key is needed for.
    key: State,
    running: State,
    buffer: EagerBuffer<U8>,
    message_len_bytes: u64,
    tag_size: PhantomData<N>,
}

/// SipHash-1-3, tag of 8 bytes.
pub type SipHash13 = SipHash<1, 3, U8>;
/// SipHash-1-3, tag of 16 bytes.
pub type SipHash13_128 = SipHash<1, 3, U16>;
/// SipHash-2-4, tag of 8 bytes.
pub type SipHash24 = SipHash<2, 4, U8>;
/// SipHash-2-4, tag of 16 bytes.
pub type SipHash24_128 = SipHash<2, 4, U16>;
/// SipHash-4-8, tag of 8 bytes.
pub type SipHash48 = SipHash<4, 8, U8>;
/// SipHash-4-8, tag of 16 bytes.
pub type SipHash48_128 = SipHash<4, 8, U16>;

/// The four words v0 to v3.
#[derive(Clone, Copy)]
struct State([u64; 4]);

impl State {
    /// The constants of §2: "somepseudorandomlygeneratedbytes".
    const PUBLIC: Self =
        Self([0x736f6d6570736575, 0x646f72616e646f6d, 0x6c7967656e657261, 0x7465646279746573]);

    #[inline(always)]
    fn new<N: TagSize>(key: &[u8]) -> Result<Self, InvalidLength> {
        let (&[k0, k1], []) = key.as_chunks() else { return Err(InvalidLength) };
        let (k0, k1) = (u64::from_le_bytes(k0), u64::from_le_bytes(k1));
        let [v0, v1, v2, v3] = Self::PUBLIC.0;
        Ok(Self([v0 ^ k0, v1 ^ k1 ^ N::SETUP, v2 ^ k0, v3 ^ k1]))
    }

    /// SipRound, so many times.
    #[inline(always)]
    fn rounds<const COUNT: usize>(&mut self) {
        let [mut v0, mut v1, mut v2, mut v3] = self.0;
        for _ in 0..COUNT {
            v0 = v0.wrapping_add(v1);
            v2 = v2.wrapping_add(v3);
            v1 = v1.rotate_left(13) ^ v0;
            v3 = v3.rotate_left(16) ^ v2;
            v0 = v0.rotate_left(32);
            v2 = v2.wrapping_add(v1);
            v0 = v0.wrapping_add(v3);
            v1 = v1.rotate_left(17) ^ v2;
            v3 = v3.rotate_left(21) ^ v0;
            v2 = v2.rotate_left(32);
        }
        self.0 = [v0, v1, v2, v3];
    }

    #[inline(always)]
    fn absorb<const C: usize>(&mut self, word: u64) {
        self.0[3] ^= word;
        self.rounds::<C>();
        self.0[0] ^= word;
    }

    /// Finalization with a mask on one of the words; one half of a long tag.
    #[inline(always)]
    fn squeeze<const D: usize>(&mut self, (index, mask): (usize, u64)) -> [u8; WORD_LEN_BYTES] {
        self.0[index] ^= mask;
        self.rounds::<D>();
        self.0.iter().fold(0, |sum, word| sum ^ word).to_le_bytes()
    }
}

/// The tag lengths, 8 and 16 bytes, and what differs with them.
pub trait TagSize: ArraySize + Send + Sync + 'static {
    /// What is added to v1 at key set-up.
    const SETUP: u64;
    /// Word and mask before each half of the tag.
    const MASKS: &'static [(usize, u64)];
}

impl TagSize for U8 {
    const SETUP: u64 = 0;
    const MASKS: &'static [(usize, u64)] = &[(2, 0xff)];
}

impl TagSize for U16 {
    const SETUP: u64 = 0xee;
    const MASKS: &'static [(usize, u64)] = &[(2, 0xee), (1, 0xdd)];
}

/// The last bytes of a message, fewer than a word, as a little-endian number. It reads from the
/// whole message, so that one load serves where there are eight bytes to load.
#[inline(always)]
fn tail_word(message: &[u8]) -> u64 {
    let tail_len = message.len() % WORD_LEN_BYTES;
    if tail_len == 0 {
        return 0;
    }
    if let Some(last) = message.last_chunk() {
        return u64::from_le_bytes(*last) >> (8 * (WORD_LEN_BYTES - tail_len));
    }
    message.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// The last word, with the length in its top byte, and the tag: §2.
#[inline(always)]
fn close<const C: usize, const D: usize, N: TagSize>(
    mut state: State,
    tail: u64,
    message_len_bytes: u64,
    tag: &mut Array<u8, N>,
) {
    state.absorb::<C>(message_len_bytes << 56 | tail);
    for (half, &mask) in tag.chunks_exact_mut(WORD_LEN_BYTES).zip(N::MASKS) {
        half.copy_from_slice(&state.squeeze::<D>(mask));
    }
}

#[inline(always)]
fn mac<const C: usize, const D: usize, N: TagSize>(
    key: &State,
    message: &[u8],
    tag: &mut Array<u8, N>,
) {
    let mut state = *key;
    for word in message.as_chunks().0 {
        state.absorb::<C>(u64::from_le_bytes(*word));
    }
    close::<C, D, N>(state, tail_word(message), message.len() as u64, tag);
}

impl<const C: usize, const D: usize, N: TagSize> SipHash<C, D, N> {
    #[inline]
    fn keyed(key: &[u8]) -> Result<Self, InvalidLength> {
        let key = State::new::<N>(key)?;
        let (buffer, tag_size) = (EagerBuffer::default(), PhantomData);
        Ok(Self { key, running: key, buffer, message_len_bytes: 0, tag_size })
    }

    fn absorb(&mut self, data: &[u8]) {
        self.message_len_bytes = self.message_len_bytes.wrapping_add(data.len() as u64);
        let Self { running, buffer, .. } = self;
        buffer.digest_blocks(data, |words| {
            words.iter().for_each(|word| running.absorb::<C>(u64::from_le_bytes(word.0)));
        });
    }

    fn finish(&mut self, tag: &mut Output<Self>) {
        let tail = tail_word(self.buffer.get_data());
        close::<C, D, N>(self.running, tail, self.message_len_bytes, tag);
    }

    fn restart(&mut self) {
        self.running = self.key;
        self.message_len_bytes = 0;
        wipe_buffer(&mut self.buffer);
    }
}

impl<const C: usize, const D: usize, N: TagSize> ByRow for SipHash<C, D, N> {
    const IS_QUICK: bool = true;
}

impl<const C: usize, const D: usize, N: TagSize> PreparedMac for SipHash<C, D, N> {
    #[inline]
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        self.key = State::new::<N>(key)?;
        self.restart();
        Ok(())
    }

    #[inline]
    fn mac_into(&self, message: &[u8], tag: &mut Output<Self>) {
        mac::<C, D, N>(&self.key, message, tag);
    }

    #[inline]
    fn mac_once(key: &[u8], message: &[u8], tag: &mut Output<Self>) -> Result<(), InvalidLength> {
        mac::<C, D, N>(&State::new::<N>(key)?, message, tag);
        Ok(())
    }
}

impl<const C: usize, const D: usize, N: TagSize> Drop for SipHash<C, D, N> {
    fn drop(&mut self) {
        overwrite(&mut self.key, State::PUBLIC);
        overwrite(&mut self.running, State::PUBLIC);
        wipe_buffer(&mut self.buffer);
    }
}

digest_traits! {
    [const C: usize, const D: usize, N: TagSize] SipHash<C, D, N>, "SipHash", key: U16, tag: N
}

pub(crate) const ROWS: &[MacInfo] = &[
    row::<1, 3, U8>("siphash-1-3", "SipHash-1-3", &SIPROUND_1_3),
    row::<1, 3, U16>("siphash-1-3-128", "SipHash-1-3-128", &SIPROUND_1_3),
    row::<2, 4, U8>("siphash-2-4", "SipHash-2-4", &SIPROUND),
    row::<2, 4, U16>("siphash-2-4-128", "SipHash-2-4-128", &SIPROUND),
    row::<4, 8, U8>("siphash-4-8", "SipHash-4-8", &SIPROUND),
    row::<4, 8, U16>("siphash-4-8-128", "SipHash-4-8-128", &SIPROUND),
];

const fn row<const C: usize, const D: usize, N: TagSize>(
    name: &'static str,
    title: &'static str,
    primitive: &'static Primitive,
) -> MacInfo {
    let key_len = (KEY_LEN_BYTES, Len::Exactly(KEY_LEN_BYTES as u64));
    let row = MacInfo::mac::<SipHash<C, D, N>>(name, title, &MODE, primitive, key_len);
    match (C, D) {
        (1, 3) => row.with_facts(Facts { kind: Kind::HashTable, prf: Prf::No, ..MODE.facts }),
        _ => row,
    }
}

static SIPROUND: Primitive = Primitive {
    name: "sipround",
    title: "SipRound",
    standing: Standing::Sound,
    note: "2-4 is its designers' proposal for a mac, 4-8 the conservative one",
    constant_time: ConstantTime::Yes("no table, no branch by data"),
    hardware: Hardware::None,
    block_len_bytes: WORD_LEN_BYTES,
    paths: Paths::own::<OnlySoft>(),
};

/// With 1 and 3 rounds.
static SIPROUND_1_3: Primitive = Primitive {
    title: "SipRound, 1-3",
    standing: Standing::Conditional,
    note: "fewer rounds than its designers propose for a mac: for hash tables, whose tags nobody \
           sees",
    ..SIPROUND
};

static MODE: Mode = Mode {
    title: "SipHash",
    specification: "Aumasson, Bernstein: SipHash: a fast short-input PRF, 2012; 128-bit tags: \
                    their reference program",
    standing: Standing::Sound,
    proof: "none by reduction: designed and analysed as a pseudorandom function for short inputs",
    bound: "claimed of 2-4: key search at 2^128, forgery of a 64-bit tag with probability 2^-64",
    nonce: "",
    key_life: "no limit named; 64-bit tags collide after about 2^32 messages",
    approved_by: "no standards body",
    attacks: "",
    facts: Facts { prf: Prf::Claimed, short_tags: ShortTags::No, ..Facts::MAC },
};
