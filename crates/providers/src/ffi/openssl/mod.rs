//! OpenSSL's libcrypto 1.1, 3.x and 4.x, opened at run time: the one this machine uses, or any
//! other by its path. Fetches and contexts are made when a mac is opened, outside the timed call;
//! what a call is for each key life: docs/providers.md.

mod aead;
mod dispatch;
mod evp_mac;
mod library;
mod low_level;
mod param;
mod primitive;
mod probe;
mod tagger;

use crate::{Info, Inputs, KeyLife, Kind, Offer, Place, Provider, Row, Tagger, keyed};
use aead::COMPOSITIONS;
use dispatch::Cpu;
use evp_mac::Restart;
use library::{Interface, Libcrypto};
use primitive::PRIMITIVES;
use probe::{Found, FoundComposition, Missing};

/// The row of this provider.
pub const ROW: Row = Row {
    name: "openssl",
    title: "OpenSSL's libcrypto, opened at run time",
    package: "libssl3 (Debian), openssl (others)",
    kind: Kind::InProcess(open),
    forced: Vec::new,
};

struct OpenSsl {
    name: String,
    libcrypto: &'static Libcrypto,
    found: Vec<Found>,
    compositions: Vec<FoundComposition>,
    /// Macs with other tags than they should have.
    different: Vec<&'static str>,
}

fn open(place: &Place) -> Result<Box<dyn Provider>, String> {
    let libcrypto = Libcrypto::open(place.path.as_deref())?;
    let mut different = Vec::new();
    let mut note = |mac, missing| {
        if missing == Missing::Different {
            different.push(mac);
        }
    };
    let mut found = Vec::new();
    for row in PRIMITIVES {
        let probed = probe::mac(libcrypto, row).map_err(|missing| note(row.mac, missing));
        found.extend(probed);
    }
    let mut compositions = Vec::new();
    for row in COMPOSITIONS {
        let probed = probe::composition(libcrypto, row).map_err(|missing| note(row.mac, missing));
        compositions.extend(probed);
    }
    if found.is_empty() {
        return Err(format!("{}: none of its macs works", libcrypto.path.display()));
    }
    let name = place.name_or(ROW.name);
    Ok(Box::new(OpenSsl { name, libcrypto, found, compositions, different }))
}

impl OpenSsl {
    fn composition(&self, mac: &str, inputs: &Inputs<'_>) -> Result<&FoundComposition, String> {
        let found = self.compositions.iter().find(|found| found.composition.mac == mac);
        let found = found.ok_or_else(|| format!("{} has no composition {mac}", self.name))?;
        let info = keyed(mac, inputs.key)?;
        let given = inputs.nonce.len();
        match info.nonce {
            Some(nonce) if !nonce.accepted_len.accepts(given) => {
                Err(format!("{mac} takes a nonce of {}, not {given} bytes", nonce.accepted_len))
            }
            _ => Ok(found),
        }
    }

    fn check_tag_len(mac: &str, given: usize) -> Result<(), String> {
        match macs::find(mac).map(|info| info.accepted_tag_len) {
            Some(takes) if !takes.accepts(given) => {
                Err(format!("{mac} has a tag of {takes}, not {given} bytes"))
            }
            _ => Ok(()),
        }
    }

    fn detail(&self) -> String {
        let mut detail = match self.libcrypto.interface {
            Interface::EvpMac(_) => String::from("through EVP_MAC"),
            Interface::LowLevel(_) => String::from("through HMAC_CTX and CMAC_CTX"),
        };
        let copied = self.found.iter().filter(|found| {
            found.restart == Restart::Dup && found.key_lives.contains(&KeyLife::Prepared)
        });
        let copied: Vec<_> = copied.map(|found| found.primitive.mac).collect();
        if !copied.is_empty() {
            detail += &format!(" (prepared by EVP_MAC_CTX_dup: {})", copied.join(", "));
        }
        if !self.different.is_empty() {
            detail += &format!("; left out for other answers: {}", self.different.join(", "));
        }
        let cpu_info = self.libcrypto.cpu_info.as_deref().unwrap_or("CPUINFO: not told");
        format!("{detail}; kernels inferred; {cpu_info}; {}", self.libcrypto.build)
    }
}

impl Provider for OpenSsl {
    fn info(&self) -> Info {
        let cpu = Cpu::new(self.libcrypto.cpu_info.as_deref(), self.libcrypto.number);
        let offer = |mac: &str, code, key_lives: &[KeyLife]| Offer {
            mac: mac.into(),
            kernel: cpu.kernel(code).into(),
            key_lives: key_lives.to_vec(),
        };
        let macs = self.found.iter();
        let macs = macs.map(|f| offer(f.primitive.mac, f.primitive.code, &f.key_lives));
        let compositions = self.compositions.iter();
        let compositions =
            compositions.map(|f| offer(f.composition.mac, f.composition.code, &f.key_lives));
        let mut offers: Vec<_> = macs.chain(compositions).collect();
        offers.sort_by(|a, b| a.mac.cmp(&b.mac));
        Info {
            name: self.name.clone(),
            version: self.libcrypto.version.clone(),
            path: self.libcrypto.path.display().to_string(),
            detail: self.detail(),
            offers,
        }
    }

    fn tagger(&self, mac: &str, key_life: KeyLife, key: &[u8]) -> Result<Tagger, String> {
        let sealing = self.compositions.iter().find(|found| found.composition.mac == mac);
        if let Some(found) = sealing.filter(|found| found.key_lives.contains(&key_life)) {
            return found.tagger(self.libcrypto, key_life, key);
        }
        let found = self.found.iter().find(|found| found.primitive.mac == mac);
        let found = found.filter(|found| found.key_lives.contains(&key_life));
        let found = found.ok_or_else(|| format!("{} has no {key_life} {mac}", self.name))?;
        tagger::tagger(self.libcrypto, found.primitive, found.restart, key_life, key)
    }

    fn tag(&self, mac: &str, inputs: &Inputs<'_>) -> Result<Vec<u8>, String> {
        let found = self.found.iter().find(|found| found.primitive.mac == mac);
        let found = found.ok_or_else(|| format!("{} has no {mac}", self.name))?;
        tagger::tag(self.libcrypto, found.primitive, inputs)
    }

    fn seal(&self, mac: &str, inputs: &Inputs<'_>) -> Result<(Vec<u8>, Vec<u8>), String> {
        let FoundComposition { composition, cipher, .. } = self.composition(mac, inputs)?;
        Self::check_tag_len(mac, inputs.tag_len_bytes)?;
        let Libcrypto { base, cipher: functions, .. } = self.libcrypto;
        base.with_reason(|| composition.seal(functions, *cipher, inputs))
    }

    fn unseal(
        &self,
        mac: &str,
        inputs: &Inputs<'_>,
        tag: &[u8],
    ) -> Result<Option<Vec<u8>>, String> {
        let FoundComposition { composition, cipher, .. } = self.composition(mac, inputs)?;
        Self::check_tag_len(mac, tag.len())?;
        let Libcrypto { base, cipher: functions, .. } = self.libcrypto;
        base.with_reason(|| composition.unseal(functions, *cipher, inputs, tag))
    }
}
