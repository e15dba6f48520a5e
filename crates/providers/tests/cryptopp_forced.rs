//! Crypto++ held to plain code. What it may use of the CPU is settled once a process, so this test
//! has one to itself, and is one function.

use providers::{KeyLife, Kind, Place, Provider, ffi::cryptopp};

fn open(name: &str) -> Result<Box<dyn Provider>, String> {
    let Kind::InProcess(open) = cryptopp::ROW.kind else { panic!("cryptopp is in-process") };
    open(&Place { name: Some(name.into()), path: None }).map_err(|unavailable| unavailable.reason)
}

/// Kernels are what the library says of its own objects, so they tell whether it was really held.
#[test]
fn soft_is_plain_code_with_the_same_tags() {
    if !cfg!(target_arch = "x86_64") {
        return println!("skipped: nothing can be forced here");
    }
    let soft = match open("cryptopp[soft]") {
        Ok(soft) => soft,
        Err(reason) => {
            let is_strict = std::env::var_os("CHECK_STRICT").is_some();
            assert!(!is_strict, "CHECK_STRICT is set and this is absent: {reason}");
            return println!("skipped: {reason}");
        }
    };
    let info = soft.info();
    assert_eq!(info.name, "cryptopp[soft]");
    assert_eq!(info.different, [], "tags as without");
    let offers = &info.offers;
    assert!(offers.len() > 90, "{} macs", offers.len());
    for offer in offers {
        assert_eq!(offer.kernel, "soft", "{}", offer.mac);
    }
    for mac in ["hmac-sha1", "hmac-sha256", "cmac-aes-128", "blake2b-keyed"] {
        let key: Vec<u8> = (1..=macs::find(mac).unwrap().key_len_bytes as u8).collect();
        let mut tagger = soft.tagger(mac, KeyLife::Prepared, &key).unwrap();
        for len_bytes in [0, 1, 63, 64, 127, 128, 4096, 10_007] {
            let (message, right) =
                (vec![0x5A; len_bytes], macs::mac(mac, &key, &vec![0x5A; len_bytes]));
            let right = right.unwrap();
            let mut tag = vec![0; right.len()];
            tagger(&key, &message, &mut tag).unwrap();
            assert_eq!(tag, right, "{mac}, {len_bytes} bytes");
        }
    }
    open("cryptopp[soft]").expect("the same choice again");
    for other in ["cryptopp", "cryptopp[no-aes]"] {
        let reason = open(other).err().expect("it is settled");
        assert!(reason.contains("for another code path"), "{reason}");
        assert_eq!(reason.lines().count(), 1, "{reason}");
    }
}
