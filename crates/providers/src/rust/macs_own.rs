//! Our own library, `macs`, measured as any other peer: through its public interface, by name.

use macs::{
    Batch, CompositionBatch, DynComposition, DynMac, Error, Header, Job, KernelName, MacInfo,
    SealJob, ciphers,
};
use words::BLOCK;

use crate::{
    BatchTagger, Forced, Info, Input, Inputs, KeyLife, Kind, Offer, Place, Provider, Refused,
    Restriction, Row, SEALED_KEY_LIVES, Sealed, Sealing, Tagger, Unavailable, WRONG_TAG_LEN, keyed,
    offered_tag_len, processor,
};

/// The row of this provider.
pub const ROW: Row = Row {
    name: "macs",
    title: "Macrometer's own MAC library",
    package: "built in",
    kind: Kind::InProcess(open),
    forced,
    restriction: Restriction::Opened,
    prepare: |_| Ok(()),
    cold_variables: &[],
};

/// The code paths that some mac has on this CPU, or on one that has what they need.
fn forced() -> Vec<Forced> {
    let forced = |kernel: &KernelName| Forced {
        name: kernel.as_str(),
        variables: &[],
        needs: needs(kernel.as_str()),
    };
    let all = KernelName::ALL.iter();
    all.filter(|it| is_here(**it) || !needs(it.as_str()).is_empty()).map(forced).collect()
}

/// Whether some mac has this code path on this CPU.
fn is_here(kernel: KernelName) -> bool {
    macs::catalog().iter().any(|mac| mac.kernels().contains(&kernel))
}

/// The instruction sets that the library asks for before it takes a code path.
fn needs(kernel: &str) -> &'static [&'static str] {
    if !cfg!(target_arch = "x86_64") {
        return &[];
    }
    match kernel {
        "aes-ni" => &["aes", "avx", "sse4.1", "ssse3"],
        "avx2" => &["avx2", "bmi1", "bmi2"],
        "avx512" => &["avx512f", "avx512bw", "avx512vl", "avx512dq", "avx2", "bmi1", "bmi2"],
        "clmul" => &["pclmulqdq", "ssse3", "sse4.1", "avx"],
        "ifma" => {
            &["avx512ifma", "avx512f", "avx512bw", "avx512vl", "avx512dq", "avx2", "bmi1", "bmi2"]
        }
        "sha-ni" => &["sha", "ssse3", "sse4.1", "avx"],
        "sse41" => &["sse4.1", "ssse3"],
        "vaes-256" => &["vaes", "aes", "avx", "avx2"],
        "vaes-512" => {
            &["vaes", "aes", "avx", "avx2", "avx512f", "avx512bw", "avx512vl", "avx512dq"]
        }
        "vpclmul-256" => &["vpclmulqdq", "pclmulqdq", "avx", "avx2"],
        "vpclmul-512" => &[
            "vpclmulqdq",
            "pclmulqdq",
            "avx512f",
            "avx512bw",
            "avx512vl",
            "avx512dq",
            "avx2",
            "bmi2",
        ],
        _ => &[],
    }
}

struct Macs {
    name: String,
    /// The code path asked for; otherwise each mac takes its best.
    kernel: Option<KernelName>,
}

fn open(place: &Place) -> Result<Box<dyn Provider>, Unavailable> {
    let forced_to = ROW.forced_to(place)?;
    let kernel: Option<KernelName> = forced_to
        .map(|forced| forced.name.parse())
        .transpose()
        .map_err(|error: macs::UnknownKernel| format!("{}: {error}", place.name_or(ROW.name)))?;
    Ok(Box::new(Macs { name: place.name_or(ROW.name), kernel }))
}

impl Macs {
    fn mac(&self, info: &'static MacInfo, key: &[u8]) -> Result<DynMac, Error> {
        match self.kernel {
            None => DynMac::with_info(info, key),
            Some(kernel) => DynMac::with_kernel(info, key, kernel),
        }
    }

    fn composition(&self, mac: &str, key: &[u8]) -> Result<DynComposition, Refused> {
        let info = macs::find(mac).ok_or_else(|| Refused::not_here(mac))?;
        let keyed = match self.kernel {
            None => DynComposition::with_info(info, key),
            Some(kernel) => DynComposition::with_kernel(info, key, kernel),
        };
        keyed.map_err(Refused::said)
    }

    /// A composition's tagger: the ciphertext goes to a buffer of its own, which nobody reads.
    fn sealer(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        key: &[u8],
    ) -> Result<Tagger, Refused> {
        let is_new = match key_life {
            KeyLife::Prepared => false,
            KeyLife::NewKey => true,
            KeyLife::OneShot => return Err(crate::no_call_here(key_life, info.name)),
        };
        let mut kept = self.composition(info.name, key)?;
        let (nonce, mut buffer) = (crate::timed_nonce(info), Vec::new());
        Ok(Box::new(move |key, message, tag| {
            if is_new {
                kept.rekey(key).map_err(|_| "macs: rekey failed")?;
            }
            buffer.resize(kept.ciphertext_len_bytes(message.len()), 0);
            let sealed = kept.seal_into(&nonce, &[], message, &mut buffer, tag);
            sealed.map_err(|_| "macs: seal_into failed")
        }))
    }

    /// The same for many messages at once.
    fn sealers(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        keys: &[&[u8]],
    ) -> Result<BatchTagger, Refused> {
        let kept = match self.kernel {
            None => CompositionBatch::with_info(info, keys),
            Some(kernel) => CompositionBatch::with_kernel(info, keys, kernel),
        };
        let mut kept = kept.map_err(Refused::said)?;
        let (nonce, mut buffer) = (crate::timed_nonce(info), Vec::new());
        Ok(Box::new(move |keys, messages, tags| {
            if key_life == KeyLife::NewKey {
                kept.rekey(0, keys).map_err(|_| "macs: rekey failed")?;
            }
            // The ciphertexts, one behind the other; nobody reads them.
            let len = |message: &&[u8]| kept.ciphertext_len_bytes(message.len());
            buffer.resize(messages.iter().map(len).sum(), 0);
            let (mut rest, mut jobs) = (&mut buffer[..], Vec::with_capacity(messages.len()));
            let header = Header { nonce: &nonce, associated_data: &[] };
            for (key, message) in messages.iter().enumerate() {
                let (ciphertext, behind) = rest.split_at_mut(len(message));
                rest = behind;
                jobs.push(SealJob::new(key, header, message, ciphertext));
            }
            kept.seal_into(&mut jobs, tags).map_err(|_| "macs: seal_into failed")
        }))
    }

    fn many(&self, info: &'static MacInfo, keys: &[&[u8]]) -> Result<Batch, Error> {
        match self.kernel {
            None => Batch::with_info(info, keys),
            Some(kernel) => Batch::with_kernel(info, keys, kernel),
        }
    }
}

impl Provider for Macs {
    fn info(&self) -> Info {
        // The crates under some macs take what the processor tells, whatever `macs` leaves out.
        let is_held = |info: &&MacInfo| processor::lacks(needs(info.kernel())).is_empty();
        let has_pin = |info: &&MacInfo| match self.kernel {
            None => is_held(info),
            Some(kernel) => info.kernels().contains(&kernel),
        };
        let kernel = |best: &'static str| self.kernel.map_or(best, KernelName::as_str).into();
        // The call for one-shot takes the best path only.
        let key_lives = if self.kernel.is_none() { &KeyLife::ALL[..] } else { &KeyLife::ALL[..2] };
        let offer = |info: &MacInfo| Offer {
            mac: info.name.into(),
            kernel: kernel(info.kernel()),
            key_lives: if info.is_composition() {
                SEALED_KEY_LIVES.to_vec()
            } else {
                key_lives.to_vec()
            },
        };
        let block = |cipher: &&ciphers::CipherInfo| Offer {
            mac: format!("{BLOCK}{}", cipher.primitive.name),
            kernel: cipher.primitive.kernel().into(),
            key_lives: vec![],
        };
        let macs = macs::catalog().iter().filter(has_pin).map(offer);
        let blocks = if self.kernel.is_none() { ciphers::CIPHERS } else { &[] };
        Info {
            name: self.name.clone(),
            // One workspace, one version: macs and this crate take theirs from the same line.
            version: env!("CARGO_PKG_VERSION").into(),
            path: "built in".into(),
            detail: String::new(),
            offers: macs.chain(blocks.iter().map(block)).collect(),
            ..Info::default()
        }
    }

    fn tagger(&self, mac: &str, key_life: KeyLife, key: &[u8]) -> Result<Tagger, Refused> {
        let info = keyed(mac, key)?;
        if info.is_composition() {
            return self.sealer(info, key_life, key);
        }
        let mut kept = self.mac(info, key).map_err(Refused::said)?;
        let nonce = crate::timed_nonce(info);
        Ok(match key_life {
            KeyLife::Prepared if info.nonce.is_none() => Box::new(move |_, message, tag| {
                kept.mac_into(message, tag).map_err(|_| "macs: mac_into failed")
            }),
            KeyLife::Prepared => Box::new(move |_, message, tag| {
                let computed = kept.mac_with_nonce_into(&nonce, message, tag);
                computed.map_err(|_| "macs: mac_with_nonce_into failed")
            }),
            KeyLife::NewKey => Box::new(move |key, message, tag| {
                kept.rekey(key).map_err(|_| "macs: rekey failed")?;
                let computed = kept.mac_with_nonce_into(&nonce, message, tag);
                computed.map_err(|_| "macs: mac_with_nonce_into failed")
            }),
            KeyLife::OneShot if info.nonce.is_none() => Box::new(move |key, message, tag| {
                // With the look-up by name and the tag on the heap, as its callers have them.
                let computed =
                    macs::mac(info.name, key, message).map_err(|_| "macs: mac failed")?;
                if computed.len() != tag.len() {
                    return Err(WRONG_TAG_LEN);
                }
                tag.copy_from_slice(&computed);
                Ok(())
            }),
            KeyLife::OneShot => Box::new(move |key, message, tag| {
                let computed = info.mac_with_nonce_into(key, &nonce, message, tag);
                computed.map_err(|_| "macs: mac_with_nonce_into failed")
            }),
        })
    }

    fn batch(&self, mac: &str, key_life: KeyLife, keys: &[&[u8]]) -> Result<BatchTagger, Refused> {
        let info = keyed(mac, keys.first().copied().unwrap_or_default())?;
        if info.is_composition() {
            return self.sealers(info, key_life, keys);
        }
        let mut kept = self.many(info, keys).map_err(Refused::said)?;
        let nonce = crate::timed_nonce(info);
        Ok(Box::new(move |keys, messages, tags| {
            if key_life == KeyLife::NewKey {
                kept.rekey(0, keys).map_err(|_| "macs: rekey failed")?;
            }
            // A server has its jobs in a list of its own; the null provider has none to make.
            let jobs: Vec<Job<'_>> = messages
                .iter()
                .enumerate()
                .map(|(key, message)| Job::new(key, message).with_nonce(&nonce))
                .collect();
            kept.macs_into(&jobs, tags).map_err(|_| "macs: macs_into failed")
        }))
    }

    fn tag_len_bytes(&self, mac: &str) -> Option<usize> {
        offered_tag_len(self, mac)
    }

    fn tag(&self, mac: &str, inputs: &Inputs<'_>) -> Result<Vec<u8>, Refused> {
        if let Some(cipher) = mac.strip_prefix(BLOCK).and_then(ciphers::find) {
            let mut block = inputs.message.to_vec();
            let encrypted = cipher.encrypt_block(inputs.key, &mut block);
            let lengths = &[Input::Key, Input::Message];
            return encrypted
                .map(|()| block)
                .map_err(|_| Refused::limit(lengths, "no such key or block length"));
        }
        let info = macs::find(mac).ok_or_else(|| Refused::not_here(mac))?;
        let tag = || {
            let is_whole = info.accepted_tag_len.accepts(inputs.tag_len_bytes);
            let whole = if is_whole { inputs.tag_len_bytes } else { info.tag_len_bytes };
            let mac = match self.kernel {
                None => DynMac::with_customization(info, inputs.key, inputs.customization)?,
                Some(kernel) => DynMac::with_kernel(info, inputs.key, kernel)?,
            }
            .with_tag_len(whole)?;
            let mac = match info.nonce {
                Some(_) => mac.with_nonce_len(inputs.nonce.len())?,
                None => mac,
            };
            let mut tag = vec![0; whole];
            mac.mac_with_nonce_into(inputs.nonce, inputs.message, &mut tag)?;
            tag.truncate(inputs.tag_len_bytes);
            Ok(tag)
        };
        tag().map_err(|error: macs::Error| Refused::said(error))
    }

    fn seal(&self, mac: &str, inputs: &Inputs<'_>) -> Result<Sealed, Refused> {
        let keyed = self.composition(mac, inputs.key)?;
        let sealed = keyed.with_short_tag_len(inputs.tag_len_bytes).and_then(|composition| {
            let Inputs { nonce, associated_data, message, .. } = *inputs;
            let mut buffer = vec![0; composition.ciphertext_len_bytes(message.len())];
            let mut tag = vec![0; inputs.tag_len_bytes];
            let sealed =
                composition.seal_into(nonce, associated_data, message, &mut buffer, &mut tag);
            sealed.map(|()| Sealed { ciphertext: buffer, tag })
        });
        sealed.map_err(Refused::said)
    }

    fn sealings(&self) -> Vec<Offer> {
        let is_one = |offer: &Offer| macs::find(&offer.mac).is_some_and(MacInfo::is_composition);
        self.info().offers.into_iter().filter(is_one).collect()
    }

    fn sealing(&self, composition: &str, key: &[u8]) -> Result<Box<dyn Sealing>, Refused> {
        keyed(composition, key)?;
        let composition = self.composition(composition, key)?;
        let takes_associated_data = {
            // The one composition without any, Encrypt-and-MAC, refuses it by its length.
            let (nonce, mut tag) = (nonce_of(&composition), vec![0; composition.tag_len_bytes()]);
            let mut buffer = vec![0; composition.ciphertext_len_bytes(0)];
            composition.seal_in_place(&nonce, &[0], &mut buffer, 0, &mut tag).is_ok()
        };
        Ok(Box::new(InPlace { composition, takes_associated_data }))
    }

    fn unseal(
        &self,
        mac: &str,
        inputs: &Inputs<'_>,
        tag: &[u8],
    ) -> Result<Option<Vec<u8>>, Refused> {
        let keyed = self.composition(mac, inputs.key)?.with_short_tag_len(tag.len());
        let composition = keyed.map_err(Refused::said)?;
        let mut buffer = inputs.message.to_vec();
        match composition.open_in_place(inputs.nonce, inputs.associated_data, &mut buffer, tag) {
            Ok(len) => {
                buffer.truncate(len);
                Ok(Some(buffer))
            }
            // A failed opening leaves zeros behind; anything else counts as opened.
            Err(_) if buffer.iter().any(|&byte| byte != 0) => Ok(Some(buffer)),
            Err(macs::Error::TagMismatch) => Ok(None),
            Err(error) => Err(Refused::said(error)),
        }
    }
}

/// Our compositions seal and open in place as they are.
struct InPlace {
    composition: DynComposition,
    takes_associated_data: bool,
}

fn nonce_of(composition: &DynComposition) -> Vec<u8> {
    crate::timed_nonce(composition.info())
}

impl Sealing for InPlace {
    fn nonce_len_bytes(&self) -> usize {
        self.composition.info().nonce.map_or(0, |nonce| nonce.len_bytes)
    }

    fn tag_len_bytes(&self) -> usize {
        self.composition.tag_len_bytes()
    }

    fn ciphertext_len_bytes(&self, message_len_bytes: usize) -> usize {
        self.composition.ciphertext_len_bytes(message_len_bytes)
    }

    fn takes_associated_data(&self) -> bool {
        self.takes_associated_data
    }

    fn seal(
        &mut self,
        nonce: &[u8],
        associated_data: &[u8],
        buffer: &mut [u8],
        message_len: usize,
        tag: &mut [u8],
    ) -> Result<(), &'static str> {
        let sealed =
            self.composition.seal_in_place(nonce, associated_data, buffer, message_len, tag);
        sealed.map_err(|_| "macs: seal_in_place failed")
    }

    fn open(
        &mut self,
        nonce: &[u8],
        associated_data: &[u8],
        buffer: &mut [u8],
        tag: &[u8],
    ) -> Option<usize> {
        self.composition.open_in_place(nonce, associated_data, buffer, tag).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On this CPU, whichever it is: the table above says what the library itself finds.
    #[test]
    fn a_code_path_is_here_where_its_needs_are() {
        for forced in forced() {
            let kernel = forced.name.parse().expect("a kernel");
            assert_eq!(is_here(kernel), forced.is_runnable(), "{forced:?}");
        }
    }
}
