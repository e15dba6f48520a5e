//! What HMAC costs in compressions, counted by a compression function that does nothing else.
//! RFC 2104 §4: with the key's states kept, a short message costs two. And `MacInfo::work` against
//! the compressions of each hash.

extern crate std;

use core::cell::Cell;
use core::marker::PhantomData;
use std::vec;

use digest::{KeyInit, Mac, Output};

use super::{Hmac, HmacHash, HmacMd};
use crate::compression::{self as c, Block, Compression, Digest, LengthField};
use crate::inside::Sealed;
use crate::kernels::OnlySoft;
use crate::prepared::PreparedMac;

std::thread_local! {
    static BLOCKS: Cell<usize> = const { Cell::new(0) };
    static RUNS: Cell<usize> = const { Cell::new(0) };
}

/// Of SHA-256's shape, but absorbs nothing and only counts.
struct Counting;

impl Sealed for Counting {}

impl Compression for Counting {
    type State = ();
    type BlockSize = <c::Sha256 as Compression>::BlockSize;
    type OutputSize = <c::Sha256 as Compression>::OutputSize;
    type Kernel = OnlySoft;
    const INITIAL: () = ();
    const LENGTH_FIELD: LengthField = LengthField::Be64;

    fn compress(_: OnlySoft, (): &mut (), blocks: &[Block<Self>]) {
        BLOCKS.set(BLOCKS.get() + blocks.len());
        RUNS.set(RUNS.get() + 1);
    }

    fn write_digest((): &(), digest: &mut Digest<Self>) {
        digest.fill(0);
    }
}

impl HmacHash for Counting {
    type Hmac = HmacMd<Self>;
}

/// Compressions, and the runs they came in.
fn counted(work: impl FnOnce()) -> (usize, usize) {
    BLOCKS.set(0);
    RUNS.set(0);
    work();
    (BLOCKS.get(), RUNS.get())
}

#[test]
fn a_prepared_tag_of_a_short_message_costs_two() {
    let mac = Hmac::<Counting>::new_from_slice(b"key").unwrap();
    let mut tag = Output::<Hmac<Counting>>::default();
    for (len, blocks) in [(0, 2), (1, 2), (55, 2), (56, 3), (64, 3), (119, 3), (120, 4)] {
        let (counted, _) = counted(|| mac.mac_into(&vec![0; len], &mut tag));
        assert_eq!(counted, blocks, "{len} bytes");
    }
}

#[test]
fn a_new_key_costs_two_more_and_a_long_one_its_hash() {
    let mut mac = Hmac::<Counting>::new_from_slice(b"key").unwrap();
    let mut tag = Output::<Hmac<Counting>>::default();
    for (key_len, blocks) in [(0, 4), (64, 4), (65, 6), (119, 6), (120, 7)] {
        let key = vec![0; key_len];
        let (counted, _) = counted(|| {
            mac.rekey(&key).unwrap();
            mac.mac_into(&[0; 55], &mut tag);
        });
        assert_eq!(counted, blocks, "{key_len}-byte key");
    }
}

#[test]
fn a_long_message_goes_over_in_one_run() {
    let mac = Hmac::<Counting>::new_from_slice(b"key").unwrap();
    let mut tag = Output::<Hmac<Counting>>::default();
    let message = [0; 100 * 64];
    // One run from the message, one for the padding, one for the outer hash.
    assert_eq!(counted(|| mac.mac_into(&message, &mut tag)), (102, 3));
    let streamed = counted(|| {
        let mut mac = mac.clone();
        Mac::update(&mut mac, &message[..10]);
        Mac::update(&mut mac, &message[10..]);
        mac.finalize();
    });
    // One more: the block that lies across the two pieces.
    assert_eq!(streamed, (102, 4));
}

/// A compression function that counts.
struct CountingHash<C>(PhantomData<C>);

impl<C: Compression> Sealed for CountingHash<C> {}

impl<C: Compression> Compression for CountingHash<C> {
    type State = C::State;
    type BlockSize = C::BlockSize;
    type OutputSize = C::OutputSize;
    type Kernel = C::Kernel;
    const INITIAL: C::State = C::INITIAL;
    const LENGTH_FIELD: LengthField = C::LENGTH_FIELD;

    fn compress(kernel: C::Kernel, state: &mut C::State, blocks: &[Block<Self>]) {
        BLOCKS.set(BLOCKS.get() + blocks.len());
        C::compress(kernel, state, blocks);
    }

    fn write_digest(state: &C::State, digest: &mut Digest<Self>) {
        C::write_digest(state, digest);
    }
}

fn check<C: Compression>(name: &str) {
    let info = crate::find(name).expect("a row");
    let key = vec![3; info.key_len_bytes];
    for len in 0..=200 {
        BLOCKS.set(0);
        let mac = HmacMd::<CountingHash<C>>::new_from_slice(&key).expect("a key of any length");
        let set_up = BLOCKS.replace(0);
        mac.mac_into(&[9; 200][..len], &mut Default::default());
        let work = info.work(len as u64).expect("what is known");
        let told = (work.message_calls, work.set_up_calls, work.key_schedules);
        assert_eq!(told, (BLOCKS.get() as u64, set_up as u64, 0), "{name}, {len} bytes");
    }
}

#[test]
fn as_many_calls_as_theory_says() {
    check::<c::Md5>("hmac-md5");
    check::<c::Sha1>("hmac-sha1");
    check::<c::Sha224>("hmac-sha224");
    check::<c::Sha256>("hmac-sha256");
    check::<c::Sha384>("hmac-sha384");
    check::<c::Sha512>("hmac-sha512");
    check::<c::Sha512_224>("hmac-sha512-224");
    check::<c::Sha512_256>("hmac-sha512-256");
}
