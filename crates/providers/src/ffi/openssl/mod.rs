//! OpenSSL's libcrypto 1.1, 3.x and 4.x, opened at run time: the one this machine uses, or any
//! other by its path, forks with the older interface among them. Fetches and contexts are made when
//! a mac is opened, outside the timed call; what a call is for each key life: docs/providers.md.

mod aead;
mod dispatch;
mod evp_mac;
mod library;
mod low_level;
mod param;
mod primitive;
mod sealing;
mod tagger;
pub mod vendored;

use macs::MacInfo;

use crate::capabilities;
use crate::ffi::composed;
use crate::peer::{About, Candidate, Peer, Sealer, offer};
use crate::{
    Detail, Inputs, KeyLife, Kind, Place, Provider, Refused, Restriction, Row, Sealing, Tagger,
    Unavailable, restriction,
};
use aead::{COMPOSITIONS, Composition};
use dispatch::Cpu;
use library::{Interface, Libcrypto, PrimitiveFn};
use primitive::{Code, PRIMITIVES, Restart};

/// The row of this provider.
pub const ROW: Row = Row {
    name: "openssl",
    title: "OpenSSL's libcrypto, opened at run time",
    package: "libssl3 (Debian), openssl (others)",
    kind: Kind::InProcess(open),
    forced: || capabilities::FORCED.to_vec(),
    restriction: Restriction::Variables(restriction::ia32cap),
    prepare: |_| Ok(()),
    cold_variables: &[],
};

struct OpenSsl {
    libcrypto: &'static Libcrypto,
    cpu: Cpu,
    /// How a context of each mac is used again.
    restarts: Vec<(&'static str, Restart)>,
}

fn open(place: &Place) -> Result<Box<dyn Provider>, Unavailable> {
    open_as(&ROW, place)
}

/// Opens the library at this place as a provider of `row`.
fn open_as(row: &Row, place: &Place) -> Result<Box<dyn Provider>, Unavailable> {
    let libcrypto = Libcrypto::open(place)?;
    let cpu = Cpu::new(libcrypto.cpu_info.as_deref(), libcrypto.number);
    let restarts = match &libcrypto.interface {
        Interface::EvpMac(functions) => {
            let restart = |it| tagger::restart(functions, it).map(|restart| (it.mac, restart));
            PRIMITIVES.iter().filter_map(restart).collect()
        }
        Interface::LowLevel(..) => Vec::new(),
    };
    offer(place, row, OpenSsl { libcrypto, cpu, restarts })
}

impl OpenSsl {
    fn composition(&self, mac: &str) -> Result<(&'static Composition, PrimitiveFn), Refused> {
        let composition = COMPOSITIONS.iter().find(|composition| composition.mac == mac);
        let found = composition.and_then(|it| Some((it, self.libcrypto.primitive(it.function)?)));
        found.ok_or_else(|| Refused::lacks("this version", mac))
    }

    fn detail(&self) -> Detail {
        let mut detail = match self.libcrypto.interface {
            Interface::EvpMac(_) => String::from("through EVP_MAC"),
            Interface::LowLevel(..) => String::from("through HMAC_CTX and CMAC_CTX"),
        };
        let copied = self.restarts.iter().filter(|(_, restart)| *restart == Restart::Dup);
        let copied: Vec<_> = copied.map(|(mac, _)| *mac).collect();
        if !copied.is_empty() {
            detail += &format!(" (prepared by EVP_MAC_CTX_dup: {})", copied.join(", "));
        }
        let cpu_info = self.libcrypto.cpu_info.as_deref().unwrap_or("CPUINFO: not reported");
        Detail::from(detail).and_inferred().and(cpu_info).and(&self.libcrypto.build)
    }
}

impl Peer for OpenSsl {
    fn about(&self) -> About {
        let path = self.libcrypto.library.path.display().to_string();
        About { version: self.libcrypto.version.clone(), path, detail: self.detail() }
    }

    fn candidates(&self) -> Vec<Candidate> {
        let macs = PRIMITIVES.iter().map(|it| (it.mac, it.code));
        let all = macs.chain(COMPOSITIONS.iter().map(|it| (it.mac, it.code)));
        all.map(|(mac, code)| Candidate { mac, kernel: self.cpu.kernel(code).into() }).collect()
    }

    fn mac(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Tagger, Refused> {
        let primitive = PRIMITIVES.iter().find(|it| it.mac == info.name);
        let primitive = primitive.ok_or_else(|| Refused::not_here(info.name))?;
        let restart = self.restarts.iter().find(|(mac, _)| *mac == info.name);
        let restart = restart.map(|(_, restart)| *restart);
        tagger::tagger(self.libcrypto, primitive, restart, key_life, inputs)
    }

    fn sealer(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Sealer, Refused> {
        let (composition, cipher) = self.composition(info.name)?;
        let functions = &self.libcrypto.cipher;
        let open = || composition.sealer(functions, cipher, key_life, inputs);
        self.libcrypto.with_reason(open)
    }

    fn sealings(&self) -> Vec<Candidate> {
        let native = COMPOSITIONS.iter().map(|it| (it.mac, it.code));
        let all = native.chain(composed::names().map(|mac| (mac, Code::Aes)));
        all.map(|(mac, code)| Candidate { mac, kernel: self.cpu.kernel(code).into() }).collect()
    }

    fn sealing(&self, info: &'static MacInfo, key: &[u8]) -> Result<Box<dyn Sealing>, Refused> {
        let Ok((composition, cipher)) = self.composition(info.name) else {
            return sealing::of_parts(self.libcrypto, info, key);
        };
        let functions = &self.libcrypto.cipher;
        let open = || sealing::native(composition, functions, cipher, info, key);
        self.libcrypto.with_reason(open)
    }

    fn unseal(
        &self,
        info: &'static MacInfo,
        inputs: &Inputs<'_>,
        tag: &[u8],
    ) -> Result<Option<Vec<u8>>, Refused> {
        let (composition, cipher) = self.composition(info.name)?;
        let functions = &self.libcrypto.cipher;
        self.libcrypto.with_reason(|| composition.unseal(functions, cipher, inputs, tag))
    }
}
