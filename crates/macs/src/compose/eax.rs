//! EAX: Bellare, Rogaway, Wagner, "The EAX Mode of Operation" (FSE 2004). OMAC^t(M) =
//! CMAC([t] ‖ M), [t] a block; N = OMAC^0(nonce), H = OMAC^1(associated data), C = CTR(M) from the
//! counter block N; tag = N ⊕ OMAC^2(C) ⊕ H. What [t] does is computed at key set-up.

use core::fmt;

use cipher::{Block, Key, KeySizeUser};
use digest::KeyInit;
use digest::typenum::Unsigned;
use zeroize::ZeroizeOnDrop;

use super::{Composition, Header, ctr, leftmost, verify};
use crate::catalog::MacInfo;
use crate::cbc::chain::xor;
use crate::cbc::omac::Cmac;
use crate::ciphers::{BlockCipher, CipherInfo, over_ciphers};
use crate::error::Error;
use crate::kernels::Pin;
use crate::len::Len;
use crate::prepared::PreparedMac;
use crate::status::{Mode, Standing};
use crate::wipe::wipe;

/// EAX over the block cipher `C`.
#[derive(Clone)]
pub struct Eax<C: BlockCipher> {
    mac: Cmac<C>,
    nonce: Tweak<C>,
    associated_data: Tweak<C>,
    ciphertext: Tweak<C>,
}

/// OMAC^t, as far as it is known before the data.
struct Tweak<C: BlockCipher> {
    /// The chaining value after [t].
    after: Block<C>,
    /// OMAC^t of nothing: CMAC([t]).
    of_nothing: Block<C>,
}

impl<C: BlockCipher> Tweak<C> {
    fn new(mac: &Cmac<C>, t: u8) -> Self {
        let (mut after, mut of_nothing) = (Block::<C>::default(), Block::<C>::default());
        after[C::BlockSize::USIZE - 1] = t;
        mac.mac_into(&after, &mut of_nothing);
        mac.mode().cipher().encrypt_block(&mut after);
        Self { after, of_nothing }
    }

    #[inline(always)]
    fn omac(&self, mac: &Cmac<C>, data: &[u8]) -> Block<C> {
        if data.is_empty() {
            return self.of_nothing.clone();
        }
        mac.mac_from(self.after.clone(), data)
    }
}

impl<C: BlockCipher> KeySizeUser for Eax<C> {
    type KeySize = C::KeySize;
}

impl<C: BlockCipher> KeyInit for Eax<C> {
    fn new(key: &Key<Self>) -> Self {
        Self::keyed_on(Pin::BEST, key)
    }
}

impl<C: BlockCipher> Eax<C> {
    #[inline(always)]
    fn encrypt_or_decrypt(&self, first: &Block<C>, data: &mut [u8]) {
        ctr::apply::<{ ctr::WHOLE_BLOCK }, C>(self.mac.mode().cipher(), first, &mut [], data);
    }

    /// N ⊕ OMAC^2(C) ⊕ H.
    #[inline(always)]
    fn tag(&self, n: &Block<C>, associated_data: &[u8], ciphertext: &[u8]) -> Block<C> {
        let mut tag = self.ciphertext.omac(&self.mac, ciphertext);
        xor(&mut tag, &self.associated_data.omac(&self.mac, associated_data));
        xor(&mut tag, n);
        tag
    }
}

impl<C: BlockCipher> Composition for Eax<C> {
    const TITLE: &'static str = MODE.title;
    const NONCE_LEN: (usize, Len) = (C::BlockSize::USIZE, Len::Any);
    const TAG_LEN: (usize, Len) = leftmost(C::BlockSize::USIZE);

    fn keyed_on(pin: Pin, key: &Key<Self>) -> Self {
        let mac = Cmac::<C>::keyed_on(pin, key);
        let [nonce, associated_data, ciphertext] = [0, 1, 2].map(|t| Tweak::new(&mac, t));
        Self { mac, nonce, associated_data, ciphertext }
    }

    fn seal_checked(&self, header: Header<'_>, buffer: &mut [u8], _: usize, tag: &mut [u8]) {
        let Header { nonce, associated_data } = header;
        let n = self.nonce.omac(&self.mac, nonce);
        self.encrypt_or_decrypt(&n, buffer);
        tag.copy_from_slice(&self.tag(&n, associated_data, buffer)[..tag.len()]);
    }

    fn open_checked(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        tag: &[u8],
    ) -> Result<usize, Error> {
        let Header { nonce, associated_data } = header;
        let n = self.nonce.omac(&self.mac, nonce);
        let mut right = self.tag(&n, associated_data, buffer);
        verify(&mut right, tag)?;
        self.encrypt_or_decrypt(&n, buffer);
        Ok(buffer.len())
    }
}

impl<C: BlockCipher> Clone for Tweak<C> {
    fn clone(&self) -> Self {
        Self { after: self.after.clone(), of_nothing: self.of_nothing.clone() }
    }
}

impl<C: BlockCipher> Drop for Tweak<C> {
    fn drop(&mut self) {
        wipe(&mut self.after);
        wipe(&mut self.of_nothing);
    }
}

impl<C: BlockCipher + ZeroizeOnDrop> ZeroizeOnDrop for Eax<C> {}

impl<C: BlockCipher> fmt::Debug for Eax<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Eax { .. }")
    }
}

pub(crate) const ROWS: &[MacInfo] = over_ciphers!(row, "eax", "EAX");

const fn row<C: BlockCipher>(
    name: &'static str,
    title: &'static str,
    cipher: &'static CipherInfo,
) -> MacInfo {
    super::row::<Eax<C>>(name, title, &MODE, &cipher.primitive)
}

static MODE: Mode = Mode {
    title: "EAX",
    specification: "Bellare, Rogaway, Wagner 2004",
    standing: Standing::Sound,
    proof: "private and authentic if the cipher is a pseudorandom permutation (Bellare, Rogaway, \
            Wagner 2004)",
    bound: "about σ²/2^n for privacy; 2^-τ more for each forgery tried, τ the bits of the tag",
    nonce: "any length, never the same: one used again shows the XOR of its messages, and lets \
            their tags be combined into a forgery",
    key_life: "keep σ far below 2^(n/2) blocks",
    approved_by: "",
    attacks: "",
};
