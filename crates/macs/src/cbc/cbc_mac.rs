//! The bare CBC-MAC, ISO/IEC 9797-1 algorithm 1, with padding methods 1 and 2 (§6.3.2, §6.3.3).
//! Good for messages of one length only.

use cipher::KeySizeUser;
use digest::InvalidLength;

use super::{Cbc, Ending, Joined, LastBlock, Padding, Variant, xcbc};
use crate::block_mac::BlockMac;
use crate::ciphers::{AnyCipher, BlockCipher, CipherInfo, rows_over};
use crate::facts::{Facts, Kind, Prf};
use crate::inside::Inside;
use crate::row::MacInfo;
use crate::status::{Mode, Standing};
use crate::work::Theory;

/// CBC-MAC over the block cipher `C`, padded with zeros up to a full block. The empty message is
/// padded to a block of zeros, as ISO/IEC 9797-1 §6.3.2 has it.
pub type CbcMac<C> = BlockMac<Cbc<<C as AnyCipher>::Cipher, ZeroPadding>>;

/// CBC-MAC over the block cipher `C`, padded with a one bit and zeros; always padded.
pub type CbcMacPad2<C> = BlockMac<Cbc<C, OnePadding>>;

/// Padding method 1: zeros, as few as needed.
#[derive(Clone)]
pub struct ZeroPadding;

/// Padding method 2: a one bit, then zeros.
#[derive(Clone)]
pub struct OnePadding;

impl<C: BlockCipher> Ending<C> for ZeroPadding {
    const HOLDS_FULL_BLOCK: bool = true;
    const PADDING: Padding = Padding::Zeros;

    #[inline(always)]
    fn last_block(&self) -> LastBlock<'_, C> {
        LastBlock::bare(<Self as Ending<C>>::PADDING)
    }
}

impl<C: BlockCipher> Ending<C> for OnePadding {
    const HOLDS_FULL_BLOCK: bool = false;
    const PADDING: Padding = Padding::One;

    #[inline(always)]
    fn last_block(&self) -> LastBlock<'_, C> {
        LastBlock::bare(<Self as Ending<C>>::PADDING)
    }
}

impl<C: BlockCipher> Variant<C> for ZeroPadding {
    type KeySize = <C as KeySizeUser>::KeySize;
    type Ending = Self;

    const NAME: &'static str = "CbcMac";
    const JOINED: Joined = Joined::One;

    #[inline(always)]
    fn set_up(cipher: &mut C, key: &[u8]) -> Result<Self, InvalidLength> {
        cipher.rekey(key, Inside(()))?;
        Ok(Self)
    }
}

impl<C: BlockCipher> Variant<C> for OnePadding {
    type KeySize = <C as KeySizeUser>::KeySize;
    type Ending = Self;

    const NAME: &'static str = "CbcMacPad2";
    const JOINED: Joined = Joined::One;

    #[inline(always)]
    fn set_up(cipher: &mut C, key: &[u8]) -> Result<Self, InvalidLength> {
        cipher.rekey(key, Inside(()))?;
        Ok(Self)
    }
}

pub(crate) const ROWS: &[MacInfo] = rows_over!(all: row, "cbc-mac", "CBC-MAC");

pub(crate) const PAD2_ROWS: &[MacInfo] = rows_over!(all: pad2_row, "cbc-mac-pad2", "CBC-MAC-Pad2");

const fn row<C: BlockCipher>(
    name: &'static str,
    title: &'static str,
    cipher: &'static CipherInfo,
) -> MacInfo {
    CbcMac::<C>::row(name, title, &MODE, cipher).with_theory(Theory::CHAIN)
}

const fn pad2_row<C: BlockCipher>(
    name: &'static str,
    title: &'static str,
    cipher: &'static CipherInfo,
) -> MacInfo {
    CbcMacPad2::<C>::row(name, title, &PAD2_MODE, cipher).with_theory(Theory::MARKED_CHAIN)
}

static MODE: Mode = Mode {
    title: "CBC-MAC",
    specification: "ISO/IEC 9797-1 algorithm 1, padding method 1",
    standing: Standing::Broken,
    proof: "only for messages of one length, a multiple of the block: then a pseudorandom function \
        if the cipher is a pseudorandom permutation (Bellare, Kilian, Rogaway 1994)",
    bound: "for messages of m blocks each, about q²m²/2^n",
    nonce: "",
    key_life: "one length of message a key; well below 2^(n/2) blocks",
    approved_by: "ISO/IEC 9797-1 algorithm 1",
    attacks: "lengths that vary: the tag t of a one-block message m is also that of m‖(m ⊕ t); and \
        a message and the same with zeros up to the end of its block have one tag",
    facts: Facts {
        kind: Kind::FixedLenMac,
        // Of messages of one length it is one.
        prf: Prf::No,
        ..xcbc::MODE.facts
    },
};

static PAD2_MODE: Mode = Mode {
    title: "CBC-MAC, padding method 2",
    specification: "ISO/IEC 9797-1 algorithm 1, padding method 2",
    proof: "only for messages of one number of blocks: then a pseudorandom function if the cipher \
        is a pseudorandom permutation (Bellare, Kilian, Rogaway 1994)",
    key_life: "one number of blocks a key; well below 2^(n/2) blocks",
    attacks: "numbers of blocks that vary: the tag t of a message padded to p, and that of x‖y, x \
        a block, give that of p‖(x ⊕ t)‖y",
    ..MODE
};
