//! What a case of the vectors asks of `macs`, on the best code path or on a pinned one; and where
//! the cases are.

use std::fs;
use std::path::PathBuf;

use macs::{DynComposition, DynMac, Error, KernelName, MacInfo, find};
use vectors::Case;

/// The compact set, and with `MACROMETER_VECTORS=FOLDER` all files of that folder: file by file
/// with its name.
pub fn files() -> impl Iterator<Item = (String, Vec<Case>)> {
    vectors::compact().chain(asked_for())
}

/// The files of the folder that `MACROMETER_VECTORS` names; none without it.
fn asked_for() -> impl Iterator<Item = (String, Vec<Case>)> {
    let folder = std::env::var_os("MACROMETER_VECTORS");
    if folder.is_none() {
        println!("not asked: set MACROMETER_VECTORS to a folder of vectors to run them all");
    }
    let entries = folder.into_iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    files.into_iter().map(|file| (file.display().to_string(), vectors::read(&file).unwrap()))
}

/// Whether features chose the mac or the cipher of this case. `full` chose all but one.
#[allow(dead_code, reason = "not every test is for a part of the macs")]
pub fn is_of_features(case: &Case) -> bool {
    let is_cipher = case.mac.strip_prefix("block-").is_some_and(|name| cipher(name).is_some());
    let is_in_full = cfg!(feature = "full") && !case.mac.ends_with("-kuznyechik");
    is_in_full || is_cipher || find(&case.mac).is_some()
}

/// One block through the cipher of this name.
#[cfg(feature = "_ciphers")]
fn cipher(name: &str) -> Option<impl Fn(&[u8], &mut [u8]) -> bool> {
    let cipher = macs::ciphers::find(name)?;
    Some(move |key: &[u8], block: &mut [u8]| cipher.encrypt_block(key, block).is_ok())
}

#[cfg(not(feature = "_ciphers"))]
fn cipher(_: &str) -> Option<fn(&[u8], &mut [u8]) -> bool> {
    None
}

/// Runs the cases on the best code path or on this one, and panics naming those that failed.
pub fn prove<'a>(name: &str, kernel: Option<KernelName>, cases: impl Iterator<Item = &'a Case>) {
    let failed: Vec<&str> =
        cases.filter(|case| !passes(case, kernel)).map(|case| case.id.as_str()).collect();
    let path = kernel.map_or("the best kernel", KernelName::as_str);
    assert!(failed.is_empty(), "{name} on {path}: {failed:?}");
}

/// Whether `macs` says of the case what it says of itself, on the best code path or on this one.
fn passes(case: &Case, kernel: Option<KernelName>) -> bool {
    if let Some(cipher) = case.mac.strip_prefix("block-").and_then(cipher) {
        let mut block = case.message.bytes();
        let is_encrypted = cipher(&case.key, &mut block);
        return (is_encrypted && block == case.tag) == case.is_valid;
    }
    let info = find(&case.mac).unwrap_or_else(|| panic!("{}: no mac {}", case.id, case.mac));
    let whole = if info.accepted_tag_len.accepts(case.tag.len()) {
        case.tag.len()
    } else {
        info.tag_len_bytes
    };
    let Some(tag_len) = case.tag_len_bytes(whole) else { return !case.is_valid };
    let answer = if info.is_composition() {
        composition(info, case, kernel)
    } else {
        mac(info, case, kernel, whole, &case.tag[..tag_len])
    };
    answer.is_ok_and(|accepted| accepted) == (case.is_valid && has_tag_len(info, case))
}

/// Whether the mode has tags as long as the case's; others are refused, though a case may call them
/// valid: Intel's vectors for GCM have a tag of a byte, and SP 800-38D has none.
fn has_tag_len(info: &MacInfo, case: &Case) -> bool {
    !info.is_composition() || info.accepted_short_tag_len.accepts(case.tag.len())
}

/// Whether the tag is accepted, by every way to a tag alike; an error when an input is refused.
fn mac(
    info: &'static MacInfo,
    case: &Case,
    kernel: Option<KernelName>,
    whole: usize,
    tag: &[u8],
) -> Result<bool, Error> {
    let message = case.message.bytes();
    let mac = match kernel {
        None => DynMac::with_customization(info, &case.key, &case.customization)?,
        Some(_) if !case.customization.is_empty() => panic!("{}: cannot be pinned", case.id),
        Some(kernel) => DynMac::with_kernel(info, &case.key, kernel)?,
    };
    let mut mac = mac.with_tag_len(whole)?;
    if info.nonce.is_some() {
        mac = mac.with_nonce_len(case.nonce.len())?;
    }
    let mut computed = vec![0; whole];
    mac.mac_with_nonce_into(&case.nonce, &message, &mut computed)?;
    let one_shot = computed.starts_with(tag);

    for piece in message.chunks(97) {
        mac.update(piece);
    }
    if info.nonce.is_some() {
        mac.set_nonce(&case.nonce)?;
    }
    let streamed = if tag.len() < whole { mac.verify_truncated_left(tag) } else { mac.verify(tag) };
    assert_eq!(one_shot, streamed.is_ok(), "{}: one-shot and streaming disagree", case.id);
    let takes_nonce = info
        .nonce
        .is_none_or(|nonce| !nonce.one_len_per_key || nonce.len_bytes == case.nonce.len());
    if kernel.is_none() && case.customization.is_empty() && takes_nonce {
        let mut once = vec![0; whole];
        info.mac_with_nonce_into(&case.key, &case.nonce, &message, &mut once)?;
        assert_eq!(once, computed, "{}: one call disagrees", case.id);
    }
    Ok(one_shot)
}

/// Whether it opens; what it seals is compared where the case is valid.
fn composition(
    info: &'static MacInfo,
    case: &Case,
    kernel: Option<KernelName>,
) -> Result<bool, Error> {
    let ciphertext = case.ciphertext.as_deref().unwrap_or_else(|| panic!("{}: no ct", case.id));
    let keyed = match kernel {
        None => DynComposition::with_info(info, &case.key)?,
        Some(kernel) => DynComposition::with_kernel(info, &case.key, kernel)?,
    };
    let keyed = keyed.with_short_tag_len(case.tag.len())?;
    let message = case.message.bytes();
    let (nonce, associated_data) = (&case.nonce, &case.associated_data);

    let mut buffer = ciphertext.to_vec();
    let opened = keyed.open_in_place(nonce, associated_data, &mut buffer, &case.tag);
    if opened.is_err() {
        assert!(buffer.iter().all(|&byte| byte == 0), "{}: plaintext released", case.id);
    }
    let is_opened = opened.is_ok_and(|len| buffer[..len] == message);

    if case.is_valid {
        let mut sealed = vec![0; keyed.ciphertext_len_bytes(message.len())];
        sealed[..message.len()].copy_from_slice(&message);
        let mut tag = vec![0; case.tag.len()];
        keyed.seal_in_place(nonce, associated_data, &mut sealed, message.len(), &mut tag)?;
        assert!(sealed == ciphertext && tag == case.tag, "{}: sealed differently", case.id);
    }
    Ok(is_opened)
}
