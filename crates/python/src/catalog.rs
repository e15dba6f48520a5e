//! Macs by the names of the catalog and by those of `hashlib`, and what is known of them.

use std::sync::LazyLock;

use macs::{DynMac, MacInfo};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::errors::refused;

const HMAC: &str = "hmac-";

/// HMAC by the name of its hash, in alphabetical order: what `hmac.new` is called with.
static BY_HASH: LazyLock<Vec<(&str, &MacInfo)>> = LazyLock::new(|| {
    let hash = |row: &'static MacInfo| row.name.strip_prefix(HMAC).map(|hash| (hash, row));
    macs::catalog().iter().filter_map(hash).collect()
});

/// Other spellings of OpenSSL, which `hashlib` and `hmac` take as well, in alphabetical order.
const SPELLINGS: [(&str, &str); 22] = [
    ("blake2b-512", "blake2b"),
    ("blake2b512", "blake2b"),
    ("blake2s-256", "blake2s"),
    ("blake2s256", "blake2s"),
    ("ripemd", "ripemd160"),
    ("ripemd-160", "ripemd160"),
    ("rmd160", "ripemd160"),
    ("sha-1", "sha1"),
    ("sha-224", "sha224"),
    ("sha-256", "sha256"),
    ("sha-384", "sha384"),
    ("sha-512", "sha512"),
    ("sha-512/224", "sha512-224"),
    ("sha-512/256", "sha512-256"),
    ("sha2-224", "sha224"),
    ("sha2-256", "sha256"),
    ("sha2-384", "sha384"),
    ("sha2-512", "sha512"),
    ("sha2-512/224", "sha512-224"),
    ("sha2-512/256", "sha512-256"),
    ("ssl3-md5", "md5"),
    ("ssl3-sha1", "sha1"),
];

fn by_hash(name: &str) -> Option<&'static MacInfo> {
    let at = BY_HASH.binary_search_by(|(hash, _)| (*hash).cmp(name)).ok()?;
    Some(BY_HASH[at].1)
}

/// The hash of another spelling, or what was given.
fn spelt(name: &str) -> &str {
    let at = SPELLINGS.binary_search_by(|(spelling, _)| (*spelling).cmp(name));
    at.map_or(name, |at| SPELLINGS[at].1)
}

/// The mac of a catalog name, `cmac-aes-128`, or HMAC over a hash, `sha256`, as `hashlib` spells
/// or OpenSSL spells it: `SHA3_256` and `SHA2-256`, too.
pub fn named(name: &str) -> PyResult<&'static MacInfo> {
    if let Some(row) = by_hash(name).or_else(|| macs::find(name)) {
        return Ok(row);
    }
    let plain = name.to_ascii_lowercase().replace('_', "-");
    if let Some(row) = by_hash(spelt(&plain)).or_else(|| macs::find(&plain)) {
        return Ok(row);
    }
    // The library says which names are near. What begins as a hash does is meant as one.
    let is_hash = BY_HASH.iter().any(|(hash, _)| plain.starts_with(&hash[..3]));
    let asked = if is_hash { &format!("{HMAC}{plain}") } else { name };
    Err(refused(DynMac::new(asked, &[]).expect_err("the catalog has no such name")))
}

/// The mac that `hmac.new` would take this for: a name, a hash of `hashlib`, or a module of one.
pub fn of_digestmod(digestmod: &Bound<'_, PyAny>) -> PyResult<&'static MacInfo> {
    if let Ok(name) = digestmod.cast::<PyString>() {
        return named(name.to_str()?);
    }
    let hash =
        if digestmod.is_callable() { digestmod.call0() } else { digestmod.call_method0("new") };
    let name = hash.and_then(|hash| hash.getattr("name")?.extract::<String>());
    let name = name.map_err(|_| {
        let kind = digestmod.get_type();
        PyTypeError::new_err(format!("digestmod must be a name or a hash of hashlib, not {kind}"))
    })?;
    named(&name)
}

/// What is known of a mac, as a dictionary.
#[pyfunction]
pub fn info<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
    let row = named(name)?;
    let known = PyDict::new(py);
    known.set_item("name", row.name)?;
    known.set_item("title", row.title)?;
    known.set_item("kind", row.kind().name())?;
    known.set_item("standing", row.standing().name())?;
    known.set_item("is_composition", row.is_composition())?;
    known.set_item("digest_size", row.tag_len_bytes)?;
    known.set_item("digest_sizes", row.accepted_tag_len.to_string())?;
    known.set_item("block_size", row.primitive.block_len_bytes)?;
    known.set_item("key_size", row.key_len_bytes)?;
    known.set_item("key_sizes", row.accepted_key_len.to_string())?;
    known.set_item("nonce_size", row.nonce.map(|nonce| nonce.len_bytes))?;
    known.set_item("nonce_sizes", row.nonce.map(|nonce| nonce.accepted_len.to_string()))?;
    known.set_item("nonce", row.nonce_need().name())?;
    known.set_item("takes_customization", row.is_customizable)?;
    known.set_item("takes_tag_len", row.takes_tag_len())?;
    known.set_item("prf", row.prf().name())?;
    known.set_item("key_limit", row.key_limit().to_string())?;
    known.set_item("constant_time", row.constant_time().to_string())?;
    known.set_item("kernel", row.kernel())?;
    for (name, text) in [
        ("specification", row.mode.specification),
        ("proof", row.mode.proof),
        ("bound", row.mode.bound),
        ("nonce_note", row.mode.nonce),
        ("key_life", row.mode.key_life),
        ("approved_by", row.mode.approved_by),
        ("attacks", row.mode.attacks),
        ("primitive", row.primitive.title),
        ("primitive_note", row.primitive.note),
    ] {
        known.set_item(name, text)?;
    }
    Ok(known)
}
