//! The lines that a worker is asked in: bounded, since whoever writes them may be anybody.

use std::io::{self, BufRead, Read, Write};

use words::Unavailable;

/// The longest request: messages of the greatest length in hexadecimal, twice over.
const LINE_BYTES_MAX: u64 = 1 << 26;

/// Calls, or what stands for them, that one request may ask for: a call is a microsecond.
pub(super) const ITERATIONS_MAX: u64 = 10_000_000_000;

/// Calls whose times are kept one by one.
pub(super) const SINGLE_MAX: u64 = 10_000_000;

/// The longest tag that may be asked for.
pub(super) const TAG_LEN_BYTES_MAX: u64 = 1 << 16;

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

/// Gives each request to `answer`, and its reply to `output`. Ends with the input, or where
/// `answer` has said its last.
pub(super) fn each<E: Into<Unavailable>>(
    mut input: impl BufRead,
    mut output: impl Write,
    mut answer: impl FnMut(&str) -> Result<Reply, E>,
) -> io::Result<()> {
    let mut line = Vec::new();
    while let Some(request) = next(&mut input, &mut line)? {
        let reply = match request {
            Ok(request) => answer(request).map_err(Into::into),
            Err(error) => Err(error.into()),
        };
        let is_last = matches!(reply, Ok(Reply::Last));
        match reply {
            Ok(Reply::More(reply)) => writeln!(output, "ok {reply}")?,
            Ok(Reply::Last) => writeln!(output, "ok {{}}")?,
            Err(Unavailable { cause, reason }) => {
                writeln!(output, "{} {}", cause.reply(), reason.replace(['\n', '\r'], " "))?;
            }
        }
        output.flush()?;
        if is_last {
            return Ok(());
        }
    }
    Ok(())
}

/// What a request is answered with.
pub(super) enum Reply {
    More(serde_json::Value),
    /// The answer to `close`.
    Last,
}

/// Answers every request with the reason why there is nobody to answer it.
///
/// # Errors
/// Only when the lab can no longer be heard or answered.
pub fn refuse(reason: &Unavailable, input: impl BufRead, output: impl Write) -> io::Result<()> {
    each(input, output, |_| Err(reason.clone()))
}

/// A number of a request.
pub(super) fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("not a number that fits: {text:?}"))
}

/// A number of a request that is work, or memory, for this process.
pub(super) fn at_most<T: TryFrom<u64>>(text: &str, most: u64) -> Result<T, String> {
    let value = text.parse::<u64>().ok().filter(|value| *value <= most);
    let value = value.and_then(|value| T::try_from(value).ok());
    value.ok_or_else(|| format!("not a whole number up to {most}: {text:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(input: &[u8]) -> Vec<String> {
        let mut output = Vec::new();
        refuse(&"it is\nnot there".into(), input, &mut output).unwrap();
        String::from_utf8(output).unwrap().lines().map(Into::into).collect()
    }

    #[test]
    fn who_is_not_there_answers_every_line_even_one_that_is_not_utf_8() {
        let replies = refused(b"info\n\xff\xfe\n\nclose\n");
        let reason = "err it is not there";
        assert_eq!(replies, [reason, "err the request is not UTF-8", reason, reason]);
    }

    #[test]
    fn what_is_not_installed_says_so() {
        let mut output = Vec::new();
        refuse(&Unavailable::not_installed("no such file"), &b"info\n"[..], &mut output).unwrap();
        assert_eq!(output, b"not-installed no such file\n");
    }

    #[test]
    fn a_line_that_is_too_long_is_refused_and_the_next_one_is_heard() {
        for len in [1 << 26, (1 << 26) + 1, 3 << 25] {
            let mut input = vec![b'0'; len];
            input.extend(b"\ninfo\n");
            let long = "err the request has more than 67108864 bytes";
            assert_eq!(refused(&input), [long, "err it is not there"], "{len}");
        }
        let mut longest = vec![b'0'; (1 << 26) - 1];
        longest.push(b'\n');
        assert_eq!(refused(&longest), ["err it is not there"]);
    }
}
