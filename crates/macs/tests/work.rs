//! `MacInfo::work` against calls counted: the modes over a cipher that counts them. HMAC's are
//! counted in `src/hmac/tests.rs`, and KHC's in `src/khc.rs`.
#![cfg(feature = "full")]

use std::cell::Cell;
use std::marker::PhantomData;

use cipher::{InvalidLength, Key, KeyInit, KeySizeUser};
use macs::ciphers::Foreign;
use macs::digest::array::ArraySize;
use macs::digest::consts::{U8, U16, U24, U32};
use macs::{CbcMac, CbcMacPad2, Cmac, Emac, Omac2, Pmac, PreparedMac, Tmac, Xcbc, XcbcKdf};

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
    static SCHEDULES: Cell<u64> = const { Cell::new(0) };
}

fn count(counter: &'static std::thread::LocalKey<Cell<u64>>, calls: u64) {
    counter.set(counter.get() + calls);
}

/// A cipher with blocks of `B` and keys of `K` bytes: it turns bits over, and counts.
struct Counting<B, K>(u8, PhantomData<fn() -> (B, K)>);

impl<B, K> Clone for Counting<B, K> {
    fn clone(&self) -> Self {
        Self(self.0, PhantomData)
    }
}

impl<B: ArraySize, K: ArraySize> KeySizeUser for Counting<B, K> {
    type KeySize = K;
}

impl<B: ArraySize, K: ArraySize> KeyInit for Counting<B, K> {
    /// A public key, for a cipher that is not set up yet or not any more, is not counted.
    fn new(key: &Key<Self>) -> Self {
        Self(key[0], PhantomData)
    }

    fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
        count(&SCHEDULES, 1);
        key.try_into().map(Self::new).map_err(|_| InvalidLength)
    }
}

impl<B: ArraySize, K> cipher::BlockSizeUser for Counting<B, K> {
    type BlockSize = B;
}

impl<B: ArraySize, K> cipher::ParBlocksSizeUser for Counting<B, K> {
    type ParBlocksSize = cipher::consts::U1;
}

impl<B: ArraySize, K> cipher::BlockCipherEncBackend for Counting<B, K> {
    fn encrypt_block(&self, mut block: cipher::InOut<'_, '_, cipher::Block<Self>>) {
        count(&CALLS, 1);
        let mut turned = block.get_in().clone();
        turned.iter_mut().for_each(|byte| *byte = !*byte ^ self.0);
        *block.get_out() = turned;
    }
}

impl<B: ArraySize, K> cipher::BlockCipherEncrypt for Counting<B, K> {
    fn encrypt_with_backend(&self, f: impl cipher::BlockCipherEncClosure<BlockSize = B>) {
        f.call(self);
    }
}

/// What is counted when a key is set up and then this message taken: calls for the message, calls
/// and key schedules for the key.
fn counted<M: PreparedMac>(key_len: usize, message: &[u8]) -> (u64, u64, u64) {
    let key = vec![3; key_len];
    CALLS.set(0);
    SCHEDULES.set(0);
    let mac = M::new_from_slice(&key).expect("a key of this length");
    let set_up_calls = CALLS.replace(0);
    let key_schedules = SCHEDULES.get();
    let mut tag = Default::default();
    mac.mac_into(message, &mut tag);
    assert_eq!(SCHEDULES.get(), key_schedules, "no key schedule for a message");
    (CALLS.get(), set_up_calls, key_schedules)
}

fn check<M: PreparedMac>(name: &str) {
    let info = macs::find(name).expect("a row");
    for len in 0..=200 {
        let expected = counted::<M>(info.key_len_bytes, &[9; 200][..len]);
        let work = info.work(len as u64).expect("what is known");
        let told = (work.message_calls, work.set_up_calls, work.key_schedules);
        assert_eq!(told, expected, "{name}, {len} bytes");
    }
}

macro_rules! check_modes {
    ($cipher:ty, $name:literal) => {
        check::<CbcMac<$cipher>>(concat!("cbc-mac-", $name));
        check::<CbcMacPad2<$cipher>>(concat!("cbc-mac-pad2-", $name));
        check::<Cmac<$cipher>>(concat!("cmac-", $name));
        check::<Emac<$cipher>>(concat!("emac-", $name));
        check::<Omac2<$cipher>>(concat!("omac2-", $name));
        check::<Pmac<$cipher>>(concat!("pmac-", $name));
        check::<Tmac<$cipher>>(concat!("tmac-", $name));
        check::<Xcbc<$cipher>>(concat!("xcbc-", $name));
        check::<XcbcKdf<$cipher>>(concat!("xcbc-kdf-", $name));
    };
}

#[test]
fn modes_over_block_ciphers() {
    check_modes!(Foreign<Counting<U16, U16>>, "aes-128");
    check_modes!(Foreign<Counting<U16, U24>>, "aes-192");
    check_modes!(Foreign<Counting<U16, U32>>, "aes-256");
    check_modes!(Foreign<Counting<U8, U24>>, "tdes-3");
    check_modes!(Foreign<Counting<U8, U16>>, "tdes-2");
}

#[test]
fn others_have_none() {
    for name in ["blake3-keyed", "gmac-aes-128", "hmac-sha3-256", "kmac128", "siphash-2-4"] {
        if let Some(mac) = macs::find(name) {
            assert_eq!(mac.work(64), None, "{name}");
        }
    }
    assert!(macs::find("gmac-aes-128").is_some());
}
