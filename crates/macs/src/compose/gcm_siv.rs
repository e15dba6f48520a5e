//! AES-GCM-SIV: RFC 8452. From key and nonce come a key of POLYVAL and one of AES (§4); the tag is
//! E(POLYVAL(associated data, message, lengths) ⊕ nonce, one bit cleared), and counter mode begins
//! with the tag, that bit set.

use core::fmt;

use cipher::{Block, Key, KeySizeUser};
use digest::typenum::Unsigned;
use digest::{InvalidLength, KeyInit};
use zeroize::ZeroizeOnDrop;

use crate::ciphers::{AES_128, AES_256, Aes128, Aes256, CipherInfo, WideCipher, ctr};
use crate::composition::{Checked, Composition, Header, verify};
use crate::error::Error;
use crate::facts::{ConstantTime, Facts, Hardware, KeyLife, NonceNeed, Quantum, Repeat, ShortTags};
use crate::inside::Inside;
use crate::kernels::{Choice, Pin, ghash};
use crate::len::Len;
use crate::row::MacInfo;
use crate::status::{Mode, Paths, Standing};
use crate::wipe::{overwrite, wipe};

/// RFC 8452 §6: 2^36 bytes.
const LEN_MAX_BYTES: u64 = 1 << 36;

const NONCE_LEN_BYTES: usize = 12;

const BLOCK_BYTES: usize = 16;

/// Half of a block is taken of each that keys are derived with.
const HALF_BYTES: usize = BLOCK_BYTES / 2;

/// The longest key of the cipher.
const KEY_MAX_BYTES: usize = 32;

/// AES with the keys that RFC 8452 has.
pub trait SivCipher: WideCipher {}

impl SivCipher for Aes128 {}
impl SivCipher for Aes256 {}

/// GCM-SIV over AES.
#[derive(Clone)]
pub struct GcmSiv<C> {
    cipher: C,
    hash: ghash::Kernel,
}

/// What key and nonce become.
struct OfNonce<C> {
    cipher: C,
    hash: ghash::Kernel,
    powers: ghash::Key,
}

impl<C> Drop for OfNonce<C> {
    /// The cipher wipes itself.
    fn drop(&mut self) {
        overwrite(&mut self.powers, ghash::Key::PUBLIC);
    }
}

impl<C: SivCipher> GcmSiv<C> {
    /// §4: derive_keys. The powers of POLYVAL's key reach as far as this message.
    #[inline]
    fn of_nonce(&self, header: Header<'_>, message_len: usize) -> OfNonce<C> {
        let Header { nonce, associated_data } = header;
        let mut blocks = [Block::<C>::default(); (BLOCK_BYTES + KEY_MAX_BYTES) / HALF_BYTES];
        let blocks = &mut blocks[..(BLOCK_BYTES + C::KeySize::USIZE) / HALF_BYTES];
        for (block, number) in blocks.iter_mut().zip(0..) {
            block[0] = number;
            block[BLOCK_BYTES - NONCE_LEN_BYTES..].copy_from_slice(nonce);
        }
        self.cipher.encrypt_blocks(blocks);
        let mut keys = [0; BLOCK_BYTES + KEY_MAX_BYTES];
        for (half, block) in keys.chunks_exact_mut(HALF_BYTES).zip(&mut *blocks) {
            half.copy_from_slice(&block[..HALF_BYTES]);
            wipe(block);
        }
        let (h, key) = keys.split_first_chunk().expect("it is longer");
        let cipher =
            C::new_on(self.cipher.kernel(Inside(())), &key[..C::KeySize::USIZE], Inside(()));
        let cipher = cipher.expect("KeySize is a length that is taken");
        let (hash, powers) = (self.hash, ghash::Key::PUBLIC);
        let mut of_nonce = OfNonce { cipher, hash, powers };
        let reach_bytes = message_len.max(associated_data.len());
        hash.set_polyval(&mut of_nonce.powers, h, reach_bytes);
        wipe(&mut keys);
        of_nonce
    }
}

impl<C: SivCipher> OfNonce<C> {
    #[inline]
    fn tag(&self, header: Header<'_>, message: &[u8]) -> Block<C> {
        let Header { nonce, associated_data } = header;
        let (mut y, mut tag) = ([0; BLOCK_BYTES], Block::<C>::default());
        tag[..NONCE_LEN_BYTES].copy_from_slice(nonce);
        self.hash.absorb(&self.powers, &mut y, associated_data);
        let lens_bytes = [message, associated_data].map(|data| data.len() as u64);
        self.hash.finish(&self.powers, &y, message, lens_bytes, &mut tag.0);
        tag[BLOCK_BYTES - 1] &= 0x7f;
        self.cipher.encrypt_block(&mut tag);
        wipe(&mut y);
        tag
    }

    #[inline]
    fn encrypt_or_decrypt(&self, tag: &[u8], data: &mut [u8]) {
        let mut first = Block::<C>::default();
        first.copy_from_slice(tag);
        first[BLOCK_BYTES - 1] |= 0x80;
        self.cipher.ctr::<{ ctr::LITTLE_ENDIAN }>(&first, &mut [], data.into(), Inside(()));
    }
}

impl<C: KeySizeUser> KeySizeUser for GcmSiv<C> {
    type KeySize = C::KeySize;
}

impl<C: SivCipher> KeyInit for GcmSiv<C> {
    fn new(key: &Key<Self>) -> Self {
        Self::keyed_on(Pin::BEST, key)
    }
}

impl<C: SivCipher> Composition for GcmSiv<C> {
    const TITLE: &'static str = MODE.title;
    const NONCE_LEN: (usize, Len) = (NONCE_LEN_BYTES, Len::Exactly(NONCE_LEN_BYTES as u64));
    const TAG_LEN: (usize, Len) = (BLOCK_BYTES, Len::Exactly(BLOCK_BYTES as u64));
    const ASSOCIATED_DATA_LEN: Len = Len::Between(0, LEN_MAX_BYTES);

    fn message_len_max_bytes(_: usize) -> u64 {
        LEN_MAX_BYTES
    }
}

impl<C: SivCipher> Checked for GcmSiv<C> {
    fn set_up(pin: Pin, key: &[u8], _: Inside) -> Result<Self, InvalidLength> {
        let cipher = C::new_on(C::Kernel::pinned(pin), key, Inside(()))?;
        Ok(Self { cipher, hash: ghash::Kernel::pinned(pin) })
    }

    /// In place, on the code path that it has.
    fn set_up_again(&mut self, _: Pin, key: &[u8], _: Inside) -> Result<(), InvalidLength> {
        self.cipher.rekey(key, Inside(()))
    }

    fn seal_checked(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        _: usize,
        tag: &mut [u8],
        _: Inside,
    ) {
        let of_nonce = self.of_nonce(header, buffer.len());
        tag.copy_from_slice(&of_nonce.tag(header, buffer));
        of_nonce.encrypt_or_decrypt(tag, buffer);
    }

    fn open_checked(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        tag: &[u8],
        _: Inside,
    ) -> Result<usize, Error> {
        let of_nonce = self.of_nonce(header, buffer.len());
        of_nonce.encrypt_or_decrypt(tag, buffer);
        verify(&mut of_nonce.tag(header, buffer), tag)?;
        Ok(buffer.len())
    }
}

impl<C: ZeroizeOnDrop> ZeroizeOnDrop for GcmSiv<C> {}

impl<C> fmt::Debug for GcmSiv<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GcmSiv { .. }")
    }
}

pub(crate) const ROWS: &[MacInfo] = &[
    row::<Aes128>("gcm-siv-aes-128", "GCM-SIV-AES-128", &AES_128),
    row::<Aes256>("gcm-siv-aes-256", "GCM-SIV-AES-256", &AES_256),
];

const fn row<C: SivCipher>(
    name: &'static str,
    title: &'static str,
    cipher: &'static CipherInfo,
) -> MacInfo {
    super::row::<GcmSiv<C>>(name, title, &MODE, &cipher.primitive, cipher.key_len())
        .with_message_len_max(LEN_MAX_BYTES)
        .with_universal_hash(Paths::own::<ghash::Kernel>(), ConstantTime::OF_GHASH)
}

static MODE: Mode = Mode {
    title: "GCM-SIV",
    specification: "RFC 8452",
    standing: Standing::Sound,
    proof: "authenticated encryption that bears repeated nonces, if the cipher is a pseudorandom \
            permutation (Gueron, Lindell 2017; Bose, Hoang, Tessaro 2018)",
    bound: "for each nonce by itself about σ²/2^128, σ the blocks of its messages, and for each \
            forgery tried on messages of l blocks about l/2^128",
    nonce: "12 bytes, which may be random: one used again shows which messages are the same under \
            the same associated data, and nothing else",
    key_life: "keep messages far below 2^64, and those of one nonce far below 2^32",
    approved_by: "IRTF (RFC 8452)",
    attacks: "who chooses keys makes one ciphertext that opens under several (Len, Grubbs, \
              Ristenpart 2021), as with GCM and ChaCha20-Poly1305",
    facts: Facts {
        nonce: NonceNeed::Unique(Repeat::Equality),
        // The tag is where counter mode begins: it must be whole.
        short_tags: ShortTags::No,
        key_life: KeyLife::Messages,
        hardware: Hardware::Carryless,
        // Where a nonce is used again, as it may be: every nonce has keys of its own.
        quantum: Quantum::Superposition,
        ..Facts::AEAD
    },
};
