//! Which calls a tagger makes, for each key life and interface.

use zeroize::Zeroizing;

use super::evp_mac::{self, EvpMacContext};
use super::library::{EvpMac, Interface, Libcrypto, PrimitiveFn};
use super::low_level::{self, LowLevelContext};
use super::primitive::{Construction, Primitive, Restart, Settings};
use crate::{Inputs, KeyLife, Refused, Tagger, timed_nonce, widen};

/// A tagger as it is timed. `restart` is how a context of `EVP_MAC` is used again; it may be that
/// there is no way.
pub(super) fn tagger(
    libcrypto: &'static Libcrypto,
    primitive: &'static Primitive,
    restart: Option<Restart>,
    key_life: KeyLife,
    inputs: &Inputs<'_>,
) -> Result<Tagger, Refused> {
    if key_life == KeyLife::OneShot {
        return one_shot(libcrypto, primitive, inputs);
    }
    if key_life == KeyLife::Prepared && primitive.is_one_time() {
        let why = format!("a key of {} is for one message", primitive.mac);
        return Err(Refused::key_life(key_life, why));
    }
    let prepared = key_life == KeyLife::Prepared;
    let key = Zeroizing::new(widened(primitive, inputs.key));
    match &libcrypto.interface {
        Interface::EvpMac(functions) => {
            let settings = Settings::of(inputs);
            let open = || EvpMacContext::new(functions, primitive, &key, &settings);
            let mut context = libcrypto.with_reason(open)?;
            if !prepared {
                return Ok(with_new_key(primitive, move |key, message, tag| {
                    context.new_key(key, message, tag)
                }));
            }
            let cannot = || {
                let why = format!("a context of {} cannot be reused", primitive.mac);
                Refused::key_life(key_life, why)
            };
            let restart = restart.ok_or_else(cannot)?;
            Ok(Box::new(move |_, message, tag| context.prepared(restart, message, tag)))
        }
        Interface::LowLevel(functions, boring) => {
            let function = function(libcrypto, primitive)?;
            let (construction, tag_len_bytes) = (primitive.construction, inputs.tag_len_bytes);
            let functions = (functions, boring.as_ref());
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

/// The first way of using a context again that gives what new contexts give: not all versions can
/// all of them. The third message is the first again: a context that keeps something shows it.
pub(super) fn restart(
    functions: &'static EvpMac,
    primitive: &'static Primitive,
) -> Option<Restart> {
    let info = macs::find(primitive.mac).filter(|_| !primitive.is_one_time())?;
    let key: Vec<u8> = (1..=u8::MAX).take(info.key_len_bytes).collect();
    let (key, nonce) = (widened(primitive, &key), timed_nonce(info));
    let tag_len_bytes = info.tag_len_bytes;
    let settings = Settings { tag_len_bytes, nonce: &nonce, customization: &[] };
    let open = || EvpMacContext::new(functions, primitive, &key, &settings);
    let works = |way: &Restart| {
        let Ok(mut kept) = open() else { return false };
        ["a message", "another", "a message"].map(str::as_bytes).into_iter().all(|message| {
            let (mut tag, mut right) = (vec![0; tag_len_bytes], vec![0; tag_len_bytes]);
            let tagged = kept.prepared(*way, message, &mut tag);
            let by_new = open().and_then(|mut new| new.finish(message, &mut right));
            tagged.is_ok() && by_new.is_ok() && tag == right
        })
    };
    primitive.restarts().into_iter().find(works)
}

/// The one-call functions: `HMAC()` in every version, `EVP_Q_mac` for all others from 3.0 on.
fn one_shot(
    libcrypto: &'static Libcrypto,
    primitive: &'static Primitive,
    inputs: &Inputs<'_>,
) -> Result<Tagger, Refused> {
    let tag_len_bytes = inputs.tag_len_bytes;
    match (primitive.construction, &libcrypto.interface) {
        (Construction::Hmac, _) => {
            let digest = function(libcrypto, primitive)?;
            Ok(Box::new(move |key, message, tag| {
                low_level::one_shot(&libcrypto.base, digest, tag_len_bytes, key, message, tag)
            }))
        }
        (_, Interface::EvpMac(functions)) => {
            let (nonce, customization) = (inputs.nonce.to_vec(), inputs.customization.to_vec());
            Ok(with_new_key(primitive, move |key, message, tag| {
                let settings =
                    Settings { tag_len_bytes, nonce: &nonce, customization: &customization };
                evp_mac::one_shot(functions, primitive, &settings, key, message, tag)
            }))
        }
        (_, Interface::LowLevel(..)) => {
            let why = format!("this version has no one-shot {}", primitive.mac);
            Err(Refused::key_life(KeyLife::OneShot, why))
        }
    }
}

fn function(libcrypto: &Libcrypto, primitive: &Primitive) -> Result<PrimitiveFn, Refused> {
    let function = primitive.function.and_then(|name| libcrypto.primitive(name));
    function.ok_or_else(|| Refused::lacks("this version", primitive.mac))
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
        widen(key, &mut wide)?;
        call(&*wide, message, tag)
    })
}
