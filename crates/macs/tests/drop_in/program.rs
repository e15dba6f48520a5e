// A program written for RustCrypto's crates, compiled in three modules with different imports.

type HmacSha256 = Hmac<Sha256>;
type Aes256Ccm = Ccm<Aes256, consts::U8, consts::U13>;
type Aes128Eax = Eax<Aes128>;
type LongNonceGcm = AesGcm<Aes128, consts::U16>;

/// All tags of a message that is taken in pieces and checked.
pub fn tags(key: &[u8], message: &[u8]) -> Vec<Vec<u8>> {
    fn tag<M: Mac + KeyInit + Clone>(key: &[u8], message: &[u8]) -> Vec<u8> {
        let mut mac = <M as KeyInit>::new_from_slice(key).expect("the key is of the mac's length");
        let (head, rest) = message.split_at(message.len() / 3);
        mac.update(head);
        let half = mac.clone();
        mac.update(rest);
        let tag = mac.finalize().into_bytes();
        half.clone().chain_update(rest).verify(&tag).expect("the same message");
        half.chain_update(rest).verify_truncated_left(&tag[..4]).expect("the same message");
        tag.to_vec()
    }
    vec![
        tag::<HmacSha256>(key, message),
        tag::<Hmac<Sha512>>(key, message),
        tag::<Cmac<Aes128>>(key, message),
    ]
}

/// A key of a password.
pub fn password_key() -> [u8; 40] {
    let mut key = [0; 40];
    pbkdf2::pbkdf2::<HmacSha256>(b"password", b"salt", 1000, &mut key).expect("any length");
    key
}

fn seal<A: AeadInOut + KeyInit>(message: &[u8]) -> Vec<u8> {
    let (key, nonce) = (vec![7; A::key_size()], Default::default());
    let mut buffer = message.to_vec();
    let cipher = <A as KeyInit>::new_from_slice(&key).expect("the key is of its length");
    cipher.encrypt_in_place(&nonce, b"header", &mut buffer).expect("short enough");
    buffer
}

fn open<A: AeadInOut + KeyInit>(mut sealed: Vec<u8>) -> Option<Vec<u8>> {
    let (key, nonce) = (vec![7; A::key_size()], Default::default());
    let cipher = <A as KeyInit>::new_from_slice(&key).expect("the key is of its length");
    cipher.decrypt_in_place(&nonce, b"header", &mut sealed).ok()?;
    Some(sealed)
}

/// Sealed by every composition.
pub fn sealed(message: &[u8]) -> Vec<Vec<u8>> {
    vec![
        seal::<Aes128Gcm>(message),
        seal::<Aes256Gcm>(message),
        seal::<LongNonceGcm>(message),
        seal::<Aes256Ccm>(message),
        seal::<Aes128Eax>(message),
    ]
}

/// Opened by the one of this number.
#[allow(dead_code, reason = "what the third seals is compared only")]
pub fn opened(number: usize, sealed: Vec<u8>) -> Option<Vec<u8>> {
    match number {
        0 => open::<Aes128Gcm>(sealed),
        1 => open::<Aes256Gcm>(sealed),
        2 => open::<LongNonceGcm>(sealed),
        3 => open::<Aes256Ccm>(sealed),
        _ => open::<Aes128Eax>(sealed),
    }
}
