//! Where a password comes from that is not in the URL: the environment, or the file that the
//! programs of PostgreSQL read.

use std::env;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use thiserror::Error;

/// Longest file of passwords.
const BYTES_MAX: u64 = 1 << 20;

/// What a password is sought for.
pub(super) struct Asked<'a> {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) database: &'a str,
    pub(super) user: &'a str,
}

/// Why there is no password where there should be one.
#[derive(Debug, Error)]
pub enum PasswordError {
    /// What the environment has is no text.
    #[error("PGPASSWORD is not UTF-8")]
    NotUtf8,
    /// What should be a file is none.
    #[error("{}: not a file of passwords", .path.display())]
    NoFile {
        /// What it is.
        path: PathBuf,
    },
    /// Others may read the file.
    #[error("{}: others may read it: `chmod 600` it", .path.display())]
    Open {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be read.
    #[error("{}: cannot be read: {error}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

/// The password, where there is any.
pub(super) fn of(asked: &Asked<'_>) -> Result<Option<String>, PasswordError> {
    match env::var("PGPASSWORD") {
        Ok(password) if !password.is_empty() => return Ok(Some(password)),
        Ok(_) | Err(env::VarError::NotPresent) => {}
        Err(env::VarError::NotUnicode(_)) => return Err(PasswordError::NotUtf8),
    }
    let path = match (env::var_os("PGPASSFILE"), env::var_os("HOME")) {
        (Some(file), _) => PathBuf::from(file),
        (None, Some(home)) => PathBuf::from(home).join(".pgpass"),
        (None, None) => return Ok(None),
    };
    let Ok(found) = fs::metadata(&path) else { return Ok(None) };
    if !found.is_file() {
        return Err(PasswordError::NoFile { path });
    }
    // As PostgreSQL's own programs do it.
    if found.mode() & 0o077 != 0 {
        return Err(PasswordError::Open { path });
    }
    let mut text = String::new();
    let read = File::open(&path).and_then(|file| file.take(BYTES_MAX).read_to_string(&mut text));
    match read {
        Ok(_) => Ok(in_lines(&text, asked)),
        Err(error) => Err(PasswordError::Unreadable { path, error }),
    }
}

/// The password of the first line `host:port:database:user:password` that fits; a backslash takes
/// the meaning of what follows it, and `*` stands for anything.
fn in_lines(text: &str, asked: &Asked<'_>) -> Option<String> {
    let port = asked.port.to_string();
    let host = if asked.host.starts_with('/') { "localhost" } else { &asked.host };
    let fits = |field: &str, own: &str| field == "*" || field == own;
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let [at, of, database, user, password] = <[String; 5]>::try_from(fields(line)).ok()?;
        let is_host = fits(&at, &asked.host) || fits(&at, host);
        let is_rest =
            fits(&of, &port) && fits(&database, asked.database) && fits(&user, asked.user);
        (is_host && is_rest).then_some(password)
    })
}

fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        let literal = match letter {
            // The last field may have colons.
            ':' if fields.len() < 5 => {
                fields.push(String::new());
                continue;
            }
            '\\' => letters.next().unwrap_or('\\'),
            other => other,
        };
        if let Some(last) = fields.last_mut() {
            last.push(literal);
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits_has_the_password() {
        let asked = |host: &str| Asked { host: host.into(), port: 5432, database: "d", user: "u" };
        let file = "# db:5432:d:u:no\ndb:5432:other:u:no\ndb:*:d:u:a\\:b:c\\\\d\n*:*:*:*:last\nx\n";
        assert_eq!(in_lines(file, &asked("db")).unwrap(), "a:b:c\\d");
        assert_eq!(in_lines(file, &asked("else")).unwrap(), "last");
        let socket = "localhost:5432:d:u:local\n";
        assert_eq!(in_lines(socket, &asked("/tmp")).unwrap(), "local");
        assert_eq!(in_lines("db:5432:d:other:x\n", &asked("db")), None);
    }
}
