//! Every mac: a message in any pieces has the tag of the message in one piece; other lengths of key
//! and nonce are refused and not taken for something else.
#![no_main]

use libfuzzer_sys::fuzz_target;
use macrometer_fuzz::{number, of_len, take};
use macs::{DynMac, MacInfo};

fuzz_target!(|data: &[u8]| {
    let mut data = data;
    let macs: Vec<&'static MacInfo> =
        macs::catalog().iter().filter(|info| !info.is_composition()).collect();
    let info = macs[number(&mut data) % macs.len()];
    let key = of_len(&mut data, info.key_len_bytes);
    let nonce = of_len(&mut data, info.nonce.map_or(0, |nonce| nonce.len_bytes));
    let cuts = take(&mut data, 8);
    let message = data;

    let Ok(mut mac) = DynMac::with_info(info, key) else {
        assert!(!info.accepted_key_len.accepts(key.len()), "{}", info.name);
        return;
    };
    let mut whole = vec![0; info.tag_len_bytes];
    let computed = mac.mac_with_nonce_into(nonce, message, &mut whole);
    let mut rest = message;
    for &cut in cuts {
        mac.update(take(&mut rest, usize::from(cut) * 3));
    }
    mac.update(rest);
    let mut streamed = vec![0; info.tag_len_bytes];
    let finished = if info.nonce.is_some() { mac.set_nonce(nonce) } else { Ok(()) }
        .and_then(|()| mac.finalize_reset_into(&mut streamed));
    match computed {
        Ok(()) => {
            assert_eq!(finished, Ok(()), "{}", info.name);
            assert_eq!(whole, streamed, "{}", info.name);
            mac.update(message);
            if info.nonce.is_some() {
                mac.set_nonce(nonce).expect("taken before");
            }
            assert_eq!(mac.verify(&whole), Ok(()), "{}", info.name);
        }
        Err(_) => assert!(finished.is_err() || info.nonce.is_none(), "{}", info.name),
    }
});
