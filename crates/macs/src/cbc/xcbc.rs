//! XCBC with its three keys as they are: Black, Rogaway, CRYPTO 2000.

use cipher::Block;
use digest::InvalidLength;
use digest::typenum::Unsigned;

use super::masks::Masks;
use super::{Cbc, Joined, JoinedKeys, Variant, named, split_key};
use crate::block_mac::BlockMac;
use crate::ciphers::{CipherInfo, rows_over};
use crate::facts::{Facts, KeyLife, Quantum};
use crate::inside::Inside;
use crate::row::MacInfo;
use crate::status::{Mode, Standing};
use crate::work::Theory;

/// XCBC over the block cipher `C`. Its key is K1‖K2‖K3: the cipher's, the mask of a full last
/// block, the mask of a padded one.
pub type Xcbc<C> = BlockMac<Cbc<C, ThreeKeys>>;

/// The masks are keys.
pub enum ThreeKeys {}

impl<C: JoinedKeys> Variant<C> for ThreeKeys {
    type KeySize = C::KeyAndTwoMasks;
    type Ending = Masks<C>;

    const NAME: &'static str = "Xcbc";
    const JOINED: Joined = Joined::TwoMasks;

    #[inline(always)]
    fn set_up(cipher: &mut C, key: &[u8]) -> Result<Masks<C>, InvalidLength> {
        let (k1, masks) = split_key::<C>(key, 2 * C::BlockSize::USIZE)?;
        let ([k2, k3], []) = Block::<C>::slice_as_chunks(masks) else {
            return Err(InvalidLength);
        };
        cipher.rekey(k1, Inside(()))?;
        Ok(Masks { full: k2.clone(), padded: k3.clone() })
    }
}

pub(crate) const ROWS: &[MacInfo] = rows_over!(all: row, "xcbc", "XCBC");

const fn row<C: JoinedKeys>(
    name: &'static str,
    title: &'static str,
    cipher: &'static CipherInfo,
) -> MacInfo {
    let key_len = cipher.joined_key_len(1, 2);
    named::row::<C, ThreeKeys>(name, title, &MODE, cipher, key_len).with_theory(Theory::CHAIN)
}

pub(super) static MODE: Mode = Mode {
    title: "XCBC",
    specification: "Black, Rogaway: CBC MACs for Arbitrary-Length Messages, CRYPTO 2000",
    standing: Standing::Sound,
    proof: "pseudorandom function if the cipher is a pseudorandom permutation (Black, Rogaway \
        2000)",
    bound: "about σ²/2^n (Iwata, Kurosawa 2003)",
    nonce: "",
    key_life: "well below 2^(n/2) blocks",
    approved_by: "none in this form; IETF with AES-128 and one key (RFC 3566)",
    attacks: "at the birthday bound the masks are found, and forging is easy (Mitchell 2005)",
    facts: Facts { key_life: KeyLife::Blocks, quantum: Quantum::Superposition, ..Facts::MAC },
};
