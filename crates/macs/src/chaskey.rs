//! Chaskey: N. Mouha, B. Mennink, A. Van Herrewege, D. Watanabe, B. Preneel, I. Verbauwhede,
//! "Chaskey: An Efficient MAC Algorithm for 32-bit Microcontrollers", SAC 2014, §2, with 8 rounds;
//! N. Mouha, "Chaskey: a MAC Algorithm for Microcontrollers – Status Update and Proposal of
//! Chaskey-12", 2015, with 12 rounds (ISO/IEC 29192-6) and 16 (Chaskey-LTS). Words are
//! little-endian, tags too.

use digest::block_buffer::LazyBuffer;
use digest::consts::U16;
use digest::{InvalidLength, Output};

use crate::digest_traits::digest_traits;
use crate::facts::{ConstantTime, Facts, Hardware, KeyLife, LeastBits, Quantum, ShortTags};
use crate::kernels::OnlySoft;
use crate::len::Len;
use crate::prepared::{ByRow, PreparedMac};
use crate::row::MacInfo;
use crate::status::{Mode, Paths, Primitive, Standing};
use crate::wipe::{overwrite, wipe_buffer};

const BLOCK_LEN_BYTES: usize = 16;

/// Chaskey with so many rounds, and a tag of 16 bytes.
#[derive(Clone)]
pub struct ChaskeyOf<const ROUNDS: usize> {
    keys: Keys,
    running: u128,
    /// Holds a full block back: the last one is treated apart.
    buffer: LazyBuffer<U16>,
}

/// Chaskey as first proposed, with 8 rounds.
pub type Chaskey = ChaskeyOf<8>;
/// Chaskey-12.
pub type Chaskey12 = ChaskeyOf<12>;
/// Chaskey-LTS, with 16 rounds.
pub type ChaskeyLts = ChaskeyOf<16>;

/// K, and what is made of it for a full last block and for a padded one.
#[derive(Clone, Copy)]
struct Keys([u128; 3]);

impl Keys {
    const PUBLIC: Self = Self([0; 3]);

    #[inline(always)]
    fn new(key: &[u8]) -> Result<Self, InvalidLength> {
        let k = u128::from_le_bytes(key.try_into().map_err(|_| InvalidLength)?);
        // By u in GF(2^128), modulo u^128 + u^7 + u^2 + u + 1.
        let double = |k: u128| (k << 1) ^ (0x87 * (k >> 127));
        Ok(Self([k, double(k), double(double(k))]))
    }
}

/// π of figure 1.
#[inline(always)]
fn permute<const ROUNDS: usize>(state: u128) -> u128 {
    let [mut v0, mut v1, mut v2, mut v3] = [0, 32, 64, 96].map(|bits| (state >> bits) as u32);
    for _ in 0..ROUNDS {
        v0 = v0.wrapping_add(v1);
        v2 = v2.wrapping_add(v3);
        v1 = v1.rotate_left(5) ^ v0;
        v3 = v3.rotate_left(8) ^ v2;
        v0 = v0.rotate_left(16);
        v2 = v2.wrapping_add(v1);
        v0 = v0.wrapping_add(v3);
        v1 = v1.rotate_left(7) ^ v2;
        v3 = v3.rotate_left(13) ^ v0;
        v2 = v2.rotate_left(16);
    }
    [v3, v2, v1, v0].into_iter().fold(0, |state, word| state << 32 | u128::from(word))
}

#[inline(always)]
fn absorb<const ROUNDS: usize>(state: u128, block: &[u8; BLOCK_LEN_BYTES]) -> u128 {
    permute::<ROUNDS>(state ^ u128::from_le_bytes(*block))
}

/// The last block, which `tail` is or begins, and the tag.
#[inline(always)]
fn close<const ROUNDS: usize>(keys: &Keys, state: u128, tail: &[u8]) -> [u8; BLOCK_LEN_BYTES] {
    let Keys([_, full, padded]) = *keys;
    let (last, key) = match tail.try_into() {
        Ok(block) => (u128::from_le_bytes(block), full),
        Err(_) => {
            let mut block = [0; BLOCK_LEN_BYTES];
            block[..tail.len()].copy_from_slice(tail);
            block[tail.len()] = 1;
            (u128::from_le_bytes(block), padded)
        }
    };
    (permute::<ROUNDS>(state ^ last ^ key) ^ key).to_le_bytes()
}

#[inline(always)]
fn mac<const ROUNDS: usize>(keys: &Keys, message: &[u8]) -> [u8; BLOCK_LEN_BYTES] {
    let head_len = message.len().saturating_sub(1) / BLOCK_LEN_BYTES * BLOCK_LEN_BYTES;
    let (head, tail) = message.split_at(head_len);
    let state = head.as_chunks().0.iter().fold(keys.0[0], absorb::<ROUNDS>);
    close::<ROUNDS>(keys, state, tail)
}

impl<const ROUNDS: usize> ChaskeyOf<ROUNDS> {
    #[inline]
    fn keyed(key: &[u8]) -> Result<Self, InvalidLength> {
        let keys = Keys::new(key)?;
        Ok(Self { keys, running: keys.0[0], buffer: LazyBuffer::default() })
    }

    fn absorb(&mut self, data: &[u8]) {
        let Self { running, buffer, .. } = self;
        buffer.digest_blocks(data, |blocks| {
            *running =
                blocks.iter().fold(*running, |state, block| absorb::<ROUNDS>(state, &block.0));
        });
    }

    fn finish(&mut self, tag: &mut Output<Self>) {
        tag.0 = close::<ROUNDS>(&self.keys, self.running, self.buffer.get_data());
    }

    fn restart(&mut self) {
        self.running = self.keys.0[0];
        wipe_buffer(&mut self.buffer);
    }
}

impl<const ROUNDS: usize> ByRow for ChaskeyOf<ROUNDS> {
    const IS_QUICK: bool = true;
}

impl<const ROUNDS: usize> PreparedMac for ChaskeyOf<ROUNDS> {
    #[inline]
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        self.keys = Keys::new(key)?;
        self.restart();
        Ok(())
    }

    #[inline]
    fn mac_into(&self, message: &[u8], tag: &mut Output<Self>) {
        tag.0 = mac::<ROUNDS>(&self.keys, message);
    }

    #[inline]
    fn mac_once(key: &[u8], message: &[u8], tag: &mut Output<Self>) -> Result<(), InvalidLength> {
        tag.0 = mac::<ROUNDS>(&Keys::new(key)?, message);
        Ok(())
    }
}

impl<const ROUNDS: usize> Drop for ChaskeyOf<ROUNDS> {
    fn drop(&mut self) {
        overwrite(&mut self.keys, Keys::PUBLIC);
        overwrite(&mut self.running, 0);
        wipe_buffer(&mut self.buffer);
    }
}

digest_traits! { [const ROUNDS: usize] ChaskeyOf<ROUNDS>, "Chaskey", key: U16, tag: U16 }

pub(crate) const ROWS: &[MacInfo] = &[
    row::<8>("chaskey", "Chaskey", &MODE_8, &PERMUTATION_8),
    row::<12>("chaskey-12", "Chaskey-12", &MODE_12, &PERMUTATION_12),
    row::<16>("chaskey-lts", "Chaskey-LTS", &MODE, &PERMUTATION),
];

const fn row<const ROUNDS: usize>(
    name: &'static str,
    title: &'static str,
    mode: &'static Mode,
    primitive: &'static Primitive,
) -> MacInfo {
    let key_len = (BLOCK_LEN_BYTES, Len::Exactly(BLOCK_LEN_BYTES as u64));
    MacInfo::mac::<ChaskeyOf<ROUNDS>>(name, title, mode, primitive, key_len)
}

static PERMUTATION: Primitive = Primitive {
    name: "chaskey-16",
    title: "Chaskey's π, 16 rounds",
    standing: Standing::Sound,
    note: "additions, rotations and XOR on 32-bit words; in an Even-Mansour cipher",
    constant_time: ConstantTime::Yes("no table, no branch by data"),
    hardware: Hardware::None,
    block_len_bytes: BLOCK_LEN_BYTES,
    paths: Paths::own::<OnlySoft>(),
};

static PERMUTATION_12: Primitive =
    Primitive { name: "chaskey-12", title: "Chaskey's π, 12 rounds", ..PERMUTATION };

static PERMUTATION_8: Primitive = Primitive {
    name: "chaskey-8",
    title: "Chaskey's π, 8 rounds",
    standing: Standing::Legacy,
    note: "7 of its 8 rounds are broken, in theory (Leurent 2016): its designer proposes 12",
    ..PERMUTATION
};

static MODE: Mode = Mode {
    title: "Chaskey-LTS",
    specification: "Mouha: Chaskey: a MAC Algorithm for Microcontrollers – Status Update and \
                    Proposal of Chaskey-12, 2015: Chaskey-LTS",
    standing: Standing::Sound,
    proof: "pseudorandom function if its permutation is ideal, in an Even-Mansour cipher (Mouha \
            and others 2014); lightweight, for research and small devices",
    bound: "about D²/2^128 + D·T/2^128 for D blocks and T calls of the permutation",
    nonce: "",
    key_life: "at most 2^48 blocks, so that a key takes 2^80 calls to find",
    approved_by: "no standards body",
    attacks: "",
    facts: Facts {
        short_tags: ShortTags::Leftmost(LeastBits::Bits(64)),
        key_life: KeyLife::Blocks,
        quantum: Quantum::Superposition,
        ..Facts::MAC
    },
};

static MODE_12: Mode = Mode {
    title: "Chaskey-12",
    specification: "ISO/IEC 29192-6; Mouha: Chaskey: a MAC Algorithm for Microcontrollers – Status \
                    Update and Proposal of Chaskey-12, 2015",
    approved_by: "ISO/IEC 29192-6",
    ..MODE
};

static MODE_8: Mode = Mode {
    title: "Chaskey",
    specification: "Mouha and others: Chaskey: An Efficient MAC Algorithm for 32-bit \
                    Microcontrollers, SAC 2014",
    approved_by: "none with 8 rounds; ISO/IEC 29192-6 with 12",
    ..MODE
};
