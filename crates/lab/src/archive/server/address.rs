//! The URL of a database, and what belongs to it on this machine. A password in it is kept for
//! connecting only: what is printed is made anew, of everything else.

use std::fmt;
use std::path::{Path, PathBuf};

use postgres::Config;
use postgres::config::{Host, SslMode};
use thiserror::Error;

use super::driver_words::{self, OptionMistake};
use super::password::{self, PasswordError};

/// How a URL of PostgreSQL begins.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

/// What URLs should look like, for messages.
const FORM: &str = "postgres://USER@HOST/DATABASE, or postgres://USER@%2FFOLDER/DATABASE for a \
                    socket in /FOLDER";

const PORT: u16 = 5432;

/// What begins like a database of some kind, whatever follows.
const MEANT: [&str; 7] =
    ["postgres:", "postgresql:", "postgres//", "postgresql//", "mysql:", "mariadb:", "sqlite:"];

/// Options that a URL may have.
const OPTIONS: &str = "user, password, dbname, host, port, options, connect_timeout, \
                       tcp_user_timeout, keepalives, keepalives_idle, keepalives_interval, \
                       keepalives_retries, target_session_attrs, channel_binding, sslmode";

/// A database on a server.
#[derive(Clone)]
pub struct Address {
    config: Config,
    folder: PathBuf,
}

impl Address {
    /// Whether a name is meant to be a database: whatever looks like a URL, since it may have a
    /// password, and would be shown as the name of a file.
    pub(in crate::archive) fn is_meant(name: &str) -> bool {
        let name = name.trim_start().to_ascii_lowercase();
        let is_url = name.split_once("://").is_some_and(|(scheme, _)| !scheme.contains('/'));
        // Names of files in the manner of SQLite are told as such.
        !name.starts_with("file:") && (is_url || MEANT.iter().any(|it| name.starts_with(it)))
    }

    /// Reads a URL; its password, where it has none, comes from `PGPASSWORD` or the file of
    /// passwords.
    pub(in crate::archive) fn parse(url: &str, folder: &Path) -> Result<Self, AddressError> {
        let mut config = config_of(url)?;
        if config.get_ssl_mode() == SslMode::Require {
            return Err(AddressError::Tls);
        }
        check_is_whole(&config)?;
        config.ssl_mode(SslMode::Disable);
        config.application_name("macrometer");
        let mut address = Self { config, folder: folder.to_owned() };
        if address.config.get_password().is_none()
            && let Some(password) = password::of(&address.asked())?
        {
            address.config.password(password);
        }
        Ok(address)
    }

    /// A text without the password, which whoever was told it may repeat.
    pub(in crate::archive) fn blanked(&self, text: &str) -> String {
        let password = self.config.get_password().unwrap_or_default();
        match std::str::from_utf8(password) {
            Ok(password) if !password.is_empty() => text.replace(password, "***"),
            _ => text.to_owned(),
        }
    }

    /// How to connect.
    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    /// The folder of this machine for what belongs to the archive.
    pub(in crate::archive) fn folder(&self) -> &Path {
        &self.folder
    }

    fn host(&self) -> String {
        match self.config.get_hosts().first() {
            Some(Host::Tcp(name)) => name.clone(),
            Some(Host::Unix(path)) => path.display().to_string(),
            None => String::new(),
        }
    }

    fn port(&self) -> u16 {
        self.config.get_ports().first().copied().unwrap_or(PORT)
    }

    fn asked(&self) -> password::Asked<'_> {
        password::Asked {
            host: self.host(),
            port: self.port(),
            database: self.config.get_dbname().unwrap_or_default(),
            user: self.config.get_user().unwrap_or_default(),
        }
    }
}

/// Why a text is no URL of a database that can be reached; no text has the password.
#[derive(Debug, Error)]
pub enum AddressError {
    /// It cannot be read as text.
    #[error("not a URL of a database: it is not UTF-8")]
    NotUtf8,
    /// It is not as it must be.
    #[error("{0}: it must be {FORM}")]
    Url(UrlMistake),
    /// It asks for TLS.
    #[error(
        "sslmode=require: macrometer has no TLS for databases: use a socket, the same host, or a \
         tunnel such as `ssh -L`"
    )]
    Tls,
    /// The password cannot be had.
    #[error(transparent)]
    Password(#[from] PasswordError),
}

impl From<UrlMistake> for AddressError {
    fn from(mistake: UrlMistake) -> Self {
        Self::Url(mistake)
    }
}

/// What is wrong with a URL of a database.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UrlMistake {
    /// It is none.
    #[error("not a URL of a database")]
    NotOne,
    /// There is a blank before it.
    #[error("begins with a blank")]
    Blank,
    /// It can be read in several ways.
    #[error("write @ as %40 in a password or user, / as %2F and ? as %3F")]
    Unquoted,
    /// It has a character that ends texts.
    #[error("has a NUL character, %00")]
    Nul,
    /// Its port is none.
    #[error("its port is not a number from 1 to 65535")]
    Port,
    /// An option has a value that it cannot have.
    #[error("has an invalid value for {option}")]
    Value {
        /// The option.
        option: String,
    },
    /// There is no such option.
    #[error("has an unknown option (available: {OPTIONS})")]
    Option,
    /// No host.
    #[error("names no host")]
    NoHost,
    /// Several hosts.
    #[error("names several hosts")]
    SeveralHosts,
    /// An address beside the host's name.
    #[error("hostaddr is not supported")]
    HostAddress,
    /// No user.
    #[error("names no user")]
    NoUser,
    /// No database.
    #[error("names no database")]
    NoDatabase,
}

/// Refuses what names no host, user and database, or more than one host.
fn check_is_whole(config: &Config) -> Result<(), UrlMistake> {
    match config.get_hosts() {
        [_] => {}
        [] => return Err(UrlMistake::NoHost),
        [_, _, ..] => return Err(UrlMistake::SeveralHosts),
    }
    if !config.get_hostaddrs().is_empty() {
        return Err(UrlMistake::HostAddress);
    }
    if config.get_user().unwrap_or_default().is_empty() {
        return Err(UrlMistake::NoUser);
    }
    if config.get_dbname().unwrap_or_default().is_empty() {
        return Err(UrlMistake::NoDatabase);
    }
    Ok(())
}

/// What a URL says. What is wrong with one is told in our words: what the parser repeats may be
/// part of the password.
fn config_of(url: &str) -> Result<Config, UrlMistake> {
    let (scheme, rest) = url.split_once("://").ok_or(UrlMistake::NotOne)?;
    let scheme = format!("{}://", scheme.to_ascii_lowercase());
    if scheme.starts_with(char::is_whitespace) {
        return Err(UrlMistake::Blank);
    }
    if !SCHEMES.contains(&scheme.as_str()) {
        return Err(UrlMistake::NotOne);
    }
    // Else a part of the password would be taken for a host or a database, and shown.
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    let signs = rest.matches('@').count();
    if signs > 1 || signs != authority.matches('@').count() {
        return Err(UrlMistake::Unquoted);
    }
    if rest.contains("%00") {
        return Err(UrlMistake::Nul);
    }
    let config = format!("{scheme}{rest}").parse::<Config>().map_err(|error| {
        match driver_words::option_mistake(&error) {
            Some(OptionMistake::Value(option)) if option == "port" => UrlMistake::Port,
            Some(OptionMistake::Value(option)) => UrlMistake::Value { option },
            Some(OptionMistake::Unknown) => UrlMistake::Option,
            None => UrlMistake::NotOne,
        }
    })?;
    match config.get_ports().contains(&0) {
        true => Err(UrlMistake::Port),
        false => Ok(config),
    }
}

/// Without the password.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (user, database) = (self.config.get_user(), self.config.get_dbname());
        let host = match self.host() {
            // An address of IPv6 has brackets in a URL.
            host if host.contains(':') => format!("[{host}]"),
            host => quoted(&host),
        };
        write!(f, "postgres://{}@{host}", quoted(user.unwrap_or_default()))?;
        if self.port() != PORT {
            write!(f, ":{}", self.port())?;
        }
        write!(f, "/{}", quoted(database.unwrap_or_default()))
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

/// As a part of a URL.
fn quoted(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let quote = |byte: u8| match is_plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    text.bytes().map(quote).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(url: &str) -> Result<Address, AddressError> {
        Address::parse(url, Path::new("/data"))
    }

    #[test]
    fn what_is_printed_has_no_password() {
        for url in [
            "postgres://ann:s3cret@db.example.org:5433/bench",
            "postgresql://ann@db.example.org:5433/bench?password=s3cret",
            "POSTGRES://ann:s3cret@db.example.org:5433/bench?connect_timeout=3",
        ] {
            let address = parse(url).unwrap();
            assert_eq!(address.to_string(), "postgres://ann@db.example.org:5433/bench");
            assert_eq!(address.config().get_password(), Some(&b"s3cret"[..]));
            assert!(!format!("{address:?}").contains("s3cret"));
        }
        let socket = parse("postgres://a%20b:s3cret@%2Ftmp%2Fs/d").unwrap().to_string();
        assert_eq!(socket, "postgres://a%20b@%2Ftmp%2Fs/d");
    }

    #[test]
    fn what_is_no_url_of_a_database_is_refused_without_the_password() {
        for (url, told) in [
            ("postgres://ann:s3cret@db", "names no database"),
            ("postgres://ann:s3cret@/bench", "names no host"),
            ("postgres://:s3cret@db/bench", "names no user"),
            ("postgres://ann:s3cret@a,b/bench", "several hosts"),
            ("postgres://ann:s3cret@db:x/bench", "its port is not a number"),
            ("postgres://ann:s3cret@db:65536/bench", "its port is not a number"),
            ("postgres://ann:s3cret@db:0/bench", "its port is not a number"),
            ("postgres://ann:s3cret/bench", "its port is not a number"),
            ("postgres://ann%00:s3cret@db/bench", "NUL"),
            ("postgres://ann:s3cret@db/bench?s3cret=1", "an unknown option"),
            (
                "postgres://ann:s3cret@db/bench?connect_timeout=s3cret",
                "an invalid value for connect_timeout",
            ),
            ("postgres://ann:s3cret@db/bench?sslmode=require", "no TLS"),
            ("postgres://ann:s3cret@db/bench?sslmode=verify-full", "an invalid value for sslmode"),
            ("postgres://ann:x@s3cret@db/bench", "write @ as %40"),
            ("postgres://ann:x/s3cret@db/bench", "write @ as %40"),
            ("postgres://ann:x@s3cret/y@db/bench", "write @ as %40"),
            ("postgres://db/bench?user=ann&password=x@s3cret/y", "write @ as %40"),
            (" postgres://ann:s3cret@db/bench", "begins with a blank"),
            ("postgres:/ann:s3cret@db/bench", "not a URL"),
            ("postgres//ann:s3cret@db/bench", "not a URL"),
            ("PostgreSQL:ann:s3cret@db/bench", "not a URL"),
            ("mysql://ann:s3cret@db/bench", "not a URL"),
        ] {
            assert!(Address::is_meant(url), "{url}");
            let error = parse(url).unwrap_err().to_string();
            assert!(error.contains(told) && !error.contains("s3cret"), "{url}: {error}");
        }
        for file in ["archive.db", "postgres.db", "postgres/a.db", "a:b.db", "x/a://b", "file:a"] {
            assert!(!Address::is_meant(file), "{file}");
        }
    }

    #[test]
    fn what_a_server_says_is_shown_without_the_password() {
        let address = parse("postgres://ann:s%40crt@db/bench").unwrap();
        assert_eq!(address.blanked("no s@crt for ann"), "no *** for ann");
        assert_eq!(parse("postgres://ann@db/bench").unwrap().blanked("x"), "x");
    }
}
