//! The libcrypto that the build made (build.rs), for machines without one: put as a file into the
//! user's cache folder, and opened like any other.

use crate::Row;

/// The row of this provider, as a build without the feature has it.
const ABSENT: Row = absent!(
    "openssl-vendored",
    "OpenSSL's libcrypto, built in by the cargo feature openssl-vendored",
    super::ROW.forced
);

/// The row of this provider.
#[cfg(not(feature = "openssl-vendored"))]
pub const ROW: Row = ABSENT;

/// The row of this provider.
#[cfg(feature = "openssl-vendored")]
pub const ROW: Row = Row {
    kind: crate::Kind::InProcess(built_in::open),
    restriction: super::ROW.restriction,
    ..ABSENT
};

#[cfg(feature = "openssl-vendored")]
mod built_in {
    use std::fs;

    use super::ROW;
    use crate::built::built;
    use crate::{NotBuilt, Place, Provider, Unavailable};

    /// The shared object, whole; a constant would be in the program twice.
    static LIBCRYPTO: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libcrypto-vendored.so"));

    /// A loader opens files only, so it becomes one again: another file for another build.
    pub(super) fn open(place: &Place) -> Result<Box<dyn Provider>, Unavailable> {
        let name = place.name_or(ROW.name);
        if let Some(path) = &place.path {
            let path = path.display();
            let reason = format!("{name} is built in: for another one, --lib openssl-NAME={path}");
            return Err(reason.into());
        }
        let file_name = "libcrypto.so";
        let folder = built(ROW.name, &[&blake3::hash(LIBCRYPTO).to_hex()], |folder| {
            let file = folder.join(file_name);
            fs::write(&file, LIBCRYPTO).map_err(|error| NotBuilt::file(&file, error))
        })?;
        let place = Place { name: Some(name), path: Some(folder.join(file_name)) };
        crate::ffi::openssl::open_as(&ROW, &place)
    }
}
