//! VHASH, the universal hash of VMAC: draft-krovetz-vmac-01 §5; Dai and Krovetz 2007. NH sums
//! products of 64-bit words over blocks of 128 bytes, a polynomial modulo 2^127 − 1 joins the
//! blocks, and an inner product modulo 2^64 − 257 makes 64 bits of it. N is the number of hashes,
//! 1 or 2: the second takes the NH key from one pair of words further on.

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod bmi2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod ifma;
mod soft;
#[cfg(test)]
mod tests;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use crate::kernels::cpu::{Avx2, Ifma, is_intel};

/// A block of the first layer.
pub(crate) type Block = [u8; 128];

/// Pairs of words in a block.
const PAIRS: usize = 8;
/// The most hashes a tag is made of.
pub(crate) const HASHES_MAX: usize = 2;
/// 2^127 − 1, the modulus of the second layer.
const P127: u128 = (1 << 127) - 1;
/// The bits that a word of the polynomial's key may have (§5.4).
const POLY_KEY_MASK: u64 = 0x1fff_ffff_1fff_ffff;

/// First bytes of the blocks that are encrypted to derive the keys of the layers (§5.3 to §5.5).
/// Their top bit is set, a nonce's is not.
const NH_DOMAIN: u8 = 0x80;
const POLY_DOMAIN: u8 = 0xc0;
const L3_DOMAIN: u8 = 0xe0;

/// The most blocks that are encrypted to derive the keys.
pub(crate) const KEY_BLOCKS_MAX: usize = key_blocks(HASHES_MAX);

/// Blocks that are encrypted to derive the keys of this number of hashes: 10 or 13.
pub(crate) const fn key_blocks(hashes: usize) -> usize {
    PAIRS - 1 + 3 * hashes
}

/// What is encrypted to derive the keys of N hashes, as far as `key_blocks(N)`.
const fn key_plaintexts(hashes: usize) -> [[u8; 16]; KEY_BLOCKS_MAX] {
    let mut blocks = [[0; 16]; KEY_BLOCKS_MAX];
    let (nh, mut i) = (PAIRS - 1 + hashes, 0);
    while i < key_blocks(hashes) {
        let (domain, index) = match i {
            _ if i < nh => (NH_DOMAIN, i),
            _ if i < nh + hashes => (POLY_DOMAIN, i - nh),
            _ => (L3_DOMAIN, i - nh - hashes),
        };
        blocks[i] = key_plaintext(domain, index as u8);
        i += 1;
    }
    blocks
}

const fn key_plaintext(domain: u8, index: u8) -> [u8; 16] {
    let mut block = [0; 16];
    (block[0], block[15]) = (domain, index);
    block
}

/// The keys of the layers.
#[derive(Clone, Copy)]
pub(crate) struct Keys {
    nh: [[u64; 2]; PAIRS + HASHES_MAX - 1],
    /// High word, low word of each hash.
    poly: [[u64; 2]; HASHES_MAX],
    l3: [[u64; 2]; HASHES_MAX],
}

impl Keys {
    /// What takes the place of keys that are dropped.
    pub(crate) const BLANK: Self = Self {
        nh: [[0; 2]; PAIRS + HASHES_MAX - 1],
        poly: [[0; 2]; HASHES_MAX],
        l3: [[0; 2]; HASHES_MAX],
    };

    /// What is to be encrypted for [`derive`](Self::derive); the first `key_blocks(N)` count.
    #[inline(always)]
    pub(crate) const fn plaintexts<const N: usize>() -> [[u8; 16]; KEY_BLOCKS_MAX] {
        const { key_plaintexts(N) }
    }

    /// KDF and key set-up of §3.2 and §5.2 for N hashes: takes the keys from the blocks of
    /// [`plaintexts`](Self::plaintexts), encrypted. `encrypt` is for further blocks: a pair of key
    /// words of the third layer that is not below the modulus is passed over for the next one,
    /// which is rare.
    #[inline(always)]
    pub(crate) fn derive<const N: usize>(
        &mut self,
        blocks: &[[u8; 16]; KEY_BLOCKS_MAX],
        mut encrypt: impl FnMut(&mut [u8; 16]),
    ) {
        let (nh, rest) = blocks.split_at(PAIRS - 1 + N);
        for (key, block) in self.nh.iter_mut().zip(nh) {
            *key = be_words(block);
        }
        for (key, block) in self.poly.iter_mut().zip(&rest[..N]) {
            *key = be_words(block).map(|word| word & POLY_KEY_MASK);
        }
        for (key, block) in self.l3.iter_mut().zip(&rest[N..2 * N]) {
            *key = be_words(block);
        }
        if self.l3[..N].as_flattened().iter().any(|&word| word >= soft::P64) {
            self.select_l3::<N>(&mut encrypt);
        }
    }

    /// The first N pairs of words that are below the modulus.
    #[cold]
    fn select_l3<const N: usize>(&mut self, encrypt: &mut dyn FnMut(&mut [u8; 16])) {
        let pairs = (0..u8::MAX).map(|index| {
            let mut block = key_plaintext(L3_DOMAIN, index);
            encrypt(&mut block);
            be_words(&block)
        });
        let below = pairs.filter(|pair| pair.iter().all(|&word| word < soft::P64));
        for (key, pair) in self.l3[..N].iter_mut().zip(below) {
            *key = pair;
        }
    }
}

#[inline(always)]
fn be_words(block: &[u8; 16]) -> [u64; 2] {
    let block = u128::from_be_bytes(*block);
    [(block >> 64) as u64, block as u64]
}

/// The polynomial of each hash up to here, and whether a block has gone into it.
#[derive(Clone, Copy)]
pub(crate) struct Running {
    y: [u128; HASHES_MAX],
    is_begun: bool,
}

impl Running {
    /// Nothing absorbed.
    pub(crate) const START: Self = Self { y: [1; HASHES_MAX], is_begun: false };
}

/// A code path of VHASH.
#[derive(Clone, Copy, Debug)]
pub enum Kernel {
    /// Runs of many blocks by 52-bit multiplication; the rest as `Avx2`.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Ifma(Ifma),
    /// Runs of blocks by 32-bit multiplication, but on Intel's processors; the rest is the portable
    /// code with the multiplication of BMI2.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2(Avx2),
    /// Portable code.
    Soft,
}

choice! {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Ifma = Ifma::get().map(Kernel::Ifma);
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2 = Avx2::get().map(Kernel::Avx2);
    Soft = Some(Kernel::Soft);
}

/// From this number of blocks on 512-bit registers are worth their start and end. Where 256-bit
/// ones are used, two hashes of up to 55 blocks are quicker in these, but of fewer where another
/// thread shares the core.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
fn ifma_blocks_min(hashes: usize) -> usize {
    match hashes {
        1 => 16,
        _ if is_intel() => 12,
        _ => 32,
    }
}

impl Kernel {
    /// N hashes take a run of whole blocks.
    #[inline(always)]
    pub(crate) fn absorb<const N: usize>(
        self,
        keys: &Keys,
        running: &mut Running,
        blocks: &[Block],
    ) {
        let Some(y) = running.y.first_chunk_mut::<N>() else { return };
        self.absorb_into(keys, y, blocks);
        running.is_begun |= !blocks.is_empty();
    }

    #[inline(always)]
    fn absorb_into<const N: usize>(self, keys: &Keys, y: &mut [u128; N], blocks: &[Block]) {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Ifma(token) if blocks.len() >= ifma_blocks_min(N) => {
                ifma::absorb(token, keys, y, blocks)
            }
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Ifma(token) => bmi2::absorb(token.avx2(), keys, y, blocks),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(token) => bmi2::absorb(token, keys, y, blocks),
            Self::Soft => soft::absorb(keys, y, blocks),
        }
    }

    /// N hashes of the message whose last bytes, less than a block, are `tail`.
    #[inline(always)]
    pub(crate) fn finish<const N: usize>(
        self,
        keys: &Keys,
        running: &Running,
        tail: &[u8],
    ) -> [u64; N] {
        if !running.is_begun {
            return soft::hash_short(keys, tail);
        }
        let mut y = [0; N];
        y.copy_from_slice(&running.y[..N]);
        soft::close(keys, y, tail)
    }

    /// N hashes of a whole message.
    #[inline(always)]
    pub(crate) fn hash<const N: usize>(self, keys: &Keys, message: &[u8]) -> [u64; N] {
        if message.len() <= size_of::<Block>() {
            return soft::hash_short(keys, message);
        }
        let (blocks, tail) = message.as_chunks();
        let mut y = [1; N];
        self.absorb_into(keys, &mut y, blocks);
        soft::close(keys, y, tail)
    }
}
