//! What only libgcrypt has: code paths that are settled once a process, and CCM without a look at
//! the length of the message.

use providers::{Inputs, Kind, Place, Provider, ffi::gcrypt};

use crate::installed::skipped;

fn open(name: &str) -> Result<Box<dyn Provider>, String> {
    let Kind::InProcess(open) = gcrypt::ROW.kind else { panic!("gcrypt is in-process") };
    open(&Place { name: Some(name.into()), path: None }).map_err(|unavailable| unavailable.reason)
}

#[test]
fn a_code_path_cannot_be_forced_once_the_library_has_started() {
    let Ok(started) = open("gcrypt") else { return skipped("gcrypt") };
    if started.info().offers.iter().all(|offer| ["soft", "asm"].contains(&&*offer.kernel)) {
        return skipped("this CPU has nothing that libgcrypt could be told not to use");
    }
    let reason = open("gcrypt[soft]").err().expect("it was started with all that the CPU has");
    assert!(reason.contains("is already in use in this process"), "{reason}");
    assert_eq!(reason.lines().count(), 1, "{reason}");
}

/// Its length must fit in the 15 bytes that it shares with the nonce.
#[test]
fn a_message_too_long_for_the_nonce_is_refused() {
    let Ok(library) = open("gcrypt") else { return skipped("gcrypt") };
    let message = vec![0; 0x1_0000];
    let (key, nonce) = ([1; 16], [2; 13]);
    let inputs = Inputs {
        key: &key,
        nonce: &nonce,
        message: &message,
        tag_len_bytes: 16,
        ..Inputs::default()
    };
    library.seal("ccm-aes-128", &inputs).expect_err("a length of 17 bits in two bytes");
    let fits = Inputs { message: &message[1..], ..inputs };
    library.seal("ccm-aes-128", &fits).expect("a length of 16 bits in two bytes");
}
