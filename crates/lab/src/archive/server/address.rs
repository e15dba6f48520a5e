//! The URL of a database, and what belongs to it on this machine. A password in it is kept for
//! connecting only: what is printed is made anew, of everything else.

use std::fmt;
use std::path::{Path, PathBuf};

use postgres::Config;
use postgres::config::{Host, SslMode};

use super::password;

/// How a URL of PostgreSQL begins.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

/// What URLs should look like, for messages.
const FORM: &str = "postgres://USER@HOST/DATABASE, or postgres://USER@%2FFOLDER/DATABASE for a \
                    socket in /FOLDER";

const PORT: u16 = 5432;

/// A database on a server.
#[derive(Clone)]
pub struct Address {
    config: Config,
    folder: PathBuf,
}

impl Address {
    /// Whether a name is meant to be a database.
    pub(in crate::archive) fn is_meant(name: &str) -> bool {
        let begins = |scheme: &&str| {
            name.get(..scheme.len()).is_some_and(|it| it.eq_ignore_ascii_case(scheme))
        };
        SCHEMES.iter().any(begins)
    }

    /// Reads a URL; its password, where it has none, comes from `PGPASSWORD` or the file of
    /// passwords.
    pub(in crate::archive) fn parse(url: &str, folder: &Path) -> Result<Self, String> {
        let wrong = |what: &str| format!("{what}: it must be {FORM}");
        let (scheme, rest) = url.split_once("://").unwrap_or_default();
        let parsed = format!("{}://{rest}", scheme.to_ascii_lowercase()).parse::<Config>();
        // What the parser says may be part of the password.
        let mut config = parsed.map_err(|_| wrong("not a URL of a database"))?;
        if config.get_ssl_mode() == SslMode::Require {
            let way_out = "use a socket, the same host, or a tunnel such as `ssh -L`";
            return Err(format!("sslmode=require: macrometer has no TLS for databases: {way_out}"));
        }
        match config.get_hosts() {
            [_] => {}
            [] => return Err(wrong("names no host")),
            [_, _, ..] => return Err(wrong("names several hosts")),
        }
        if !config.get_hostaddrs().is_empty() {
            return Err(wrong("hostaddr is not supported"));
        }
        if config.get_user().unwrap_or_default().is_empty() {
            return Err(wrong("names no user"));
        }
        if config.get_dbname().unwrap_or_default().is_empty() {
            return Err(wrong("names no database"));
        }
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

    fn parse(url: &str) -> Result<Address, String> {
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
            ("postgres://ann:s3cret@db:x/bench", "not a URL"),
            ("postgres://ann:s3cret@db/bench?sslmode=require", "no TLS"),
            ("postgres://ann:s3cret@db/bench?sslmode=verify-full", "not a URL"),
        ] {
            let error = parse(url).unwrap_err();
            assert!(error.contains(told) && !error.contains("s3cret"), "{url}: {error}");
        }
        assert!(!Address::is_meant("archive.db") && !Address::is_meant("postgres.db"));
    }
}
