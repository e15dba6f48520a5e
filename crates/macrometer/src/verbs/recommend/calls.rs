//! What callers write for a call that is measured, of the libraries in which people most often use
//! the slower one (docs/providers.md has all).

use lab::cell::KeyLife;

/// What is written for HMAC; the hash stands for any.
pub fn written(mac: &str, provider: &str, call: KeyLife) -> Option<&'static str> {
    if !mac.starts_with("hmac-") {
        return None;
    }
    Some(match (provider, call) {
        ("python", KeyLife::Prepared) => "h.copy(), update(msg), digest()",
        ("python", KeyLife::NewKey) => "hmac.new(key, msg, \"sha256\").digest()",
        ("python", KeyLife::OneShot) => "hmac.digest(key, msg, \"sha256\")",
        ("macs-python", KeyLife::Prepared) => "key.digest(msg)",
        ("macs-python", KeyLife::NewKey) => "macs.new(key, msg, \"sha256\").digest()",
        ("macs-python", KeyLife::OneShot) => "macs.digest(key, msg, \"sha256\")",
        ("macs-wasm", KeyLife::Prepared) => "key.digest(msg)",
        ("macs-wasm", KeyLife::NewKey) => "new Key(\"hmac-sha256\", key), digest, free",
        ("macs-wasm", KeyLife::OneShot) => "digest(\"hmac-sha256\", key, msg)",
        ("java", KeyLife::Prepared) => "mac.update(msg), mac.doFinal()",
        ("java", KeyLife::NewKey) => "mac.init(key), update, doFinal",
        ("java", KeyLife::OneShot) => "Mac.getInstance, init, update, doFinal",
        ("openssl", KeyLife::OneShot) => "HMAC()",
        ("openssl", KeyLife::Prepared) => "EVP_MAC_init(ctx, NULL, 0, NULL), update, final",
        ("openssl", KeyLife::NewKey) => "EVP_MAC_init(ctx, key, len, NULL), update, final",
        _ => return None,
    })
}
