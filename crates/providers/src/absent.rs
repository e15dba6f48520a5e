//! Rows of providers that this build has not.

/// The row of a provider whose cargo feature, which has its name, is off: it says how to get it.
/// Its code paths are known all the same, since studies name them.
macro_rules! absent {
    ($name:literal, $title:expr, $forced:expr) => {
        $crate::Row {
            name: $name,
            title: $title,
            package: concat!("cargo feature `", $name, "`"),
            kind: $crate::Kind::InProcess(|_| {
                let how = concat!(
                    "built without it: cargo install --path crates/macrometer --features ",
                    $name
                );
                Err($crate::Unavailable::not_installed(how))
            }),
            forced: $forced,
            restriction: crate::restriction::Restriction::NotNeeded,
            prepare: |_| Ok(()),
            cold_variables: &[],
        }
    };
}
