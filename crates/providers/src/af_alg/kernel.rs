//! The macs of the running Linux kernel: its names for them, and what each key life sends.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use macs::MacInfo;
use nix::errno::Errno;
use zeroize::Zeroizing;

use super::ROW;
use super::drivers::{code_path, drivers};
use super::socket::{Operation, Transformation};
use crate::peer::{About, Candidate, Peer, offer};
use crate::{Input, Inputs, KeyLife, Place, Provider, Refused, Tagger, Unavailable, WRONG_TAG_LEN};

/// What the kernel gets beside the message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// The key, as it is.
    Keyed,
    /// The key; a block of zeros for the empty message, of which the kernel encrypts nothing.
    WholeBlocks,
    /// The key, and the nonce in front of the message.
    Nonce,
    /// No key: it is the first 32 bytes of the message.
    KeyInMessage,
}

use Form::{KeyInMessage, Keyed, Nonce, WholeBlocks};

/// All that kernels have or had; by our name, and by theirs.
const MACS: &[(&str, &str, Form)] = &[
    ("blake2b-keyed", "blake2b-512", Keyed),
    ("blake2s-keyed", "blake2s-256", Keyed),
    ("cbc-mac-aes-128", "cbcmac(aes)", WholeBlocks),
    ("cbc-mac-aes-192", "cbcmac(aes)", WholeBlocks),
    ("cbc-mac-aes-256", "cbcmac(aes)", WholeBlocks),
    ("cbc-mac-serpent-128", "cbcmac(serpent)", WholeBlocks),
    ("cbc-mac-serpent-192", "cbcmac(serpent)", WholeBlocks),
    ("cbc-mac-serpent-256", "cbcmac(serpent)", WholeBlocks),
    ("cbc-mac-tdes-2", "cbcmac(des3_ede)", WholeBlocks),
    ("cbc-mac-tdes-3", "cbcmac(des3_ede)", WholeBlocks),
    ("cbc-mac-twofish-128", "cbcmac(twofish)", WholeBlocks),
    ("cbc-mac-twofish-192", "cbcmac(twofish)", WholeBlocks),
    ("cbc-mac-twofish-256", "cbcmac(twofish)", WholeBlocks),
    ("cmac-aes-128", "cmac(aes)", Keyed),
    ("cmac-aes-192", "cmac(aes)", Keyed),
    ("cmac-aes-256", "cmac(aes)", Keyed),
    ("cmac-aria-128", "cmac(aria)", Keyed),
    ("cmac-aria-192", "cmac(aria)", Keyed),
    ("cmac-aria-256", "cmac(aria)", Keyed),
    ("cmac-camellia-128", "cmac(camellia)", Keyed),
    ("cmac-camellia-192", "cmac(camellia)", Keyed),
    ("cmac-camellia-256", "cmac(camellia)", Keyed),
    ("cmac-serpent-128", "cmac(serpent)", Keyed),
    ("cmac-serpent-192", "cmac(serpent)", Keyed),
    ("cmac-serpent-256", "cmac(serpent)", Keyed),
    ("cmac-sm4", "cmac(sm4)", Keyed),
    ("cmac-tdes-2", "cmac(des3_ede)", Keyed),
    ("cmac-tdes-3", "cmac(des3_ede)", Keyed),
    ("cmac-twofish-128", "cmac(twofish)", Keyed),
    ("cmac-twofish-192", "cmac(twofish)", Keyed),
    ("cmac-twofish-256", "cmac(twofish)", Keyed),
    ("hmac-blake2b", "hmac(blake2b-512)", Keyed),
    ("hmac-blake2s", "hmac(blake2s-256)", Keyed),
    ("hmac-md5", "hmac(md5)", Keyed),
    ("hmac-ripemd160", "hmac(rmd160)", Keyed),
    ("hmac-sha1", "hmac(sha1)", Keyed),
    ("hmac-sha224", "hmac(sha224)", Keyed),
    ("hmac-sha256", "hmac(sha256)", Keyed),
    ("hmac-sha3-224", "hmac(sha3-224)", Keyed),
    ("hmac-sha3-256", "hmac(sha3-256)", Keyed),
    ("hmac-sha3-384", "hmac(sha3-384)", Keyed),
    ("hmac-sha3-512", "hmac(sha3-512)", Keyed),
    ("hmac-sha384", "hmac(sha384)", Keyed),
    ("hmac-sha512", "hmac(sha512)", Keyed),
    ("hmac-sm3", "hmac(sm3)", Keyed),
    ("hmac-streebog-256", "hmac(streebog256)", Keyed),
    ("hmac-streebog-512", "hmac(streebog512)", Keyed),
    ("poly1305", "poly1305", KeyInMessage),
    ("vmac64-aes-128", "vmac64(aes)", Nonce),
    ("xcbc-kdf-aes-128", "xcbc(aes)", Keyed),
    ("xcbc-kdf-serpent-128", "xcbc(serpent)", Keyed),
    ("xcbc-kdf-twofish-128", "xcbc(twofish)", Keyed),
    ("xcbc-rfc3566-aes-128", "xcbc(aes)", Keyed),
];

/// A block of every cipher here is that or, of TDES, half of it.
const ZEROS: [u8; 16] = [0; 16];

struct Kernel {
    /// The driver of each algorithm that is there.
    drivers: BTreeMap<String, String>,
}

pub(super) fn open(place: &Place) -> Result<Box<dyn Provider>, Unavailable> {
    if let Err(error) = Transformation::socket() {
        let release = release();
        let reason =
            format!("Linux {release} offers no AF_ALG sockets here: socket() failed with {error}");
        return Err(match error {
            // Containers answer with the last two.
            Errno::EAFNOSUPPORT | Errno::EPERM | Errno::EACCES => {
                Unavailable::not_installed(reason)
            }
            _ => reason.into(),
        });
    }
    // What is not loaded yet is not listed, and asking for it loads it.
    let names: BTreeSet<_> = MACS.iter().map(|(_, algorithm, _)| *algorithm).collect();
    let there: Vec<_> = names
        .into_iter()
        .filter_map(|name| Some((name, Transformation::bound(name).ok()?)))
        .collect();
    let mut drivers = drivers(&fs::read_to_string("/proc/crypto").unwrap_or_default());
    drivers.retain(|algorithm, _| there.iter().any(|(name, _)| name == algorithm));
    offer(place, &ROW, Kernel { drivers })
}

fn release() -> String {
    rustix::system::uname().release().to_string_lossy().into_owned()
}

impl Peer for Kernel {
    fn about(&self) -> About {
        let drivers: BTreeSet<_> = self.drivers.values().map(String::as_str).collect();
        let drivers: Vec<_> = drivers.into_iter().collect();
        let mut detail = format!("drivers {}", drivers.join(", "));
        // Since 7.3 there is a list of what users may ask for.
        if let Ok(level) = fs::read_to_string("/proc/sys/crypto/af_alg_restrict") {
            detail += &format!("; af_alg_restrict {}", level.trim());
        }
        About { version: release(), path: "the running Linux kernel".into(), detail: detail.into() }
    }

    /// A driver may hand the work to a device.
    fn offloads(&self) -> bool {
        true
    }

    fn candidates(&self) -> Vec<Candidate> {
        let there = |(mac, algorithm, _): &(&'static str, &str, Form)| {
            let kernel = code_path(self.drivers.get(*algorithm)?).into();
            Some(Candidate { mac, kernel })
        };
        MACS.iter().filter_map(there).collect()
    }

    fn mac(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Tagger, Refused> {
        let asked = Asked::new(info, inputs)?;
        let refused = |reason| Refused::Call(reason).of(asked.algorithm);
        match key_life {
            KeyLife::Prepared => {
                if asked.form == KeyInMessage {
                    return Err(crate::ONE_MESSAGE_KEY);
                }
                let operation = asked.operation(inputs.key).map_err(refused)?;
                Ok(Box::new(move |_, message, tag| {
                    asked.check(None, tag)?;
                    asked.send(&operation, &[], message, tag)
                }))
            }
            KeyLife::NewKey if asked.form == KeyInMessage => {
                let operation = asked.operation(inputs.key).map_err(refused)?;
                Ok(Box::new(move |key, message, tag| {
                    asked.check(Some(key), tag)?;
                    asked.send(&operation, key, message, tag)
                }))
            }
            KeyLife::NewKey => {
                let transformation = asked.transformation().map_err(refused)?;
                Ok(Box::new(move |key, message, tag| {
                    asked.check(Some(key), tag)?;
                    asked.set_key(&transformation, key)?;
                    asked.send(&transformation.operation()?, key, message, tag)
                }))
            }
            KeyLife::OneShot => Ok(Box::new(move |key, message, tag| {
                asked.check(Some(key), tag)?;
                asked.send(&asked.operation(key)?, key, message, tag)
            })),
        }
    }
}

/// One mac, as it is asked for.
struct Asked {
    info: &'static MacInfo,
    algorithm: &'static str,
    form: Form,
    /// What the kernel takes as nonce: 16 bytes, or nothing where there is none.
    nonce: Vec<u8>,
}

impl Asked {
    fn new(info: &'static MacInfo, inputs: &Inputs<'_>) -> Result<Self, Refused> {
        let row = MACS.iter().find(|(mac, ..)| *mac == info.name);
        let (_, algorithm, form) = *row.ok_or_else(|| Refused::not_here(info.name))?;
        if inputs.tag_len_bytes != info.tag_len_bytes {
            let (right, given) = (info.tag_len_bytes, inputs.tag_len_bytes);
            let why = format!("{algorithm} makes {right}-byte tags only, not {given}");
            return Err(Refused::limit(&[Input::Tag], why));
        }
        let mut nonce = Vec::new();
        if form == Nonce {
            let unused = ZEROS.len().checked_sub(inputs.nonce.len());
            let unused = unused.ok_or_else(|| {
                Refused::limit(&[Input::Nonce], format!("{algorithm} takes a 16-byte nonce"))
            })?;
            nonce.extend_from_slice(&ZEROS[..unused]);
            nonce.extend_from_slice(inputs.nonce);
        }
        Ok(Self { info, algorithm, form, nonce })
    }

    /// A tag slice and, where one is taken, a key of right lengths. The kernel would take an
    /// AES-256 key where AES-128 was asked for.
    fn check(&self, key: Option<&[u8]>, tag: &[u8]) -> Result<(), &'static str> {
        if tag.len() != self.info.tag_len_bytes {
            return Err(WRONG_TAG_LEN);
        }
        if key.is_some_and(|key| !self.info.accepted_key_len.accepts(key.len())) {
            return Err(crate::WRONG_KEY_LEN);
        }
        Ok(())
    }

    fn transformation(&self) -> Result<Transformation, &'static str> {
        Transformation::bound(self.algorithm)
    }

    /// The kernel's TDES takes three keys. Of two the first is the third, too.
    fn set_key(&self, transformation: &Transformation, key: &[u8]) -> Result<(), &'static str> {
        if !(self.algorithm.ends_with("(des3_ede)") && key.len() == 16) {
            return transformation.set_key(key);
        }
        let mut three = Zeroizing::new([0; 24]);
        crate::widen(key, &mut three)?;
        transformation.set_key(&three[..])
    }

    /// Everything that comes before a message.
    fn operation(&self, key: &[u8]) -> Result<Operation, &'static str> {
        let transformation = self.transformation()?;
        if self.form != KeyInMessage {
            self.set_key(&transformation, key)?;
        }
        transformation.operation()
    }

    fn send(
        &self,
        operation: &Operation,
        key: &[u8],
        message: &[u8],
        tag: &mut [u8],
    ) -> Result<(), &'static str> {
        match self.form {
            Keyed => operation.tag(&[], message, tag),
            WholeBlocks if message.is_empty() => operation.tag(&[], &ZEROS[..tag.len()], tag),
            WholeBlocks => operation.tag(&[], message, tag),
            Nonce => operation.tag(&self.nonce, message, tag),
            KeyInMessage => operation.tag(key, message, tag),
        }
    }
}
