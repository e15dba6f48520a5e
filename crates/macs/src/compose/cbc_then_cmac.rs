//! CBC with padding, then CMAC of all that is sent: Encrypt-then-MAC. K1‖K2; C = CBC_K1(M) with
//! PKCS#7 padding (RFC 5652 §6.3), the nonce being the initialization vector; the tag is that of
//! `ctr_then_cmac.rs`, and is checked before anything is decrypted.

use core::fmt;

use cipher::array::Array;
use cipher::typenum::Unsigned;
use cipher::{Block, Key, KeySizeUser};
use digest::{InvalidLength, KeyInit};
use zeroize::ZeroizeOnDrop;

use super::ctr_then_cmac::tag_of_all;
use super::key_pair::{Paired, differing, halves_differ};
use super::{COUNTED_IN_64_BITS, leftmost};
use crate::cbc::omac::CmacOver;
use crate::ciphers::{CipherInfo, Invertible, cbc, rows_over};
use crate::composition::{Checked, Composition, Header, verify};
use crate::error::Error;
use crate::facts::{Facts, KeyLife, LeastBits, NonceNeed, Quantum, Repeat, ShortTags};
use crate::inside::Inside;
use crate::kernels::Pin;
use crate::len::Len;
use crate::prepared::PreparedMac;
use crate::row::MacInfo;
use crate::status::{Mode, Standing};
use crate::wipe::supersede;

/// Encrypt-then-MAC with CBC and CMAC over the cipher `C`.
#[derive(Clone)]
pub struct CbcThenCmac<C: Paired + Invertible> {
    cipher: C,
    inverse: C::Inverse,
    mac: CmacOver<C>,
}

impl<C: Paired + Invertible> KeySizeUser for CbcThenCmac<C> {
    type KeySize = C::PairSize;
}

impl<C: Paired + Invertible> KeyInit for CbcThenCmac<C> {
    /// # Panics
    /// When K1 and K2 are the same: what is proved is proved of two independent keys, and with one
    /// the blocks of encryption help to forge.
    fn new(key: &Key<Self>) -> Self {
        Self::keyed_on(Pin::BEST, key)
    }

    /// Refuses K1 and K2 that are the same, too.
    fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
        Self::set_up(Pin::BEST, key, Inside(()))
    }
}

impl<C: Paired + Invertible> CbcThenCmac<C> {
    fn decrypt(&self, nonce: &[u8], buffer: &mut [u8]) {
        let iv = Array::slice_as_array(nonce).expect("a block, as checked");
        let (blocks, _) = Block::<C>::slice_as_chunks_mut(buffer);
        cbc::decrypt(&self.inverse, iv, blocks);
    }
}

/// The message's length, if the padding is right: k bytes of value k, 1 to a block of them.
fn unpadded_len_bytes(padded: &[u8], block_len_bytes: usize) -> Option<usize> {
    let padding = *padded.last()?;
    let message_len = padded.len().checked_sub(padding.into())?;
    let is_right = (1..=block_len_bytes).contains(&padding.into())
        && padded[message_len..].iter().all(|&byte| byte == padding);
    is_right.then_some(message_len)
}

impl<C: Paired + Invertible> Composition for CbcThenCmac<C> {
    const TITLE: &'static str = MODE.title;
    const NONCE_LEN: (usize, Len) = (C::BlockSize::USIZE, Len::Exactly(C::BlockSize::U64));
    const TAG_LEN: (usize, Len) = leftmost(C::BlockSize::USIZE);
    const ASSOCIATED_DATA_LEN: Len = COUNTED_IN_64_BITS;

    fn ciphertext_len_bytes(message_len_bytes: usize) -> usize {
        let block_len = C::BlockSize::USIZE;
        (message_len_bytes / block_len * block_len).saturating_add(block_len)
    }
}

impl<C: Paired + Invertible> Checked for CbcThenCmac<C> {
    fn set_up(pin: Pin, key: &[u8], _: Inside) -> Result<Self, InvalidLength> {
        let [k1, k2] = differing(key)?;
        let k1 = Array::slice_as_array(k1).ok_or(InvalidLength)?;
        Ok(Self {
            cipher: C::keyed_on(pin, k1, Inside(())),
            inverse: C::inverse_on(pin, k1),
            mac: CmacOver::new_on(pin, k2)?,
        })
    }

    fn set_up_again(&mut self, pin: Pin, key: &[u8], _: Inside) -> Result<(), InvalidLength> {
        let [k1, k2] = differing(key)?;
        self.cipher.rekey(k1, Inside(()))?;
        let k1 = Array::slice_as_array(k1).ok_or(InvalidLength)?;
        supersede(&mut self.inverse, C::inverse_on(pin, k1));
        self.mac.rekey(k2)
    }

    fn may_use(key: &[u8]) -> bool {
        halves_differ(key)
    }

    fn seal_checked(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        message_len_bytes: usize,
        tag: &mut [u8],
        _: Inside,
    ) {
        let Header { nonce, associated_data } = header;
        let padding = (buffer.len() - message_len_bytes) as u8;
        buffer[message_len_bytes..].fill(padding);
        let iv = Array::slice_as_array(nonce).expect("a block, as checked");
        let (blocks, _) = Block::<C>::slice_as_chunks_mut(buffer);
        cbc::encrypt(&self.cipher, iv, blocks);
        let whole = tag_of_all(&self.mac, associated_data, nonce, buffer);
        tag.copy_from_slice(&whole[..tag.len()]);
    }

    fn open_checked(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        tag: &[u8],
        _: Inside,
    ) -> Result<usize, Error> {
        let Header { nonce, associated_data } = header;
        let mut right = tag_of_all(&self.mac, associated_data, nonce, buffer);
        verify(&mut right, tag)?;
        // Under a right tag only a faulty sender's length or padding can be wrong.
        let is_whole_blocks = buffer.len().is_multiple_of(C::BlockSize::USIZE);
        if is_whole_blocks {
            self.decrypt(nonce, buffer);
            if let Some(message_len) = unpadded_len_bytes(buffer, C::BlockSize::USIZE) {
                return Ok(message_len);
            }
        }
        Err(Error::TagMismatch)
    }
}

impl<C> ZeroizeOnDrop for CbcThenCmac<C> where
    C: Paired + Invertible<Inverse: ZeroizeOnDrop> + ZeroizeOnDrop
{
}

impl<C: Paired + Invertible> fmt::Debug for CbcThenCmac<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CbcThenCmac { .. }")
    }
}

pub(crate) const ROWS: &[MacInfo] = rows_over!(aes: row, "cbc-then-cmac", "CBC-then-CMAC");

const fn row<C: Paired + Invertible>(
    name: &'static str,
    title: &'static str,
    cipher: &'static CipherInfo,
) -> MacInfo {
    super::row::<CbcThenCmac<C>>(name, title, &MODE, &cipher.primitive, cipher.joined_key_len(2, 0))
}

static MODE: Mode = Mode {
    title: "CBC-then-CMAC",
    specification: "Encrypt-then-MAC of SP 800-38A §6.2 with PKCS#7 padding and SP 800-38B, K1‖K2, \
                    in the shape of RFC 7518 §5.2.2.1",
    standing: Standing::Sound,
    proof: "Encrypt-then-MAC is private and authentic if its parts are (Bellare, Namprempre 2000)",
    bound: "that of CMAC under K2, and of CBC under K1: about σ²/2^n",
    nonce: "unpredictable and never the same (SP 800-38A C): a predictable one lets a chosen \
            message confirm a guess of an earlier one",
    key_life: "far below 2^(n/2) blocks in all, for the bound; and CMAC's limit on messages",
    approved_by: "",
    attacks: "who knows keys makes one ciphertext that opens under several",
    facts: Facts {
        nonce: NonceNeed::Unpredictable(Repeat::Privacy),
        short_tags: ShortTags::Leftmost(LeastBits::Bits(64)),
        key_life: KeyLife::Blocks,
        quantum: Quantum::Superposition,
        ..Facts::AEAD
    },
};

#[cfg(test)]
mod tests {
    use super::unpadded_len_bytes;

    #[test]
    fn only_right_padding_is_taken() {
        assert_eq!(unpadded_len_bytes(&[7, 7, 7, 1], 4), Some(3));
        assert_eq!(unpadded_len_bytes(&[4; 4], 4), Some(0));
        assert_eq!(unpadded_len_bytes(&[9, 9, 2, 2], 4), Some(2));
        for wrong in [&[][..], &[0; 4], &[9, 9, 3, 2], &[5; 8], &[9, 9, 9, 16]] {
            assert_eq!(unpadded_len_bytes(wrong, 4), None, "{wrong:?}");
        }
    }
}
