//! Our own library from Python, by its wheel (`crates/python`): what the way from Python costs,
//! beside `python`, whose worker it shares. It is found where the interpreter can import the
//! module.

use super::{command_of, python, runtime};
use crate::limited::answer_of;
use crate::restriction::{Extension, NotRestricted, Variables, Without};
use crate::{Kind, Place, Restriction, Row, Unavailable};

/// The row of this provider.
pub const ROW: Row = Row {
    name: "macs-python",
    title: "macs from Python, by its wheel",
    package: "pip install crates/python (in a checkout)",
    kind: Kind::Program(command),
    forced: Vec::new,
    restriction: Restriction::Variables(restricted),
    prepare: |_| Ok(()),
    cold_variables: &[],
};

/// Another module of that name has no such class. A file in the current folder is not it.
const PROBE: &str = "
import sys
sys.path[:1] = filter(None, sys.path[:1])
try:
    import macs
    macs.Batch
except ModuleNotFoundError as error:
    print(f'ModuleNotFoundError: {error}', file=sys.stderr)
    sys.exit(3 if error.name == 'macs' else 1)
";

/// With which it ends where there is no such module.
const NO_MODULE: i32 = 3;

fn command(place: &Place) -> Result<Vec<String>, Unavailable> {
    let interpreter = runtime(place, &["python3"])?;
    let asked = answer_of(command_of(&interpreter).args(["-c", PROBE]))?;
    if !asked.status.success() {
        let said = String::from_utf8_lossy(&asked.stderr);
        let reason = said.lines().last().unwrap_or("it cannot import macs").to_owned();
        if asked.status.code() != Some(NO_MODULE) {
            return Err(format!("{interpreter}: {reason}").into());
        }
        let reason = format!("{interpreter}: {reason}; {}", ROW.package);
        return Err(Unavailable::not_installed(reason));
    }
    Ok(python::worker(interpreter, place.name_or(ROW.name)))
}

/// Read by the worker, which has the library leave them out.
#[expect(clippy::unnecessary_wraps, reason = "other providers refuse some")]
fn restricted(without: &Without) -> Result<Variables, NotRestricted> {
    let names = without.extensions().iter().map(|extension| match extension {
        Extension::Avx512 => "avx512",
        Extension::Vaes => "vaes",
        Extension::Sha => "sha",
    });
    Ok(vec![("MACROMETER_LEAVE_OUT", names.collect::<Vec<_>>().join(","))])
}
