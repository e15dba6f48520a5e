//! EMAC, ISO/IEC 9797-1 algorithm 2 with padding method 2: the bare CBC-MAC, encrypted under a key
//! of its own.

use digest::InvalidLength;

use super::{Cbc, Ending, Joined, JoinedKeys, LastBlock, Padding, Variant, split_key, xcbc};
use crate::block_mac::BlockMac;
use crate::ciphers::{BlockCipher, CipherInfo, rows_over};
use crate::facts::{Facts, KeyLife};
use crate::inside::Inside;
use crate::row::MacInfo;
use crate::status::{Mode, Standing};
use crate::work::Theory;

/// EMAC over the block cipher `C`. Its key is K1‖K2, both keys of the cipher.
pub type Emac<C> = BlockMac<Cbc<C, Encrypted>>;

/// The chain under K1, its last value under K2.
pub enum Encrypted {}

/// The cipher under K2.
#[derive(Clone)]
pub struct SecondCipher<C>(C);

impl<C: BlockCipher> Ending<C> for SecondCipher<C> {
    const HOLDS_FULL_BLOCK: bool = false;
    const PADDING: Padding = Padding::One;

    #[inline(always)]
    fn last_block(&self) -> LastBlock<'_, C> {
        LastBlock { outer: Some(&self.0), ..LastBlock::bare(<Self as Ending<C>>::PADDING) }
    }
}

impl<C: JoinedKeys> Variant<C> for Encrypted {
    type KeySize = C::TwoKeys;
    type Ending = SecondCipher<C>;

    const NAME: &'static str = "Emac";
    const JOINED: Joined = Joined::Two;

    #[inline(always)]
    fn set_up(cipher: &mut C, key: &[u8]) -> Result<SecondCipher<C>, InvalidLength> {
        let (k1, k2) = split_key::<C>(key, key.len() / 2)?;
        let second = SecondCipher(C::new_on(cipher.kernel(Inside(())), k2, Inside(()))?);
        cipher.rekey(k1, Inside(()))?;
        Ok(second)
    }
}

pub(crate) const ROWS: &[MacInfo] = rows_over!(all: row, "emac", "EMAC");

const fn row<C: JoinedKeys>(
    name: &'static str,
    title: &'static str,
    cipher: &'static CipherInfo,
) -> MacInfo {
    let key_len = cipher.joined_key_len(2, 0);
    Emac::<C>::joined_row(name, title, &MODE, cipher, key_len).with_theory(Theory::EMAC)
}

static MODE: Mode = Mode {
    title: "EMAC",
    specification: "ISO/IEC 9797-1 algorithm 2, padding method 2",
    standing: Standing::Sound,
    proof: "pseudorandom function if the cipher is a pseudorandom permutation (Petrank, Rackoff \
        2000)",
    bound: "about q²/2^n for messages of fewer than 2^(n/4) blocks (Jha and Nandi 2016)",
    nonce: "",
    key_life: "well below 2^(n/2) messages",
    approved_by: "ISO/IEC 9797-1 algorithm 2",
    attacks: "",
    // The bound counts messages, not blocks.
    facts: Facts { key_life: KeyLife::Messages, ..xcbc::MODE.facts },
};
