//! `verify`: tags against files, as sha256sum checks its lists, but strict.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};

use anyhow::{Context, Result, anyhow};
use clap::{ArgGroup, Args};

use crate::output;
use crate::tags::keyed::{KeyRead, Keyed, MacArgs, Trouble, find_for_files};
use crate::tags::line::{self, Ending, Line, LineError, Value};
use crate::tags::list::{LINE_BYTES_MAX, List, Numbered};
use crate::tags::streams::{self, Stdin, UNWRITTEN, shown};

/// Verify the tags in a list that `macrometer tag` wrote, or a single tag.
///
/// Lists have lines `TAG  NAME` or `MAC (NAME) = TAG`, or a mixture; empty lines and lines that
/// start with # are skipped. Any other line is an error, but the rest is still verified. Where
/// neither
/// --mac nor the key file names the MAC, the first line `MAC (NAME) = TAG` does.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("tags").required(true).args(["check", "tag"]),
    after_help = "Exit code: 0 if everything was verified; 1 if a tag does not match; 2 for any \
                  other error, and if nothing was verified."
)]
pub struct Verify {
    #[command(flatten)]
    mac: MacArgs,
    /// The list of tags and files, or - for standard input
    #[arg(short, long, value_name = "LIST")]
    check: Option<OsString>,
    /// Print nothing for files whose tags match
    #[arg(long)]
    quiet: bool,
    /// Print nothing at all: see the exit code
    #[arg(long)]
    status: bool,
    /// Skip files of the list that do not exist
    #[arg(long, conflicts_with = "tag")]
    ignore_missing: bool,
    /// Lines of the list end with a zero byte, and names are not escaped
    #[arg(short, long, conflicts_with = "tag")]
    zero: bool,
    /// The tag of FILE; with a nonce, NONCE:TAG
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,
    /// The file to verify against --tag [default: standard input]
    #[arg(value_name = "FILE", conflicts_with = "check")]
    file: Option<OsString>,
}

/// What was found so far.
#[derive(Debug, Default)]
struct Tally {
    matched: u64,
    mismatched: u64,
    malformed: u64,
    unread: u64,
    /// The list itself could not be read to its end.
    is_list_unread: bool,
}

impl Verify {
    pub fn run(self) -> Result<u8> {
        let mut stdin = Stdin::default();
        let key = self.mac.read(&mut stdin)?;
        let mut tally = Tally::default();
        if !self.status {
            let open = streams::stdout();
            open.map_err(|error| anyhow!("{error:#}; --status prints nothing"))?;
        }
        match (&self.check, &self.tag) {
            (Some(list), _) => self.check(list, &key, &mut stdin, &mut tally)?,
            (None, tag) => {
                let mut keyed = key.set_up()?;
                let text = tag.as_deref().unwrap_or_default();
                let value = Value::parse(text.as_bytes(), &keyed);
                let value = value.map_err(|why| anyhow!("--tag: {why}"))?;
                let name = self.file.as_deref().unwrap_or(OsStr::new("-"));
                self.one(name, &value, &mut keyed, &mut stdin, &mut tally)?;
            }
        }
        io::stdout().flush().context(UNWRITTEN)?;
        Ok(tally.code())
    }

    fn check(
        &self,
        list: &OsStr,
        key: &KeyRead<'_>,
        stdin: &mut Stdin,
        tally: &mut Tally,
    ) -> Result<()> {
        let shown = shown(list);
        let waiting = output::Waiting::for_(format!("the list from {shown}"));
        let file = stdin
            .or_file(list, "the list")
            .map_err(|error| anyhow!("{shown}: {}", words::reason(&error)))?;
        let mut keyed = key.mac().map(|info| key.set_up_as(info)).transpose()?;
        let mut lines = List::new(file, Ending::of(self.zero));
        lines.wait();
        drop(waiting);
        loop {
            let Numbered { number, line } = match lines.next_line() {
                Ok(Some(line)) => line,
                Ok(None) => break,
                Err(error) => {
                    output::say(&format!("macrometer: {shown}: {}", words::reason(&error)));
                    tally.is_list_unread = true;
                    break;
                }
            };
            match self.usable(line, key, &mut keyed)? {
                Ok((name, value, keyed)) => self.one(&name, &value, keyed, stdin, tally)?,
                Err(why) => {
                    output::say(&format!("macrometer: {shown}: line {number}: {why}"));
                    tally.malformed += 1;
                }
            }
        }
        self.say_end(&shown, tally);
        Ok(())
    }

    fn say_end(&self, list: &str, tally: &Tally) {
        if !self.status {
            tally.say();
        }
        if tally.matched + tally.mismatched == 0 {
            output::say(&format!("macrometer: {list}: no file was verified"));
        }
    }

    /// What is to be verified by a line. The outer error ends the command, the inner one is of this
    /// line.
    fn usable<'a>(
        &self,
        line: Option<&[u8]>,
        key: &KeyRead<'_>,
        keyed: &'a mut Option<Keyed>,
    ) -> Result<Result<(OsString, Value, &'a mut Keyed), LineError>> {
        let read = line.ok_or(LineError::TooLong { most: LINE_BYTES_MAX });
        let line = match read.and_then(|line| line::parse(line, Ending::of(self.zero))) {
            Ok(line) => line,
            Err(why) => return Ok(Err(why)),
        };
        let keyed = self.keyed_for(&line, key, keyed)?;
        Ok(keyed.and_then(|keyed| {
            let value = own_value(&line, keyed)?;
            Ok((line.name, value, keyed))
        }))
    }

    /// The mac for a line: the one that is set up already, or the one that this line names. The
    /// outer error ends the command, the inner one is of this line.
    fn keyed_for<'a>(
        &self,
        line: &Line<'_>,
        key: &KeyRead<'_>,
        keyed: &'a mut Option<Keyed>,
    ) -> Result<Result<&'a mut Keyed, LineError>> {
        match keyed {
            Some(keyed) => Ok(Ok(keyed)),
            None => {
                let Some(name) = line.mac else { return Ok(Err(LineError::NoMac)) };
                let name = String::from_utf8_lossy(name);
                if macs::find(&name).is_none() {
                    return Ok(Err(LineError::UnknownMac { name: name.into() }));
                }
                let info = find_for_files(&name, self.mac.is_insecure())?;
                Ok(Ok(keyed.insert(key.set_up_as(info)?)))
            }
        }
    }

    /// Verifies one file and says so.
    fn one(
        &self,
        name: &OsStr,
        value: &Value,
        keyed: &mut Keyed,
        stdin: &mut Stdin,
        tally: &mut Tally,
    ) -> Result<()> {
        let file = match stdin.or_file(name, "a message") {
            Err(error) if self.ignore_missing && error.kind() == io::ErrorKind::NotFound => {
                return Ok(());
            }
            file => file.map_err(Trouble::Read),
        };
        let verified = file.and_then(|file| keyed.verify(file, &value.nonce, &value.tag));
        let (word, count) = match verified {
            Ok(true) => ("OK", &mut tally.matched),
            Ok(false) => ("FAILED", &mut tally.mismatched),
            Err(trouble) => {
                output::say(&format!("macrometer: {}: {trouble}", shown(name)));
                ("FAILED open or read", &mut tally.unread)
            }
        };
        *count += 1;
        if self.status || word == "OK" && self.quiet {
            return Ok(());
        }
        let (backslash, name) = line::escape(name);
        let line = [backslash.as_bytes(), &name, b": ", word.as_bytes(), b"\n"].concat();
        streams::write_line(&mut io::stdout(), &line).context(UNWRITTEN)
    }
}

/// The value of a line, which must be of this mac.
fn own_value(line: &Line<'_>, keyed: &Keyed) -> Result<Value, LineError> {
    if let Some(mac) = line.mac.filter(|mac| *mac != keyed.info().name.as_bytes()) {
        let named = String::from_utf8_lossy(mac).into();
        return Err(LineError::OtherMac { named, mac: keyed.info().name });
    }
    Value::parse(line.value, keyed)
}

impl Tally {
    fn code(&self) -> u8 {
        if self.mismatched > 0 {
            1
        } else if self.matched == 0 || self.malformed + self.unread > 0 || self.is_list_unread {
            2
        } else {
            0
        }
    }

    /// A warning for each kind of trouble.
    fn say(&self) {
        let kinds = [
            (self.malformed, "line is", "lines are", "improperly formatted"),
            (self.unread, "listed file", "listed files", "could not be read"),
            (self.mismatched, "computed tag", "computed tags", "did NOT match"),
        ];
        for (count, one, many, what) in kinds.into_iter().filter(|(count, ..)| *count > 0) {
            let which = if count == 1 { one } else { many };
            output::say(&format!("macrometer: WARNING: {count} {which} {what}"));
        }
    }
}
