//! Every composition: what was sealed opens to the message, also what was sealed into another place
//! in a batch; what was not sealed leaves zeros.
#![no_main]

use libfuzzer_sys::fuzz_target;
use macrometer_fuzz::{number, of_len, take};
use macs::{CompositionBatch, DynComposition, Error, Header, MacInfo, SealJob};

fuzz_target!(|data: &[u8]| {
    let mut data = data;
    let rows: Vec<&'static MacInfo> =
        macs::catalog().iter().filter(|info| info.is_composition()).collect();
    let info = rows[number(&mut data) % rows.len()];
    let key = take(&mut data, info.key_len_bytes);
    let nonce = of_len(&mut data, info.nonce.map_or(0, |nonce| nonce.len_bytes));
    let associated_len = number(&mut data);
    let associated_data = take(&mut data, associated_len);
    let flip = number(&mut data);
    let message = data;

    let composition = match DynComposition::with_info(info, key) {
        Ok(composition) => composition,
        Err(Error::SameKeys { .. }) => return,
        Err(_) => {
            assert!(!info.accepted_key_len.accepts(key.len()), "{}", info.name);
            return;
        }
    };
    // What was not sealed: a forgery, but for one in 2^64 and more.
    let mut forged = message.to_vec();
    let mut tag = vec![flip as u8; info.tag_len_bytes];
    assert!(composition.open_in_place(nonce, associated_data, &mut forged, &tag).is_err());
    assert!(forged.iter().all(|&byte| byte == 0), "{}", info.name);

    let mut buffer = vec![0; composition.ciphertext_len_bytes(message.len())];
    buffer[..message.len()].copy_from_slice(message);
    let sealed =
        composition.seal_in_place(nonce, associated_data, &mut buffer, message.len(), &mut tag);
    if sealed.is_err() {
        return;
    }
    let into = composition.seal(nonce, associated_data, message).expect("what was sealed");
    assert!(into == [&buffer[..], &tag[..]].concat(), "{}", info.name);
    in_batch(info, key, Header { nonce, associated_data }, message);

    let mut opened = buffer.clone();
    let len = composition.open_in_place(nonce, associated_data, &mut opened, &tag);
    assert_eq!(len, Ok(message.len()), "{}", info.name);
    assert_eq!(&opened[..message.len()], message, "{}", info.name);

    tag[flip % info.tag_len_bytes] ^= 1 << (flip % 8);
    assert!(composition.open_in_place(nonce, associated_data, &mut buffer, &tag).is_err());
    assert!(buffer.iter().all(|&byte| byte == 0), "{}", info.name);
});

/// Enough messages for the chains to come together, of two keys and nine lengths: each is
/// sealed as it is alone.
fn in_batch(info: &'static MacInfo, key: &[u8], header: Header<'_>, message: &[u8]) {
    let mut second = key.to_vec();
    if let Some(byte) = second.first_mut() {
        // Not the lowest bit, which is the parity of a DES key.
        *byte ^= 2;
    }
    let keys = [key, &second[..]];
    let mut alone = Vec::new();
    for key in keys {
        match DynComposition::with_info(info, key) {
            Ok(composition) => alone.push(composition),
            Err(Error::SameKeys { .. }) => return,
            Err(error) => panic!("{}: {error:?}", info.name),
        }
    }
    let parts: Vec<&[u8]> = (1..=9).map(|part| &message[..message.len() * part / 9]).collect();
    let seal = |(at, part): (usize, &&[u8])| {
        alone[at % 2].seal(header.nonce, header.associated_data, part).expect("a shorter one")
    };
    let right: Vec<Vec<u8>> = parts.iter().enumerate().map(seal).collect();

    let batch = CompositionBatch::with_info(info, &keys).expect("keys that were taken");
    let tag_len = info.tag_len_bytes;
    let mut places: Vec<Vec<u8>> =
        right.iter().map(|sealed| vec![0xaa; sealed.len() - tag_len]).collect();
    let mut tags = vec![0; right.len() * tag_len];
    let mut jobs = Vec::new();
    for (at, (ciphertext, part)) in places.iter_mut().zip(&parts).enumerate() {
        jobs.push(SealJob::new(at % 2, header, part, ciphertext));
    }
    batch.seal_into(&mut jobs, &mut tags).expect("lengths that were taken");
    drop(jobs);
    for ((place, tag), right) in places.iter().zip(tags.chunks_exact(tag_len)).zip(&right) {
        assert!([&place[..], tag].concat() == *right, "{}", info.name);
    }
}
