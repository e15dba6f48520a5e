//! GHASH: NIST SP 800-38D §6.4, and POLYVAL: RFC 8452 §3.
//!
//! All kernels calculate as POLYVAL does (RFC 8452 §3 and appendix A): for GHASH blocks are
//! byte-reversed, H is multiplied by x once, a·b stands for a·b·x^−128 modulo
//! x^128 + x^127 + x^126 + x^121 + 1, and powers of H are such products. So no product needs a
//! shift by one bit. The order of bytes is the key's, so that one code serves both.

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(in crate::kernels) mod aggregate;
#[cfg(target_arch = "aarch64")]
mod armv8;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod clmul;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(in crate::kernels) mod element;
mod multiply;
mod soft;
#[cfg(test)]
mod tests;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod vpclmul_256;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod vpclmul_512;

#[cfg(target_arch = "aarch64")]
use super::cpu::ArmAes;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use super::cpu::{Clmul, Vpclmul256, Vpclmul512};
#[cfg(feature = "gcm-siv")]
use crate::wipe::wipe;

/// A block: 128 coefficients, that of x^0 the highest bit of the first byte.
pub(crate) type Block = [u8; 16];

/// Elements a key has room for: a multiple of four.
const SLOTS: usize = if cfg!(target_arch = "x86_64") { 52 } else { 24 };

/// H and those of its powers that the kernel wants: which, and where, is the kernel's affair, and
/// a key is for the kernel that made it. Wipe it with `overwrite(&mut key, Key::PUBLIC)`.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Key {
    pub(in crate::kernels) slots: [Block; SLOTS],
    /// Where each byte of an element lies in a block of the message.
    pub(in crate::kernels) order: Block,
    /// How far the powers reach, in the kernel's own unit.
    pub(in crate::kernels) reach: usize,
}

/// Bytes as they lie: POLYVAL's.
const IN_ORDER: Block = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

impl Key {
    /// The key 0.
    pub(crate) const PUBLIC: Self = {
        let order = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0];
        Self { slots: [[0; 16]; SLOTS], order, reach: 1 }
    };
}

impl Key {
    /// Whether the powers reach as far as any kernel wants them to.
    pub(crate) fn reaches_all(&self) -> bool {
        self.reach >= 8
    }
}

/// POLYVAL's H as that of GHASH which makes the same element: divided by x, since a key is
/// multiplied by it, and reversed. RFC 8452 appendix A.
#[cfg(feature = "gcm-siv")]
fn ghash_key(h: &Block) -> Block {
    let h = u128::from_le_bytes(*h);
    let over_x = (h >> 1) ^ ((h & 1).wrapping_neg() & (0xe1 << 120));
    over_x.to_be_bytes()
}

/// The code paths of GHASH.
#[derive(Clone, Copy, Debug)]
pub enum Kernel {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Vpclmul512(Vpclmul512),
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Vpclmul256(Vpclmul256),
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Clmul(Clmul),
    #[cfg(target_arch = "aarch64")]
    Armv8(ArmAes),
    Soft,
}

/// The kernel's function of this name, called with its token.
macro_rules! dispatch {
    ($kernel:expr, $name:ident($($argument:expr),*)) => {
        match $kernel {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Kernel::Vpclmul512(token) => vpclmul_512::$name(token, $($argument),*),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Kernel::Vpclmul256(token) => vpclmul_256::$name(token, $($argument),*),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Kernel::Clmul(token) => clmul::$name(token, $($argument),*),
            #[cfg(target_arch = "aarch64")]
            Kernel::Armv8(token) => armv8::$name(token, $($argument),*),
            Kernel::Soft => soft::$name(soft::Soft, $($argument),*),
        }
    };
}

impl Kernel {
    /// Sets up H for messages of up to `reach_bytes`; longer ones are hashed rightly too, but not
    /// as fast. For a key of many messages: `usize::MAX`.
    #[inline(always)]
    pub(crate) fn set(self, key: &mut Key, h: &Block, reach_bytes: usize) {
        dispatch!(self, key(key, h, reach_bytes));
    }

    /// The key of POLYVAL under H. Other than GHASH, the two lengths that `finish` takes are those
    /// of the last data and of what was absorbed before.
    #[cfg(feature = "gcm-siv")]
    #[inline(always)]
    pub(crate) fn set_polyval(self, key: &mut Key, h: &Block, reach_bytes: usize) {
        key.order = IN_ORDER;
        let mut h = ghash_key(h);
        self.set(key, &h, reach_bytes);
        wipe(&mut h);
    }

    /// Absorbs bytes into the hash `y`, padded with zeros to whole blocks.
    #[inline(always)]
    pub(crate) fn absorb(self, key: &Key, y: &mut Block, data: &[u8]) {
        if !data.is_empty() {
            dispatch!(self, absorb(key, y, data));
        }
    }

    /// Adds to `onto` the hash `y` after bytes of any number, padded with zeros to whole blocks,
    /// and the block of the two lengths, given in bytes: §7.1 step 5. A whole message in one call
    /// starts from 0. Not returned, because a block that is returned comes in two halves.
    #[inline(always)]
    pub(crate) fn finish(
        self,
        key: &Key,
        y: &Block,
        data: &[u8],
        lens_bytes: [u64; 2],
        onto: &mut Block,
    ) {
        dispatch!(self, finish(key, y, data, lens_bytes, onto));
    }
}

choice! {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Vpclmul512 = Vpclmul512::get().map(Kernel::Vpclmul512);
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Vpclmul256 = Vpclmul256::get().map(Kernel::Vpclmul256);
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Clmul = Clmul::get().map(Kernel::Clmul);
    #[cfg(target_arch = "aarch64")]
    Armv8 = ArmAes::get().map(Kernel::Armv8);
    Soft = Some(Kernel::Soft);
}
