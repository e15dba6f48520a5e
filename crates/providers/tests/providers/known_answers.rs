//! Published answers through every in-process provider found here, in every key life it offers.
//! The wide vector sets are tested in `macs`; these show that each library is called rightly.

use std::collections::BTreeSet;

use crate::installed::in_process;

/// Source, mac, key, message, tag.
type Case = (&'static str, &'static str, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const CASES: &[Case] = &[
    (
        "RFC 2202 case 1", "hmac-md5",
        "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b",
        "4869205468657265",
        "9294727a3638bb1c13f48ef8158bfc9d",
    ),
    (
        "RFC 2202 case 2", "hmac-md5",
        "4a656665",
        "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
        "750c783e6ab0b503eaa86e310a5db738",
    ),
    (
        "RFC 2202 case 1", "hmac-sha1",
        "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b",
        "4869205468657265",
        "b617318655057264e28bc0b6fb378c8ef146be00",
    ),
    (
        "RFC 2202 case 2", "hmac-sha1",
        "4a656665",
        "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
        "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
    ),
    (
        "RFC 4231 case 1", "hmac-sha224",
        "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b",
        "4869205468657265",
        "896fb1128abbdf196832107cd49df33f47b4b1169912ba4f53684b22",
    ),
    (
        "RFC 4231 case 2", "hmac-sha224",
        "4a656665",
        "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
        "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44",
    ),
    (
        "RFC 4231 case 1", "hmac-sha256",
        "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b",
        "4869205468657265",
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
    ),
    (
        "RFC 4231 case 2", "hmac-sha256",
        "4a656665",
        "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    ),
    (
        "RFC 4231 case 1", "hmac-sha384",
        "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b",
        "4869205468657265",
        "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59c\
         faea9ea9076ede7f4af152e8b2fa9cb6",
    ),
    (
        "RFC 4231 case 2", "hmac-sha384",
        "4a656665",
        "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
        "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e\
         8e2240ca5e69e2c78b3239ecfab21649",
    ),
    (
        "RFC 4231 case 1", "hmac-sha512",
        "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b",
        "4869205468657265",
        "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde\
         daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
    ),
    (
        "RFC 4231 case 2", "hmac-sha512",
        "4a656665",
        "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
        "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554\
         9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
    ),
    (
        "RFC 4493 example 1", "cmac-aes-128",
        "2b7e151628aed2a6abf7158809cf4f3c",
        "",
        "bb1d6929e95937287fa37d129b756746",
    ),
    (
        "RFC 4493 example 2", "cmac-aes-128",
        "2b7e151628aed2a6abf7158809cf4f3c",
        "6bc1bee22e409f96e93d7e117393172a",
        "070a16b46b4d4144f79bdd9dd04a287c",
    ),
    (
        "RFC 4493 example 3", "cmac-aes-128",
        "2b7e151628aed2a6abf7158809cf4f3c",
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411",
        "dfa66747de9ae63030ca32611497c827",
    ),
    (
        "RFC 4493 example 4", "cmac-aes-128",
        "2b7e151628aed2a6abf7158809cf4f3c",
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
         30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710",
        "51f0bebf7e3b9d92fc49741779363cfe",
    ),
    (
        "SP 800-38B D, example 1", "cmac-aes-192",
        "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
        "",
        "d17ddf46adaacde531cac483de7a9367",
    ),
    (
        "SP 800-38B D, example 2", "cmac-aes-192",
        "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
        "6bc1bee22e409f96e93d7e117393172a",
        "9e99a7bf31e710900662f65e617c5184",
    ),
    (
        "SP 800-38B D, example 3", "cmac-aes-192",
        "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411",
        "8a1de5be2eb31aad089a82e6ee908b0e",
    ),
    (
        "SP 800-38B D, example 4", "cmac-aes-192",
        "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
         30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710",
        "a1d5df0eed790f794d77589659f39a11",
    ),
    (
        "SP 800-38B D, example 1", "cmac-aes-256",
        "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
        "",
        "028962f61b7bf89efc6b551f4667d983",
    ),
    (
        "SP 800-38B D, example 2", "cmac-aes-256",
        "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
        "6bc1bee22e409f96e93d7e117393172a",
        "28a7023f452e8f82bd4bf28d8c37c35c",
    ),
    (
        "SP 800-38B D, example 3", "cmac-aes-256",
        "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411",
        "aaf3d8f1de5640c232f5b169b9c911e6",
    ),
    (
        "SP 800-38B D, example 4", "cmac-aes-256",
        "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
         30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710",
        "e1992190549f6ed5696a2c056c315410",
    ),
    (
        "SP 800-38B D, example 1", "cmac-tdes-3",
        "8aa83bf8cbda10620bc1bf19fbb6cd58bc313d4a371ca8b5",
        "",
        "b7a688e122ffaf95",
    ),
    (
        "SP 800-38B D, example 2", "cmac-tdes-3",
        "8aa83bf8cbda10620bc1bf19fbb6cd58bc313d4a371ca8b5",
        "6bc1bee22e409f96",
        "8e8f293136283797",
    ),
    (
        "SP 800-38B D, example 3", "cmac-tdes-3",
        "8aa83bf8cbda10620bc1bf19fbb6cd58bc313d4a371ca8b5",
        "6bc1bee22e409f96e93d7e117393172aae2d8a57",
        "743ddbe0ce2dc2ed",
    ),
    (
        "SP 800-38B D, example 4", "cmac-tdes-3",
        "8aa83bf8cbda10620bc1bf19fbb6cd58bc313d4a371ca8b5",
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51",
        "33e6b1092400eae5",
    ),
    (
        "SP 800-38B D, example 1", "cmac-tdes-2",
        "4cf15134a2850dd58a3d10ba80570d38",
        "",
        "bd2ebf9a3ba00361",
    ),
    (
        "SP 800-38B D, example 2", "cmac-tdes-2",
        "4cf15134a2850dd58a3d10ba80570d38",
        "6bc1bee22e409f96",
        "4ff2ab813c53ce83",
    ),
    (
        "SP 800-38B D, example 3", "cmac-tdes-2",
        "4cf15134a2850dd58a3d10ba80570d38",
        "6bc1bee22e409f96e93d7e117393172aae2d8a57",
        "62dd1b471902bd4e",
    ),
    (
        "SP 800-38B D, example 4", "cmac-tdes-2",
        "4cf15134a2850dd58a3d10ba80570d38",
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51",
        "31b1e431dabc4eb8",
    ),
    (
        "libtomcrypt, hmac_tv.txt", "hmac-sha512-224",
        "c0cf0b758b58f0e2de2340c57192bb158e72d2fc126dc34f8aace2ee",
        "000102030405060708090a0b0c0d0e0f1011121314",
        "65469e3c95382569c40ccde30bd09c822ee017f4a8d9306e8469dfba",
    ),
    (
        "libtomcrypt, hmac_tv.txt", "hmac-sha512-256",
        "833bb2ec2996850a1a31bebe5299f4c3b1f6d02a2a3a211f9fb24c1d41ade3f8",
        "000102030405060708090a0b0c0d0e0f10111213141516",
        "d3730a1546f9b49995dc70ce5d855a1af7dcf18cac51765c3beb8839d72a66df",
    ),
    (
        "libtomcrypt, omac_tv.txt", "cmac-twofish-128",
        "460b8207930da434ae6afecc305d9a26",
        "000102030405060708090a0b0c0d0e0f1011121314151617",
        "7f03f8c7ba5365cc65f7864a42693bc8",
    ),
    (
        "libtomcrypt, omac_tv.txt", "cmac-serpent-128",
        "19130ffe070fd9c2546c98b76d447104",
        "000102030405060708090a0b0c0d0e0f10111213141516",
        "c6bc0bed4c8cf5e182f69daa13afa47c",
    ),
    (
        "libtomcrypt, omac_tv.txt", "cmac-rc6-128",
        "ac1daf6c01aa28bcc0a819189fa949d7",
        "000102030405060708090a0b0c0d0e0f1011121314",
        "d0532b5f54a179444d052a4d2ad6e4f9",
    ),
];

#[test]
fn published_answers() {
    let mut tried = BTreeSet::new();
    for found in in_process() {
        for offer in found.provider.info().offers {
            let cases = CASES.iter().filter(|(_, mac, ..)| *mac == offer.mac);
            for (source, mac, key, text, tag) in cases {
                let bytes = |text| hex::decode(text).expect("hexadecimal");
                let (key, message, right) = (bytes(key), bytes(text), bytes(tag));
                for key_life in &offer.key_lives {
                    let what = format!("{}/{mac}/{key_life}: {source}", found.name);
                    let mut tagger = found.provider.tagger(mac, *key_life, &key).expect(&what);
                    let mut tag = vec![0; right.len()];
                    tagger(&key, &message, &mut tag).expect(&what);
                    assert_eq!(tag, right, "{what}");
                }
                tried.insert((*source, *mac, *text));
            }
        }
    }
    // Our own library and RustCrypto have all these macs: no case may be left out.
    let all: BTreeSet<_> =
        CASES.iter().map(|(source, mac, _, text, _)| (*source, *mac, *text)).collect();
    assert_eq!(tried, all);
}
