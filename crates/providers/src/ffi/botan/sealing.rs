//! Messages that differ in nonce and associated data: an object that seals and one that opens, both
//! kept; and CTR with CMAC, which Botan has only as parts.

use macs::MacInfo;

use super::aead::{Cipher, DECRYPT, granularity};
use super::mac::Mac;
use super::{Api, name_of};
use crate::ffi::composed;
use crate::sealing::{Opened, SameLength, SealInPlace, Step};
use crate::{Refused, Sealing};

/// An authenticated encryption that Botan has.
pub(super) fn native(
    api: &'static Api,
    info: &'static MacInfo,
    key: &[u8],
) -> Result<Box<dyn Sealing>, Refused> {
    let (nonce_len_bytes, tag_len_bytes) = (crate::timed_nonce(info).len(), info.tag_len_bytes);
    let name = name_of(info, nonce_len_bytes, tag_len_bytes);
    let name = name.ok_or_else(|| Refused::not_here(info.name))?;
    let keyed = |direction| {
        let cipher = Cipher::new(api, &name, direction, key)?;
        let granularity = granularity(api, info, &cipher);
        Ok::<_, Refused>(Direction { cipher, granularity, had_data: false })
    };
    let (seals, opens) = (keyed(0)?, keyed(DECRYPT)?);
    let library = Native { seals, opens, written: vec![], sealed: vec![] };
    let takes_associated_data = true;
    Ok(Box::new(SameLength { nonce_len_bytes, tag_len_bytes, takes_associated_data, library }))
}

/// A cipher that seals or opens.
struct Direction {
    cipher: Cipher,
    granularity: Option<usize>,
    /// Whether the last message had associated data, which stay set.
    had_data: bool,
}

impl Direction {
    /// Takes a whole message, and writes all that comes of it. False is what Botan says of a
    /// message that is not genuine; it is ready for the next one afterwards.
    fn apply(
        &mut self,
        nonce: &[u8],
        data: &[u8],
        input: &[u8],
        output: &mut [u8],
        tag_len: usize,
    ) -> Result<bool, &'static str> {
        let Self { cipher, granularity, had_data } = self;
        if (!data.is_empty() || *had_data) && !(cipher.reset() && cipher.set_associated_data(data))
        {
            return Err("botan_cipher_set_associated_data failed");
        }
        *had_data = !data.is_empty();
        if !cipher.start(nonce) {
            return Err("botan_cipher_start failed");
        }
        // The tag, which opening needs at the end, is not given away early.
        let early = input.len().min(output.len()).saturating_sub(tag_len);
        let begun = cipher.begin(*granularity, &input[..early], output)?;
        let expected = output.len() - begun;
        match cipher.finish(&input[begun..], &mut output[begun..]) {
            Ok(written) if written == expected => Ok(true),
            _ => {
                cipher.reset();
                Ok(false)
            }
        }
    }
}

struct Native {
    seals: Direction,
    opens: Direction,
    /// What the library writes: it does not work in place.
    written: Vec<u8>,
    /// Ciphertext and tag, which it takes as one.
    sealed: Vec<u8>,
}

impl SealInPlace for Native {
    fn seal_whole(&mut self, nonce: &[u8], data: &[u8], buffer: &mut [u8], tag: &mut [u8]) -> Step {
        self.written.resize(buffer.len() + tag.len(), 0);
        if !self.seals.apply(nonce, data, buffer, &mut self.written, 0)? {
            return Err("botan_cipher_update failed");
        }
        let (ciphertext, computed) = self.written.split_at(buffer.len());
        buffer.copy_from_slice(ciphertext);
        tag.copy_from_slice(computed);
        Ok(())
    }

    fn open_whole(&mut self, nonce: &[u8], data: &[u8], buffer: &mut [u8], tag: &[u8]) -> Opened {
        self.sealed.clear();
        self.sealed.extend_from_slice(buffer);
        self.sealed.extend_from_slice(tag);
        self.opens.apply(nonce, data, &self.sealed, buffer, tag.len())
    }
}

/// Encrypt-and-MAC and Encrypt-then-MAC of Botan's counter mode and its CMAC.
pub(super) fn of_parts(
    api: &'static Api,
    info: &'static MacInfo,
    key: &[u8],
) -> Result<Box<dyn Sealing>, Refused> {
    let absent = || Refused::not_here(info.name);
    let [for_ctr, for_mac] = composed::keys(info, key).ok_or_else(absent)?;
    let cipher = format!("AES-{}", 8 * for_ctr.len());
    let mut counter = Cipher::new(api, &format!("CTR-BE({cipher})"), 0, for_ctr)?;
    let mut mac = Mac::new(api, &format!("CMAC({cipher})"))?;
    if mac.tag_len_bytes() != 16 {
        return Err(absent());
    }
    api.check(mac.set_key(for_mac), info.name)?;
    let mut written = Vec::new();
    let keystream = move |first: &[u8], data: &mut [u8]| {
        written.resize(data.len(), 0);
        if !counter.start(first) || counter.finish(data, &mut written) != Ok(data.len()) {
            return Err("botan_cipher_update failed");
        }
        data.copy_from_slice(&written);
        Ok(())
    };
    let mac = move |parts: &[&[u8]], tag: &mut [u8]| {
        if tag.len() == 16 && mac.compute(parts, tag) { Ok(()) } else { Err("botan_mac failed") }
    };
    composed::sealing(info, Box::new(keystream), Box::new(mac)).ok_or_else(absent)
}
