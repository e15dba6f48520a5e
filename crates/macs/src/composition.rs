//! Compositions of encryption and authentication: the interface, the checks of lengths and of tags.

#[cfg(feature = "batch")]
pub(crate) mod batch;
mod checked;
#[cfg(feature = "batch")]
mod job;
#[cfg(feature = "dyn")]
pub(crate) mod keyed;
mod with_tag_len;

use digest::{InvalidLength, Key, KeyInit};

use crate::error::{Error, Input};
use crate::inside::Inside;
use crate::kernels::Pin;
use crate::len::Len;
use crate::verify::is_leftmost_of;
use crate::wipe::wipe;
pub(crate) use checked::Checked;
#[cfg(feature = "batch")]
pub use job::{CompositionJob, SealJob};
pub use with_tag_len::WithTagLen;

/// A composition of encryption and authentication under one (joined) key. No other crate implements
/// the trait: what is behind it may change.
pub trait Composition: Checked + KeyInit + Clone + Send + Sync + 'static {
    /// Name in print of the mode, for errors.
    const TITLE: &'static str;

    /// Length of the nonce when nothing else is said, in bytes, and the lengths taken.
    const NONCE_LEN: (usize, Len);

    /// Length of the whole tag in bytes, and the lengths that [`with_tag_len`](Self::with_tag_len)
    /// takes. A shorter tag is the leftmost bytes of the whole one, except where the mode makes the
    /// length an input (CCM) or computes the short tag in another way (AEGIS).
    const TAG_LEN: (usize, Len);

    /// The lengths that [`with_short_tag_len`](Self::with_short_tag_len) takes: more only where a
    /// short tag costs more than its own bits (GCM, of which SP 800-38D has 4, 8 and 12 to 16
    /// bytes).
    const SHORT_TAG_LEN: Len = Self::TAG_LEN.1;

    /// The lengths of associated data taken.
    const ASSOCIATED_DATA_LEN: Len = Len::Any;

    /// The longest message under a nonce of this length; 0 if there is no such nonce.
    fn message_len_max_bytes(_nonce_len_bytes: usize) -> u64 {
        u64::MAX
    }

    /// Length of the ciphertext of a message, without the tag. More than the message's only where
    /// the mode pads.
    fn ciphertext_len_bytes(message_len_bytes: usize) -> usize {
        message_len_bytes
    }

    /// Sets a key up on the code path that is pinned.
    ///
    /// # Panics
    /// Where two keys stand one behind the other and are the same: the modes need two.
    fn keyed_on(pin: Pin, key: &Key<Self>) -> Self {
        Self::set_up(pin, key, Inside(())).expect("K1 and K2 are the same")
    }

    /// Sets up another key in place.
    ///
    /// # Errors
    /// When the composition takes no key of this length, or not this key; the old key then stays.
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        self.set_up_again(Pin::BEST, key, Inside(()))
    }

    /// Sets up another key in place, on the code path that is pinned.
    ///
    /// # Panics
    /// As [`keyed_on`](Self::keyed_on); the old key then stays.
    fn rekey_on(&mut self, pin: Pin, key: &Key<Self>) {
        self.set_up_again(pin, key, Inside(())).expect("K1 and K2 are the same");
    }

    /// The same with tags of another length. The protocol fixes it, once for a key: a tag of n bits
    /// is guessed once in 2^n times.
    ///
    /// # Errors
    /// A length that the composition does not take.
    fn with_tag_len(self, tag_len_bytes: usize) -> Result<WithTagLen<Self>, Error> {
        WithTagLen::new(self, Self::TAG_LEN.1, tag_len_bytes)
    }

    /// As [`with_tag_len`](Self::with_tag_len), also for tags that are too short to be taken
    /// without a thought: under GCM each forgery that succeeds brings the next ones nearer, and in
    /// the end the key of its hash (SP 800-38D appendix C says how few tries to allow).
    ///
    /// # Errors
    /// A length that the mode does not have.
    fn with_short_tag_len(self, tag_len_bytes: usize) -> Result<WithTagLen<Self>, Error> {
        WithTagLen::new(self, Self::SHORT_TAG_LEN, tag_len_bytes)
    }

    /// Encrypts and authenticates. `buffer` is as long as the ciphertext and begins with the
    /// message, which is `message_len_bytes` long. The tag is whole.
    ///
    /// # Errors
    /// A nonce, associated data, message or tag of a length that the composition does not take;
    /// the buffer is then untouched.
    fn seal_in_place(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        message_len_bytes: usize,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        seal(self, Self::TAG_LEN.0, header, buffer, message_len_bytes, tag)
    }

    /// Encrypts and authenticates a message that stays as it is. `ciphertext` is as long as
    /// [`ciphertext_len_bytes`](Self::ciphertext_len_bytes) says. The tag is whole. GCM over AES
    /// reads the message where it lies, and so does ChaCha20-Poly1305 of long messages with 256-bit
    /// vectors; all else copies it first.
    ///
    /// # Errors
    /// A nonce, associated data, message, ciphertext or tag of a length that the composition does
    /// not take; the ciphertext is then untouched.
    fn seal_into(
        &self,
        header: Header<'_>,
        message: &[u8],
        ciphertext: &mut [u8],
        tag: &mut [u8],
    ) -> Result<(), Error> {
        seal_into(self, Self::TAG_LEN.0, header, message, ciphertext, tag)
    }

    /// Verifies and decrypts; the message is then the first bytes of `buffer`, as many as returned.
    /// Only a whole tag is taken: how short it may be is not for its sender to choose. For shorter
    /// ones see [`with_tag_len`](Self::with_tag_len).
    ///
    /// # Errors
    /// [`Error::TagMismatch`] for whatever was not sealed so; lengths that the composition does not
    /// take. In both cases the whole buffer is zero: no plaintext is released. Until the call
    /// returns, the buffer may hold plaintext that is not verified yet.
    fn open_in_place(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        tag: &[u8],
    ) -> Result<usize, Error> {
        open(self, Self::TAG_LEN.0, header, buffer, tag)
    }
}

/// [`Composition::seal_in_place`] with tags of this length, which the mode has.
#[inline(always)]
pub(crate) fn seal<C: Composition>(
    keyed: &C,
    tag_len_bytes: usize,
    header: Header<'_>,
    buffer: &mut [u8],
    message_len_bytes: usize,
    tag: &mut [u8],
) -> Result<(), Error> {
    check_sealing::<C>(tag_len_bytes, header, message_len_bytes, buffer.len(), tag.len())?;
    keyed.seal_checked(header, buffer, message_len_bytes, tag, Inside(()));
    Ok(())
}

/// [`Composition::seal_into`] with tags of this length, which the mode has.
#[inline(always)]
pub(crate) fn seal_into<C: Composition>(
    keyed: &C,
    tag_len_bytes: usize,
    header: Header<'_>,
    message: &[u8],
    ciphertext: &mut [u8],
    tag: &mut [u8],
) -> Result<(), Error> {
    check_sealing::<C>(tag_len_bytes, header, message.len(), ciphertext.len(), tag.len())?;
    keyed.seal_into_checked(header, message, ciphertext, tag, Inside(()));
    Ok(())
}

/// Checks the lengths of all that goes into a sealing, and of the places for what comes out.
#[inline(always)]
fn check_sealing<C: Composition>(
    tag_len_bytes: usize,
    header: Header<'_>,
    message_len_bytes: usize,
    buffer_len_bytes: usize,
    place_for_tag_bytes: usize,
) -> Result<(), Error> {
    check_lens::<C>(header, message_len_bytes)?;
    check::<C>(Input::Tag, Len::Exactly(tag_len_bytes as u64), place_for_tag_bytes)?;
    let ciphertext_len = C::ciphertext_len_bytes(message_len_bytes);
    check::<C>(Input::Ciphertext, Len::Exactly(ciphertext_len as u64), buffer_len_bytes)
}

/// [`Composition::open_in_place`] with tags of this length, which the mode has.
#[inline(always)]
pub(crate) fn open<C: Composition>(
    keyed: &C,
    tag_len_bytes: usize,
    header: Header<'_>,
    buffer: &mut [u8],
    tag: &[u8],
) -> Result<usize, Error> {
    check_lens::<C>(header, buffer.len())
        .and_then(|()| check::<C>(Input::Tag, Len::Exactly(tag_len_bytes as u64), tag.len()))
        .and_then(|()| keyed.open_checked(header, buffer, tag, Inside(())))
        .inspect_err(|_| wipe(buffer))
}

/// What goes with a message and is not encrypted. There will be no more of it: RFC 5116 §2.1 has
/// these two, so it can be written down in braces.
#[derive(Clone, Copy, Debug)]
pub struct Header<'a> {
    /// The nonce.
    pub nonce: &'a [u8],
    /// The associated data.
    pub associated_data: &'a [u8],
}

/// Checks the lengths of all that goes in but the tag.
#[inline(always)]
fn check_lens<C: Composition>(header: Header<'_>, message_len_bytes: usize) -> Result<(), Error> {
    let Header { nonce, associated_data } = header;
    check::<C>(Input::Nonce, C::NONCE_LEN.1, nonce.len())?;
    check::<C>(Input::AssociatedData, C::ASSOCIATED_DATA_LEN, associated_data.len())?;
    check_message::<C>(nonce.len(), message_len_bytes)
}

#[inline(always)]
pub(crate) fn check_message<C: Composition>(
    nonce_len_bytes: usize,
    message_len_bytes: usize,
) -> Result<(), Error> {
    let message_len_max = C::message_len_max_bytes(nonce_len_bytes);
    check::<C>(Input::Message, Len::Between(0, message_len_max), message_len_bytes)
}

#[inline(always)]
fn check<C: Composition>(what: Input, accepted: Len, given_bytes: usize) -> Result<(), Error> {
    if accepted.accepts(given_bytes) {
        return Ok(());
    }
    Err(Error::Len { mac: C::TITLE, what, accepted, given_bytes: given_bytes as u64 })
}

/// Compares in constant time the tag given with the leftmost bytes of the right one, which is
/// wiped.
#[inline(always)]
pub(crate) fn verify(right: &mut [u8], tag: &[u8]) -> Result<(), Error> {
    if is_leftmost_of(right, tag) { Ok(()) } else { Err(Error::TagMismatch) }
}
