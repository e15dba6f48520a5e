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
    // Enough messages for the chains to come together.
    let batch = CompositionBatch::with_info(info, &[key]).expect("the key that was taken");
    let header = Header { nonce, associated_data };
    let (mut places, mut tags) = ([(); 4].map(|()| vec![0; buffer.len()]), tag.repeat(4));
    let mut jobs =
        places.each_mut().map(|ciphertext| SealJob { key: 0, header, message, ciphertext });
    batch.seal_into(&mut jobs, &mut tags).expect("lengths that were taken");
    assert!(places.iter().all(|place| *place == buffer), "{}", info.name);
    assert!(tags.chunks_exact(tag.len()).all(|same| *same == tag[..]), "{}", info.name);

    let mut opened = buffer.clone();
    let len = composition.open_in_place(nonce, associated_data, &mut opened, &tag);
    assert_eq!(len, Ok(message.len()), "{}", info.name);
    assert_eq!(&opened[..message.len()], message, "{}", info.name);

    tag[flip % info.tag_len_bytes] ^= 1 << (flip % 8);
    assert!(composition.open_in_place(nonce, associated_data, &mut buffer, &tag).is_err());
    assert!(buffer.iter().all(|&byte| byte == 0), "{}", info.name);
});
