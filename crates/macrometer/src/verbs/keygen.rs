//! `keygen`: a fresh key of the right shape, in a file of its own.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use macs::MacInfo;
use rand::TryRng;
use rand::rngs::SysRng;
use zeroize::Zeroizing;

use crate::tags::key::{KEY_FILE_BYTES_MAX, KeyFormat};
use crate::tags::keyed;
use crate::tags::streams::{self, UNWRITTEN, shown};

/// Make a random key for a mac, in a new file that only its owner can read.
///
/// The random numbers are the operating system's. A file that exists is never overwritten; the new
/// one is there whole or not at all. Keys of TDES get odd parity.
#[derive(Debug, Args)]
pub struct Keygen {
    /// The mac, by name (`macrometer list macs`)
    #[arg(long, value_name = "NAME")]
    mac: String,
    /// Length of the key [default: the mac's]
    #[arg(long, value_name = "BYTES")]
    key_len: Option<usize>,
    /// How the key is written
    #[arg(long, value_enum, default_value = "hex")]
    key_format: KeyFormat,
    /// The file to make, or - for standard output
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl Keygen {
    pub fn run(self) -> Result<u8> {
        let info = keyed::find(&self.mac)?;
        let mut key = Zeroizing::new(vec![0; self.key_len_bytes(info)?]);
        SysRng.try_fill_bytes(&mut key).context("the system gives no random numbers")?;
        set_parity(info, &mut key);
        let content = self.key_format.encode(&key);
        if self.file.as_os_str() == "-" {
            streams::stdout()?.write_all(&content).context(UNWRITTEN)?;
        } else {
            let place = shown(self.file.as_os_str());
            create(&self.file, &content).map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => {
                    anyhow!("{place}: exists already, and a key is never overwritten")
                }
                _ => anyhow!("{place}: the key cannot be written: {error}"),
            })?;
        }
        Ok(0)
    }

    fn key_len_bytes(&self, info: &MacInfo) -> Result<usize> {
        let Some(len) = self.key_len else { return Ok(info.key_len_bytes) };
        // Two digits a byte and a newline must fit in what is read again.
        let max = (KEY_FILE_BYTES_MAX - 1) / 2;
        if len == 0 || len > max {
            bail!("--key-len {len}: 1 to {max} bytes");
        }
        if !info.accepted_key_len.accepts(len) {
            bail!("--key-len {len}: {} takes a key of {}", info.name, info.accepted_key_len);
        }
        Ok(len)
    }
}

/// Odd parity for every byte of the key of TDES, the lowest bit making it up (FIPS 46-3). What a
/// mode takes behind the cipher's key may be no key of the cipher and stays as it is.
fn set_parity(info: &MacInfo, key: &mut [u8]) {
    let cipher = macs::ciphers::find(info.primitive.name);
    let Some(cipher) = cipher.filter(|cipher| cipher.primitive.name.starts_with("tdes-")) else {
        return;
    };
    for byte in key.iter_mut().take(cipher.key_len_bytes) {
        *byte ^= u8::from(byte.count_ones() % 2 == 0);
    }
}

/// Makes a file of mode 0600 that is there whole or not at all, and durable.
fn create(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".macrometer-key-").tempfile_in(folder)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()
}
