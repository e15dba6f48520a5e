//! Known answers: the compact set for every mac of the catalog (RFC, NIST, Wycheproof, an
//! independent oracle for the rest), by every way to a tag; with `MACROMETER_VECTORS=FOLDER` all
//! cases of that folder as well.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use macs::{DynComposition, DynMac, Error, MacInfo, catalog, ciphers, find};
use vectors::Case;

/// Whether `macs` says of the case what it says of itself.
fn passes(case: &Case) -> bool {
    if let Some(cipher) = case.mac.strip_prefix("block-").and_then(ciphers::find) {
        let mut block = case.message.bytes();
        let encrypted = cipher.encrypt_block(&case.key, &mut block);
        return (encrypted.is_ok() && block == case.tag) == case.is_valid;
    }
    let info = find(&case.mac).unwrap_or_else(|| panic!("{}: no mac {}", case.id, case.mac));
    let whole = if info.accepted_tag_len.accepts(case.tag.len()) {
        case.tag.len()
    } else {
        info.tag_len_bytes
    };
    let Some(tag_len) = case.tag_len_bytes(whole) else { return !case.is_valid };
    let answer = if info.is_composition() {
        composition(info, case)
    } else {
        mac(info, case, whole, &case.tag[..tag_len])
    };
    answer.is_ok_and(|accepted| accepted) == case.is_valid
}

/// Whether the tag is accepted, by every way to a tag alike; an error when an input is refused.
fn mac(info: &'static MacInfo, case: &Case, whole: usize, tag: &[u8]) -> Result<bool, Error> {
    let message = case.message.bytes();
    let mut mac =
        DynMac::with_customization(info, &case.key, &case.customization)?.with_tag_len(whole)?;
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
    if case.customization.is_empty() {
        let mut once = vec![0; whole];
        info.mac_with_nonce_into(&case.key, &case.nonce, &message, &mut once)?;
        assert_eq!(once, computed, "{}: one call disagrees", case.id);
    }
    Ok(one_shot)
}

/// Whether it opens; what it seals is compared where the case is valid.
fn composition(info: &'static MacInfo, case: &Case) -> Result<bool, Error> {
    let ciphertext = case.ciphertext.as_deref().unwrap_or_else(|| panic!("{}: no ct", case.id));
    let keyed = DynComposition::with_info(info, &case.key)?.with_tag_len(case.tag.len())?;
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

/// Runs the cases, prints the count, and panics naming those that failed.
fn run(name: &str, cases: &[Case]) -> usize {
    let failed: Vec<&str> =
        cases.iter().filter(|case| !passes(case)).map(|case| case.id.as_str()).collect();
    println!("{name}: {} passed, {} failed", cases.len() - failed.len(), failed.len());
    assert!(failed.is_empty(), "{name}: {failed:?}");
    cases.len()
}

#[test]
fn known_answers_for_every_mac() {
    let mut covered = BTreeSet::new();
    for (name, cases) in vectors::compact() {
        run(&name, &cases);
        covered.extend(cases.into_iter().map(|case| case.mac));
    }
    for mac in catalog() {
        assert!(covered.contains(mac.name), "{} has no known answer", mac.name);
    }
    for cipher in ciphers::CIPHERS {
        let name = format!("block-{}", cipher.primitive.name);
        assert!(covered.contains(&name), "{name} has no known answer");
    }
}

#[test]
fn all_known_answers_of_the_folder_asked_for() {
    let Some(folder) = std::env::var_os("MACROMETER_VECTORS") else {
        println!("not asked: set MACROMETER_VECTORS to a folder of vectors to run them all");
        return;
    };
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    let mut total = 0;
    for file in &files {
        total += run(&file.display().to_string(), &vectors::read(file).unwrap());
    }
    println!("{total} passed");
}
