//! Python, measured in Python: `hmac` and `hashlib` of its standard library, and what there is of
//! `cryptography` and `pycryptodome`. The worker is a small program of its own,
//! workers/python/macrometer_worker.py, which is compiled in here and handed to the interpreter, so
//! that no file has to be installed. `python[chained]` is CMAC chained in Python, a block a call of
//! a cipher in C, and tags as hexadecimal text: what the worker does that finds this in its name.

use super::runtime;
use crate::{Forced, Kind, Place, Restriction, Row, Unavailable, restriction};

/// The row of this provider.
pub const ROW: Row = Row {
    name: "python",
    title: "Python: hmac and hashlib, cryptography, pycryptodome",
    package: "python3, python3-cryptography, python3-pycryptodome (Debian)",
    kind: Kind::Program(command),
    forced: || vec![Forced::by_name("chained")],
    restriction: Restriction::Variables(restriction::ia32cap),
    prepare: |_| Ok(()),
    cold_variables: &[],
};

const WORKER: &str = include_str!("../../../../workers/python/macrometer_worker.py");

fn command(place: &Place) -> Result<Vec<String>, Unavailable> {
    Ok(worker(runtime(place, &["python3"])?, place.name_or(ROW.name)))
}

/// The command line of the worker. `-u`: it flushes its replies itself, but what it or a library
/// says on standard error must not wait either.
pub(super) fn worker(interpreter: String, name: String) -> Vec<String> {
    vec![interpreter, "-u".into(), "-c".into(), WORKER.into(), name]
}
