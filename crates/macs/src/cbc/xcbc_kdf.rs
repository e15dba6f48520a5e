//! XCBC with its three keys derived from one: Iwata, Kurosawa, Stronger Security Bounds for OMAC,
//! TMAC and XCBC (ePrint 2003/082). K1 is the first bytes of E_K(C1a)‖E_K(C1b)‖…, as many as the
//! cipher's key has, K2 = E_K(C2) and K3 = E_K(C3).
//!
//! The source leaves the constants open, as long as they differ. Ours are those of RFC 3566, so
//! that over AES-128 this is its AES-XCBC-MAC: each constant is one byte, repeated to a block.

use cipher::{Block, Key, KeySizeUser};
use digest::InvalidLength;
use digest::typenum::Unsigned;

use super::masks::Masks;
use super::{Cbc, Variant, named, xcbc};
use crate::block_mac::BlockMac;
use crate::ciphers::{BlockCipher, CipherInfo, rows_over};
use crate::inside::Inside;
use crate::row::MacInfo;
use crate::status::Mode;
use crate::wipe::wipe;
use crate::work::Theory;

/// XCBC over the block cipher `C` with three keys derived from one of the cipher. The constants
/// C1a, C1b, C1c, C2 and C3 are blocks of bytes 01, 04, 05, 02 and 03; C1b and C1c are used only as
/// far as the cipher's key is longer than its block.
pub type XcbcKdf<C> = BlockMac<Cbc<C, DerivedKeys>>;

/// Three keys from one.
pub enum DerivedKeys {}

/// C1a, C1b, C1c: no cipher here has a key of more than three blocks.
const C1: [u8; 3] = [1, 4, 5];
/// No cipher here with keys of several lengths has longer ones.
const KEY_LEN_MAX: usize = 32;
const C2: u8 = 2;
const C3: u8 = 3;

/// E_K of the block of this byte.
#[inline(always)]
fn derive<C: BlockCipher>(cipher: &C, constant: u8) -> Block<C> {
    let mut block = Block::<C>::default();
    block.fill(constant);
    cipher.encrypt_block(&mut block);
    block
}

/// Sets K1 up, which is put together in `k1`.
#[inline(always)]
fn rekey_derived<C: BlockCipher>(cipher: &mut C, k1: &mut [u8]) -> Result<(), InvalidLength> {
    for (part, constant) in k1.chunks_mut(C::BlockSize::USIZE).zip(C1) {
        let mut block = derive(cipher, constant);
        part.copy_from_slice(&block[..part.len()]);
        wipe(&mut block);
    }
    cipher.rekey(k1, Inside(()))?;
    wipe(k1);
    Ok(())
}

impl<C: BlockCipher> Variant<C> for DerivedKeys {
    type KeySize = <C as KeySizeUser>::KeySize;
    type Ending = Masks<C>;

    const NAME: &'static str = "XcbcKdf";

    #[inline(always)]
    fn set_up(cipher: &mut C, key: &[u8]) -> Result<Masks<C>, InvalidLength> {
        cipher.rekey(key, Inside(()))?;
        let masks = Masks { full: derive(cipher, C2), padded: derive(cipher, C3) };
        if C::KeySize::USIZE > 0 {
            rekey_derived(cipher, &mut Key::<C>::default())?;
        } else {
            let mut k1 = [0; KEY_LEN_MAX];
            rekey_derived(cipher, k1.get_mut(..key.len()).ok_or(InvalidLength)?)?;
        }
        Ok(masks)
    }
}

pub(crate) const ROWS: &[MacInfo] = rows_over!(all: row, "xcbc-kdf", "XCBC-KDF");

const fn row<C: BlockCipher>(
    name: &'static str,
    title: &'static str,
    cipher: &'static CipherInfo,
) -> MacInfo {
    named::row::<C, DerivedKeys>(name, title, &MODE, cipher, cipher.key_len())
        .with_theory(Theory::XCBC_KDF)
}

static MODE: Mode = Mode {
    title: "XCBC with derived keys",
    specification: "Iwata, Kurosawa: Stronger Security Bounds for OMAC, TMAC and XCBC, ePrint \
        2003/082; constants after RFC 3566",
    approved_by: "none in this form; with AES-128 it is that of RFC 3566",
    ..xcbc::MODE
};
