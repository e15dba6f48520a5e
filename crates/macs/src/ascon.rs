//! Ascon-MAC and Ascon-PRF: C. Dobraunig, M. Eichlseder, F. Mendel, M. Schläffer, "Ascon MAC, PRF,
//! and Short-Input PRF", CT-RSA 2024, §3, in version 1.3 of their reference programs, whose words
//! are little-endian as in NIST SP 800-232. A sponge with a key takes 32 bytes and gives 16 bytes a
//! call of the permutation.

use core::marker::PhantomData;

use digest::array::{Array, ArraySize};
use digest::block_buffer::EagerBuffer;
use digest::consts::{U16, U32};
use digest::{InvalidLength, Output};

use crate::digest_traits::digest_traits;
use crate::facts::{ConstantTime, Facts, Hardware, LeastBits, ShortTags};
use crate::kernels::OnlySoft;
use crate::len::Len;
use crate::prepared::{ByRow, PreparedMac};
use crate::row::MacInfo;
use crate::status::{Mode, Paths, Primitive, Standing};
use crate::wipe::{overwrite, wipe_buffer};

const KEY_LEN_BYTES: usize = 16;
const BLOCK_LEN_BYTES: usize = 32;
const OUT_LEN_BYTES: usize = 16;

/// A sponge over Ascon's permutation that gives a tag of `N` bytes, 16 or 32.
#[derive(Clone)]
pub struct Ascon<N: TagSize> {
    /// The state before the message.
    key: State,
    running: State,
    buffer: EagerBuffer<U32>,
    tag_size: PhantomData<N>,
}

/// Ascon-MAC, tag of 16 bytes.
pub type AsconMac = Ascon<U16>;
/// Ascon-PRF, the first 32 bytes of its output.
pub type AsconPrf = Ascon<U32>;

/// The tag lengths, 16 and 32 bytes, and which of the two functions that is.
pub trait TagSize: ArraySize + Send + Sync + 'static {
    /// The first word: which function, rounds, length of the tag in bits if it is fixed, and what
    /// is taken and given a call of the permutation.
    const FIRST: u64;
}

/// What both have in their first word.
const FIRST: u64 =
    12 << 16 | 12 << 20 | (BLOCK_LEN_BYTES as u64) << 40 | (OUT_LEN_BYTES as u64) << 48;

impl TagSize for U16 {
    const FIRST: u64 = FIRST | 5 | 128 << 24;
}

impl TagSize for U32 {
    const FIRST: u64 = FIRST | 6;
}

#[derive(Clone, Copy)]
struct State([u64; 5]);

impl State {
    const PUBLIC: Self = Self([0; 5]);

    #[inline(always)]
    fn new<N: TagSize>(key: &[u8]) -> Result<Self, InvalidLength> {
        let (&[k0, k1], []) = key.as_chunks() else { return Err(InvalidLength) };
        let mut state = Self([N::FIRST, u64::from_le_bytes(k0), u64::from_le_bytes(k1), 0, 0]);
        state.permute();
        Ok(state)
    }

    /// The permutation of 12 rounds: SP 800-232 §3.
    #[inline]
    fn permute(&mut self) {
        let [mut x0, mut x1, mut x2, mut x3, mut x4] = self.0;
        for round in 0..12 {
            x2 ^= 0xf0 - 0x0f * round;
            x0 ^= x4;
            x4 ^= x3;
            x2 ^= x1;
            let (t0, t1) = (x0 ^ !x1 & x2, x1 ^ !x2 & x3);
            let (t2, t3, t4) = (x2 ^ !x3 & x4, x3 ^ !x4 & x0, x4 ^ !x0 & x1);
            let mixed = [t0 ^ t4, t1 ^ t0, !t2, t3 ^ t2, t4];
            let turned = |x: u64, a, b| x ^ x.rotate_right(a) ^ x.rotate_right(b);
            x0 = turned(mixed[0], 19, 28);
            x1 = turned(mixed[1], 61, 39);
            x2 = turned(mixed[2], 1, 6);
            x3 = turned(mixed[3], 10, 17);
            x4 = turned(mixed[4], 7, 41);
        }
        self.0 = [x0, x1, x2, x3, x4];
    }

    #[inline(always)]
    fn xor(&mut self, block: &[u8; BLOCK_LEN_BYTES]) {
        for (word, bytes) in self.0.iter_mut().zip(block.as_chunks().0) {
            *word ^= u64::from_le_bytes(*bytes);
        }
    }

    #[inline(always)]
    fn absorb(&mut self, block: &[u8; BLOCK_LEN_BYTES]) {
        self.xor(block);
        self.permute();
    }

    /// The last block, of which `tail` is less than all, and the tag.
    #[inline]
    fn close(mut self, tail: &[u8], tag: &mut [u8]) {
        let mut last = [0; BLOCK_LEN_BYTES];
        last[..tail.len()].copy_from_slice(tail);
        last[tail.len()] = 1;
        self.xor(&last);
        self.0[4] ^= 1 << 63;
        for part in tag.chunks_exact_mut(OUT_LEN_BYTES) {
            self.permute();
            for (bytes, word) in part.as_chunks_mut().0.iter_mut().zip(self.0) {
                *bytes = word.to_le_bytes();
            }
        }
    }

    #[inline(always)]
    fn mac(mut self, message: &[u8], tag: &mut [u8]) {
        let (blocks, tail) = message.as_chunks();
        blocks.iter().for_each(|block| self.absorb(block));
        self.close(tail, tag);
    }
}

impl<N: TagSize> Ascon<N> {
    #[inline]
    fn keyed(key: &[u8]) -> Result<Self, InvalidLength> {
        let key = State::new::<N>(key)?;
        Ok(Self { key, running: key, buffer: EagerBuffer::default(), tag_size: PhantomData })
    }

    fn absorb(&mut self, data: &[u8]) {
        let Self { running, buffer, .. } = self;
        buffer.digest_blocks(data, |blocks| {
            blocks.iter().for_each(|block| running.absorb(&block.0));
        });
    }

    fn finish(&mut self, tag: &mut Output<Self>) {
        self.running.close(self.buffer.get_data(), tag);
    }

    fn restart(&mut self) {
        self.running = self.key;
        wipe_buffer(&mut self.buffer);
    }
}

impl<N: TagSize> ByRow for Ascon<N> {}

impl<N: TagSize> PreparedMac for Ascon<N> {
    #[inline]
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        self.key = State::new::<N>(key)?;
        self.restart();
        Ok(())
    }

    #[inline]
    fn mac_into(&self, message: &[u8], tag: &mut Output<Self>) {
        self.key.mac(message, tag);
    }

    #[inline]
    fn mac_once(key: &[u8], message: &[u8], tag: &mut Array<u8, N>) -> Result<(), InvalidLength> {
        State::new::<N>(key)?.mac(message, tag);
        Ok(())
    }
}

impl<N: TagSize> Drop for Ascon<N> {
    fn drop(&mut self) {
        overwrite(&mut self.key, State::PUBLIC);
        overwrite(&mut self.running, State::PUBLIC);
        wipe_buffer(&mut self.buffer);
    }
}

digest_traits! { [N: TagSize] Ascon<N>, "Ascon", key: U16, tag: N }

pub(crate) const ROWS: &[MacInfo] =
    &[row::<U16>("ascon-mac", "Ascon-MAC", &MODE), row::<U32>("ascon-prf", "Ascon-PRF", &PRF_MODE)];

const fn row<N: TagSize>(name: &'static str, title: &'static str, mode: &'static Mode) -> MacInfo {
    let key_len = (KEY_LEN_BYTES, Len::Exactly(KEY_LEN_BYTES as u64));
    MacInfo::mac::<Ascon<N>>(name, title, mode, &PERMUTATION, key_len)
}

static PERMUTATION: Primitive = Primitive {
    name: "ascon-p12",
    title: "Ascon-p[12]",
    standing: Standing::Sound,
    note: "of NIST's standard for lightweight cryptography (SP 800-232), which has no MAC so far",
    constant_time: ConstantTime::Yes("no table, no branch by data"),
    hardware: Hardware::None,
    block_len_bytes: BLOCK_LEN_BYTES,
    paths: Paths::own::<OnlySoft>(),
};

static MODE: Mode = Mode {
    title: "Ascon-MAC",
    specification: "Dobraunig, Eichlseder, Mendel, Schläffer: Ascon MAC, PRF, and Short-Input PRF, \
                    CT-RSA 2024; version 1.3 of their reference program",
    standing: Standing::Sound,
    proof: "pseudorandom function, as a sponge with a key that takes its message in most of the \
            state, if its permutation is ideal (Mennink, Reyhanitabar, Vizár 2015); lightweight, \
            for research",
    bound: "claimed: 128 bits, up to 2^64 blocks a key",
    nonce: "",
    key_life: "no practical limit",
    approved_by: "no standards body; NIST considers it (SP 800-232 §1)",
    attacks: "",
    facts: Facts { short_tags: ShortTags::Leftmost(LeastBits::Unstated), ..Facts::MAC },
};

static PRF_MODE: Mode = Mode {
    title: "Ascon-PRF",
    attacks: "tags of one message in two lengths begin alike, other than Ascon-MAC's",
    ..MODE
};
