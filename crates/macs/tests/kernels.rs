//! Every kernel that this CPU has, forced, for every mac and composition that has kernels: known
//! answers (with `MACROMETER_VECTORS=FOLDER` that folder's as well), streaming, other keys; and a
//! kernel that the CPU has not is refused. A CPU with fewer kernels is had with qemu: see
//! CONTRIBUTING.md.
#![cfg(feature = "full")]

mod known_answers;

use std::collections::BTreeSet;

use macs::{
    Batch, DynComposition, DynMac, Error, Job, KernelName, MacInfo, catalog, ciphers, find,
};
use proptest::prelude::*;
use vectors::Case;

/// Each row with each of its kernels.
fn pairs() -> impl Iterator<Item = (&'static MacInfo, KernelName)> {
    catalog().iter().flat_map(|info| info.kernels().into_iter().map(move |kernel| (info, kernel)))
}

fn is_mac(info: &MacInfo) -> bool {
    !info.is_composition()
}

/// As long as the mac takes it, out of random bytes.
fn stretched(random: &[u8], len_bytes: usize) -> Vec<u8> {
    random.iter().copied().cycle().take(len_bytes).collect()
}

fn key_of(info: &MacInfo, random: &[u8]) -> Vec<u8> {
    let mut key = stretched(random, info.key_len_bytes);
    // Where two keys are joined they must differ.
    let (k1, k2) = key.split_at(key.len() / 2);
    if !is_mac(info) && k1 == k2 {
        key[0] ^= 1;
    }
    key
}

/// A nonce of the mac's own length; empty where the mac takes none.
fn nonce_of(info: &MacInfo) -> Vec<u8> {
    stretched(&[1], info.nonce.map_or(0, |nonce| nonce.len_bytes))
}

fn tag_of(mac: &DynMac, message: &[u8]) -> Vec<u8> {
    let mut tag = vec![0; mac.tag_len_bytes()];
    mac.mac_with_nonce_into(&nonce_of(mac.info()), message, &mut tag).unwrap();
    tag
}

/// Whether the mac takes key, nonce and message. (VMAC refuses nonces by more than their length.)
fn is_taken(info: &'static MacInfo, case: &Case) -> bool {
    let mut tag = vec![0; info.tag_len_bytes];
    let message = case.message.bytes();
    let mac = DynMac::with_info(info, &case.key).and_then(|mac| match info.nonce {
        Some(_) => mac.with_nonce_len(case.nonce.len()),
        None => Ok(mac),
    });
    mac.is_ok_and(|mac| mac.mac_with_nonce_into(&case.nonce, &message, &mut tag).is_ok())
}

#[test]
fn known_answers_on_every_kernel() {
    let mut proved = BTreeSet::new();
    for (name, cases) in known_answers::files() {
        for kernel in KernelName::ALL {
            let has = |case: &&Case| find(&case.mac).is_some_and(|m| m.kernels().contains(kernel));
            known_answers::prove(&name, Some(*kernel), cases.iter().filter(has));
            let rows = cases.iter().filter(has).filter_map(|case| find(&case.mac));
            proved.extend(rows.map(|info| (info.name, *kernel)));
        }
    }
    for (info, kernel) in pairs() {
        let is_proved = proved.contains(&(info.name, kernel));
        assert!(is_proved, "{} on {kernel} has no known answer", info.name);
    }
}

/// All cases of a mac at once, so that a kernel of many lanes has many keys and messages of all
/// lengths to work on.
#[test]
fn known_answers_in_one_batch_on_every_kernel() {
    let files: Vec<Vec<Case>> = known_answers::files().map(|(_, cases)| cases).collect();
    for (info, kernel) in pairs().filter(|(info, _)| is_mac(info)) {
        let fits = |case: &&Case| {
            case.mac == info.name
                && case.customization.is_empty()
                && case.tag_len_bytes(info.tag_len_bytes).is_some()
                && is_taken(info, case)
        };
        let cases: Vec<&Case> = files.iter().flatten().filter(fits).collect();
        assert!(!cases.is_empty(), "{} has no known answer", info.name);
        // The keys of a batch take nonces of one length, and make tags of one.
        let lens_of = |case: &Case| (case.nonce.len(), computed_len(info, case));
        let lens: BTreeSet<(usize, usize)> = cases.iter().map(|case| lens_of(case)).collect();
        for lens in lens {
            let cases: Vec<&Case> =
                cases.iter().copied().filter(|case| lens_of(case) == lens).collect();
            known_answers_in_one_batch(info, kernel, &cases);
        }
    }
}

/// Length of the tag that is computed: where it is an input, that of the case.
fn computed_len(info: &MacInfo, case: &Case) -> usize {
    let len = case.tag.len();
    if info.accepted_tag_len.accepts(len) { len } else { info.tag_len_bytes }
}

fn known_answers_in_one_batch(info: &'static MacInfo, kernel: KernelName, cases: &[&Case]) {
    let keys: Vec<&[u8]> = cases.iter().map(|case| case.key.as_slice()).collect();
    let messages: Vec<Vec<u8>> = cases.iter().map(|case| case.message.bytes()).collect();
    let jobs: Vec<Job<'_>> = (0..)
        .zip(cases)
        .zip(&messages)
        .map(|((key, case), message)| Job::new(key, message).with_nonce(&case.nonce))
        .collect();
    let tag_len = computed_len(info, cases[0]);
    let mut tags = vec![0; jobs.len() * tag_len];
    let batch = Batch::with_kernel(info, &keys, kernel).unwrap();
    let mut batch = batch.with_tag_len(tag_len).unwrap();
    if info.nonce.is_some() {
        batch = batch.with_nonce_len(cases[0].nonce.len()).unwrap();
    }
    batch.macs_into(&jobs, &mut tags).unwrap();
    for (case, tag) in cases.iter().zip(tags.chunks(tag_len)) {
        let shown = case.tag_len_bytes(tag.len()).unwrap();
        let is_right = tag[..shown] == case.tag[..shown];
        assert_eq!(is_right, case.is_valid, "{} on {kernel}", case.id);
    }
}

/// What `MACROMETER_KERNELS=NAME,NAME` asks for must be among those that this file forces here.
#[test]
fn the_kernels_asked_for_are_there() {
    let here: BTreeSet<&str> = pairs().map(|(_, kernel)| kernel.as_str()).collect();
    println!("kernels that ran: {here:?}");
    let asked_for = std::env::var("MACROMETER_KERNELS").unwrap_or_default();
    for name in asked_for.split(',').filter(|name| !name.is_empty()) {
        assert!(here.contains(name), "{name} did not run");
    }
}

/// Without a kernel the loops here have a turn less and pass, so what tells which are there must
/// agree with the standard library, which asks the same CPU.
#[test]
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
fn each_primitive_has_the_kernels_that_the_cpu_has_instructions_for() {
    use std::is_x86_feature_detected as has;
    const WIDE: &[&str] = &[
        "blake3-keyed",
        "chacha20-poly1305",
        "cmac-rc6-128",
        "cmac-serpent-128",
        "cmac-tdes-3",
        "hmac-md5",
        "hmac-sha1",
        "hmac-sha256",
        "hmac-sha512",
    ];
    let sse41 = has!("sse4.1") && has!("ssse3");
    let avx = has!("avx") && sse41;
    let (aes, clmul) = (has!("aes") && avx, has!("pclmulqdq") && avx);
    // Registers of 256 and 512 bits; most kernels on them use the bit instructions as well.
    let ymm = has!("avx2");
    let zmm = has!("avx512f") && has!("avx512bw") && has!("avx512vl") && has!("avx512dq") && ymm;
    let bmi = has!("bmi1") && has!("bmi2");
    let (vaes, vpclmul) = (has!("vaes") && aes, has!("vpclmulqdq") && clmul);
    for (kernel, is_here, names) in [
        ("aes-ni", aes, &["aegismac-128l", "aegismac-128x2", "aegismac-128x4", "cmac-aes-128"][..]),
        ("vaes-256", vaes && ymm, &["aegismac-128x2", "aegismac-128x4", "cmac-aes-128"]),
        ("vaes-512", vaes && zmm, &["aegismac-128x4", "cmac-aes-128"]),
        ("clmul", clmul, &["gmac-aes-128"]),
        ("vpclmul-256", vpclmul && ymm, &["gmac-aes-128"]),
        ("vpclmul-512", vpclmul && zmm && bmi, &["gmac-aes-128"]),
        ("sha-ni", has!("sha") && avx, &["hmac-sha1", "hmac-sha256"]),
        ("sse41", sse41, &["blake3-keyed"]),
        ("avx2", ymm && bmi, WIDE),
        ("avx2", ymm && bmi, &["poly1305", "umac-64", "vmac64-aes-128"]),
        ("avx512", zmm && bmi, WIDE),
        ("ifma", has!("avx512ifma") && zmm && bmi, &["poly1305", "vmac64-aes-128"]),
    ] {
        for name in names {
            let found = find(name).unwrap().kernels().iter().any(|it| it.as_str() == kernel);
            assert_eq!(found, is_here, "{name} on {kernel}");
        }
    }
}

#[test]
fn soft_is_there_wherever_there_are_kernels_and_the_best_is_first() {
    for info in catalog().iter().filter(|info| !info.kernels().is_empty()) {
        let kernels = info.kernels();
        assert!(kernels.contains(&KernelName::Soft), "{}: {kernels:?}", info.name);
        assert_eq!(info.kernel(), kernels[0].as_str(), "{}", info.name);
    }
    for cipher in ciphers::CIPHERS {
        let info = find(&format!("cmac-{}", cipher.primitive.name)).unwrap();
        assert!(!info.kernels().is_empty(), "{} cannot be pinned", info.name);
    }
}

#[test]
fn a_kernel_that_is_not_there_is_refused_and_the_error_names_what_is() {
    let mut refused = 0;
    for info in catalog() {
        let (key, there) = (key_of(info, &[7]), info.kernels());
        for kernel in KernelName::ALL.iter().copied().filter(|kernel| !there.contains(kernel)) {
            let error = if is_mac(info) {
                let error = DynMac::with_kernel(info, &key, kernel).unwrap_err();
                assert_eq!(Batch::with_kernel(info, &[&key], kernel).unwrap_err(), error);
                error
            } else {
                DynComposition::with_kernel(info, &key, kernel).unwrap_err()
            };
            let text = error.to_string();
            assert!(text.contains(info.name) && text.contains(kernel.as_str()), "{text}");
            for kernel in &there {
                assert!(text.contains(kernel.as_str()), "{text}: no {kernel}");
            }
            let expected = Error::NoKernel { mac: info.name, kernel, kernels: there.clone() };
            assert_eq!(error, expected);
            refused += 1;
        }
    }
    assert!(refused > 0, "no CPU has the kernels of two architectures");
}

/// A quarter of what `PROPTEST_CASES` says (256 without it): every case runs all kernels. Failing
/// inputs are printed, and kept by hand as named tests, not in files.
fn config() -> ProptestConfig {
    let cases = ProptestConfig::default().cases.div_ceil(4);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Bytes; mostly few, so that block edges fall everywhere, and at times more than a kernel takes in
/// one turn.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        6 => prop::collection::vec(any::<u8>(), 0..40),
        3 => prop::collection::vec(any::<u8>(), 40..300),
        1 => prop::collection::vec(any::<u8>(), 300..4200),
    ]
}

fn random() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 1..64)
}

/// The tag of the pieces that a mac takes one by one.
fn streamed(mac: &mut DynMac, pieces: &[Vec<u8>]) -> Vec<u8> {
    for piece in pieces {
        mac.update(piece);
    }
    if mac.info().nonce.is_some() {
        mac.set_nonce(&nonce_of(mac.info())).unwrap();
    }
    let mut tag = vec![0; mac.tag_len_bytes()];
    mac.finalize_reset_into(&mut tag).unwrap();
    tag
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn one_shot_streaming_and_rekeyed_are_soft_s_tag_on_every_kernel(
        (random, other) in (random(), random()),
        pieces in prop::collection::vec(bytes(), 0..5),
    ) {
        let message = pieces.concat();
        for info in catalog().iter().filter(|info| is_mac(info) && !info.kernels().is_empty()) {
            let (key, other) = (key_of(info, &random), key_of(info, &other));
            let soft = DynMac::with_kernel(info, &key, KernelName::Soft).unwrap();
            let expected = tag_of(&soft, &message);
            for kernel in info.kernels() {
                let mut mac = DynMac::with_kernel(info, &key, kernel).unwrap();
                prop_assert_eq!(&tag_of(&mac, &message), &expected, "{} {}", info.name, kernel);
                let tag = streamed(&mut mac, &pieces);
                prop_assert_eq!(&tag, &expected, "{} {} streamed", info.name, kernel);

                let mut mac = DynMac::with_kernel(info, &other, kernel).unwrap();
                mac.update(&message);
                mac.rekey(&key).unwrap();
                let tag = streamed(&mut mac, &pieces);
                prop_assert_eq!(&tag, &expected, "{} {} rekeyed", info.name, kernel);
                prop_assert_eq!(&tag_of(&mac, &message), &expected, "{} {}", info.name, kernel);
            }
        }
    }

    #[test]
    fn compositions_seal_as_soft_and_open_what_it_sealed_on_every_kernel(
        (random, other) in (random(), random()),
        (associated_data, message) in (bytes(), bytes()),
    ) {
        for info in catalog().iter().filter(|info| !is_mac(info) && !info.kernels().is_empty()) {
            let (key, other) = (key_of(info, &random), key_of(info, &other));
            let nonce = nonce_of(info);
            // CTR+CMAC takes none, and what is refused would compare nothing.
            let takes_ad = !info.name.starts_with("ctr+cmac");
            let ad: &[u8] = if takes_ad { &associated_data } else { &[] };
            let soft = DynComposition::with_kernel(info, &key, KernelName::Soft).unwrap();
            let expected = soft.seal(&nonce, ad, &message).unwrap();
            for kernel in info.kernels() {
                let new = DynComposition::with_kernel(info, &key, kernel).unwrap();
                let mut rekeyed = DynComposition::with_kernel(info, &other, kernel).unwrap();
                rekeyed.rekey(&key).unwrap();
                for keyed in [new, rekeyed] {
                    let sealed = keyed.seal(&nonce, ad, &message).unwrap();
                    prop_assert_eq!(&sealed, &expected, "{} {}", info.name, kernel);
                    let opened = keyed.open(&nonce, ad, &sealed);
                    prop_assert_eq!(opened.as_ref(), Ok(&message), "{} {}", info.name, kernel);
                }
            }
        }
    }
}
