//! Node.js, measured in JavaScript: `createHmac` and `createCipheriv` of its `crypto`. The worker
//! is a small program of its own, workers/node/macrometer_worker.js, which is compiled in here and
//! handed to the interpreter, so that no file has to be installed.

use super::runtime;
use crate::{Forced, Kind, Place, Restriction, Row, Unavailable, restriction};

/// The row of this provider.
pub const ROW: Row = Row {
    name: "node",
    title: "Node.js: createHmac and createCipheriv",
    package: "nodejs (Debian)",
    kind: Kind::Program(command),
    forced: || FORCED.to_vec(),
    restriction: Restriction::Variables(restriction::ia32cap),
    prepare: |_| Ok(()),
    cold_variables: &[],
};

/// Read by the OpenSSL inside: nothing that the CPU has beyond the plain instruction set.
const FORCED: &[Forced] =
    &[Forced { name: "soft", variables: &[("OPENSSL_ia32cap", "0:0")], needs: &[] }];

const WORKER: &str = include_str!("../../../../workers/node/macrometer_worker.js");

fn command(place: &Place) -> Result<Vec<String>, Unavailable> {
    Ok(worker(&runtime(place, &["node", "nodejs"])?, place.name_or(ROW.name)))
}

/// The command line of the worker. `--expose-gc`: it collects garbage before each sample. `--`:
/// what follows is not for the interpreter.
pub(super) fn worker(interpreter: &str, name: String) -> Vec<String> {
    [interpreter, "--expose-gc", "-e", WORKER, "--", &name].map(Into::into).into()
}
