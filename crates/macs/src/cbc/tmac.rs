//! TMAC, which is XCBC with K2·u and K2 for its masks: Kurosawa, Iwata, CT-RSA 2003.

use cipher::Block;
use digest::InvalidLength;
use digest::typenum::Unsigned;

use super::masks::Masks;
use super::{Cbc, Joined, JoinedKeys, Variant, named, split_key, xcbc};
use crate::block_mac::BlockMac;
use crate::ciphers::{CipherInfo, rows_over};
use crate::doubling::DoublingSize;
use crate::inside::Inside;
use crate::row::MacInfo;
use crate::status::Mode;
use crate::work::Theory;

/// TMAC over the block cipher `C`. Its key is K1‖K2: the cipher's, and a block that the masks are
/// made of.
pub type Tmac<C> = BlockMac<Cbc<C, TwoKeys>>;

/// The masks are a key and its double.
pub enum TwoKeys {}

impl<C: JoinedKeys> Variant<C> for TwoKeys {
    type KeySize = C::KeyAndMask;
    type Ending = Masks<C>;

    const NAME: &'static str = "Tmac";
    const JOINED: Joined = Joined::Mask;

    #[inline(always)]
    fn set_up(cipher: &mut C, key: &[u8]) -> Result<Masks<C>, InvalidLength> {
        let (k1, mask) = split_key::<C>(key, C::BlockSize::USIZE)?;
        let k2 = Block::<C>::slice_as_array(mask).ok_or(InvalidLength)?;
        cipher.rekey(k1, Inside(()))?;
        Ok(Masks { full: C::BlockSize::double(k2), padded: k2.clone() })
    }
}

pub(crate) const ROWS: &[MacInfo] = rows_over!(all: row, "tmac", "TMAC");

const fn row<C: JoinedKeys>(
    name: &'static str,
    title: &'static str,
    cipher: &'static CipherInfo,
) -> MacInfo {
    let key_len = cipher.joined_key_len(1, 1);
    named::row::<C, TwoKeys>(name, title, &MODE, cipher, key_len).with_theory(Theory::CHAIN)
}

static MODE: Mode = Mode {
    title: "TMAC",
    specification: "Kurosawa, Iwata: TMAC: Two-Key CBC MAC, CT-RSA 2003",
    proof: "pseudorandom function if the cipher is a pseudorandom permutation (Kurosawa, Iwata \
        2003)",
    approved_by: "none",
    attacks: "at the birthday bound K2 is found, and forging is easy (Sung, Hong, Lee 2003; \
        Mitchell 2005)",
    ..xcbc::MODE
};
