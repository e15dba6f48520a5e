//! A message with what seals it, in one buffer: nonce ‖ ciphertext ‖ tag.

use std::ops::Range;

use words::Sealing;

use super::nonces::Nonces;

/// Bytes that bind a part: its number and how many there are, eight each.
pub(super) const BINDING_LEN_BYTES: usize = 16;

/// Seals and opens under one key.
pub(super) struct Sealer {
    pub(super) sealing: Box<dyn Sealing>,
    pub(super) nonces: Nonces,
}

/// Which part of how many a message is.
pub(super) type Binding = [u8; BINDING_LEN_BYTES];

/// The binding of part `number` of `count`.
pub(super) fn binding(number: usize, count: usize) -> Binding {
    let mut bytes = [0; BINDING_LEN_BYTES];
    bytes[..8].copy_from_slice(&(number as u64).to_be_bytes());
    bytes[8..].copy_from_slice(&(count as u64).to_be_bytes());
    bytes
}

impl Sealer {
    /// What is bound as associated data, and what goes in front of the message because there is
    /// no associated data.
    fn split<'a>(&self, bound: Option<&'a Binding>) -> (&'a [u8], &'a [u8]) {
        let bytes = bound.map_or(&[][..], |bytes| &bytes[..]);
        if self.sealing.takes_associated_data() { (bytes, &[]) } else { (&[], bytes) }
    }

    /// A buffer with the message where it will be sealed in place: the sender's only copy of it.
    pub(super) fn enclose(&self, message: &[u8], bound: Option<&Binding>) -> Vec<u8> {
        let (_, front) = self.split(bound);
        let begin = self.sealing.nonce_len_bytes();
        let inner = front.len() + message.len();
        let ciphertext = self.sealing.ciphertext_len_bytes(inner);
        let mut buffer = vec![0; begin + ciphertext + self.sealing.tag_len_bytes()];
        buffer[begin..][..front.len()].copy_from_slice(front);
        buffer[begin + front.len()..][..message.len()].copy_from_slice(message);
        buffer
    }

    /// Seals a message of `message_len` that was enclosed.
    pub(super) fn seal(
        &mut self,
        buffer: &mut [u8],
        message_len: usize,
        bound: Option<&Binding>,
    ) -> Result<(), &'static str> {
        let (associated_data, front) = self.split(bound);
        let (nonce, rest) = buffer.split_at_mut(self.sealing.nonce_len_bytes());
        let (ciphertext, tag) = rest.split_at_mut(rest.len() - self.sealing.tag_len_bytes());
        self.nonces.next(nonce);
        self.sealing.seal(nonce, associated_data, ciphertext, front.len() + message_len, tag)
    }

    /// Opens a buffer in place: where the message lies in it now, or `None` for what is not
    /// genuine.
    pub(super) fn open(
        &mut self,
        buffer: &mut [u8],
        bound: Option<&Binding>,
    ) -> Option<Range<usize>> {
        let (associated_data, front) = self.split(bound);
        let (begin, tag_len) = (self.sealing.nonce_len_bytes(), self.sealing.tag_len_bytes());
        let end = buffer.len().checked_sub(tag_len).filter(|end| *end >= begin)?;
        let (nonce, rest) = buffer.split_at_mut(begin);
        let (ciphertext, tag) = rest.split_at_mut(end - begin);
        let len = self.sealing.open(nonce, associated_data, ciphertext, tag)?;
        // What was put in front is part of the message, so it is genuine: but is it this part's?
        let is_here = ciphertext[..len].starts_with(front);
        is_here.then(|| begin + front.len()..begin + len)
    }
}
