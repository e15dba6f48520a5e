//! Keys in files: read in the three formats, and written by `keygen`. In hex and base64 a first
//! line `mac: NAME` names the MAC that the key is for. No key is ever an argument, in the
//! environment or in a message, and every buffer that held one is wiped.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use base64ct::{Base64, Encoding};
use clap::{ArgGroup, Args, ValueEnum};
use zeroize::Zeroizing;

use super::streams::{Stdin, shown};
use super::{hardening, permissions};
use crate::output;

/// The largest key file: more is a mistake.
pub const KEY_FILE_BYTES_MAX: usize = 1 << 20;

/// What the line begins with that names the MAC of a key.
const MAC_LINE: &[u8] = b"mac:";

/// The longest name that is looked for in that line.
const NAME_BYTES_MAX: usize = 64;

/// So many hex digits and nothing else are no base64: a random key has such letters once in 2^32.
const HEX_DIGITS_MIN: usize = 16;

/// Where the key is.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("key").required(true).args(["key_file", "key_fd"]))]
pub struct KeyArgs {
    /// The file that holds the key, or - for standard input
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// An inherited file descriptor to read the key from, as in `3<FILE`
    #[arg(long, value_name = "N")]
    key_fd: Option<u32>,
    /// How the key is encoded
    #[arg(long, value_enum, default_value = "hex")]
    key_format: KeyFormat,
}

/// How a key is written in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KeyFormat {
    /// Two hex digits per byte: one line below a line `mac: NAME`, or on its own with white space
    /// ignored
    Hex,
    /// RFC 4648 section 4, with padding; laid out as for hex
    Base64,
    /// The bytes as they are, including any newline at the end; no MAC is named
    Raw,
}

/// What is in a key file.
pub struct Key {
    /// Name of the MAC that it is for, where the file has one.
    pub mac: Option<String>,
    pub bytes: Zeroizing<Vec<u8>>,
}

impl KeyArgs {
    /// Where the key is, in words.
    pub fn place(&self) -> String {
        match (&self.key_file, self.key_fd) {
            (Some(path), _) => shown(path.as_os_str()),
            (None, Some(fd)) => format!("--key-fd {fd}"),
            (None, None) => "--key-file".into(),
        }
    }

    /// The key.
    ///
    /// # Errors
    /// Naming the place: what cannot be read, is empty, too large or not in its format.
    pub fn read(&self, stdin: &mut Stdin) -> Result<Key> {
        let place = self.place();
        // From `<(pass …)`, say, which asks for a password: that may take as long as it takes.
        let _waiting = output::Waiting::for_(format!("the key from {place}"));
        let mut content = Zeroizing::new(vec![0; KEY_FILE_BYTES_MAX + 1]);
        let len = self
            .open(stdin)
            .and_then(|file| {
                hardening::keep_others_out();
                hardening::lock_in_memory();
                self.read_whole(file, &mut content)
            })
            .map_err(|error| {
                anyhow!("{place}: the key cannot be read: {}", words::reason(&error))
            })?;
        if len > KEY_FILE_BYTES_MAX {
            bail!("{place}: larger than 1 MiB, too large for a key");
        }
        let key = self.key_format.decode(&content[..len]);
        hardening::lock_in_memory();
        key.map_err(|error| anyhow!("{place}: {error}"))
    }

    fn open(&self, stdin: &mut Stdin) -> io::Result<File> {
        match (&self.key_file, self.key_fd) {
            (Some(path), _) => stdin.or_file(path.as_os_str(), "the key"),
            (None, None | Some(0)) => stdin.take("the key"),
            // Safe Rust cannot own a descriptor that it did not open; opened by this name it is
            // a descriptor of our own.
            (None, Some(fd)) => {
                File::open(format!("/dev/fd/{fd}")).map_err(|error| match error.kind() {
                    io::ErrorKind::NotFound => io::Error::other("this descriptor is not open"),
                    _ => error,
                })
            }
        }
    }

    /// Fills `content` as far as the file reaches, and warns when it is not its user's alone.
    fn read_whole(&self, mut file: File, content: &mut [u8]) -> io::Result<usize> {
        let known = file.metadata()?;
        if known.is_file() {
            let path = self.key_file.as_deref().filter(|path| path.as_os_str() != "-");
            for doubt in permissions::doubts_of_key(&known, path) {
                output::say(&format!("macrometer: warning: {}: {doubt}", self.place()));
            }
        }
        let mut len = 0;
        while len < content.len() {
            match file.read(&mut content[len..]) {
                Ok(0) => break,
                Ok(read) => len += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(len)
    }
}

impl KeyFormat {
    /// The key in a file's content. Errors say where, never what.
    pub fn decode(self, content: &[u8]) -> Result<Key> {
        let (mac, begin) = match self {
            Self::Raw => (None, 0),
            Self::Hex | Self::Base64 => named(content)?,
        };
        self.check_as_written(content, mac.is_some(), begin)?;
        let bytes = match self {
            Self::Raw => Zeroizing::new(content.to_vec()),
            Self::Hex => of_hex(content, begin)?,
            Self::Base64 => of_base64(content, begin)?,
        };
        if bytes.is_empty() {
            bail!("empty: a key was expected");
        }
        Ok(Key { mac, bytes })
    }

    /// Whether a file with a line `mac:` is as `keygen` writes one in this format: what else can be
    /// decoded would be another key without a word.
    fn check_as_written(self, content: &[u8], is_named: bool, begin: usize) -> Result<()> {
        if self == Self::Raw {
            return check_is_raw(content);
        }
        if !is_named {
            return Ok(());
        }
        let first = only_word(&content[begin..])?;
        let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if self == Self::Base64 && first.len() >= HEX_DIGITS_MIN && first.iter().all(is_digit) {
            bail!("the key is written in hex: use --key-format hex");
        }
        Ok(())
    }

    /// The content of a key file: `hex` and `base64` are one line, under that of the MAC.
    pub fn encode(self, key: &[u8], mac: Option<&str>) -> Zeroizing<Vec<u8>> {
        let len = match self {
            Self::Raw => return Zeroizing::new(key.to_vec()),
            Self::Hex => 2 * key.len(),
            Self::Base64 => key.len().div_ceil(3) * 4,
        };
        let head = mac.map_or(String::new(), |mac| format!("mac: {mac}\n"));
        let mut content = Zeroizing::new(vec![b'\n'; head.len() + len + 1]);
        content[..head.len()].copy_from_slice(head.as_bytes());
        let text = &mut content[head.len()..head.len() + len];
        if self == Self::Hex {
            hex::encode_to_slice(key, text).expect("two digits a byte");
        } else {
            Base64::encode(key, text).expect("four letters for three bytes begun");
        }
        content
    }
}

/// The MAC that the first line names, if it is one that does, and where the key begins. What stands
/// there is never said: it may be a key in the wrong place.
fn named(content: &[u8]) -> Result<(Option<String>, usize)> {
    let Some(rest) = content.strip_prefix(MAC_LINE) else { return Ok((None, 0)) };
    let len = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    let name = rest[..len].trim_ascii();
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-_.".contains(byte);
    let is_name = !name.is_empty() && name.len() <= NAME_BYTES_MAX && name.iter().all(is_of_name);
    let name = str::from_utf8(name).ok().filter(|_| is_name);
    let name = name.ok_or_else(|| anyhow!("the line `mac:` names no MAC: write `mac: NAME`"))?;
    Ok((Some(name.to_owned()), MAC_LINE.len() + len))
}

/// The key in hex from a place on.
fn of_hex(content: &[u8], begin: usize) -> Result<Zeroizing<Vec<u8>>> {
    let digits = letters(content, begin, "hex", u8::is_ascii_hexdigit)?;
    if digits.len() % 2 != 0 {
        bail!("an odd number of hex digits, {}: one is missing", digits.len());
    }
    let mut key = Zeroizing::new(vec![0; digits.len() / 2]);
    hex::decode_to_slice(&*digits, &mut key).map_err(|_| anyhow!("not hex"))?;
    Ok(key)
}

/// The key in base64 from a place on.
fn of_base64(content: &[u8], begin: usize) -> Result<Zeroizing<Vec<u8>>> {
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let text = letters(content, begin, "base64", is_letter)?;
    let mut key = Zeroizing::new(vec![0; text.len() / 4 * 3]);
    let decoded = Base64::decode(&*text, &mut key).map(<[u8]>::len);
    let len = decoded.map_err(|_| anyhow!("not base64: incomplete or wrongly padded"))?;
    key.truncate(len);
    Ok(key)
}

/// A key of random bytes begins like a line `mac:` once in 2^32, and then names no MAC.
fn check_is_raw(content: &[u8]) -> Result<()> {
    let name = named(content).ok().and_then(|(name, _)| name);
    if name.is_some_and(|name| macs::find(&name).is_some()) {
        bail!("it has a line `mac:`, so it is not raw: use --key-format hex or base64");
    }
    Ok(())
}

/// What is under a line `mac:`.
fn only_word(content: &[u8]) -> Result<&[u8]> {
    let lines = content.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let mut lines = lines.filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let more = lines.count();
    if more > 0 {
        bail!("{} lines under the line `mac:`: one was expected, the key", 1 + more);
    }
    if first.iter().any(u8::is_ascii_whitespace) {
        bail!("white space within the key: under a line `mac:` it is one word");
    }
    Ok(first)
}

/// The content from this byte on, without its white space.
fn letters(
    content: &[u8],
    begin: usize,
    format: &str,
    is_letter: impl Fn(&u8) -> bool,
) -> Result<Zeroizing<Vec<u8>>> {
    let mut letters = Zeroizing::new(Vec::with_capacity(content.len()));
    let bytes = (1..).zip(content).skip(begin);
    for (number, byte) in bytes.filter(|(_, byte)| !byte.is_ascii_whitespace()) {
        if !is_letter(byte) {
            let other = if format == "hex" { "base64" } else { "hex" };
            bail!(
                "not {format} at byte {number}: use --key-format {other} if it is that, or \
                 --key-format raw if the file holds the key's bytes themselves"
            );
        }
        letters.push(*byte);
    }
    Ok(letters)
}
