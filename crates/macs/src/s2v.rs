//! S2V over CMAC: RFC 5297 §2.4, a pseudorandom function of several strings. D = CMAC(0); for each
//! string but the last D = D·u ⊕ CMAC(string); the last one takes D at its end, or padded if it is
//! shorter than a block. As a mac it takes one string; [`S2v::mac_of_strings`] takes up to 127.

use core::slice;

use cipher::Block;
use digest::array::Array;
use digest::common::KeySizeUser;
use digest::consts::U16;
use digest::{InvalidLength, MacError, Output};
use zeroize::ZeroizeOnDrop;

use crate::cbc::omac::CmacOver;
use crate::ciphers::variant::Ending;
use crate::ciphers::{CipherInfo, WideCipher, rows_over};
use crate::digest_traits::digest_traits;
use crate::doubling::DoublingSize;
use crate::facts::{Facts, KeyLife, Quantum, ShortTags};
use crate::inside::Inside;
use crate::kernels::Pin;
use crate::kernels::partial::write_number;
use crate::prepared::{ByRow, PreparedMac};
use crate::row::MacInfo;
use crate::status::{Mode, Standing};
use crate::verify::is_leftmost_of;
use crate::wipe::wipe;

const BLOCK_BYTES: usize = 16;

/// What is held back of a message: at least the block that D is added to, if the message has one.
const HELD_BYTES: usize = 2 * BLOCK_BYTES;

/// Most strings (§2.6). Past them, powers of u add up to nothing: strings can be exchanged and the
/// tag stays, whatever the key.
const STRINGS_MAX: usize = 127;

/// S2V with its key, for whole strings.
#[derive(Clone)]
pub(crate) struct Strings<C: WideCipher> {
    mac: CmacOver<C>,
    /// CMAC of a block of zeros: D at the beginning.
    beginning: Block<C>,
}

impl<C: WideCipher> Strings<C> {
    pub(crate) fn new_on(pin: Pin, key: &[u8]) -> Result<Self, InvalidLength> {
        let mac = CmacOver::new_on(pin, key)?;
        let mut strings = Self { mac, beginning: Block::<C>::default() };
        strings.begin();
        Ok(strings)
    }

    /// In place.
    pub(crate) fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        self.mac.rekey(key)?;
        self.begin();
        Ok(())
    }

    fn begin(&mut self) {
        self.mac.mac_into(&[0; BLOCK_BYTES], &mut self.beginning);
    }

    /// S2V of `firsts` and then `last`.
    #[inline]
    pub(crate) fn mac<'a>(
        &self,
        firsts: impl IntoIterator<Item = &'a [u8]>,
        last: &[u8],
    ) -> Block<C> {
        let mut d = number(&self.beginning);
        let mut mac = Block::<C>::default();
        for string in firsts {
            self.mac.mac_into(string, &mut mac);
            d = doubled(d) ^ number(&mac);
        }
        wipe(&mut mac);
        let head_len = last.len().saturating_sub(BLOCK_BYTES) / BLOCK_BYTES * BLOCK_BYTES;
        let (head, tail) = last.split_at(head_len);
        if let (false, Some((last, []))) = (head.is_empty(), tail.split_first_chunk()) {
            return self.mac_of_blocks(d, head, last);
        }
        if head.is_empty() {
            return self.end(d, 0, tail);
        }
        let mut y = Block::<C>::default();
        self.chain(&mut y, head);
        let tag = self.end(d, number(&y), tail);
        wipe(&mut y);
        tag
    }

    /// S2V whose last string is whole blocks, `head` and `last`.
    #[inline(always)]
    fn mac_of_blocks(&self, d: u128, head: &[u8], last: &[u8; BLOCK_BYTES]) -> Block<C> {
        let (cipher, ending) = (self.mac.mode().cipher(), self.mac.mode().ending());
        let (mut end, mut tag) = (Block::<C>::default(), Block::<C>::default());
        write_number(u128::from_le_bytes(*last) ^ d, &mut end.0);
        let (blocks, _) = Block::<C>::slice_as_chunks(head);
        cipher.finish_chain(None, blocks, &end, ending.last_block(), &mut tag, Inside(()));
        wipe(&mut end);
        tag
    }

    /// Takes blocks that are not the end of the last string.
    #[inline(always)]
    fn chain(&self, y: &mut Block<C>, data: &[u8]) {
        let (blocks, _) = Block::<C>::slice_as_chunks(data);
        self.mac.mode().cipher().chain(y, blocks, &[], Inside(()));
    }

    /// The tag after the last string, whose blocks have led to `y` up to the last one or two, or
    /// which is shorter than a block. D goes into the chain, which takes it as the blocks would: so
    /// there need be no copy of these.
    #[inline]
    fn end(&self, d: u128, y: u128, mut tail: &[u8]) -> Block<C> {
        let (cipher, ending) = (self.mac.mode().cipher(), self.mac.mode().ending());
        let (mut start, mut tag) = (Block::<C>::default(), Block::<C>::default());
        let mut ending = ending.last_block();
        match tail.split_first_chunk() {
            None => {
                // Padded as it is given, masked as the full block that D makes of it.
                write_number(y ^ doubled(d), &mut start.0);
                ending.padded = ending.full;
            }
            Some((_, [])) => write_number(y ^ d, &mut start.0),
            Some((first, rest)) => {
                let at = 8 * rest.len() as u32;
                write_number(y ^ d << at, &mut start.0);
                cipher.chain(
                    &mut start,
                    slice::from_ref(Array::cast_from_core(first)),
                    &[],
                    Inside(()),
                );
                write_number(number(&start) ^ d >> (8 * BLOCK_BYTES as u32 - at), &mut start.0);
                tail = rest;
            }
        }
        cipher.finish_chain(Some(&start), &[], tail, ending, &mut tag, Inside(()));
        wipe(&mut start);
        tag
    }
}

/// The number whose bytes, little-endian, the block has.
#[inline(always)]
fn number(block: &Array<u8, U16>) -> u128 {
    u128::from_le_bytes(block.0)
}

/// D·u, of D as such a number.
#[inline(always)]
fn doubled(d: u128) -> u128 {
    number(&U16::double(&Array(d.to_le_bytes())))
}

impl<C: WideCipher> Drop for Strings<C> {
    /// The mac wipes itself.
    fn drop(&mut self) {
        wipe(&mut self.beginning);
    }
}

/// S2V over CMAC with the block cipher `C`.
#[derive(Clone)]
pub struct S2v<C: WideCipher + ZeroizeOnDrop> {
    strings: Strings<C>,
    y: Block<C>,
    /// The last bytes of the message under way: all of them, or from a block to two.
    held: [u8; HELD_BYTES],
    held_len: usize,
}

impl<C: WideCipher + ZeroizeOnDrop> S2v<C> {
    fn with_strings(strings: Strings<C>) -> Self {
        Self { strings, y: Block::<C>::default(), held: [0; HELD_BYTES], held_len: 0 }
    }

    fn keyed(key: &[u8]) -> Result<Self, InvalidLength> {
        Self::new_on(Pin::BEST, key)
    }

    /// The tag of these strings in this order, which are told apart: not that of all of them
    /// joined. A message under way through `update` is not disturbed.
    ///
    /// # Errors
    /// More than 127 strings (RFC 5297 §2.6).
    pub fn mac_of_strings(&self, strings: &[&[u8]]) -> Result<Array<u8, U16>, InvalidLength> {
        if strings.len() > STRINGS_MAX {
            return Err(InvalidLength);
        }
        let Some((last, firsts)) = strings.split_last() else {
            let mut one = [0; BLOCK_BYTES];
            one[BLOCK_BYTES - 1] = 1;
            return Ok(self.strings.mac.mac_from(Block::<C>::default(), &one));
        };
        Ok(self.strings.mac(firsts.iter().copied(), last))
    }

    /// Checks, in constant time, the tag of these strings.
    ///
    /// # Errors
    /// A wrong tag; more than 127 strings, which have none.
    pub fn verify_strings(&self, strings: &[&[u8]], tag: &Array<u8, U16>) -> Result<(), MacError> {
        let mut right = self.mac_of_strings(strings).map_err(|InvalidLength| MacError)?;
        if is_leftmost_of(&mut right, tag) { Ok(()) } else { Err(MacError) }
    }

    fn absorb(&mut self, mut data: &[u8]) {
        if self.held_len > 0 || data.len() <= HELD_BYTES {
            let room = HELD_BYTES - self.held_len;
            let (fill, rest) = data.split_at(data.len().min(room));
            self.held[self.held_len..][..fill.len()].copy_from_slice(fill);
            self.held_len += fill.len();
            if rest.is_empty() {
                return;
            }
            if rest.len() < BLOCK_BYTES {
                // The last block is still needed.
                self.strings.chain(&mut self.y, &self.held[..BLOCK_BYTES]);
                self.held.copy_within(BLOCK_BYTES.., 0);
                self.held[BLOCK_BYTES..][..rest.len()].copy_from_slice(rest);
                self.held_len = BLOCK_BYTES + rest.len();
                return;
            }
            self.strings.chain(&mut self.y, &self.held);
            data = rest;
        }
        let head_len = data.len().saturating_sub(BLOCK_BYTES + 1) / BLOCK_BYTES * BLOCK_BYTES;
        let (head, tail) = data.split_at(head_len);
        self.strings.chain(&mut self.y, head);
        self.held[..tail.len()].copy_from_slice(tail);
        self.held_len = tail.len();
    }

    fn finish(&mut self, tag: &mut Output<Self>) {
        let tail = &self.held[..self.held_len];
        if tail.len() < HELD_BYTES {
            *tag = self.strings.end(number(&self.strings.beginning), number(&self.y), tail);
            return;
        }
        let (first, last) = tail.split_at(BLOCK_BYTES);
        let mut y = self.y;
        self.strings.chain(&mut y, first);
        *tag = self.strings.end(number(&self.strings.beginning), number(&y), last);
    }

    fn restart(&mut self) {
        self.y = Block::<C>::default();
        wipe(&mut self.held);
        self.held_len = 0;
    }
}

impl<C: WideCipher + ZeroizeOnDrop> ByRow for S2v<C> {
    const IS_QUICK: bool = !C::BLOCK_TAKES_LONG;
}

impl<C: WideCipher + ZeroizeOnDrop> PreparedMac for S2v<C> {
    fn new_on(pin: Pin, key: &[u8]) -> Result<Self, InvalidLength> {
        Strings::new_on(pin, key).map(Self::with_strings)
    }

    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        self.strings.rekey(key)?;
        self.restart();
        Ok(())
    }

    #[inline]
    fn mac_into(&self, message: &[u8], tag: &mut Output<Self>) {
        *tag = self.strings.mac([], message);
    }
}

impl<C: WideCipher + ZeroizeOnDrop> Drop for S2v<C> {
    fn drop(&mut self) {
        wipe(&mut self.y);
        wipe(&mut self.held);
    }
}

digest_traits! {
    [C: WideCipher + ZeroizeOnDrop] S2v<C>, "S2v", key: <C as KeySizeUser>::KeySize, tag: U16
}

pub(crate) const ROWS: &[MacInfo] = rows_over!(aes: row, "s2v", "S2V");

const fn row<C: WideCipher + ZeroizeOnDrop>(
    name: &'static str,
    title: &'static str,
    cipher: &'static CipherInfo,
) -> MacInfo {
    MacInfo::mac::<S2v<C>>(name, title, &MODE, &cipher.primitive, cipher.key_len())
}

static MODE: Mode = Mode {
    title: "S2V",
    specification: "RFC 5297 §2.4",
    standing: Standing::Sound,
    proof: "pseudorandom function if the cipher is a pseudorandom permutation, of several strings \
            too (Rogaway, Shrimpton 2006)",
    bound: "CMAC's: about σ²/2^n",
    nonce: "",
    key_life: "keep σ far below 2^(n/2) blocks",
    approved_by: "RFC 5297 is informational",
    attacks: "at the birthday bound CMAC's masks are found (Mitchell 2005)",
    facts: Facts {
        short_tags: ShortTags::No,
        key_life: KeyLife::Blocks,
        quantum: Quantum::Superposition,
        ..Facts::MAC
    },
};
