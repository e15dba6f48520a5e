//! `tag`: tags of files, as sha256sum gives checksums.

use std::ffi::{OsStr, OsString};
use std::io::{LineWriter, Write};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;

use crate::output;
use crate::tags::keyed::{Keyed, MacArgs, Trouble};
use crate::tags::line::{self, Ending, Layout, Value};
use crate::tags::streams::{self, Stdin, UNWRITTEN, shown};

/// Print the tags of files, in lines that `macrometer verify --check` reads.
///
/// With no FILE, or where FILE is -, standard input is read. A line is written only when the whole
/// file was read without error. For a MAC that takes a nonce, the line has NONCE:TAG.
#[derive(Debug, Args)]
#[command(after_help = "Exit code: 0 if every file has its tag, 2 otherwise.")]
pub struct Tag {
    #[command(flatten)]
    mac: MacArgs,
    /// The nonce, for a single input and a MAC that takes one [default: random for each file]
    #[arg(long, value_name = "HEX")]
    nonce: Option<String>,
    /// Line format
    #[arg(long, value_enum, default_value = "gnu")]
    format: Layout,
    /// End lines with a zero byte and do not escape names
    #[arg(short, long)]
    zero: bool,
    /// Files to read
    #[arg(value_name = "FILE")]
    files: Vec<OsString>,
}

impl Tag {
    pub fn run(self) -> Result<u8> {
        let mut stdin = Stdin::default();
        let mut keyed = self.mac.read(&mut stdin)?.set_up()?;
        let mut lines = LineWriter::new(streams::stdout()?);
        let nonce = self.nonce(&keyed)?;
        let stdin_only = [OsString::from("-")];
        let files = if self.files.is_empty() { &stdin_only } else { &self.files[..] };
        let mut code = 0;
        for name in files {
            let nonce = nonce.clone().map_or_else(|| keyed.random_nonce(), Ok)?;
            match tag(&mut keyed, &mut stdin, name, nonce) {
                Ok(value) => {
                    let line = self.line(keyed.info().name, &value.text(), name);
                    streams::write_line(&mut lines, &line).context(UNWRITTEN)?;
                }
                Err(why) => {
                    output::say(&format!("macrometer: {}: {why}", shown(name)));
                    code = 2;
                }
            }
        }
        lines.flush().context(UNWRITTEN)?;
        Ok(code)
    }

    fn line(&self, mac: &str, tag: &str, file: &OsStr) -> Vec<u8> {
        line::format(self.format, Ending::of(self.zero), mac, tag, file)
    }

    /// The nonce that was named.
    fn nonce(&self, keyed: &Keyed) -> Result<Option<Vec<u8>>> {
        let Some(text) = &self.nonce else { return Ok(None) };
        let mac = keyed.info().name;
        if keyed.info().nonce.is_none() {
            bail!("--nonce: {mac} takes none");
        }
        if self.files.len() > 1 {
            bail!("--nonce: only with a single input: {mac} must never use a nonce twice");
        }
        let nonce =
            hex::decode(text).map_err(|_| anyhow!("--nonce: not hex, two digits for each byte"))?;
        if nonce.is_empty() {
            bail!("--nonce: must not be empty, since a line could not show it");
        }
        keyed.check_nonce(&nonce).map_err(|error| anyhow!("--nonce: {error}"))?;
        Ok(Some(nonce))
    }
}

fn tag(
    keyed: &mut Keyed,
    stdin: &mut Stdin,
    name: &OsStr,
    nonce: Vec<u8>,
) -> Result<Value, Trouble> {
    let file = stdin.or_file(name, "a message").map_err(Trouble::Read)?;
    let tag = keyed.tag(file, &nonce)?;
    Ok(Value { nonce, tag })
}
