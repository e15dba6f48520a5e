//! GCM: NIST SP 800-38D §7. Counter mode with a 32-bit counter from J0 on, and
//! tag = E_K(J0) ⊕ GHASH_H(associated data, ciphertext), H = E_K(0).

use core::fmt;

use cipher::inout::InOutBuf;
use cipher::{Block, Key, KeySizeUser};
use digest::array::Array;
use digest::consts::U16;
use digest::{InvalidLength, KeyInit};
use zeroize::ZeroizeOnDrop;

use super::COUNTED_IN_64_BITS;
use crate::ciphers::{CipherInfo, WideCipher, rows_over};
use crate::composition::{Checked, Composition, Header, verify};
use crate::error::Error;
use crate::facts::{
    ConstantTime, Facts, Hardware, KeyLife, LeastBits, NonceNeed, Quantum, Repeat, ShortTags,
};
use crate::hash_key::{HashKey, NONCE_LEN_BYTES};
use crate::inside::Inside;
#[cfg(all(feature = "aes", target_arch = "x86_64", target_feature = "sse2"))]
use crate::kernels::gcm;
use crate::kernels::partial::write_number;
use crate::kernels::{Choice, Pin, ghash};
use crate::len::Len;
use crate::row::MacInfo;
use crate::status::{Mode, Paths, Standing};
use crate::wipe::wipe;

/// SP 800-38D §5.2.1.1: 2^39 − 256 bits, as many as the 32-bit counter has blocks.
const MESSAGE_LEN_MAX_BYTES: u64 = (1 << 36) - 32;

const COUNTER_BITS: u32 = 32;

/// GCM over the block cipher `C`, of 128-bit blocks.
#[derive(Clone)]
pub struct Gcm<C> {
    cipher: C,
    ghash: HashKey,
}

impl<C: WideCipher> Gcm<C> {
    #[inline(always)]
    fn seal(&self, header: Header<'_>, data: InOutBuf<'_, '_, u8>, tag: &mut [u8]) {
        if let Some(whole) = tag.first_chunk_mut() {
            return self.run::<true>(header, data, Array::cast_from_core_mut(whole));
        }
        let mut whole = Block::<C>::default();
        self.run::<true>(header, data, &mut whole);
        tag.copy_from_slice(&whole[..tag.len()]);
    }

    /// Seals or opens, but for the comparison of tags.
    #[inline(always)]
    fn run<const SEALS: bool>(
        &self,
        header: Header<'_>,
        data: InOutBuf<'_, '_, u8>,
        tag: &mut Block<C>,
    ) {
        let Header { nonce, associated_data } = header;
        let j0 = self.ghash.initial_counter_number(nonce);
        #[cfg(all(feature = "aes", target_arch = "x86_64", target_feature = "sse2"))]
        let (data, tag) = {
            let (y, associated_len_bytes) = ([0; 16], associated_data.len() as u64);
            let mut pass = gcm::Pass { y, associated_len_bytes, data, done: 0, tag: &mut tag.0 };
            let is_done = self.ghash.gcm::<C, SEALS>(&self.cipher, j0, associated_data, &mut pass);
            wipe(&mut pass.y);
            if is_done {
                return;
            }
            (pass.data, Array::cast_from_core_mut(pass.tag))
        };
        self.in_two_passes::<SEALS>(j0, associated_data, data, tag);
    }

    #[inline(never)]
    fn in_two_passes<const SEALS: bool>(
        &self,
        j0: u128,
        associated_data: &[u8],
        mut data: InOutBuf<'_, '_, u8>,
        tag: &mut Block<C>,
    ) {
        let mut hash = Block::<C>::default();
        if !SEALS {
            self.ghash.add_hash(associated_data, data.get_in(), &mut hash);
        }
        // The first block masks the tag.
        let mut head = [Block::<C>::default()];
        self.cipher.ctr::<COUNTER_BITS>(&j0_block(j0), &mut head, data.reborrow(), Inside(()));
        if SEALS {
            self.ghash.add_hash(associated_data, data.get_out(), &mut hash);
        }
        *tag = head[0];
        tag.iter_mut().zip(&hash).for_each(|(byte, hash)| *byte ^= hash);
        // The tag may be known; what masks it, and so the hash, may not.
        wipe(&mut head[0]);
        wipe(&mut hash);
    }
}

fn j0_block(number: u128) -> Array<u8, U16> {
    let mut block = Array::default();
    write_number(number, &mut block.0);
    block
}

impl<C: KeySizeUser> KeySizeUser for Gcm<C> {
    type KeySize = C::KeySize;
}

impl<C: WideCipher> KeyInit for Gcm<C> {
    fn new(key: &Key<Self>) -> Self {
        Self::keyed_on(Pin::BEST, key)
    }
}

impl<C: WideCipher> Composition for Gcm<C> {
    const TITLE: &'static str = MODE.title;
    const NONCE_LEN: (usize, Len) = (NONCE_LEN_BYTES, Len::Between(1, u64::MAX));
    /// From 12 bytes on (SP 800-38D §5.2.1.2): see `with_short_tag_len`. Of shorter ones there
    /// are 4 and 8 bytes alone, for some applications, with limits (appendix C).
    const TAG_LEN: (usize, Len) = (16, Len::Between(12, 16));
    const SHORT_TAG_LEN: Len = Len::OneOf(&[4, 8, 12, 13, 14, 15, 16]);
    const ASSOCIATED_DATA_LEN: Len = COUNTED_IN_64_BITS;

    fn message_len_max_bytes(_: usize) -> u64 {
        MESSAGE_LEN_MAX_BYTES
    }
}

impl<C: WideCipher> Checked for Gcm<C> {
    const IS_QUICK: bool = !C::BLOCK_TAKES_LONG;

    fn set_up(pin: Pin, key: &[u8], _: Inside) -> Result<Self, InvalidLength> {
        let cipher = C::new_on(C::Kernel::pinned(pin), key, Inside(()))?;
        let ghash = HashKey::new(pin, &cipher);
        Ok(Self { cipher, ghash })
    }

    /// In place, as GMAC's: a key that is moved is waited for.
    fn set_up_again(&mut self, _: Pin, key: &[u8], _: Inside) -> Result<(), InvalidLength> {
        self.cipher.rekey(key, Inside(()))?;
        self.ghash.rekey(&self.cipher);
        Ok(())
    }

    // Beside a short message a call is felt.
    #[inline(always)]
    fn seal_checked(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        _: usize,
        tag: &mut [u8],
        _: Inside,
    ) {
        self.seal(header, buffer.into(), tag);
    }

    #[inline(always)]
    fn seal_into_checked(
        &self,
        header: Header<'_>,
        message: &[u8],
        ciphertext: &mut [u8],
        tag: &mut [u8],
        _: Inside,
    ) {
        let data = InOutBuf::new(message, ciphertext).expect("the caller checks the lengths");
        self.seal(header, data, tag);
    }

    fn open_checked(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        tag: &[u8],
        _: Inside,
    ) -> Result<usize, Error> {
        let mut right = Block::<C>::default();
        let len = buffer.len();
        self.run::<false>(header, buffer.into(), &mut right);
        verify(&mut right, tag)?;
        Ok(len)
    }
}

impl<C: ZeroizeOnDrop> ZeroizeOnDrop for Gcm<C> {}

impl<C> fmt::Debug for Gcm<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Gcm { .. }")
    }
}

pub(crate) const ROWS: &[MacInfo] = rows_over!(wide: row, "gcm", "GCM");

const fn row<C: WideCipher>(
    name: &'static str,
    title: &'static str,
    cipher: &'static CipherInfo,
) -> MacInfo {
    super::row::<Gcm<C>>(name, title, &MODE, &cipher.primitive, cipher.key_len())
        .with_message_len_max(MESSAGE_LEN_MAX_BYTES)
        .with_universal_hash(Paths::own::<ghash::Kernel>(), ConstantTime::OF_GHASH)
}

static MODE: Mode = Mode {
    title: "GCM",
    specification: "NIST SP 800-38D",
    standing: Standing::Conditional,
    proof: "private and authentic if the cipher is a pseudorandom permutation (McGrew, Viega 2004; \
            repaired by Iwata, Ohashi, Minematsu 2012)",
    bound: "about σ²/2^n; for each forgery tried on messages of l blocks about l/2^τ, τ the bits \
            of the tag; weaker for nonces of other than 12 bytes (Iwata, Ohashi, Minematsu 2012)",
    nonce: "never the same: one used twice gives H away, and with it all forgeries (Joux 2006), \
            and shows the XOR of its messages; random ones of 12 bytes for at most 2^32 messages \
            per key",
    key_life: "at most 2^32 messages, unless nonces are 12 bytes and counted (SP 800-38D §8.3)",
    approved_by: "NIST with AES (SP 800-38D)",
    attacks: "short tags: each forgery that succeeds eases the next and gives H away in the end \
              (Ferguson 2005); so at least 12 bytes unless 4 or 8 are asked for by name, which SP \
              800-38D allows with limits; who chooses keys makes one ciphertext that opens under \
              several (Len, Grubbs, Ristenpart 2021)",
    facts: Facts {
        nonce: NonceNeed::Unique(Repeat::AllForgeries),
        // SP 800-38D §5.2.1.2.
        short_tags: ShortTags::Leftmost(LeastBits::Bits(96)),
        key_life: KeyLife::Sp80038D,
        hardware: Hardware::Carryless,
        quantum: Quantum::Superposition,
        ..Facts::AEAD
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ciphers::Aes128;
    use crate::composition::check_message;
    use crate::error::Input;

    #[test]
    fn a_message_is_as_long_as_the_counter_has_blocks() {
        let check = |message_len| check_message::<Gcm<Aes128>>(12, message_len);
        assert!(check(68_719_476_704).is_ok());
        assert!(matches!(
            check(68_719_476_705),
            Err(Error::Len { what: Input::Message, accepted: Len::Between(0, 68_719_476_704), .. })
        ));
    }
}
