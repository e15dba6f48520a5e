//! What the crate `digest` tests of a mac, `dev::mac_test` and `dev::reset_mac_test`, with the
//! compact set of vectors; and the names by its trait.
#![cfg(feature = "full")]

use std::fmt;

use digest::common::AlgorithmName;
use digest::dev::{MacTestVector, MacTruncSide, mac_test, reset_mac_test};
use digest::{FixedOutputReset, KeyInit, Mac};
use macs::ciphers::{
    Aes128, Aes192, Aes256, Magma, Rc6_128, Serpent192, Sm4, TdesEde2, TdesEde3, Twofish256,
};
use macs::{
    AegisMac128L, AegisMac256Tag256, AegisMac256X2, AsconMac, AsconPrf, Blake2bKeyed, Blake2sKeyed,
    Blake3Keyed, CbcMac, Chaskey, Chaskey12, ChaskeyLts, Cmac, Gmac, HighwayHash128, Hmac,
    HmacBlake2b, HmacMd5, HmacSha1, HmacSha3_256, HmacSha224, HmacSha256, HmacSha384, HmacSha512,
    HmacSha512_256, HmacSm3, HmacStreebog256, HopMac128, HopMac256, Khc1Sha256, Kmac128,
    Kmac256Xof, Pmac, Poly1305, S2v, SipHash24, SipHash48_128, Umac96, Vmac64,
};

/// Runs the tests of `digest` on the valid cases of this catalog name.
fn tested<M: Mac + KeyInit + FixedOutputReset + Clone>(name: &str) {
    let mut count = 0;
    for case in vectors::compact().flat_map(|(_, cases)| cases) {
        let whole = M::output_size();
        let is_said = case.mac == name && case.is_valid && case.tag_len_bytes(whole).is_some();
        if !is_said || case.message.len_bytes > 4096 {
            continue;
        }
        let leaked = |bytes: Vec<u8>| -> &'static [u8] { bytes.leak() };
        let side = if case.tag.len() < whole { MacTruncSide::Left } else { MacTruncSide::None };
        let vector = MacTestVector {
            key: leaked(case.key),
            input: leaked(case.message.bytes()),
            tag: leaked(case.tag),
        };
        mac_test::<M>(&vector, side).unwrap_or_else(|error| panic!("{}: {error}", case.id));
        reset_mac_test::<M>(&vector, side).unwrap_or_else(|error| panic!("{}: {error}", case.id));
        count += 1;
    }
    assert!(count > 0, "no case of {name}");
    println!("{name}: {count} cases");
}

#[test]
fn the_tests_of_digest_pass() {
    tested::<HmacMd5>("hmac-md5");
    tested::<HmacSha1>("hmac-sha1");
    tested::<HmacSha224>("hmac-sha224");
    tested::<HmacSha256>("hmac-sha256");
    tested::<HmacSha384>("hmac-sha384");
    tested::<HmacSha512>("hmac-sha512");
    tested::<HmacSha3_256>("hmac-sha3-256");
    tested::<AegisMac128L>("aegismac-128l");
    tested::<AegisMac256X2>("aegismac-256x2");
    tested::<AsconMac>("ascon-mac");
    tested::<Chaskey>("chaskey");
    tested::<Chaskey12>("chaskey-12");
    tested::<ChaskeyLts>("chaskey-lts");
    tested::<HighwayHash128>("highwayhash-128");
    tested::<HopMac128>("hopmac128");
    tested::<HopMac256>("hopmac256");
    tested::<Cmac<Magma>>("cmac-magma");
    tested::<Cmac<Sm4>>("cmac-sm4");
    tested::<HmacSm3>("hmac-sm3");
    tested::<HmacStreebog256>("hmac-streebog-256");
    tested::<Hmac<sha2::Sha256>>("hmac-sha256");
    tested::<Cmac<Aes128>>("cmac-aes-128");
    tested::<Cmac<Aes192>>("cmac-aes-192");
    tested::<Cmac<Aes256>>("cmac-aes-256");
    tested::<Cmac<TdesEde2>>("cmac-tdes-2");
    tested::<Cmac<TdesEde3>>("cmac-tdes-3");
    tested::<Cmac<aes::Aes128>>("cmac-aes-128");
    tested::<S2v<Aes256>>("s2v-aes-256");
    tested::<SipHash24>("siphash-2-4");
}

struct Name<M>(std::marker::PhantomData<M>);

impl<M: AlgorithmName> fmt::Display for Name<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        M::write_alg_name(f)
    }
}

fn name<M: AlgorithmName>() -> String {
    Name::<M>(std::marker::PhantomData).to_string()
}

#[test]
fn names_are_those_of_the_types() {
    // As the crates `hmac` and `cmac` have them.
    assert_eq!(name::<HmacSha256>(), "Hmac<Sha256>");
    assert_eq!(name::<Hmac<sha2::Sha256>>(), name::<hmac::Hmac<sha2::Sha256>>());
    assert_eq!(name::<Cmac<Aes128>>(), name::<cmac::Cmac<aes::Aes128>>());
    assert_eq!(name::<Cmac<aes::Aes256>>(), name::<cmac::Cmac<aes::Aes256>>());
    assert_eq!(name::<HmacSha512_256>(), "Hmac<Sha512_256>");
    assert_eq!(name::<AegisMac256Tag256>(), "AegisMac256Tag256");
    assert_eq!(name::<HmacSm3>(), "Hmac<Sm3>");
    assert_eq!([name::<AsconMac>(), name::<AsconPrf>()], ["AsconMac", "AsconPrf"]);
    assert_eq!([name::<Chaskey12>(), name::<HopMac128>()], ["Chaskey-12", "HopMac128"]);
    assert_eq!([name::<HighwayHash128>(), name::<Cmac<Sm4>>()], ["HighwayHash128", "Cmac<Sm4>"]);
    assert_eq!(name::<Blake3Keyed>(), "Blake3Keyed");
    assert_eq!(name::<CbcMac<Rc6_128>>(), "CbcMac<Rc6_128>");
    assert_eq!(name::<Gmac<Aes192>>(), "Gmac<Aes192>");
    assert_eq!(name::<Khc1Sha256>(), "Khc1<Sha256>");
    assert_eq!([name::<Kmac128>(), name::<Kmac256Xof>()], ["Kmac128", "Kmac256Xof"]);
    assert_eq!(name::<Pmac<Serpent192>>(), "Pmac<Serpent192>");
    assert_eq!(name::<Cmac<TdesEde3>>(), "Cmac<TdesEde3>");
    assert_eq!(name::<Cmac<Twofish256>>(), "Cmac<Twofish256>");
    assert_eq!(name::<Poly1305>(), "Poly1305");
    assert_eq!(name::<S2v<Aes128>>(), "S2v<Aes128>");
    assert_eq!([name::<SipHash24>(), name::<SipHash48_128>()], ["SipHash24", "SipHash48_128"]);
    assert_eq!([name::<Umac96>(), name::<Vmac64<Aes256>>()], ["Umac96", "Vmac64<Aes256>"]);
    for name in [name::<Blake2bKeyed>(), name::<Blake2sKeyed>(), name::<HmacBlake2b>()] {
        assert!(name.contains("Blake2"), "{name}");
    }
}
