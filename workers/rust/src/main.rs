//! A macrometer worker: MACs over one revision of a crate, measured through the traits that its
//! users call.
//!
//! Speaks docs/worker-protocol.md on standard input and output. Built by `macrometer gate` with the
//! crate in the revision asked for (crates/providers/src/revision.rs), and started with what it
//! shall say of itself: its name, the crate's version, where that is from, and what else it was
//! built with. The loop is that of our own worker (crates/lab/src/worker/serve.rs) with the clock
//! of the standard library.
#![forbid(unsafe_code)]

#[cfg(feature = "blake2")]
mod blake2_keyed;
#[cfg(feature = "blake3")]
mod blake3_keyed;
mod cell;
#[cfg(feature = "cmac")]
mod cmac;
#[cfg(feature = "gmac")]
mod gmac;
#[cfg(any(feature = "blake2", feature = "sha1", feature = "sha2", feature = "sha3"))]
mod hmac;
mod macs;
mod placed;
#[cfg(feature = "poly1305")]
mod poly1305;
mod session;
#[cfg(any(
    feature = "blake2",
    feature = "cmac",
    feature = "sha1",
    feature = "sha2",
    feature = "sha3"
))]
mod traits;

use std::io::{self, BufRead, Read, Write};

use serde_json::Value;
use session::{About, Session};

/// The longest request.
const LINE_BYTES_MAX: u64 = 1 << 26;

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut argument = || arguments.next().unwrap_or_else(|| "unknown".into());
    let about =
        About { name: argument(), version: argument(), path: argument(), detail: argument() };
    let mut session = Session::new(about);
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut line = Vec::new();
    while let Some(request) = next(&mut input, &mut line)? {
        let is_last = request == Ok("close");
        match request.and_then(|request| session.answer(request)) {
            Ok(reply) => writeln!(output, "ok {}", Value::Object(reply))?,
            Err(reason) => writeln!(output, "err {}", reason.replace(['\n', '\r'], " "))?,
        }
        output.flush()?;
        if is_last {
            break;
        }
    }
    Ok(())
}

/// The next request, or what is wrong with the line; `None` at the end of the input.
fn next<'a>(
    input: &mut impl BufRead,
    line: &'a mut Vec<u8>,
) -> io::Result<Option<Result<&'a str, String>>> {
    line.clear();
    if input.by_ref().take(LINE_BYTES_MAX + 1).read_until(b'\n', line)? == 0 {
        return Ok(None);
    }
    if line.len() as u64 > LINE_BYTES_MAX {
        if line.last() != Some(&b'\n') {
            input.skip_until(b'\n')?;
        }
        return Ok(Some(Err(format!("the request has more than {LINE_BYTES_MAX} bytes"))));
    }
    let request = std::str::from_utf8(line).map(str::trim_end);
    Ok(Some(request.map_err(|_| "the request is not UTF-8".into())))
}
