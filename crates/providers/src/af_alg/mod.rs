//! The Linux kernel, asked for tags through `AF_ALG` sockets, and the macs that it may have. What
//! is sent when: docs/providers.md.

#[cfg(target_os = "linux")]
mod drivers;
#[cfg(target_os = "linux")]
mod kernel;
#[cfg(target_os = "linux")]
mod socket;

use crate::{Kind, Place, Provider, Restriction, Row, Unavailable};

/// The row of this provider.
pub const ROW: Row = Row {
    name: "af-alg",
    title: "The Linux kernel, through AF_ALG",
    package: "a Linux kernel with CONFIG_CRYPTO_USER_API_HASH (module algif_hash)",
    kind: Kind::InProcess(open),
    forced: Vec::new,
    restriction: Restriction::Never("the Linux kernel chooses its drivers for all processes"),
    prepare: |_| Ok(()),
    cold_variables: &[],
};

fn open(place: &Place) -> Result<Box<dyn Provider>, Unavailable> {
    if let Some(path) = &place.path {
        let path = path.display();
        let reason = "af-alg is the running Linux kernel, so there is no library to name";
        return Err(format!("{path}: {reason}").into());
    }
    #[cfg(target_os = "linux")]
    return kernel::open(place);
    #[cfg(not(target_os = "linux"))]
    Err(Unavailable::not_installed("only Linux has AF_ALG sockets"))
}
