//! Every code path of this CPU over few and short messages, whole, in pieces and in a batch: so
//! little that Miri gets through it, which judges each pointer and each borrow. `.ci/run` says how.
#![cfg(feature = "full")]

use macs::{Batch, DynComposition, DynMac, Job, KernelName, MacInfo, find};

/// One a primitive, and the ways that a mode takes through it.
const MACS: [&str; 16] = [
    "aegismac-128x2",
    "blake3-keyed",
    "cmac-aes-128",
    "cmac-rc6-128",
    "cmac-serpent-128",
    "cmac-tdes-3",
    "cmac-twofish-128",
    "emac-aes-192",
    "gmac-aes-128",
    "hmac-md5",
    "hmac-sha1",
    "hmac-sha256",
    "hmac-sha512",
    "khc1-sha256",
    "poly1305",
    "vmac64-aes-128",
];

const COMPOSITIONS: [&str; 7] = [
    "aegis-128x2",
    "ccm-aes-128",
    "ctr-then-cmac-aes-128",
    "eax-aes-128",
    "gcm-aes-128",
    "gcm-siv-aes-128",
    "siv-aes-128",
];

/// More than any kernel for single blocks has lanes.
const MESSAGES: usize = 17;

fn key(info: &MacInfo, number: usize) -> Vec<u8> {
    (0..info.key_len_bytes).map(|i| (i * 7 + number + 1) as u8).collect()
}

fn nonce(info: &MacInfo) -> Vec<u8> {
    vec![1; info.nonce.map_or(0, |nonce| nonce.len_bytes)]
}

fn message(number: usize) -> Vec<u8> {
    vec![number as u8; 9 * number]
}

fn serial(info: &'static MacInfo, kernel: KernelName) -> Vec<Vec<u8>> {
    let tag = |number| {
        let mut mac = DynMac::with_kernel(info, &key(info, number), kernel).unwrap();
        let (nonce, message) = (nonce(info), message(number));
        let mut tag = vec![0; info.tag_len_bytes];
        mac.mac_with_nonce_into(&nonce, &message, &mut tag).unwrap();
        message.chunks(21).for_each(|piece| mac.update(piece));
        if info.nonce.is_some() {
            mac.set_nonce(&nonce).unwrap();
        }
        mac.verify(&tag).unwrap();
        tag
    };
    (0..MESSAGES).map(tag).collect()
}

fn batched(info: &'static MacInfo, kernel: KernelName) -> Vec<Vec<u8>> {
    let keys: Vec<Vec<u8>> = (0..MESSAGES).map(|number| key(info, number)).collect();
    let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let (nonce, messages) = (nonce(info), (0..MESSAGES).map(message).collect::<Vec<_>>());
    let job = |number: usize| Job::new(number, &messages[number]).with_nonce(&nonce);
    let jobs: Vec<Job<'_>> = (0..MESSAGES).map(job).collect();
    let mut tags = vec![0; MESSAGES * info.tag_len_bytes];
    let mut batch = Batch::with_kernel(info, &[keys[0]; MESSAGES], kernel).unwrap();
    batch.rekey(0, &keys).unwrap();
    batch.macs_into(&jobs, &mut tags).unwrap();
    tags.chunks(info.tag_len_bytes).map(<[u8]>::to_vec).collect()
}

/// The code paths, portable code last. Miri leaves that out: it takes long to interpret, and there
/// is nothing in it to judge.
fn kernels(info: &MacInfo) -> Vec<KernelName> {
    let is_left_out = |kernel: &KernelName| cfg!(miri) && *kernel == KernelName::Soft;
    info.kernels().into_iter().filter(|kernel| !is_left_out(kernel)).collect()
}

#[test]
fn macs_on_every_kernel() {
    // Hashes have kernels in assembly, which Miri has not; TDES keeps it for minutes.
    let is_left_out =
        |name: &str| ["cmac-tdes", "hmac-", "khc1-"].iter().any(|s| name.starts_with(s));
    for name in MACS.into_iter().filter(|name| !(cfg!(miri) && is_left_out(name))) {
        let info = find(name).unwrap();
        let kernels = kernels(info);
        let Some(last) = kernels.last() else { continue };
        let expected = serial(info, *last);
        for kernel in kernels {
            println!("{name} on {kernel}");
            assert_eq!(serial(info, kernel), expected, "{name} on {kernel}");
            assert_eq!(batched(info, kernel), expected, "{name} on {kernel}, in a batch");
        }
    }
}

#[test]
fn compositions_on_every_kernel() {
    for name in COMPOSITIONS {
        let info = find(name).unwrap();
        let kernels = kernels(info);
        let Some(last) = kernels.last() else { continue };
        let last = DynComposition::with_kernel(info, &key(info, 0), *last).unwrap();
        for kernel in kernels {
            println!("{name} on {kernel}");
            let keyed = DynComposition::with_kernel(info, &key(info, 0), kernel).unwrap();
            for len in [0, 5, 16, 40, 150] {
                let sealed = keyed.seal(&nonce(info), b"header", &vec![3; len]).unwrap();
                let opened = last.open(&nonce(info), b"header", &sealed).unwrap();
                assert_eq!(opened, vec![3; len], "{name} on {kernel}");
            }
        }
    }
}

/// Only longer runs of VMAC go through vectors.
#[test]
fn a_long_message_of_vmac_on_every_kernel() {
    let info = find("vmac64-aes-128").unwrap();
    let tag = |kernel| {
        let mac = DynMac::with_kernel(info, &key(info, 0), kernel).unwrap();
        let mut tag = vec![0; info.tag_len_bytes];
        mac.mac_with_nonce_into(&nonce(info), &[5; 1100], &mut tag).unwrap();
        tag
    };
    let expected = tag(KernelName::Soft);
    for kernel in kernels(info) {
        assert_eq!(tag(kernel), expected, "{kernel}");
    }
}
