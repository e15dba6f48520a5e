//! Every kernel that this CPU has gives the tag of `soft`, for a message whole, in any pieces, and
//! in a batch among others under other keys.
#![no_main]

use libfuzzer_sys::fuzz_target;
use macrometer_fuzz::{number, take};
use macs::{Batch, DynMac, Job, KernelName, MacInfo};

fuzz_target!(|data: &[u8]| {
    let mut data = data;
    let macs: Vec<(&'static MacInfo, KernelName)> = macs::catalog()
        .iter()
        .filter(|info| !info.is_composition())
        .flat_map(|info| info.kernels().into_iter().map(move |kernel| (info, kernel)))
        .collect();
    let choice = number(&mut data) << 8 | number(&mut data);
    let (info, kernel) = macs[choice % macs.len()];
    let nonce = exactly(&mut data, info.nonce.map_or(0, |nonce| nonce.len_bytes));
    let keys_count = 1 + number(&mut data) % 20;
    let keys: Vec<Vec<u8>> =
        (0..keys_count).map(|_| exactly(&mut data, info.key_len_bytes)).collect();
    let cuts = take(&mut data, 4);
    let messages = messages(data);

    let slices: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let job = |(i, m): (usize, _)| Job::new(i % keys_count, m).with_nonce(&nonce);
    let jobs: Vec<Job<'_>> = messages.iter().map(Vec::as_slice).enumerate().map(job).collect();
    let mut tags = vec![0; jobs.len() * info.tag_len_bytes];
    let batch = Batch::with_kernel(info, &slices, kernel).expect("of its kernels");
    batch.macs_into(&jobs, &mut tags).expect("its own lengths");

    for (job, tag) in jobs.iter().zip(tags.chunks(info.tag_len_bytes)) {
        let key = &keys[job.key];
        let soft = tag_of(info, key, KernelName::Soft, job, &[]);
        assert_eq!(tag, soft, "{} {kernel}: batch", info.name);
        let pieces = tag_of(info, key, kernel, job, cuts);
        assert_eq!(pieces, soft, "{} {kernel}: whole and in pieces", info.name);
    }
});

/// As many bytes, zeros when there are no more.
fn exactly(data: &mut &[u8], len: usize) -> Vec<u8> {
    let mut bytes = take(data, len).to_vec();
    bytes.resize(len, 0);
    bytes
}

/// What is left, as messages: each says its length, which mostly is small, and has memory of its
/// own, so that the sanitizer sees a read beyond its end.
fn messages(mut data: &[u8]) -> Vec<Vec<u8>> {
    let mut messages = vec![];
    while !data.is_empty() && messages.len() < 70 {
        let len = number(&mut data);
        let len = if len < 200 { len } else { (len - 199) * 32 };
        messages.push(take(&mut data, len).to_vec());
    }
    messages
}

/// The tag of a message whole, which that of its pieces must be as well.
fn tag_of(
    info: &'static MacInfo,
    key: &[u8],
    kernel: KernelName,
    job: &Job<'_>,
    cuts: &[u8],
) -> Vec<u8> {
    let mut mac = DynMac::with_kernel(info, key, kernel).expect("of its kernels");
    let mut whole = vec![0; info.tag_len_bytes];
    mac.mac_with_nonce_into(job.nonce, job.message, &mut whole).expect("its own lengths");
    let mut rest = job.message;
    for &cut in cuts {
        mac.update(take(&mut rest, usize::from(cut) * 3));
    }
    mac.update(rest);
    if info.nonce.is_some() {
        mac.set_nonce(job.nonce).expect("its own length");
    }
    let mut streamed = vec![0; info.tag_len_bytes];
    mac.finalize_reset_into(&mut streamed).expect("its own lengths");
    assert_eq!(streamed, whole, "{} {kernel}: pieces", info.name);
    whole
}
