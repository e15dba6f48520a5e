//! `keygen`: a fresh key of the right shape, in a file of its own.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use macs::MacInfo;
use rand::TryRng;
use rand::rngs::SysRng;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};
use rustix::io::Errno;
use zeroize::Zeroizing;

use crate::halves;
use crate::tags::key::{KEY_FILE_BYTES_MAX, KeyFormat};
use crate::tags::streams::{self, UNWRITTEN, shown};
use crate::tags::{hardening, keyed};

/// Generate a random key for a MAC, in a new file that only its owner can read.
///
/// Random numbers come from the operating system. An existing file is never overwritten; the new
/// one is written completely or not at all. Its first line, `mac: NAME`, tells `tag` and `verify`
/// which MAC the key is for; the second is the key (with --key-format raw, there is nothing else).
/// TDES keys get odd parity.
#[derive(Debug, Args)]
pub struct Keygen {
    /// The MAC, by name (`macrometer list macs`)
    #[arg(long, value_name = "NAME")]
    mac: String,
    /// Allow a MAC whose tags for files can be forged (`list macs`: broken, or one message per key)
    #[arg(long)]
    insecure: bool,
    /// Key length [default: the MAC's]
    #[arg(long, value_name = "BYTES")]
    key_len: Option<usize>,
    /// How the key is encoded
    #[arg(long, value_enum, default_value = "hex")]
    key_format: KeyFormat,
    /// The file to create, or - for standard output
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl Keygen {
    pub fn run(self) -> Result<u8> {
        let info = keyed::find_for_files(&self.mac, self.insecure)?;
        hardening::keep_others_out();
        let mut key = Zeroizing::new(vec![0; self.key_len_bytes(info)?]);
        hardening::lock_in_memory();
        SysRng.try_fill_bytes(&mut key).context("the system provides no random numbers")?;
        set_parity(info, &mut key);
        let content = self.key_format.encode(&key, Some(info.name));
        hardening::lock_in_memory();
        if self.file.as_os_str() == "-" {
            streams::stdout()?.write_all(&content).context(UNWRITTEN)?;
        } else {
            write(&self.file, &content)?;
        }
        Ok(0)
    }

    fn key_len_bytes(&self, info: &MacInfo) -> Result<usize> {
        let Some(len) = self.key_len else { return Ok(info.key_len_bytes) };
        // Two digits a byte and two lines must fit in what is read again.
        let max = KEY_FILE_BYTES_MAX / 2 - 64;
        if len == 0 || len > max {
            bail!("--key-len {len}: 1 to {max} bytes");
        }
        if !info.accepted_key_len.accepts(len) {
            bail!("--key-len {len}: {} takes a key of {}", info.name, info.accepted_key_len);
        }
        Ok(len)
    }
}

/// Odd parity for every byte of the key of DES and TDES, the lowest bit making it up (FIPS 46-3).
/// What a mode takes behind the cipher's key may be no key of the cipher and stays as it is.
fn set_parity(info: &MacInfo, key: &mut [u8]) {
    let len_bytes = match macs::ciphers::find(info.primitive.name) {
        Some(cipher) if cipher.primitive.name.starts_with("tdes-") => cipher.key_len_bytes,
        // Two keys of DES.
        None if info.primitive.name == "des" => key.len(),
        _ => return,
    };
    for byte in key.iter_mut().take(len_bytes) {
        *byte ^= u8::from(byte.count_ones() % 2 == 0);
    }
}

/// Writes a key where nobody else may read or replace it, and nothing is yet.
fn write(file: &Path, content: &[u8]) -> Result<()> {
    let place = shown(file.as_os_str());
    if let Some(doubt) = trust::doubt_of_place(file) {
        let right = "use a folder of mode 0700, below folders that only you can write to";
        bail!("{place}: no key is written: {doubt}; {right}");
    }
    create(file, content).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            anyhow!("{place}: already exists, and a key is never overwritten")
        }
        _ => anyhow!("cannot write the key to {place}: {}", words::reason(&error)),
    })
}

/// Makes a file of mode 0600 that is there whole or not at all, and durable.
fn create(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = trust::folder_of(path);
    // Opened first: where it cannot be, no key may be left behind by an error.
    let opened = File::open(folder)?;
    match unnamed(folder, path, content) {
        Err(error) if has_names_only(&error) => named(folder, path, content),
        placed => placed,
    }?;
    opened.sync_all().inspect_err(|_| drop(std::fs::remove_file(path)))
}

/// By a file that has no name until it is whole: whoever is killed meanwhile leaves nothing.
fn unnamed(folder: &Path, path: &Path, content: &[u8]) -> io::Result<()> {
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let mut file = File::from(open(folder, flags, Mode::RUSR | Mode::WUSR)?);
    file.write_all(content)?;
    file.sync_all()?;
    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, own, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

/// For file systems that know no such files. An error does not tell the name of the file that it
/// was written to first, which is gone.
fn named(folder: &Path, path: &Path, content: &[u8]) -> io::Result<()> {
    let bare = |error: io::Error| io::Error::from(error.kind());
    let mut file = halves::file(folder, 0o600).map_err(bare)?;
    file.as_file_mut().write_all(content)?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map(drop).map_err(|error| bare(error.error))
}

/// Whether the file system, or a system without `/proc`, knows only files with names.
fn has_names_only(error: &io::Error) -> bool {
    let code = error.raw_os_error().map(Errno::from_raw_os_error);
    matches!(code, Some(Errno::OPNOTSUPP | Errno::ISDIR | Errno::NOENT | Errno::INVAL))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, symlink};

    use super::*;

    #[test]
    fn a_key_that_had_another_name_first_is_whole_private_and_never_over_another() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        named(place.path(), &path("key"), b"first").unwrap();
        assert_eq!(path("key").metadata().unwrap().mode() & 0o7777, 0o600);
        symlink("nowhere", path("link")).unwrap();
        let again = ["key", "link"].map(|it| named(place.path(), &path(it), b"second"));
        let nowhere = path("nothing");
        let errors = again.into_iter().chain([named(&nowhere, &nowhere.join("key"), b"third")]);
        let errors: Vec<io::Error> = errors.map(Result::unwrap_err).collect();
        let kinds: Vec<io::ErrorKind> = errors.iter().map(io::Error::kind).collect();
        use io::ErrorKind::{AlreadyExists, NotFound};
        assert_eq!(kinds, [AlreadyExists, AlreadyExists, NotFound]);
        for error in errors {
            assert!(!error.to_string().contains(halves::PREFIX), "{error}");
        }
        assert_eq!(fs::read(path("key")).unwrap(), b"first");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 2, "nothing is left behind");
    }

    #[test]
    fn a_file_gets_a_name_first_only_where_there_are_no_others() {
        let is_so = |code: Errno| has_names_only(&io::Error::from(code));
        let all = [Errno::OPNOTSUPP, Errno::ISDIR, Errno::NOENT, Errno::INVAL];
        assert_eq!(all.map(is_so), [true; 4]);
        for code in [Errno::EXIST, Errno::ACCESS, Errno::NOSPC, Errno::ROFS, Errno::DQUOT] {
            assert!(!is_so(code), "{code}");
        }
    }
}
