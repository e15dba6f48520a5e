//! OpenSSL's libcrypto 1.1, 3.x and 4.x, opened at run time: the one this machine uses, or any
//! other by its path. Fetches and contexts are made when a mac is opened, outside the timed call;
//! what a call is for each key life: docs/providers.md.

mod dispatch;
mod evp_mac;
mod library;
mod low_level;
mod primitive;

use zeroize::Zeroizing;

use crate::{Info, KeyLife, Kind, Offer, Place, Provider, Row, Tagger, keyed};
use dispatch::Cpu;
use evp_mac::{EvpMacContext, Restart};
use library::{Interface, Libcrypto};
use low_level::LowLevelContext;
use primitive::{Construction, PRIMITIVES, Primitive};

/// The row of this provider.
pub const ROW: Row = Row {
    name: "openssl",
    title: "OpenSSL's libcrypto, opened at run time",
    package: "libssl3 (Debian), openssl (others)",
    kind: Kind::InProcess(open),
};

/// A mac that the library really has, found by computing tags with it.
struct Found {
    primitive: &'static Primitive,
    restart: Restart,
    key_lives: Vec<KeyLife>,
}

struct OpenSsl {
    name: String,
    libcrypto: &'static Libcrypto,
    found: Vec<Found>,
}

fn open(place: &Place) -> Result<Box<dyn Provider>, String> {
    let libcrypto = Libcrypto::open(place.path.as_deref())?;
    let found: Vec<_> = PRIMITIVES.iter().filter_map(|row| probe(libcrypto, row)).collect();
    if found.is_empty() {
        return Err(format!("{}: none of its macs works", libcrypto.path.display()));
    }
    Ok(Box::new(OpenSsl { name: place.name_or(ROW.name), libcrypto, found }))
}

impl Provider for OpenSsl {
    fn info(&self) -> Info {
        let cpu = Cpu::new(self.libcrypto.cpu_info.as_deref());
        let offer = |found: &Found| Offer {
            mac: found.primitive.mac.into(),
            kernel: cpu.kernel(found.primitive.code).into(),
            key_lives: found.key_lives.clone(),
        };
        let mut detail = match self.libcrypto.interface {
            Interface::EvpMac(_) => String::from("through EVP_MAC"),
            Interface::LowLevel(_) => String::from("through HMAC_CTX and CMAC_CTX"),
        };
        let copied = |found: &&Found| found.restart == Restart::Dup;
        let copied: Vec<_> = self.found.iter().filter(copied).map(|f| f.primitive.mac).collect();
        if !copied.is_empty() {
            detail += &format!(" (prepared by EVP_MAC_CTX_dup: {})", copied.join(", "));
        }
        let cpu_info = self.libcrypto.cpu_info.as_deref().unwrap_or("CPUINFO: not told");
        Info {
            name: self.name.clone(),
            version: self.libcrypto.version.clone(),
            path: self.libcrypto.path.display().to_string(),
            detail: format!("{detail}; kernels inferred; {cpu_info}; {}", self.libcrypto.build),
            offers: self.found.iter().map(offer).collect(),
        }
    }

    fn tagger(&self, mac: &str, key_life: KeyLife, key: &[u8]) -> Result<Tagger, String> {
        let found = self.found.iter().find(|found| found.primitive.mac == mac);
        let found = found.filter(|found| found.key_lives.contains(&key_life));
        let found = found.ok_or_else(|| format!("{} has no {key_life} {mac}", self.name))?;
        tagger(self.libcrypto, found.primitive, found.restart, key_life, key)
    }
}

/// Tries a mac: which key lives give the same tags, and whether a restarted context keeps its key
/// and forgets the message before.
fn probe(libcrypto: &'static Libcrypto, primitive: &'static Primitive) -> Option<Found> {
    let key_len_bytes = macs::find(primitive.mac)?.key_len_bytes;
    // Bytes that differ, so that no two parts of a TDES key are equal.
    let key: Vec<u8> = (1..=key_len_bytes as u8).collect();
    let tags = |restart, key_life| tags(libcrypto, primitive, restart, key_life, &key).ok();
    // A copy of a fresh context is right in every version: it is what the others must agree with.
    let right = tags(Restart::Dup, KeyLife::Prepared)?;
    let restarts = tags(Restart::Init, KeyLife::Prepared).as_ref() == Some(&right);
    let restart = if restarts { Restart::Init } else { Restart::Dup };
    let agrees = |key_life: &KeyLife| tags(restart, *key_life).as_ref() == Some(&right);
    let key_lives = KeyLife::ALL.into_iter().filter(agrees).collect();
    Some(Found { primitive, restart, key_lives })
}

/// Three tags in a row; the third is of the first message again.
fn tags(
    libcrypto: &'static Libcrypto,
    primitive: &'static Primitive,
    restart: Restart,
    key_life: KeyLife,
    key: &[u8],
) -> Result<[Vec<u8>; 3], String> {
    let mut tagger = tagger(libcrypto, primitive, restart, key_life, key)?;
    let len_bytes = keyed(primitive.mac, key)?.tag_len_bytes;
    let mut tags = [(); 3].map(|()| vec![0; len_bytes]);
    for (tag, message) in tags.iter_mut().zip(["a message", "another, longer message", "a message"])
    {
        tagger(key, message.as_bytes(), tag)?;
    }
    if tags[0] == tags[2] { Ok(tags) } else { Err("the context keeps the last message".into()) }
}

fn tagger(
    libcrypto: &'static Libcrypto,
    primitive: &'static Primitive,
    restart: Restart,
    key_life: KeyLife,
    key: &[u8],
) -> Result<Tagger, String> {
    let tag_len_bytes = keyed(primitive.mac, key)?.tag_len_bytes;
    if key_life == KeyLife::OneShot {
        return one_shot(libcrypto, primitive, tag_len_bytes);
    }
    let prepared = key_life == KeyLife::Prepared;
    let key = Zeroizing::new(widened(primitive, key));
    match &libcrypto.interface {
        Interface::EvpMac(functions) => {
            let mut context = EvpMacContext::new(functions, primitive, &key, tag_len_bytes)?;
            Ok(match prepared {
                true => Box::new(move |_, message, tag| context.prepared(restart, message, tag)),
                false => with_new_key(primitive, move |key, message, tag| {
                    context.new_key(key, message, tag)
                }),
            })
        }
        Interface::LowLevel(functions) => {
            let function = function(libcrypto, primitive)?;
            let construction = primitive.construction;
            let mut context =
                LowLevelContext::new(functions, construction, function, &key, tag_len_bytes)?;
            Ok(match prepared {
                true => Box::new(move |_, message, tag| context.prepared(message, tag)),
                false => with_new_key(primitive, move |key, message, tag| {
                    context.new_key(key, message, tag)
                }),
            })
        }
    }
}

/// The one-call functions: `HMAC()` in every version, `EVP_Q_mac` for CMAC from 3.0 on.
fn one_shot(
    libcrypto: &'static Libcrypto,
    primitive: &'static Primitive,
    tag_len_bytes: usize,
) -> Result<Tagger, String> {
    match (primitive.construction, &libcrypto.interface) {
        (Construction::Hmac, _) => {
            let digest = function(libcrypto, primitive)?;
            Ok(Box::new(move |key, message, tag| {
                low_level::one_shot(&libcrypto.base, digest, tag_len_bytes, key, message, tag)
            }))
        }
        (Construction::Cmac, Interface::EvpMac(functions)) => {
            Ok(with_new_key(primitive, move |key, message, tag| {
                evp_mac::one_shot(functions, primitive, tag_len_bytes, key, message, tag)
            }))
        }
        (Construction::Cmac, Interface::LowLevel(_)) => {
            Err("this version has no one-call CMAC".into())
        }
    }
}

fn function(
    libcrypto: &Libcrypto,
    primitive: &Primitive,
) -> Result<low_level::PrimitiveFn, String> {
    let function = libcrypto.primitive(primitive.function);
    function.ok_or_else(|| format!("libcrypto has no {}", primitive.function))
}

/// The key as the library takes it.
fn widened(primitive: &Primitive, key: &[u8]) -> Vec<u8> {
    let repeated = if primitive.widens_key() { &key[..8] } else { &[] };
    [key, repeated].concat()
}

/// A tagger that hands each call's key to the library. Two-key TDES is widened in a buffer that is
/// kept, so that a call pays for 24 bytes copied and nothing else.
fn with_new_key(
    primitive: &Primitive,
    mut call: impl FnMut(&[u8], &[u8], &mut [u8]) -> Result<(), &'static str> + 'static,
) -> Tagger {
    if !primitive.widens_key() {
        return Box::new(call);
    }
    let mut wide = Zeroizing::new([0; 24]);
    Box::new(move |key, message, tag| {
        if key.len() != 16 {
            return Err("two-key TDES takes 16 bytes");
        }
        wide[..16].copy_from_slice(key);
        wide[16..].copy_from_slice(&key[..8]);
        call(&*wide, message, tag)
    })
}
