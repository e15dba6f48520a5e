//! What JavaScript calls. A call takes what lies in the input area, in the order of its lengths,
//! and wipes it. It returns a number that is not negative, or that of an error (`refused.rs`),
//! whose words are then in the output area.
#![expect(unsafe_code, reason = "functions that JavaScript calls by name")]

use std::cell::RefCell;
use std::hint::black_box;

use crate::areas::{Input, Output};
use crate::objects::Objects;
use crate::refused::Refused;
use crate::{batch, catalog, single};

/// All that this module has.
struct Module {
    input: Input,
    output: Output,
    objects: Objects,
}

thread_local! {
    // A module of WebAssembly has one thread, to which this is a plain static.
    static MODULE: RefCell<Module> = const {
        RefCell::new(Module { input: Input::new(), output: Output::new(), objects: Objects::new() })
    };
}

/// How much of the stack a call uses at most, and one that sets a key up. Where they use more,
/// `tests/memory.test.mjs` finds what they leave.
const STACK_LEN: usize = 3072;
const KEY_STACK_LEN: usize = 8192;

/// Does the work on what lies in the input area, and wipes that, and what the work has left on the
/// stack, which is memory like any other here.
fn call<const N: usize>(
    lens: [usize; N],
    work: impl FnOnce(&mut Objects, &mut Output, [&[u8]; N]) -> Result<u32, Refused>,
) -> i32 {
    let status = done(lens, work);
    wipe_stack::<STACK_LEN>();
    status
}

/// The same of work that sets a key up.
fn call_with_key<const N: usize>(
    lens: [usize; N],
    work: impl FnOnce(&mut Objects, &mut Output, [&[u8]; N]) -> Result<u32, Refused>,
) -> i32 {
    let status = done(lens, work);
    wipe_stack::<KEY_STACK_LEN>();
    status
}

/// An array in the place of what was called before.
#[inline(never)]
fn wipe_stack<const LEN: usize>() {
    let mut stack = [0u8; LEN];
    black_box(&mut stack);
}

/// In a frame of its own, so that all that it leaves lies where `wipe_stack` has its array.
#[inline(never)]
fn done<const N: usize>(
    lens: [usize; N],
    work: impl FnOnce(&mut Objects, &mut Output, [&[u8]; N]) -> Result<u32, Refused>,
) -> i32 {
    MODULE.with_borrow_mut(|Module { input, output, objects }| {
        let done = input.parts(lens).and_then(|parts| work(objects, output, parts));
        input.wipe(lens.iter().fold(0, |sum, len| sum.saturating_add(*len)));
        match done {
            Ok(number) => number as i32,
            Err(refused) => {
                // Where there is no memory for the words, the number says it.
                let _ = output.text(&refused.words());
                refused.status()
            }
        }
    })
}

// SAFETY, of every `no_mangle` below: it is unsafe for a name that something else in the program
// has as well, of which the linker would take one. All that is linked here is Rust with mangled
// names and the compiler's own functions, which begin with underscores or are those of C's memory:
// none is named as these. Nothing else in this crate is unsafe.

/// Makes the input area this long; returns its address.
#[unsafe(no_mangle)]
pub extern "C" fn input_resize(len: usize) -> i32 {
    let made = MODULE.with_borrow_mut(|module| module.input.resize(len));
    match made {
        Ok(address) => address.addr() as i32,
        Err(refused) => call([], |_, _, []| Err(refused)),
    }
}

/// Where the output area begins.
#[unsafe(no_mangle)]
pub extern "C" fn output_at() -> usize {
    MODULE.with_borrow(|module| module.output.place().0.addr())
}

/// How long what is in the output area is.
#[unsafe(no_mangle)]
pub extern "C" fn output_len() -> usize {
    MODULE.with_borrow(|module| module.output.place().1)
}

/// Puts the catalog into the output area.
#[unsafe(no_mangle)]
pub extern "C" fn catalog_text() -> i32 {
    call([], |_, output, []| output.text(&catalog::text()).map(|()| 0))
}

/// Puts into the output area what is said of this name, which the catalog has not.
#[unsafe(no_mangle)]
pub extern "C" fn unknown_name(name_len: usize) -> i32 {
    call([name_len], |_, _, [name]| {
        let name = String::from_utf8_lossy(name);
        macs::DynMac::new(&name, &[]).map(|_| 0).map_err(Refused::from)
    })
}

/// Sets up a key, and a customization string; returns the key's number.
#[unsafe(no_mangle)]
pub extern "C" fn key_new(
    row: u32,
    key_len: usize,
    customization_len: usize,
    tag_len: u32,
    nonce_len: u32,
) -> i32 {
    call_with_key([key_len, customization_len], |objects, _, parts| {
        single::new_key(objects, row, parts, [tag_len, nonce_len])
    })
}

/// The tag of a message under a key that is set up.
#[unsafe(no_mangle)]
pub extern "C" fn key_tag(key: u32, nonce_len: usize, message_len: usize) -> i32 {
    call([nonce_len, message_len], |objects, output, parts| {
        single::tag(objects, output, key, parts)?;
        Ok(output.place().0.addr() as u32)
    })
}

/// 1 if the tag is that of the message, 0 if not.
#[unsafe(no_mangle)]
pub extern "C" fn key_verify(
    key: u32,
    nonce_len: usize,
    message_len: usize,
    tag_len: usize,
) -> i32 {
    call([nonce_len, message_len, tag_len], |objects, _, parts| {
        single::verify(objects, key, parts).map(u32::from)
    })
}

/// The tag of a message under a key that is used once.
#[unsafe(no_mangle)]
pub extern "C" fn tag_once(row: u32, key_len: usize, nonce_len: usize, message_len: usize) -> i32 {
    call_with_key([key_len, nonce_len, message_len], |_, output, parts| {
        single::tag_once(output, row, parts)?;
        Ok(output.place().0.addr() as u32)
    })
}

/// 1 if the tag is that of the message under a key that is used once, 0 if not.
#[unsafe(no_mangle)]
pub extern "C" fn verify_once(
    row: u32,
    key_len: usize,
    nonce_len: usize,
    message_len: usize,
    tag_len: usize,
) -> i32 {
    call_with_key([key_len, nonce_len, message_len, tag_len], |_, _, parts| {
        single::verify_once(row, parts).map(u32::from)
    })
}

/// Begins a message under this key, or copies one under way; returns its number.
#[unsafe(no_mangle)]
pub extern "C" fn mac_new(of: u32) -> i32 {
    call([], |objects, _, []| single::copy(objects, of))
}

/// The nonce of a message under way.
#[unsafe(no_mangle)]
pub extern "C" fn mac_nonce(mac: u32, nonce_len: usize) -> i32 {
    call([nonce_len], |objects, _, [nonce]| {
        Ok(objects.mac_mut(mac)?.set_nonce(nonce).map(|()| 0)?)
    })
}

/// Takes the next piece of a message.
#[unsafe(no_mangle)]
pub extern "C" fn mac_update(mac: u32, len: usize) -> i32 {
    call([len], |objects, _, [piece]| {
        objects.mac_mut(mac)?.update(piece);
        Ok(0)
    })
}

/// The tag of the pieces taken. The message is over, and its number is free.
#[unsafe(no_mangle)]
pub extern "C" fn mac_tag(mac: u32) -> i32 {
    call([], |objects, output, []| {
        single::finish(objects, output, mac)?;
        objects.remove(mac)?;
        Ok(output.place().0.addr() as u32)
    })
}

/// 1 if the tag is that of the pieces taken, 0 if not. The message is over, and its number is free.
#[unsafe(no_mangle)]
pub extern "C" fn mac_verify(mac: u32, tag_len: usize) -> i32 {
    call([tag_len], |objects, _, [tag]| {
        let is_right = single::finish_verify(objects, mac, tag)?;
        objects.remove(mac)?;
        Ok(is_right.into())
    })
}

/// Sets up many keys, whose lengths lie before them; returns the batch's number.
#[unsafe(no_mangle)]
pub extern "C" fn batch_new(row: u32, count: usize, keys_len: usize, nonce_len: u32) -> i32 {
    call_with_key([count.saturating_mul(4), keys_len], |objects, _, parts| {
        batch::new_batch(objects, row, nonce_len, parts)
    })
}

/// The tags of many messages. What lies in the input area: one offset more than messages, the
/// number of each message's key, nonces, data.
#[unsafe(no_mangle)]
pub extern "C" fn batch_tags(batch: u32, count: usize, nonces_len: usize, data_len: usize) -> i32 {
    let index_len = count.saturating_mul(4);
    call(
        [index_len.saturating_add(4), index_len, nonces_len, data_len],
        |objects, output, parts| {
            batch::tags(objects, output, batch, parts)?;
            Ok(output.place().0.addr() as u32)
        },
    )
}

/// Checks them: a byte for each, 1 for a tag that is right and 0 for one that is not. The tags lie
/// behind the data.
#[unsafe(no_mangle)]
pub extern "C" fn batch_verify(
    batch: u32,
    count: usize,
    nonces_len: usize,
    data_len: usize,
    tags_len: usize,
) -> i32 {
    let index_len = count.saturating_mul(4);
    let lens = [index_len.saturating_add(4), index_len, nonces_len, data_len, tags_len];
    call(lens, |objects, output, [offsets, index, nonces, data, tags]| {
        batch::verify(objects, output, batch, [offsets, index, nonces, data], tags)?;
        Ok(output.place().0.addr() as u32)
    })
}

/// Wipes and frees a key, a message under way, or a batch.
#[unsafe(no_mangle)]
pub extern "C" fn object_free(object: u32) -> i32 {
    call([], |objects, _, []| objects.remove(object).map(|()| 0))
}

/// What a call costs that computes nothing: takes a message and gives eight constant bytes. The
/// instrument that measures this module prints it beside the others.
#[unsafe(no_mangle)]
pub extern "C" fn empty_call(message_len: usize) -> i32 {
    call([message_len], |_, output, [message]| {
        black_box(message);
        output.text("null tag")?;
        Ok(output.place().0.addr() as u32)
    })
}
