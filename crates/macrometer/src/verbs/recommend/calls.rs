//! What callers write for a call that is measured, of the libraries in which people most often use
//! the slower one (docs/providers.md has all).

use lab::cell::KeyLife;
use words::MacName;

/// What is written for HMAC.
pub fn written(mac: &str, provider: &str, call: KeyLife) -> Option<String> {
    let MacName { mode: "hmac", primitive: Some(hash) } = MacName::of(mac) else { return None };
    let hash = hash.replace('-', "_");
    Some(match (provider, call) {
        ("python", KeyLife::Prepared) => "h.copy(), update(msg), digest()".into(),
        ("python", KeyLife::NewKey) => format!("hmac.new(key, msg, \"{hash}\").digest()"),
        ("python", KeyLife::OneShot) => format!("hmac.digest(key, msg, \"{hash}\")"),
        ("macs-python" | "macs-wasm", KeyLife::Prepared) => "key.digest(msg)".into(),
        ("macs-python", KeyLife::NewKey) => format!("macs.new(key, msg, \"{mac}\").digest()"),
        ("macs-python", KeyLife::OneShot) => format!("macs.digest(key, msg, \"{mac}\")"),
        ("macs-wasm", KeyLife::NewKey) => format!("new Key(\"{mac}\", key), digest, free"),
        ("macs-wasm", KeyLife::OneShot) => format!("digest(\"{mac}\", key, msg)"),
        ("java", KeyLife::Prepared) => "mac.update(msg), mac.doFinal()".into(),
        ("java", KeyLife::NewKey) => "mac.init(key), update, doFinal".into(),
        ("java", KeyLife::OneShot) => "Mac.getInstance, init, update, doFinal".into(),
        ("openssl", KeyLife::OneShot) => "HMAC()".into(),
        ("openssl", KeyLife::Prepared) => "EVP_MAC_init(ctx, NULL, 0, NULL), update, final".into(),
        ("openssl", KeyLife::NewKey) => "EVP_MAC_init(ctx, key, len, NULL), update, final".into(),
        _ => return None,
    })
}
