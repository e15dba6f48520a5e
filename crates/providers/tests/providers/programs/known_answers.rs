//! What programs are asked, and the published answers.

/// `tag` requests and their answers. TAG_LEN is that of the answer.
pub const TAGS: &[[&str; 6]] = &[
    // mac, key, nonce, customization, message, tag
    [
        // RFC 8439 §2.5.2
        "poly1305",
        "85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b",
        "-",
        "-",
        "43727970746f6772617068696320466f72756d2052657365617263682047726f7570",
        "a8061dc1305136c6c22b8baf0c0127a9",
    ],
    [
        // Botan's gmac.vec
        "gmac-aes-128",
        "a0239e0e3ab4882f7e2aa691c55c5adf",
        "442700e2bf1bc92bb27b963a",
        "-",
        "ad24142520db7c3edb76",
        "8507f9e22c72a8670ac14ea9b407b4a1",
    ],
    [
        // Wycheproof's aes_gmac_test.json, 283; the left half of its tag
        "gmac-aes-256",
        "30f10609fcf8ae398fa50fb2807e0b605fe1f5962f7cd7d663fa2c50bb0ed537",
        "f251345f8011b4f7fdd59aa2",
        "-",
        "c66f86fbee5eda6a0ac4f64d7ef4b8",
        "b7e5ecd235a40615",
    ],
    [
        // RFC 4231, test case 5
        "hmac-sha256",
        "0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c",
        "-",
        "-",
        "546573742057697468205472756e636174696f6e",
        "a3b6167473100ee06e0c796c2955552b",
    ],
    [
        // No key and no message: a value known from everywhere
        "hmac-sha256",
        "-",
        "-",
        "-",
        "-",
        "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad",
    ],
    [
        // NIST's examples for HMAC-SHA3-256, sample 1
        "hmac-sha3-256",
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
        "-",
        "-",
        "53616d706c65206d65737361676520666f72206b65796c656e3c626c6f636b6c656e",
        "4fe8e202c4f058e8dddc23d8c34e467343e23555e24fc2f025d598f558f67205",
    ],
    [
        // RFC 2104 and RFC 7693 followed by hand
        "hmac-blake2s",
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
        "-",
        "-",
        "53616d706c65206d65737361676520666f72206b65796c656e3c626c6f636b6c656e",
        "6ade25cf50b7ca951bdfa1f5579800c6a20ae2b1b53fc88a7e0617340feb752a",
    ],
    [
        // likewise; the first 32 bytes of 64
        "hmac-blake2b",
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
        "-",
        "-",
        "53616d706c65206d65737361676520666f72206b65796c656e3c626c6f636b6c656e",
        "218431bf353a7b80d83f55032bdb508472b038ec5b1dc6d2576eeed2c4706e85",
    ],
    [
        // The first keyed one of BLAKE2's own vectors; likewise below
        "blake2b-keyed",
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\
         202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f",
        "-",
        "-",
        "-",
        "10ebb67700b1868efb4417987acf4690ae9d972fb7a590c2f02871799aaa4786\
         b5e996e8f0f4eb981fc214b005f42d2ff4233499391653df7aefcbc13fc51568",
    ],
    [
        "blake2s-keyed",
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
        "-",
        "-",
        "-",
        "48a8997da407876b3d79c0d92325ad3b89cbb754d86ab71aee047ad345fd2c49",
    ],
    [
        // NIST CAVP CMACGen, two keys
        "cmac-tdes-2",
        "f8f1492cb5ae70cd5e979419c8fbc7ad",
        "-",
        "-",
        "53534f17775c0e",
        "2c2a553296",
    ],
    [
        // Iwata's omac2-tv.txt
        "omac2-aes-128",
        "2b7e151628aed2a6abf7158809cf4f3c",
        "-",
        "-",
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411",
        "23fdaa0831cd314491ce4b25acb6023b",
    ],
    [
        // ISO/IEC 9797-1 Annex B.3, which is over single DES; half of the tag
        "emac-tdes-3",
        "0123456789abcdef0123456789abcdef0123456789abcdef\
         f1d3b597795b3d1ff1d3b597795b3d1ff1d3b597795b3d1f",
        "-",
        "-",
        "4e6f77206973207468652074696d6520666f7220616c6c20",
        "be7c2ab7",
    ],
    [
        // By the definition, for want of published ones
        "tmac-tdes-3",
        "47d5eb98865b9775abece9bd13ba786ff7054dfac7188f7ff4aeac4c6c910033",
        "-",
        "-",
        "159b0ca306f67f5b61754985bfc7c89062bd75e516284d1141631b28",
        "da3f300580471f4e",
    ],
    [
        // NIST's examples for KMAC, sample 4
        "kmac256",
        "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f",
        "-",
        "4d7920546167676564204170706c69636174696f6e",
        "00010203",
        "20c570c31346f703c9ac36c61c03cb64c3970d0cfc787e9b79599d273a68d2f7\
         f69d4cc3de9d104a351689f27cf6f5951f0103f33f4f24871024d9c27773a8dd",
    ],
    [
        // Sample 1
        "kmac128",
        "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f",
        "-",
        "-",
        "00010203",
        "e5780b0d3ea6f7d3a429c5706aa43a00fadbd7d49628839e3187243f456ee14e",
    ],
];

/// Sealed messages: mac, key, nonce, associated data, message, ciphertext, tag.
pub const SEALED: &[[&str; 7]] = &[
    [
        // RFC 8439 §2.8.2
        "chacha20-poly1305",
        "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
        "070000004041424344454647",
        "50515253c0c1c2c3c4c5c6c7",
        "4c616469657320616e642047656e746c656d656e206f662074686520636c6173\
         73206f66202739393a204966204920636f756c64206f6666657220796f75206f\
         6e6c79206f6e652074697020666f7220746865206675747572652c2073756e73\
         637265656e20776f756c642062652069742e",
        "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6\
         3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36\
         92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc\
         3ff4def08e4b7a9de576d26586cec64b6116",
        "1ae10b594f09e26a7e902ecbd0600691",
    ],
    [
        // LibTomCrypt's gcm_tv.txt
        "gcm-aes-128",
        "b4a1a2e29aad713d5677cf425e65a400",
        "0001020304050607",
        "0001020304050607",
        "0001020304050607",
        "ee5ba3309d417697",
        "146ea95ced151f8c40df98c1cc54930b",
    ],
    [
        // SP 800-38C, example 1: a tag of 4 bytes, which is an input
        "ccm-aes-128",
        "404142434445464748494a4b4c4d4e4f",
        "10111213141516",
        "0001020304050607",
        "20212223",
        "7162015b",
        "4dac255d",
    ],
    [
        // The same with a tag of 8 bytes, as Intel's ipsec-mb has it
        "ccm-aes-128",
        "404142434445464748494a4b4c4d4e4f",
        "10111213141516",
        "0001020304050607",
        "20212223",
        "7162015b",
        "d0ad86fd33c26986",
    ],
    [
        // Botan's eax.vec
        "eax-aes-128",
        "852260f91f27898d4fc176e311f6e1d1",
        "00010203",
        "00010203",
        "00010203",
        "f09f68be",
        "700766ca231643b5d60c3b91b1b700c1",
    ],
];
