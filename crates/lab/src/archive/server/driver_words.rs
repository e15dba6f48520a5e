//! What PostgreSQL's driver tells in words alone: it keeps the kinds of its errors to itself. All
//! that is read from its words is read here; its tests fail where a newer driver has others.

use std::error::Error;

/// What the driver finds wrong with an option of a URL.
pub(super) enum OptionMistake {
    /// Its value; the option's name.
    Value(String),
    /// There is no such option.
    Unknown,
}

/// What is wrong with an option, where a URL was refused for one.
pub(super) fn option_mistake(error: &postgres::Error) -> Option<OptionMistake> {
    let told = words(error);
    match told.strip_prefix("invalid value for option ") {
        Some(option) => Some(OptionMistake::Value(option.trim_matches('`').to_owned())),
        None if told.starts_with("unknown option") => Some(OptionMistake::Unknown),
        None => None,
    }
}

/// Whether there is no session because the server asks for a password, and none is known.
pub(super) fn asks_for_password(error: &postgres::Error) -> bool {
    error.code().is_none() && words(error).contains("password")
}

fn words(error: &postgres::Error) -> String {
    error.source().map(ToString::to_string).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    /// A server that answers the first message with a request for a password in clear text.
    #[test]
    fn a_password_that_is_asked_for_is_known_by_the_drivers_words() {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = server.local_addr().unwrap().port();
        let asks = thread::spawn(move || {
            let (mut client, _) = server.accept().unwrap();
            let _ = client.read(&mut [0; 1024]);
            client.write_all(&[b'R', 0, 0, 0, 8, 0, 0, 0, 3]).unwrap();
            let _ = client.read(&mut [0; 1024]);
        });
        let config: postgres::Config =
            format!("postgres://ann@127.0.0.1:{port}/x").parse().unwrap();
        assert!(asks_for_password(&config.connect(postgres::NoTls).err().unwrap()));
        asks.join().unwrap();
    }
}
