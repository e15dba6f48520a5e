//! ChaCha20-Poly1305: RFC 8439 §2.8.

use core::fmt;

use cipher::consts::U32;
use cipher::inout::InOutBuf;
use cipher::{Key, KeySizeUser};
use digest::{InvalidLength, KeyInit};
use zeroize::ZeroizeOnDrop;

use crate::composition::{Checked, Composition, Header, verify};
use crate::error::Error;
use crate::facts::{ConstantTime, Facts, Hardware, NonceNeed, Repeat, ShortTags};
use crate::inside::Inside;
use crate::kernels::chacha20::{self, BLOCK_BYTES};
use crate::kernels::poly1305::{self, Accumulator};
use crate::kernels::{Choice, Pin};
use crate::len::Len;
use crate::row::MacInfo;
use crate::status::{Mode, Paths, Primitive, Standing};
use crate::wipe::{overwrite, wipe};

/// RFC 8439 §2.8: 2^32 − 1 blocks of 64 bytes.
const MESSAGE_LEN_MAX_BYTES: u64 = (1 << 38) - 64;

const KEY_LEN_BYTES: usize = 32;
const KEY_LEN: (usize, Len) = (KEY_LEN_BYTES, Len::Exactly(KEY_LEN_BYTES as u64));
const NONCE_LEN_BYTES: usize = 12;
const TAG_LEN_BYTES: usize = 16;

/// Bytes of the stream that are made at once: the one-time key and a short message come out of one
/// call.
const FEW_BYTES: usize = 4 * BLOCK_BYTES;
/// The same for messages that fit into so many, but not into the few: beside short ones and long
/// ones they would be felt.
const MORE_BYTES: usize = 8 * BLOCK_BYTES;

/// Whether a message of this length takes more.
#[inline(always)]
fn takes_more(message_len: usize) -> bool {
    (FEW_BYTES - BLOCK_BYTES + 1..=MORE_BYTES - BLOCK_BYTES).contains(&message_len)
}

/// ChaCha20-Poly1305 with nonces of 96 bits.
#[derive(Clone)]
pub struct ChaCha20Poly1305 {
    key: [u8; KEY_LEN_BYTES],
    cipher: chacha20::Kernel,
    hash: poly1305::Kernel,
}

impl KeySizeUser for ChaCha20Poly1305 {
    type KeySize = U32;
}

impl KeyInit for ChaCha20Poly1305 {
    fn new(key: &Key<Self>) -> Self {
        Self::keyed_on(Pin::BEST, key)
    }
}

impl Drop for ChaCha20Poly1305 {
    fn drop(&mut self) {
        overwrite(&mut self.key, [0; KEY_LEN_BYTES]);
    }
}

/// The first blocks of a stream; wiped when dropped.
struct Beginning<const BYTES: usize>([u8; BYTES]);

impl<const BYTES: usize> Beginning<BYTES> {
    /// RFC 8439 §2.6: the first half of the first block.
    fn one_time_key(&self) -> &[u8; KEY_LEN_BYTES] {
        self.0.first_chunk().expect("it is longer")
    }
}

impl<const BYTES: usize> Drop for Beginning<BYTES> {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

fn checked(nonce: &[u8]) -> &[u8; NONCE_LEN_BYTES] {
    nonce.try_into().expect("12 bytes, as checked")
}

impl ChaCha20Poly1305 {
    /// The beginning of the stream under a nonce, as much of it as a message of this length needs.
    #[inline(always)]
    fn begin<const BYTES: usize>(
        &self,
        nonce: &[u8; NONCE_LEN_BYTES],
        message_len: usize,
    ) -> Beginning<BYTES> {
        let mut beginning = Beginning([0; _]);
        let needed = 1 + message_len.div_ceil(BLOCK_BYTES);
        let blocks = needed.next_multiple_of(self.cipher.row_blocks()).min(BYTES / BLOCK_BYTES);
        self.cipher.apply(&self.key, nonce, 0, &mut beginning.0[..blocks * BLOCK_BYTES]);
        beginning
    }

    /// XORs the stream into a message: what there is of the beginning, and then the rest.
    #[inline(always)]
    fn encrypt<const BYTES: usize>(
        &self,
        nonce: &[u8; NONCE_LEN_BYTES],
        beginning: &Beginning<BYTES>,
        message: &mut [u8],
    ) {
        let stream = &beginning.0[BLOCK_BYTES..];
        let (head, rest) = message.split_at_mut(message.len().min(stream.len()));
        head.iter_mut().zip(stream).for_each(|(byte, stream)| *byte ^= stream);
        if !rest.is_empty() {
            let counter = (BYTES / BLOCK_BYTES) as u32;
            self.cipher.apply(&self.key, nonce, counter, rest);
        }
    }

    /// Seals what is in `data`, except that the part to be encrypted ahead is where it goes.
    #[inline(always)]
    fn seal(&self, header: Header<'_>, mut data: InOutBuf<'_, '_, u8>, tag: &mut [u8]) {
        let Header { nonce, associated_data } = header;
        let (nonce, mut first) = (checked(nonce), Beginning([0; BLOCK_BYTES]));
        let ahead = self.cipher.ahead(data.len());
        self.cipher.encrypt(&self.key, nonce, &mut first.0, &mut data.get_out()[..ahead]);
        let one_time_key = first.one_time_key();
        if ahead == data.len() {
            tag.copy_from_slice(&self.tag(one_time_key, associated_data, data.get_out()));
        } else {
            self.seal_along(nonce, one_time_key, associated_data, data, tag);
        }
    }

    /// Encrypts what is not yet encrypted, and hashes all.
    #[inline(never)]
    fn seal_along(
        &self,
        nonce: &[u8; NONCE_LEN_BYTES],
        one_time_key: &[u8; KEY_LEN_BYTES],
        associated_data: &[u8],
        mut data: InOutBuf<'_, '_, u8>,
        tag: &mut [u8],
    ) {
        let mut running = Accumulator::new(one_time_key);
        self.absorb_padded(&mut running, associated_data);
        let absorbed = self.cipher.encrypt_along(&self.key, nonce, &mut running, data.reborrow());
        let lens = [associated_data.len(), data.len()];
        let right = self.finish(&mut running, one_time_key, &data.get_out()[absorbed..], lens);
        tag.copy_from_slice(&right);
        overwrite(&mut running, Accumulator::PUBLIC);
    }

    #[inline(always)]
    fn open_from<const BYTES: usize>(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        tag: &[u8],
    ) -> Result<(), Error> {
        let Header { nonce, associated_data } = header;
        let nonce = checked(nonce);
        let beginning = self.begin::<BYTES>(nonce, buffer.len());
        let mut right = self.tag(beginning.one_time_key(), associated_data, buffer);
        verify(&mut right, tag)?;
        self.encrypt(nonce, &beginning, buffer);
        Ok(())
    }

    /// RFC 8439 §2.8: Poly1305 of both texts, each padded with zeros, and their lengths.
    #[inline(always)]
    fn tag(
        &self,
        key: &[u8; KEY_LEN_BYTES],
        associated_data: &[u8],
        ciphertext: &[u8],
    ) -> [u8; TAG_LEN_BYTES] {
        let mut running = Accumulator::new(key);
        self.absorb_padded(&mut running, associated_data);
        let lens = [associated_data.len(), ciphertext.len()];
        let tag = self.finish(&mut running, key, ciphertext, lens);
        overwrite(&mut running, Accumulator::PUBLIC);
        tag
    }

    #[inline(always)]
    fn absorb_padded(&self, running: &mut Accumulator, text: &[u8]) {
        let (blocks, tail) = text.as_chunks();
        self.hash.absorb(running, blocks);
        if !tail.is_empty() {
            self.hash.absorb(running, &[padded(tail)]);
        }
    }

    /// The tag after the last part of the ciphertext; the lengths are of both texts.
    #[inline(always)]
    fn finish(
        &self,
        running: &mut Accumulator,
        key: &[u8; KEY_LEN_BYTES],
        ciphertext: &[u8],
        lens: [usize; 2],
    ) -> [u8; TAG_LEN_BYTES] {
        let lens = lens.map(|len| (len as u64).to_le_bytes());
        let (blocks, tail) = ciphertext.as_chunks();
        self.hash.absorb(running, blocks);
        let last = [padded(tail), padded(lens.as_flattened())];
        self.hash.absorb(running, &last[usize::from(tail.is_empty())..]);
        let (_, s) = key.split_last_chunk().expect("the key is longer");
        self.hash.finish(running, &[], s)
    }
}

/// Up to 16 bytes with zeros behind them.
fn padded(bytes: &[u8]) -> [u8; TAG_LEN_BYTES] {
    let mut block = [0; _];
    block[..bytes.len()].copy_from_slice(bytes);
    block
}

impl Composition for ChaCha20Poly1305 {
    const TITLE: &'static str = MODE.title;
    const NONCE_LEN: (usize, Len) = (NONCE_LEN_BYTES, Len::Exactly(12));
    const TAG_LEN: (usize, Len) = (TAG_LEN_BYTES, Len::Exactly(16));

    fn message_len_max_bytes(_: usize) -> u64 {
        MESSAGE_LEN_MAX_BYTES
    }
}

impl Checked for ChaCha20Poly1305 {
    const IS_QUICK: bool = true;

    fn set_up(pin: Pin, key: &[u8], _: Inside) -> Result<Self, InvalidLength> {
        let key = key.try_into().map_err(|_| InvalidLength)?;
        let (cipher, hash) = (chacha20::Kernel::pinned(pin), poly1305::Kernel::pinned(pin));
        Ok(Self { key, cipher, hash })
    }

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

    fn seal_into_checked(
        &self,
        header: Header<'_>,
        message: &[u8],
        ciphertext: &mut [u8],
        tag: &mut [u8],
        _: Inside,
    ) {
        let ahead = self.cipher.ahead(message.len());
        ciphertext[..ahead].copy_from_slice(&message[..ahead]);
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
        if takes_more(buffer.len()) {
            self.open_from::<MORE_BYTES>(header, buffer, tag)?;
        } else {
            self.open_from::<FEW_BYTES>(header, buffer, tag)?;
        }
        Ok(buffer.len())
    }
}

impl ZeroizeOnDrop for ChaCha20Poly1305 {}

impl fmt::Debug for ChaCha20Poly1305 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ChaCha20Poly1305 { .. }")
    }
}

pub(crate) const ROWS: &[MacInfo] =
    &[super::row::<ChaCha20Poly1305>("chacha20-poly1305", MODE.title, &MODE, &CHACHA20, KEY_LEN)
        .with_universal_hash(Paths::own::<poly1305::Kernel>(), OF_HASH)
        .with_message_len_max(MESSAGE_LEN_MAX_BYTES)];

const OF_HASH: ConstantTime = ConstantTime::Mostly("where the multiplications of Poly1305 are");

static CHACHA20: Primitive = Primitive {
    name: "chacha20",
    title: "ChaCha20",
    standing: Standing::Sound,
    note: "",
    constant_time: ConstantTime::Yes("additions, rotations and XOR"),
    hardware: Hardware::None,
    block_len_bytes: BLOCK_BYTES,
    paths: Paths::own::<chacha20::Kernel>(),
};

static MODE: Mode = Mode {
    title: "ChaCha20-Poly1305",
    specification: "RFC 8439",
    standing: Standing::Conditional,
    proof: "private and authentic if ChaCha20 is a pseudorandom function (Procter 2014)",
    bound: "ChaCha20's, and for each forgery tried on messages of l 16-byte blocks about l/2^103",
    nonce: "12 bytes, never the same: one used twice gives its one-time key away, and with it \
            forgeries under that nonce, and shows the XOR of its messages",
    key_life: "no practical limit as long as nonces are counted",
    approved_by: "IRTF (RFC 8439); IETF for IPsec and TLS (RFC 7634, RFC 7905)",
    attacks: "who chooses keys makes one ciphertext that opens under several (Len, Grubbs, \
              Ristenpart 2021)",
    facts: Facts {
        nonce: NonceNeed::Unique(Repeat::SomeForgeries),
        // RFC 8439 §2.8 has tags of 128 bits.
        short_tags: ShortTags::No,
        ..Facts::AEAD
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::composition::check_message;
    use crate::error::Input;

    #[test]
    fn a_message_is_as_long_as_the_counter_has_blocks() {
        let check = |message_len| check_message::<ChaCha20Poly1305>(12, message_len);
        assert!(check(274_877_906_880).is_ok());
        assert!(matches!(check(274_877_906_881), Err(Error::Len { what: Input::Message, .. })));
    }
}
