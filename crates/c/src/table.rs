//! The catalog with texts as C has them.

use std::ffi::CString;
use std::sync::OnceLock;

use macs::MacInfo;

/// What C is told of one mac.
pub(crate) struct Entry {
    pub(crate) info: &'static MacInfo,
    pub(crate) name: CString,
    pub(crate) title: CString,
    pub(crate) standing: CString,
    pub(crate) kernel: CString,
}

impl Entry {
    fn of(info: &'static MacInfo) -> Self {
        // No text of the catalog has a zero byte in it; one that had would be shown as empty.
        let text = |text: &str| CString::new(text).unwrap_or_default();
        Self {
            info,
            name: text(info.name),
            title: text(info.title),
            standing: text(info.standing().name()),
            kernel: text(info.kernel()),
        }
    }
}

/// All macs, in alphabetical order of their names; made once, and kept until the program ends.
pub(crate) fn table() -> &'static [Entry] {
    static TABLE: OnceLock<Vec<Entry>> = OnceLock::new();
    TABLE.get_or_init(|| macs::catalog().iter().map(Entry::of).collect())
}
