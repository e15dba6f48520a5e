//! Which calls a tagger makes, for each key life and interface.

use zeroize::Zeroizing;

use super::evp_mac::{self, EvpMacContext, Restart};
use super::library::{Interface, Libcrypto};
use super::low_level::{self, LowLevelContext, PrimitiveFn};
use super::primitive::{Construction, Primitive, Settings};
use crate::{Inputs, KeyLife, Tagger, keyed};

/// A tagger as it is timed: its nonces are zeros.
pub(super) fn tagger(
    libcrypto: &'static Libcrypto,
    primitive: &'static Primitive,
    restart: Restart,
    key_life: KeyLife,
    key: &[u8],
) -> Result<Tagger, String> {
    let info = keyed(primitive.mac, key)?;
    let nonce = crate::timed_nonce(info);
    let tag_len_bytes = info.tag_len_bytes;
    if key_life == KeyLife::OneShot {
        return one_shot(libcrypto, primitive, tag_len_bytes, nonce);
    }
    if key_life == KeyLife::Prepared && primitive.is_one_time() {
        return Err(format!("a key of {} is for one message", primitive.mac));
    }
    let prepared = key_life == KeyLife::Prepared;
    let key = Zeroizing::new(widened(primitive, key));
    match &libcrypto.interface {
        Interface::EvpMac(functions) => {
            let settings = Settings { tag_len_bytes, nonce: &nonce, customization: &[] };
            let open = || EvpMacContext::new(functions, primitive, &key, &settings);
            let mut context = libcrypto.base.with_reason(open)?;
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

/// One tag in a context of its own, with all that may go into it.
pub(super) fn tag(
    libcrypto: &'static Libcrypto,
    primitive: &'static Primitive,
    inputs: &Inputs<'_>,
) -> Result<Vec<u8>, String> {
    let (mac, info) = (primitive.mac, keyed(primitive.mac, inputs.key)?);
    let takes_nonce = match info.nonce {
        Some(nonce) => nonce.accepted_len.accepts(inputs.nonce.len()),
        None => inputs.nonce.is_empty(),
    };
    if !takes_nonce {
        return Err(format!("{mac}: no nonce of {} bytes", inputs.nonce.len()));
    }
    if !info.is_customizable && !inputs.customization.is_empty() {
        return Err(format!("{mac} takes no customization string"));
    }
    let is_input = info.accepted_tag_len.accepts(inputs.tag_len_bytes);
    let tag_len_bytes = if is_input { inputs.tag_len_bytes } else { info.tag_len_bytes };
    let mut tag = vec![0; tag_len_bytes];
    match &libcrypto.interface {
        Interface::EvpMac(functions) => {
            let Inputs { nonce, customization, .. } = *inputs;
            let settings = Settings { tag_len_bytes, nonce, customization };
            let key = Zeroizing::new(widened(primitive, inputs.key));
            libcrypto.base.with_reason(|| {
                let mut context = EvpMacContext::new(functions, primitive, &key, &settings)?;
                context.finish(inputs.message, &mut tag)
            })?;
        }
        // This interface has none of the macs that take more than key and message.
        Interface::LowLevel(_) => {
            let new_key = KeyLife::NewKey;
            let mut tagger = tagger(libcrypto, primitive, Restart::Init, new_key, inputs.key)?;
            tagger(inputs.key, inputs.message, &mut tag)?;
        }
    }
    tag.truncate(inputs.tag_len_bytes);
    Ok(tag)
}

/// The one-call functions: `HMAC()` in every version, `EVP_Q_mac` for all others from 3.0 on.
fn one_shot(
    libcrypto: &'static Libcrypto,
    primitive: &'static Primitive,
    tag_len_bytes: usize,
    nonce: Vec<u8>,
) -> Result<Tagger, String> {
    match (primitive.construction, &libcrypto.interface) {
        (Construction::Hmac, _) => {
            let digest = function(libcrypto, primitive)?;
            Ok(Box::new(move |key, message, tag| {
                low_level::one_shot(&libcrypto.base, digest, tag_len_bytes, key, message, tag)
            }))
        }
        (_, Interface::EvpMac(functions)) => {
            Ok(with_new_key(primitive, move |key, message, tag| {
                let settings = Settings { tag_len_bytes, nonce: &nonce, customization: &[] };
                evp_mac::one_shot(functions, primitive, &settings, key, message, tag)
            }))
        }
        (_, Interface::LowLevel(_)) => {
            Err(format!("this version has no one-call {}", primitive.mac))
        }
    }
}

fn function(libcrypto: &Libcrypto, primitive: &Primitive) -> Result<PrimitiveFn, String> {
    let function = primitive.function.and_then(|name| libcrypto.primitive(name));
    function.ok_or_else(|| format!("this version has no {}", primitive.mac))
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
