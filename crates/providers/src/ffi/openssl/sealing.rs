//! Messages that differ in nonce and associated data: a context that seals and one that opens, both
//! kept, in place; and EAX and the compositions of CTR with CMAC, of which libcrypto has the parts.

use macs::MacInfo;

use super::aead::{Composition, Context, Mode};
use super::evp_mac::EvpMacContext;
use super::library::{Cipher, Interface, Libcrypto, PrimitiveFn};
use super::primitive::{PRIMITIVES, Settings};
use crate::ffi::composed;
use crate::sealing::{Opened, SameLength, SealInPlace, Step};
use crate::{Refused, Sealing};

/// A composition that libcrypto has.
pub(super) fn native(
    composition: &'static Composition,
    functions: &'static Cipher,
    cipher: PrimitiveFn,
    info: &'static MacInfo,
    key: &[u8],
) -> Result<Box<dyn Sealing>, &'static str> {
    let (nonce, mode) = (crate::timed_nonce(info), composition.mode);
    let keyed = |seals: bool| {
        let mut context = Context::new(functions, cipher, seals)?;
        context.set_nonce_len(nonce.len())?;
        if mode == Mode::Ccm {
            context.set_tag(Err(info.tag_len_bytes))?;
        }
        context.set_key(Some(key), &nonce, seals)?;
        Ok::<_, &'static str>(context)
    };
    let (seals, opens) = (keyed(true)?, keyed(false)?);
    let (nonce_len_bytes, tag_len_bytes) = (nonce.len(), info.tag_len_bytes);
    let (takes_associated_data, library) = (true, Native { mode, seals, opens });
    Ok(Box::new(SameLength { nonce_len_bytes, tag_len_bytes, takes_associated_data, library }))
}

struct Native {
    mode: Mode,
    seals: Context,
    opens: Context,
}

impl SealInPlace for Native {
    fn seal_whole(&mut self, nonce: &[u8], data: &[u8], buffer: &mut [u8], tag: &mut [u8]) -> Step {
        self.seals.set_key(None, nonce, true)?;
        if self.mode == Mode::Ccm {
            self.seals.set_message_len(buffer.len())?;
        }
        self.seals.associated_data(data)?;
        self.seals.apply_in_place(buffer)?;
        if self.mode == Mode::Online && !self.seals.finish() {
            return Err("EVP_CipherFinal_ex failed");
        }
        self.seals.tag(tag)
    }

    fn open_whole(&mut self, nonce: &[u8], data: &[u8], buffer: &mut [u8], tag: &[u8]) -> Opened {
        self.opens.set_tag(Ok(tag))?;
        self.opens.set_key(None, nonce, false)?;
        if self.mode == Mode::Ccm {
            self.opens.set_message_len(buffer.len())?;
            self.opens.associated_data(data)?;
            // The tag is looked at before anything is given out.
            return Ok(self.opens.apply_in_place(buffer).is_ok());
        }
        self.opens.associated_data(data)?;
        self.opens.apply_in_place(buffer)?;
        Ok(self.opens.finish())
    }
}

/// The counter modes of [`of_parts`], by the key's length.
const COUNTER_MODES: [(usize, &str, &str); 3] = [
    (16, "EVP_aes_128_ctr", "cmac-aes-128"),
    (24, "EVP_aes_192_ctr", "cmac-aes-192"),
    (32, "EVP_aes_256_ctr", "cmac-aes-256"),
];

/// A composition of libcrypto's counter mode and CMAC, through the interface of 3.0 and later.
pub(super) fn of_parts(
    libcrypto: &'static Libcrypto,
    info: &'static MacInfo,
    key: &[u8],
) -> Result<Box<dyn Sealing>, Refused> {
    let absent = || Refused::not_here(info.name);
    let [for_ctr, for_mac] = composed::keys(info, key).ok_or_else(absent)?;
    let known = COUNTER_MODES.iter().find(|(len, ..)| *len == for_ctr.len());
    let (_, function, mac) = known.ok_or_else(absent)?;
    let cipher = libcrypto.primitive(function).ok_or_else(absent)?;
    let primitive = PRIMITIVES.iter().find(|it| it.mac == *mac).ok_or_else(absent)?;
    let Interface::EvpMac(functions) = &libcrypto.interface else { return Err(absent()) };
    let mut counter = Context::new(&libcrypto.cipher, cipher, true)?;
    counter.set_key(Some(for_ctr), &[0; 16], true)?;
    let settings = Settings { tag_len_bytes: 16, nonce: &[], customization: &[] };
    let open = || EvpMacContext::new(functions, primitive, for_mac, &settings);
    let mut mac = libcrypto.with_reason(open)?;
    let keystream = move |first: &[u8], data: &mut [u8]| {
        if first.len() != 16 {
            return Err("wrong length of the counter block");
        }
        counter.set_key(None, first, true)?;
        counter.apply_in_place(data)
    };
    let mac = move |parts: &[&[u8]], tag: &mut [u8]| mac.prepared_of_parts(parts, tag);
    composed::sealing(info, Box::new(keystream), Box::new(mac)).ok_or_else(absent)
}
