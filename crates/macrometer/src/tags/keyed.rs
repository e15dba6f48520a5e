//! A mac with its key, as the options name it, and files through it: piece by piece, in memory that
//! does not grow with them.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use macs::{DynMac, Error, Input, MacInfo, Standing, TAG_LEN_MAX_BYTES};
use rand::TryRng;
use rand::rngs::SysRng;
use zeroize::Zeroizing;

use super::hardening;
use super::key::{Key, KeyArgs};
use super::streams::Stdin;
use crate::suggestions::unknown_mac;

/// The shortest tag that is given or taken.
const TAG_LEN_MIN_BYTES: usize = 4;

const BUFFER_BYTES: usize = 256 << 10;

/// Which mac under which key.
#[derive(Debug, Args)]
pub struct MacArgs {
    /// The MAC, by name (`macrometer list macs`) [default: the one that the key file names]
    #[arg(long, value_name = "NAME")]
    mac: Option<String>,
    /// Allow a MAC whose tags for files can be forged (`list macs`: broken, or one message per key)
    #[arg(long)]
    insecure: bool,
    #[command(flatten)]
    key: KeyArgs,
    /// Customization string, for MACs that take one (KMAC)
    #[arg(long, value_name = "TEXT")]
    customization: Option<OsString>,
    /// Tag length: the leftmost bytes of each tag, or the length to compute (KMAC)
    #[arg(long, value_name = "BYTES")]
    tag_len: Option<usize>,
}

/// The mac of this name.
///
/// # Errors
/// An unknown name, with what it may have meant.
pub fn find(name: &str) -> Result<&'static MacInfo> {
    macs::find(name)
        .with_context(|| format!("{} (`macrometer list macs` shows all)", unknown_mac(name)))
}

/// The mac of this name, for files of which somebody may see several.
///
/// # Errors
/// An unknown name; a mac whose tags can be forged then, unless that is known.
pub fn find_for_files(name: &str, is_known: bool) -> Result<&'static MacInfo> {
    let info = find(name)?;
    let is_broken = info.standing() == Standing::Broken;
    // Its condition is none of nonces, which are ours to choose: it is that of one message a key.
    let is_for_one = info.standing() == Standing::Conditional && info.nonce.is_none();
    if is_known || info.is_composition() || !(is_broken || is_for_one) {
        return Ok(info);
    }
    let (standing, name) = (info.standing().name(), info.name);
    let words = [info.mode.attacks, info.primitive.note, info.mode.key_life];
    let why = words.into_iter().find(|words| !words.is_empty()).unwrap_or("see `list macs`");
    bail!("{name}: {standing}: {why}; use another, or add --insecure")
}

/// A key that was read, and the MAC that is asked for or that it is for.
pub struct KeyRead<'a> {
    args: &'a MacArgs,
    mac: Option<&'static MacInfo>,
    key: Zeroizing<Vec<u8>>,
}

impl MacArgs {
    /// Reads the key. Nothing may have been opened before: the descriptors that the key may be read
    /// from are those that were inherited.
    ///
    /// # Errors
    /// A name, key or length of tags that is none; a key for another MAC.
    pub fn read(&self, stdin: &mut Stdin) -> Result<KeyRead<'_>> {
        let asked = self.mac.as_deref();
        let asked = asked.map(|name| find_for_files(name, self.insecure)).transpose()?;
        asked.map(|info| self.tag_len_bytes(info)).transpose()?;
        let Key { mac: named, bytes: key } = self.key.read(stdin)?;
        let place = self.key.place();
        let named = named.map(|name| {
            let known = macs::find(&name);
            known.with_context(|| format!("{place}: its line `mac:` names no MAC that is known"))
        });
        let named = named.transpose()?;
        if let (Some(asked), Some(named)) = (asked, named)
            && asked.name != named.name
        {
            bail!("--mac {}: the key in {place} is for {}", asked.name, named.name);
        }
        if let (None, Some(named)) = (asked, named) {
            find_for_files(named.name, self.insecure)?;
        }
        Ok(KeyRead { args: self, mac: asked.or(named), key })
    }
}

impl KeyRead<'_> {
    /// The MAC, where it is known already.
    pub fn mac(&self) -> Option<&'static MacInfo> {
        self.mac
    }

    /// The mac that is asked for, or that the key is for.
    ///
    /// # Errors
    /// As [`set_up_as`](Self::set_up_as); where no MAC is named.
    pub fn set_up(&self) -> Result<Keyed> {
        let Some(info) = self.mac else {
            let place = self.args.key.place();
            bail!("no MAC is named, by --mac NAME or by a line `mac: NAME` in {place}");
        };
        self.set_up_as(info)
    }

    /// This mac under the key.
    ///
    /// # Errors
    /// A key, customization string or length of tags that is none; a composition.
    pub fn set_up_as(&self, info: &'static MacInfo) -> Result<Keyed> {
        let Self { args, key, .. } = self;
        let tag_len_bytes = args.tag_len_bytes(info)?;
        let customization = args.customization.as_ref().map_or(&[][..], |text| text.as_bytes());
        let mac = DynMac::with_customization(info, key, customization);
        let mac = mac.map_err(|error| match error {
            Error::Len { what: Input::Key, .. } => {
                let (place, name) = (args.key.place(), info.name);
                anyhow!("{place}: {error}; `macrometer keygen --mac {name} FILE` generates one")
            }
            error => anyhow!(error),
        })?;
        // Where the length is an input it is computed so, elsewhere the whole tag is and then cut.
        let mac = if info.accepted_tag_len.accepts(tag_len_bytes) {
            mac.with_tag_len(tag_len_bytes)?
        } else {
            mac
        };
        let keyed = Keyed { mac, tag_len_bytes, buffer: vec![0; BUFFER_BYTES] };
        hardening::lock_in_memory();
        Ok(keyed)
    }
}

impl MacArgs {
    /// Whether MACs are taken whose tags for files can be forged.
    pub fn is_insecure(&self) -> bool {
        self.insecure
    }

    fn tag_len_bytes(&self, info: &MacInfo) -> Result<usize> {
        let Some(len) = self.tag_len else { return Ok(info.tag_len_bytes) };
        if len < TAG_LEN_MIN_BYTES {
            bail!(
                "--tag-len {len}: must be at least {TAG_LEN_MIN_BYTES}: an n-bit tag is guessed \
                 once in 2^n tries"
            );
        }
        let is_computed = info.accepted_tag_len.accepts(len) && len <= TAG_LEN_MAX_BYTES;
        if !is_computed && len > info.tag_len_bytes {
            bail!("--tag-len {len}: {} gives tags of {}", info.name, info.accepted_tag_len);
        }
        Ok(len)
    }
}

/// A mac with its key.
#[derive(Debug)]
pub struct Keyed {
    mac: DynMac,
    tag_len_bytes: usize,
    buffer: Vec<u8>,
}

/// Why a file has no tag.
#[derive(Debug)]
pub enum Trouble {
    /// It cannot be read.
    Read(io::Error),
    /// The mac does not take it.
    Mac(Error),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => f.write_str(&words::reason(error)),
            Self::Mac(error) => error.fmt(f),
        }
    }
}

impl Keyed {
    /// The catalog row.
    pub fn info(&self) -> &'static MacInfo {
        self.mac.info()
    }

    /// Length of every tag given or taken.
    pub fn tag_len_bytes(&self) -> usize {
        self.tag_len_bytes
    }

    /// Whether the mac takes this nonce: by its length, and by its value too (of 16 bytes, VMAC
    /// wants the first bit 0).
    ///
    /// # Errors
    /// The mac's.
    pub fn check_nonce(&self, nonce: &[u8]) -> Result<(), Error> {
        let mut unused = [0; TAG_LEN_MAX_BYTES];
        let tag = &mut unused[..self.mac.tag_len_bytes()];
        match self.info().nonce {
            None if nonce.is_empty() => Ok(()),
            _ => self.mac.mac_with_nonce_into(nonce, &[], tag),
        }
    }

    /// A fresh nonce, or an empty one for a mac that takes none.
    ///
    /// # Errors
    ///
    /// When the system provides no random numbers.
    pub fn random_nonce(&self) -> Result<Vec<u8>> {
        let mut nonce = vec![0; self.info().nonce.map_or(0, |nonce| nonce.len_bytes)];
        SysRng.try_fill_bytes(&mut nonce).context("the system provides no random numbers")?;
        Ok(nonce)
    }

    /// The tag of a whole file.
    ///
    /// # Errors
    /// A file that cannot be read to its end, or that the mac does not take.
    pub fn tag(&mut self, file: File, nonce: &[u8]) -> Result<Vec<u8>, Trouble> {
        self.feed(file, nonce)?;
        let mut tag = vec![0; self.mac.tag_len_bytes()];
        let computed = self.mac.finalize_reset_into(&mut tag);
        self.mac.reset();
        tag.truncate(self.tag_len_bytes);
        computed.map(|()| tag).map_err(Trouble::Mac)
    }

    /// Whether the tag, of [`tag_len_bytes`](Self::tag_len_bytes), is the file's: in constant time.
    ///
    /// # Errors
    /// As [`tag`](Self::tag).
    pub fn verify(&mut self, file: File, nonce: &[u8], tag: &[u8]) -> Result<bool, Trouble> {
        self.feed(file, nonce)?;
        let verified = if tag.len() == self.mac.tag_len_bytes() {
            self.mac.verify(tag)
        } else {
            self.mac.verify_truncated_left(tag)
        };
        self.mac.reset();
        match verified {
            Ok(()) => Ok(true),
            Err(Error::TagMismatch) => Ok(false),
            Err(error) => Err(Trouble::Mac(error)),
        }
    }

    fn feed(&mut self, mut file: File, nonce: &[u8]) -> Result<(), Trouble> {
        if self.info().nonce.is_some() {
            self.mac.set_nonce(nonce).map_err(Trouble::Mac)?;
        }
        loop {
            match file.read(&mut self.buffer) {
                Ok(0) => return Ok(()),
                Ok(len) => self.mac.update(&self.buffer[..len]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.mac.reset();
                    return Err(Trouble::Read(error));
                }
            }
        }
    }
}
