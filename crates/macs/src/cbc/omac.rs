//! OMAC, which is XCBC with masks made of L = E_K(0): Iwata, Kurosawa, FSE 2003. OMAC1 has L·u and
//! L·u² and is the CMAC of NIST SP 800-38B §6 and RFC 4493 §2.4; OMAC2 has L·u and L·u⁻¹.
//! The masks are computed at key set-up, so that a prepared tag costs one cipher call a block.

use cipher::KeySizeUser;
use digest::InvalidLength;

use super::masks::Masks;
pub use super::masks::Omac1Masks;
use super::{Cbc, Joined, Omac, Variant, named, xcbc};
use crate::block_mac::BlockMac;
use crate::ciphers::{AnyCipher, BlockCipher, CipherInfo, rows_over};
use crate::facts::{Facts, KeyLife, LeastBits, ShortTags};
use crate::inside::Inside;
use crate::row::MacInfo;
use crate::status::{Mode, Standing};
use crate::work::Theory;

/// CMAC (OMAC1) over the block cipher `C`.
pub type Cmac<C> = CmacOver<<C as AnyCipher>::Cipher>;

/// The same over a cipher of this crate.
pub(crate) type CmacOver<C> = BlockMac<Cbc<C, Omac1Masks>>;

/// OMAC2 over the block cipher `C`.
pub type Omac2<C> = BlockMac<Cbc<C, Omac2Masks>>;

/// L·u and L·u⁻¹.
pub enum Omac2Masks {}

impl<C: BlockCipher> Variant<C> for Omac2Masks {
    type KeySize = <C as KeySizeUser>::KeySize;
    type Ending = Masks<C>;

    const NAME: &'static str = "Omac2";
    const JOINED: Joined = Joined::Omac(Omac::Two);

    #[inline(always)]
    fn set_up(cipher: &mut C, key: &[u8]) -> Result<Masks<C>, InvalidLength> {
        let [full, padded] = cipher.rekey_omac(key, Omac::Two, Inside(()))?;
        Ok(Masks { full, padded })
    }
}

pub(crate) const ROWS: &[MacInfo] = rows_over!(all: row, "cmac", "CMAC");

pub(crate) const OMAC2_ROWS: &[MacInfo] = rows_over!(all: omac2_row, "omac2", "OMAC2");

const fn row<C: BlockCipher>(
    name: &'static str,
    title: &'static str,
    cipher: &'static CipherInfo,
) -> MacInfo {
    CmacOver::<C>::row(name, title, &MODE, cipher).with_theory(Theory::MASKED)
}

const fn omac2_row<C: BlockCipher>(
    name: &'static str,
    title: &'static str,
    cipher: &'static CipherInfo,
) -> MacInfo {
    named::row::<C, Omac2Masks>(name, title, &OMAC2_MODE, cipher, cipher.key_len())
        .with_theory(Theory::MASKED)
}

pub(super) static MODE: Mode = Mode {
    title: "CMAC",
    specification: "NIST SP 800-38B; RFC 4493 (AES-128)",
    standing: Standing::Sound,
    proof: "pseudorandom function if the cipher is a pseudorandom permutation (Iwata, Kurosawa \
        2003)",
    bound: xcbc::MODE.bound,
    nonce: "",
    key_life: "at most 2^48 messages per key with 128-bit blocks, 2^21 with 64-bit ones \
        (SP 800-38B, Appendix B)",
    approved_by: "NIST with AES (SP 800-38B); ISO/IEC 9797-1 algorithm 5",
    attacks: xcbc::MODE.attacks,
    facts: Facts {
        // Fewer only after weighing the risks: SP 800-38B A.
        short_tags: ShortTags::Leftmost(LeastBits::Bits(64)),
        key_life: KeyLife::Sp80038B,
        ..xcbc::MODE.facts
    },
};

static OMAC2_MODE: Mode = Mode {
    title: "OMAC2",
    specification: "Iwata, Kurosawa: OMAC: One-Key CBC MAC, FSE 2003",
    key_life: xcbc::MODE.key_life,
    approved_by: "none; its sibling OMAC1 became CMAC",
    facts: xcbc::MODE.facts,
    ..MODE
};
