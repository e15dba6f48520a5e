//! CCM: NIST SP 800-38C §6, appendix A; RFC 3610. CBC-MAC of B0 ‖ associated data ‖ message, then
//! counter mode over tag and message under the same key. The first block names all lengths, so that
//! no message's blocks begin another's; the length of the tag is one of them.

#[cfg(feature = "batch")]
mod batch;

#[cfg(feature = "batch")]
use alloc::boxed::Box;
use core::fmt;
use core::slice;

use cipher::array::Array;
use cipher::consts::U16;
use cipher::{Block, Key, KeySizeUser};
use digest::{InvalidLength, KeyInit};
use zeroize::ZeroizeOnDrop;

use crate::ciphers::chain::xor;
use crate::ciphers::{CipherInfo, WideCipher, rows_over};
#[cfg(feature = "batch")]
use crate::composition::batch::KeyedCompositions;
use crate::composition::{Checked, Composition, Header, verify};
use crate::error::Error;
use crate::facts::{Facts, KeyLife, LeastBits, ShortTags};
use crate::inside::Inside;
use crate::kernels::chaining::Pass;
use crate::kernels::partial::{le_number, write_number};
use crate::kernels::{Choice, Pin};
use crate::len::Len;
use crate::row::MacInfo;
use crate::status::{Mode, Standing};

const BLOCK_LEN: usize = 16;

/// CCM over the block cipher `C`, of 128-bit blocks.
#[derive(Clone)]
pub struct Ccm<C> {
    cipher: C,
}

impl<C: KeySizeUser> KeySizeUser for Ccm<C> {
    type KeySize = C::KeySize;
}

impl<C: WideCipher> KeyInit for Ccm<C> {
    fn new(key: &Key<Self>) -> Self {
        Self::keyed_on(Pin::BEST, key)
    }
}

/// SP 800-38C A.1: bytes of the field for the message's length.
const fn q(nonce_len_bytes: usize) -> usize {
    15 - nonce_len_bytes
}

/// A block of flags, nonce and a number that fits the q bytes that are left: B0 of SP 800-38C A.2.1
/// and the counter blocks of A.3. Itself as a little-endian number, which is put together in
/// registers.
#[inline(always)]
fn block_number(flags: u8, nonce: &[u8], number: u64) -> u128 {
    u128::from(flags) | le_number(nonce) << 8 | u128::from(number.swap_bytes()) << 64
}

/// SP 800-38C A.2.2: the first block of associated data (if there is any) with the length before
/// it, and the rest of the data.
#[inline(always)]
fn associated_data_blocks(associated_data: &[u8]) -> (Array<u8, U16>, &[u8]) {
    let mut first = Array::default();
    if associated_data.is_empty() {
        return (first, &[]);
    }
    let len = (associated_data.len() as u64).to_be_bytes();
    let header_len = match associated_data.len() as u64 {
        0..0xff00 => {
            first[..2].copy_from_slice(&len[6..]);
            2
        }
        0xff00..0x1_0000_0000 => {
            first[..2].copy_from_slice(&[0xff, 0xfe]);
            first[2..6].copy_from_slice(&len[4..]);
            6
        }
        _ => {
            first[..2].copy_from_slice(&[0xff, 0xff]);
            first[2..10].copy_from_slice(&len);
            10
        }
    };
    let (begin, rest) = associated_data.split_at(associated_data.len().min(BLOCK_LEN - header_len));
    first[header_len..][..begin.len()].copy_from_slice(begin);
    (first, rest)
}

impl<C: WideCipher> Ccm<C> {
    /// Encrypts (taking the input) or decrypts (taking the output into the chain): SP 800-38C §6.1
    /// and §6.2. Returns the tag, masked.
    #[inline(always)]
    fn pass<const OPENS: bool>(
        cipher: &C,
        header: Header<'_>,
        data: &mut [u8],
        tag_len_bytes: usize,
    ) -> Block<C> {
        let (mut mask, counter) = begin_counting(cipher, header.nonce);
        let (blocks, count, rest) = begin_chain(header, data.len(), tag_len_bytes);
        let mut head = &blocks[..count];
        let mut y = Block::<C>::default();
        if !rest.is_empty() {
            cipher.chain(&mut y, head, &[], Inside(()));
            absorb_padded(cipher, &mut y, rest);
            head = &[];
        }
        let pass = Pass { counter: &counter, y: &mut y, head, data, masks: None };
        cipher.ctr_cbc::<OPENS>(cipher, pass, Inside(()));
        xor(&mut mask, &y);
        mask
    }
}

/// The mask of the tag and the first counter block, SP 800-38C A.3. The counter's q bytes cannot
/// overflow, because the message's length fits them; so it may as well be the whole block.
#[inline(always)]
fn begin_counting<C: WideCipher>(cipher: &C, nonce: &[u8]) -> (Block<C>, Block<C>) {
    let counter_number = |number| block_number(q(nonce.len()) as u8 - 1, nonce, number);
    let mut mask = Block::<C>::default();
    cipher.encrypt_number(counter_number(0), &mut mask, Inside(()));
    let mut counter = Block::<C>::default();
    write_number(counter_number(1), &mut counter.0);
    (mask, counter)
}

/// B0 and the first block of associated data, how many of the two there are, and the rest of the
/// data: SP 800-38C A.2.
#[inline(always)]
fn begin_chain(
    header: Header<'_>,
    message_len_bytes: usize,
    tag_len_bytes: usize,
) -> ([Array<u8, U16>; 2], usize, &[u8]) {
    let Header { nonce, associated_data } = header;
    let has_associated_data = u8::from(!associated_data.is_empty());
    let t = (tag_len_bytes as u8 - 2) / 2;
    let flags = 64 * has_associated_data + 8 * t + q(nonce.len()) as u8 - 1;
    let (begin, rest) = associated_data_blocks(associated_data);
    let mut blocks = [Array::default(), begin];
    write_number(block_number(flags, nonce, message_len_bytes as u64), &mut blocks[0].0);
    (blocks, 1 + usize::from(has_associated_data), rest)
}

/// The chain absorbs data with zeros up to a full block.
#[inline(always)]
fn absorb_padded<C: WideCipher>(cipher: &C, y: &mut Block<C>, data: &[u8]) {
    let (blocks, tail) = Block::<C>::slice_as_chunks(data);
    let mut last = Block::<C>::default();
    last[..tail.len()].copy_from_slice(tail);
    let last = if tail.is_empty() { &[] } else { slice::from_ref(&last) };
    cipher.chain(y, blocks, last, Inside(()));
}

impl<C: WideCipher> Composition for Ccm<C> {
    const TITLE: &'static str = MODE.title;
    const NONCE_LEN: (usize, Len) = (12, Len::Between(7, 13));
    const TAG_LEN: (usize, Len) = (16, Len::OneOf(&[4, 6, 8, 10, 12, 14, 16]));

    fn message_len_max_bytes(nonce_len_bytes: usize) -> u64 {
        if !Self::NONCE_LEN.1.accepts(nonce_len_bytes) {
            return 0;
        }
        u64::MAX >> (64 - 8 * q(nonce_len_bytes))
    }
}

impl<C: WideCipher> Checked for Ccm<C> {
    fn set_up(pin: Pin, key: &[u8], _: Inside) -> Result<Self, InvalidLength> {
        Ok(Self { cipher: C::new_on(C::Kernel::pinned(pin), key, Inside(()))? })
    }

    /// In place: a cipher that is moved waits for its own round keys. It stays on its code path.
    fn set_up_again(&mut self, _: Pin, key: &[u8], _: Inside) -> Result<(), InvalidLength> {
        self.cipher.rekey(key, Inside(()))
    }

    #[cfg(feature = "batch")]
    fn batch(
        pin: Pin,
        keys: &[&[u8]],
        _: Inside,
    ) -> Result<Box<dyn KeyedCompositions>, InvalidLength> {
        batch::boxed::<C>(pin, keys)
    }

    fn seal_checked(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        _: usize,
        tag: &mut [u8],
        _: Inside,
    ) {
        let whole = Self::pass::<false>(&self.cipher, header, buffer, tag.len());
        tag.copy_from_slice(&whole[..tag.len()]);
    }

    fn open_checked(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        tag: &[u8],
        _: Inside,
    ) -> Result<usize, Error> {
        let mut right = Self::pass::<true>(&self.cipher, header, buffer, tag.len());
        verify(&mut right, tag)?;
        Ok(buffer.len())
    }
}

impl<C: ZeroizeOnDrop> ZeroizeOnDrop for Ccm<C> {}

impl<C> fmt::Debug for Ccm<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ccm { .. }")
    }
}

pub(crate) const ROWS: &[MacInfo] = rows_over!(wide: row, "ccm", "CCM");

const fn row<C: WideCipher>(
    name: &'static str,
    title: &'static str,
    cipher: &'static CipherInfo,
) -> MacInfo {
    super::row::<Ccm<C>>(name, title, &MODE, &cipher.primitive, cipher.key_len())
}

static MODE: Mode = Mode {
    title: "CCM",
    specification: "NIST SP 800-38C; RFC 3610",
    standing: Standing::Sound,
    proof: "private and authentic if the cipher is a pseudorandom permutation (Jonsson 2002)",
    bound: "about σ²/2^n; 2^-τ more for each forgery tried, τ the bits of the tag",
    nonce: "7 to 13 bytes, never the same: one used twice shows the XOR of its messages; one of k \
            bytes leaves room for messages below 2^(8·(15−k)) bytes",
    key_life: "at most 2^61 calls of the cipher per key (SP 800-38C §5.3)",
    approved_by: "NIST with AES (SP 800-38C)",
    attacks: "tags of less than 64 bits: only after weighing what forgeries cost (SP 800-38C \
              B.2); who chooses keys makes one ciphertext that opens under several (Menda, Len, \
              Grubbs, Ristenpart 2023)",
    facts: Facts {
        // SP 800-38C B.2.
        short_tags: ShortTags::Input(LeastBits::Bits(64)),
        key_life: KeyLife::Sp80038C,
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
    fn the_length_of_associated_data_has_three_forms() {
        let begins = |len, header: &[u8]| {
            let data = alloc::vec![0xaa; len];
            let (first, rest) = associated_data_blocks(&data);
            assert!(first.starts_with(header), "{len}");
            assert_eq!(rest.len(), len.saturating_sub(BLOCK_LEN - header.len()));
        };
        begins(1, &[0, 1]);
        begins(0xfeff, &[0xfe, 0xff]);
        begins(0xff00, &[0xff, 0xfe, 0, 0, 0xff, 0]);
        begins(0x1_0000, &[0xff, 0xfe, 0, 1, 0, 0]);
    }

    #[test]
    fn the_nonce_takes_its_room_from_the_length_of_the_message() {
        for (nonce_len, max) in [(13, 0xffff), (12, 0xff_ffff), (8, (1 << 56) - 1), (7, u64::MAX)] {
            assert_eq!(Ccm::<Aes128>::message_len_max_bytes(nonce_len), max);
        }
        for no_nonce_len in [0, 6, 14, 15, 16, usize::MAX] {
            assert_eq!(Ccm::<Aes128>::message_len_max_bytes(no_nonce_len), 0, "{no_nonce_len}");
        }
        assert!(check_message::<Ccm<Aes128>>(13, 65_535).is_ok());
        assert!(matches!(
            check_message::<Ccm<Aes128>>(13, 65_536),
            Err(Error::Len { what: Input::Message, accepted: Len::Between(0, 65_535), .. })
        ));
    }
}
