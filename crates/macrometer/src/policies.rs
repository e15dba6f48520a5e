//! Policies: what a document says of macs. Those that come with the command are the files in
//! `policies/`; a user's own has the same form (docs/policies.md). Documents contradict each other,
//! so there is a status by each policy and none over all.

mod mistake;

use std::fmt;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use include_dir::{Dir, include_dir};
use lab::study::fits_any;
use macs::MacInfo;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::reading;
use crate::suggestions::did_you_mean;
use crate::suggestions::unknown_mac;
use mistake::Mistake;

/// Every TOML file in `policies/` is a policy: adding one is adding a file.
static POLICIES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../policies");

/// The longest name of a policy.
const NAME_BYTES_MAX: usize = 64;

/// No document asks for longer keys or tags: more is a slip.
const KEY_BITS_MAX: usize = 4096;
const TAG_BITS_MAX: usize = 512;

/// What a policy says of a mac, the strictest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Nothing: it is not named.
    Silent,
    /// For new designs.
    Approved,
    /// It may be used; something else is wanted more.
    Allowed,
    /// Only for what uses it already.
    Legacy,
    /// It must not be used.
    Disallowed,
}

impl Status {
    /// All, and what each means.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Approved, "for new designs"),
        (Self::Allowed, "it may be used; something else is preferred"),
        (Self::Legacy, "only where it is already in use"),
        (Self::Disallowed, "it must not be used"),
        (Self::Silent, "the document does not name it"),
    ];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Silent => "silent",
            Self::Approved => "approved",
            Self::Allowed => "allowed",
            Self::Legacy => "legacy",
            Self::Disallowed => "disallowed",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What a document, or several, say of macs.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Its name on the command line.
    pub name: String,
    /// Its name in print.
    pub title: String,
    /// The document.
    pub document: String,
    /// Which edition of it.
    pub version: String,
    /// Where it is.
    pub url: String,
    /// Whether the document is a draft, which may change.
    pub is_draft: bool,
    /// Under which scheme modules that implement what it approves are validated, if under one.
    pub validation: Option<String>,
    /// How its words are read; empty where there is nothing to say.
    pub about: String,
    /// What it says.
    pub rules: Vec<Rule>,
}

/// One statement of a policy, with the words of its document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// The macs that it is about: names, or patterns with *.
    pub macs: Vec<String>,
    /// What it says of them.
    pub status: Status,
    /// Its words; `…` stands for those left out.
    pub quote: String,
    /// The document, if not that of the policy.
    pub document: String,
    /// Which edition of it.
    pub version: String,
    /// Section, page or table.
    pub place: String,
    /// Where the document is.
    pub url: String,
    /// What to know beside the quote; may be empty.
    pub note: String,
    /// With a key of fewer bits it is disallowed.
    pub key_bits_min: Option<usize>,
    /// With a tag of fewer bits it is disallowed.
    pub tag_bits_min: Option<usize>,
}

impl Rule {
    fn status(&self, key_bits: usize, tag_bits: usize) -> Status {
        let is_short = self.key_bits_min.is_some_and(|least| key_bits < least)
            || self.tag_bits_min.is_some_and(|least| tag_bits < least);
        if is_short { Status::Disallowed } else { self.status }
    }
}

impl Policy {
    /// What it says of a mac with a key and a tag of their usual lengths.
    pub fn status(&self, mac: &MacInfo) -> Status {
        self.status_with(mac, 8 * mac.key_len_bytes, 8 * mac.tag_len_bytes)
    }

    /// Whether a mac may be used for new designs.
    pub fn admits(&self, mac: &MacInfo) -> bool {
        matches!(self.status(mac), Status::Approved | Status::Allowed)
    }

    /// What it says of a mac with a key and a tag of these lengths: the strictest of its rules.
    pub fn status_with(&self, mac: &MacInfo, key_bits: usize, tag_bits: usize) -> Status {
        let said = self.rules(mac).map(|rule| rule.status(key_bits, tag_bits));
        said.max().unwrap_or(Status::Silent)
    }

    /// The fewest bits of key that it has for a mac, where it names a number.
    pub fn key_bits_min(&self, mac: &MacInfo) -> Option<usize> {
        self.rules(mac).filter_map(|rule| rule.key_bits_min).max()
    }

    /// The same of the tag.
    pub fn tag_bits_min(&self, mac: &MacInfo) -> Option<usize> {
        self.rules(mac).filter_map(|rule| rule.tag_bits_min).max()
    }

    /// What it says of a mac, all of it.
    pub fn rules(&self, mac: &MacInfo) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(|rule| fits_any(&rule.macs, mac.name))
    }

    /// Reads a policy; `name` is that of its file, for errors.
    fn parse(text: &str, name: &str) -> Result<Self> {
        let file: File = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            at_line(name, text, at, error.message().trim_end())
        })?;
        file.check_texts(name, text)?;
        let rules = file.rule.iter().map(|rule| rule.checked(&file, name, text));
        let rules = rules.collect::<Result<_>>()?;
        let File { title, document, version, url, draft: is_draft, validation, about, .. } = file;
        Ok(Self {
            name: file.name.into_inner(),
            title: title.into_inner(),
            document: document.into_inner(),
            version: version.into_inner(),
            url: url.into_inner(),
            is_draft,
            validation: validation.map(Spanned::into_inner),
            about,
            rules,
        })
    }
}

/// The policies that come with the command, by name.
pub fn built_in() -> Result<Vec<Policy>> {
    let mut policies = Vec::new();
    let is_toml = |path: &Path| path.extension().is_some_and(|extension| extension == "toml");
    for file in POLICIES.files().filter(|file| is_toml(file.path())) {
        let text = file.contents_utf8().context("a built-in policy is not text")?;
        policies.push(Policy::parse(text, &file.path().display().to_string())?);
    }
    policies.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(policies)
}

/// A policy by its name, or by the path of a TOML file.
pub fn find(name: &str) -> Result<Policy> {
    if name.ends_with(".toml") || name.contains('/') {
        let policy = Policy::parse(&reading::text_of("the policy", name)?, name)?;
        if built_in()?.iter().any(|known| known.name == policy.name) {
            bail!("{name}: `name` {:?} is that of a built-in policy: use another", policy.name);
        }
        return Ok(policy);
    }
    let policies = built_in()?;
    if let Some(policy) = policies.iter().find(|policy| policy.name == name) {
        return Ok(policy.clone());
    }
    Err(unknown(name, policies.iter().map(|policy| policy.name.as_str())))
}

/// That there is no such policy, and which there are.
fn unknown<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> anyhow::Error {
    if let Some(nearest) = nearest_in_meaning(name) {
        let names: Vec<&str> = names.collect();
        return anyhow!(
            "unknown policy {name:?}; available: {}; nearest in meaning is {nearest}, or name a \
             .toml file of your own",
            names.join(", ")
        );
    }
    let all = |all: &[&str]| format!("available: {}, or name a .toml file", all.join(", "));
    anyhow!("unknown policy {name:?}{}", did_you_mean(name, names, all))
}

/// What people may ask for by the name of a document that is no policy here, by the beginning of
/// the name, and the policy that says most about it.
const NEAREST: [(&str, &str); 5] = [
    ("fips", "nist-2031"),
    ("nist", "nist-2031"),
    ("sp800131", "nist-2031"),
    ("owasp", "asvs-5.0"),
    ("rfc8221", "ietf-ipsec"),
];

fn nearest_in_meaning(name: &str) -> Option<&'static str> {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let bare: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
    NEAREST.iter().find(|(begin, _)| bare.starts_with(begin)).map(|(_, nearest)| *nearest)
}

/// A policy as its file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: Spanned<String>,
    title: Spanned<String>,
    document: Spanned<String>,
    version: Spanned<String>,
    url: Spanned<String>,
    #[serde(default)]
    draft: bool,
    validation: Option<Spanned<String>>,
    #[serde(default)]
    about: String,
    rule: Vec<Spanned<FileRule>>,
}

/// A rule as its file has it. What must be there is asked for below, all at once and with what it
/// is for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRule {
    macs: Option<Vec<Spanned<String>>>,
    status: Option<Spanned<String>>,
    quote: Option<Spanned<String>>,
    place: Option<Spanned<String>>,
    document: Option<Spanned<String>>,
    version: Option<Spanned<String>>,
    url: Option<Spanned<String>>,
    #[serde(default)]
    note: String,
    key_bits_min: Option<Spanned<usize>>,
    tag_bits_min: Option<Spanned<usize>>,
}

impl File {
    /// Whether what it says of the document is usable.
    fn check_texts(&self, name: &str, text: &str) -> Result<()> {
        let texts = [
            ("name", &self.name),
            ("title", &self.title),
            ("document", &self.document),
            ("version", &self.version),
            ("url", &self.url),
        ];
        let validation = self.validation.iter().map(|scheme| ("validation", scheme));
        for (key, value) in texts.into_iter().chain(validation) {
            check_at(key, value, name, text)?;
        }
        check_name(self.name.get_ref())
            .map_err(|wrong| at_line(name, text, self.name.span().start, wrong))
    }
}

trait Checked {
    fn checked(&self, file: &File, name: &str, text: &str) -> Result<Rule>;
}

impl Checked for Spanned<FileRule> {
    /// The rule, if it says what it must.
    fn checked(&self, file: &File, name: &str, text: &str) -> Result<Rule> {
        let rule = self.get_ref();
        let missing = rule.missing();
        if !missing.is_empty() {
            let wanted = format!("the rule lacks {}", missing.join("; "));
            return Err(at_line(name, text, self.span().start, wanted));
        }
        rule.check_texts(name, text)?;
        let macs = rule.known_macs(name, text)?;
        let status = rule.status.as_ref().context("a status was found above")?;
        let status = status_of(status.get_ref())
            .map_err(|wrong| at_line(name, text, status.span().start, wrong))?;
        let or = |own: &Option<Spanned<String>>, policys: &Spanned<String>| {
            own.as_ref().unwrap_or(policys).get_ref().clone()
        };
        let own = |text: &Option<Spanned<String>>| {
            text.as_ref().map_or_else(String::new, |text| text.get_ref().clone())
        };
        let bits = |key: &str, bits: &Option<Spanned<usize>>, most: usize| {
            let Some(bits) = bits else { return Ok(None) };
            let (count, at) = (*bits.get_ref(), bits.span().start);
            match count {
                count if (1..=most).contains(&count) => Ok(Some(count)),
                _ => Err(at_line(name, text, at, format!("{key} {count}: must be 1 to {most}"))),
            }
        };
        Ok(Rule {
            macs,
            status,
            quote: own(&rule.quote),
            document: or(&rule.document, &file.document),
            version: or(&rule.version, &file.version),
            place: own(&rule.place),
            url: or(&rule.url, &file.url),
            note: rule.note.clone(),
            key_bits_min: bits("key_bits_min", &rule.key_bits_min, KEY_BITS_MAX)?,
            tag_bits_min: bits("tag_bits_min", &rule.tag_bits_min, TAG_BITS_MAX)?,
        })
    }
}

impl FileRule {
    /// What it must say and does not.
    fn missing(&self) -> Vec<&'static str> {
        let said = |text: &Option<Spanned<String>>| {
            text.as_ref().is_some_and(|text| !is_blank(text.get_ref()))
        };
        let wanted = [
            ("macs: names or patterns", self.macs.as_ref().is_some_and(|macs| !macs.is_empty())),
            ("status: approved, allowed, legacy or disallowed", self.status.is_some()),
            ("quote: the words of the document", said(&self.quote)),
            ("place: section, page or table", said(&self.place)),
        ];
        wanted.into_iter().filter(|(_, is_there)| !is_there).map(|(what, _)| what).collect()
    }

    /// Its macs, each of which the catalog must have.
    fn known_macs(&self, name: &str, text: &str) -> Result<Vec<String>> {
        let mut macs = Vec::new();
        for mac in self.macs.iter().flatten() {
            let pattern = std::slice::from_ref(mac.get_ref());
            if !macs::catalog().iter().any(|known| fits_any(pattern, known.name)) {
                return Err(at_line(name, text, mac.span().start, unknown_mac(mac.get_ref())));
            }
            macs.push(mac.get_ref().clone());
        }
        Ok(macs)
    }

    /// Whether what it says of another document than the policy's is there and usable.
    fn check_texts(&self, name: &str, text: &str) -> Result<()> {
        for (key, own) in
            [("document", &self.document), ("version", &self.version), ("url", &self.url)]
        {
            if let Some(own) = own {
                check_at(key, own, name, text)?;
            }
        }
        Ok(())
    }
}

/// The status that this word stands for, or what is wrong with it.
fn status_of(word: &str) -> Result<Status, Mistake> {
    let found = Status::ALL.into_iter().find(|(status, _)| status.name() == word);
    match found {
        Some((Status::Silent, _)) => Err(Mistake::Silent),
        Some((status, _)) => Ok(status),
        None => Err(Mistake::Status { word: word.into() }),
    }
}

/// Whether nothing is said: no letter and no digit, as in `…` or a space of no width.
fn is_blank(text: &str) -> bool {
    !text.chars().any(char::is_alphanumeric)
}

/// What is wrong with the text of this key.
fn check_text(key: &'static str, text: &str) -> Result<(), Mistake> {
    if is_blank(text) {
        return Err(match text.trim() {
            "" => Mistake::Empty { key },
            _ => Mistake::Blank { key },
        });
    }
    let is_address = || {
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        rest.is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
            && !text.contains(|letter: char| letter.is_whitespace() || words::is_control(letter))
    };
    if key == "url" && !is_address() {
        return Err(Mistake::Url { text: text.into() });
    }
    Ok(())
}

/// The same, with its place in the file.
fn check_at(key: &'static str, value: &Spanned<String>, name: &str, text: &str) -> Result<()> {
    check_text(key, value.get_ref()).map_err(|wrong| at_line(name, text, value.span().start, wrong))
}

/// What is wrong with the name of a policy: it stands in lists, in JSON and on command lines.
fn check_name(name: &str) -> Result<(), Mistake> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let is_name = name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.len() <= NAME_BYTES_MAX
        && name.chars().all(is_part);
    if is_name { Ok(()) } else { Err(Mistake::Name { name: name.into() }) }
}

/// `asvs.toml: line 3: …`, of the place `at` in the text.
fn at_line(name: &str, text: &str, at: usize, what: impl ToString) -> anyhow::Error {
    let line = 1 + text.bytes().take(at).filter(|&byte| byte == b'\n').count();
    anyhow!("{name}: line {line}: {}", what.to_string().replace('\n', "; "))
}

#[cfg(test)]
mod tests;
