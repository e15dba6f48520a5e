//! Our own library as C gets it, opened at run time like any other: what it costs to call it
//! through `macs.h`. Call by call: docs/providers.md.
#![expect(unsafe_code, reason = "calls a C library")]

mod handle;
mod sealing;

use std::env;
use std::ffi::{CString, c_char, c_void};
use std::path::PathBuf;
use std::ptr::null;

use macs::MacInfo;
use words::MacName;

use self::handle::{Handle, Options};
use super::library::{Library, functions, text};
use crate::peer::{About, Candidate, Peer, Sealer, offer};
use crate::{
    BatchTagger, Input, Inputs, KeyLife, Kind, Place, Provider, Refused, Restriction, Row, Sealing,
    Tagger, Unavailable, WRONG_TAG_LEN,
};

/// The row of this provider.
pub const ROW: Row = Row {
    name: "macs-c",
    title: "Macrometer's own MAC library, as C calls it",
    package: "libmacs.so.0 of crates/c (`cargo build --release -p macs-c`)",
    kind: Kind::InProcess(open),
    forced: Vec::new,
    restriction: Restriction::Hidden,
    prepare: |_| Ok(()),
    cold_variables: &[],
};

/// As it is installed.
const NAMES: &[&str] = &["libmacs.so.0", "libmacs.0.dylib"];

/// As Cargo calls it.
const BUILT: &[&str] = &["libmacs_c.so", "libmacs_c.dylib"];

/// The version of its interface that is declared here.
const ABI_VERSION: u32 = 0;

/// `MACS_OK`.
const OK: Status = 0;

type Status = u32;
type Bytes = *const u8;
type BytesMut = *mut u8;
type Name = *const c_char;
/// Of a key, a batch or a composition, which are opaque.
type Object = *mut c_void;

/// `macs_info`.
#[repr(C)]
pub(super) struct Description {
    struct_size: usize,
    name: Name,
    title: Name,
    standing: Name,
    kernel: Name,
    lens: [usize; 9],
    message_len_max: u64,
    flags: u32,
    reserved: u32,
}

/// `macs_job`.
#[repr(C)]
pub(super) struct Job {
    key_index: usize,
    nonce: Bytes,
    nonce_len: usize,
    message: Bytes,
    message_len: usize,
}

functions! {
    /// After macs.h.
    Functions {
        macs_batch_change: fn(Object, usize, *const Bytes, *const usize, usize) -> Status;
        macs_batch_free: fn(Object);
        macs_batch_new: fn(
            Name, *const Bytes, *const usize, usize, *const Options, *mut Object
        ) -> Status;
        macs_batch_tags: fn(Object, *const Job, usize, BytesMut, usize) -> Status;
        macs_ciphertext_len: fn(Object, usize) -> usize;
        macs_composition_change: fn(Object, Bytes, usize) -> Status;
        macs_composition_free: fn(Object);
        macs_composition_new: fn(Name, Bytes, usize, *const Options, *mut Object) -> Status;
        macs_describe: fn(Name, *mut Description) -> Status;
        macs_error_text: fn() -> Name;
        macs_key_change: fn(Object, Bytes, usize) -> Status;
        macs_key_free: fn(Object);
        macs_key_new: fn(Name, Bytes, usize, *const Options, *mut Object) -> Status;
        macs_name: fn(usize) -> Name;
        macs_open: fn(
            Object, Bytes, usize, Bytes, usize, BytesMut, usize, Bytes, usize, *mut usize
        ) -> Status;
        macs_seal: fn(
            Object, Bytes, usize, Bytes, usize, BytesMut, usize, usize, BytesMut, usize
        ) -> Status;
        macs_tag: fn(Object, Bytes, usize, Bytes, usize, BytesMut, usize) -> Status;
        macs_tag_once: fn(
            Name, Bytes, usize, Bytes, usize, Bytes, usize, BytesMut, usize
        ) -> Status;
        macs_version: fn() -> Name;
    }
}

impl Functions {
    /// What the call that failed had to say.
    fn said(&self) -> String {
        // SAFETY: takes nothing; a text of this thread that is copied before the next call.
        unsafe { text((self.macs_error_text)()) }
    }

    /// The result of a call.
    fn done(&self, status: Status) -> Result<(), Refused> {
        if status == OK { Ok(()) } else { Err(Refused::Said(self.said())) }
    }
}

struct MacsC {
    library: Library,
    functions: &'static Functions,
}

fn open(place: &Place) -> Result<Box<dyn Provider>, Unavailable> {
    let built = Place { name: place.name.clone(), path: place.path.clone().or_else(beside_us) };
    let library = Library::open(&built, NAMES, "macs_abi_version")?;
    // SAFETY: a library with `macs_abi_version` is this one; that function is in all versions.
    let version = unsafe {
        let abi_version: unsafe extern "C" fn() -> u32 = library.symbol("macs_abi_version")?;
        abi_version()
    };
    if version != ABI_VERSION {
        let path = library.path.display();
        return Err(format!("{path}: its interface is version {version}, not {ABI_VERSION}").into());
    }
    // SAFETY: declared after the header of this version of the interface.
    let functions: &'static Functions = Box::leak(Box::new(unsafe { Functions::load(&library) }?));
    offer(place, &ROW, MacsC { library, functions })
}

/// The one that Cargo built together with us, in the folder of our own program.
fn beside_us() -> Option<PathBuf> {
    let folder = env::current_exe().ok()?.parent()?.to_owned();
    BUILT.iter().map(|name| folder.join(name)).find(|path| path.is_file())
}

impl MacsC {
    /// Name and code path of everything in its catalog that ours has, too.
    fn described(&self) -> impl Iterator<Item = Candidate> {
        let names = (0..).map(|index| {
            // SAFETY: takes a number; returns null or a text of the library's own.
            unsafe { (self.functions.macs_name)(index) }
        });
        names.take_while(|name| !name.is_null()).filter_map(|name| {
            let mut description = Description {
                struct_size: size_of::<Description>(),
                name: null(),
                title: null(),
                standing: null(),
                kernel: null(),
                lens: [0; 9],
                message_len_max: 0,
                flags: 0,
                reserved: 0,
            };
            // SAFETY: a name of the library's own, and a structure as long as it says.
            let status = unsafe { (self.functions.macs_describe)(name, &raw mut description) };
            // SAFETY: texts of the library's own, which end in zero and are never freed.
            let (name, kernel) = unsafe { (text(name), text(description.kernel)) };
            let info = macs::find(&name).filter(|_| status == OK)?;
            Some(Candidate { mac: info.name, kernel })
        })
    }

    fn key(&self, info: &MacInfo, inputs: &Inputs<'_>) -> Result<Handle, Refused> {
        let f = self.functions;
        let options = Options::of(info, inputs);
        Handle::new(f, f.macs_key_free, |out| {
            let (name, key) = (c_name(info), inputs.key);
            // SAFETY: a text, a key of the length said, options as long as they say, and a place
            // for the result.
            unsafe {
                (f.macs_key_new)(name.as_ptr(), key.as_ptr(), key.len(), &raw const options, out)
            }
        })
    }

    fn prepared(&self, info: &MacInfo, inputs: &Inputs<'_>) -> Result<Tagger, Refused> {
        let (f, key, nonce) = (self.functions, self.key(info, inputs)?, inputs.nonce.to_vec());
        let tag_len_bytes = inputs.tag_len_bytes;
        Ok(Box::new(move |_, message, tag| {
            if tag.len() != tag_len_bytes {
                return Err(WRONG_TAG_LEN);
            }
            let (n, m) = (&nonce[..], message);
            // SAFETY: a key that lives as long as this closure; bytes of the lengths said.
            let status = unsafe {
                (f.macs_tag)(
                    key.object(),
                    n.as_ptr(),
                    n.len(),
                    m.as_ptr(),
                    m.len(),
                    tag.as_mut_ptr(),
                    tag.len(),
                )
            };
            if status == OK { Ok(()) } else { Err("macs_tag failed") }
        }))
    }

    fn new_key(&self, info: &MacInfo, inputs: &Inputs<'_>) -> Result<Tagger, Refused> {
        let (f, kept, nonce) = (self.functions, self.key(info, inputs)?, inputs.nonce.to_vec());
        let tag_len_bytes = inputs.tag_len_bytes;
        Ok(Box::new(move |key, message, tag| {
            if tag.len() != tag_len_bytes {
                return Err(WRONG_TAG_LEN);
            }
            let (n, m) = (&nonce[..], message);
            // SAFETY: a key that lives as long as this closure and that nobody else has; bytes of
            // the lengths said.
            let done = unsafe {
                (f.macs_key_change)(kept.object(), key.as_ptr(), key.len()) == OK
                    && (f.macs_tag)(
                        kept.object(),
                        n.as_ptr(),
                        n.len(),
                        m.as_ptr(),
                        m.len(),
                        tag.as_mut_ptr(),
                        tag.len(),
                    ) == OK
            };
            if done { Ok(()) } else { Err("macs_key_change or macs_tag failed") }
        }))
    }

    fn one_shot(&self, info: &MacInfo, inputs: &Inputs<'_>) -> Result<Tagger, Refused> {
        if !inputs.customization.is_empty() {
            let why = "its one-shot call takes no customization string";
            return Err(Refused::limit(&[Input::Customization], why));
        }
        let (f, name, nonce) = (self.functions, c_name(info), inputs.nonce.to_vec());
        let tag_len_bytes = inputs.tag_len_bytes;
        Ok(Box::new(move |key, message, tag| {
            if tag.len() != tag_len_bytes {
                return Err(WRONG_TAG_LEN);
            }
            // SAFETY: a text, and bytes of the lengths said.
            let status = unsafe {
                (f.macs_tag_once)(
                    name.as_ptr(),
                    key.as_ptr(),
                    key.len(),
                    nonce.as_ptr(),
                    nonce.len(),
                    message.as_ptr(),
                    message.len(),
                    tag.as_mut_ptr(),
                    tag.len(),
                )
            };
            if status == OK { Ok(()) } else { Err("macs_tag_once failed") }
        }))
    }

    fn many(
        &self,
        info: &MacInfo,
        key_life: KeyLife,
        keys: &[&[u8]],
    ) -> Result<BatchTagger, Refused> {
        let f = self.functions;
        let batch = Handle::new(f, f.macs_batch_free, |out| {
            let (name, (pointers, lens)) = (c_name(info), parts(keys));
            let (pointers, lens) = (pointers.as_ptr(), lens.as_ptr());
            // SAFETY: a text, arrays with an element for each key, no options, and a place for the
            // result.
            unsafe { (f.macs_batch_new)(name.as_ptr(), pointers, lens, keys.len(), null(), out) }
        })?;
        let nonce = crate::timed_nonce(info);
        Ok(Box::new(move |keys, messages, tags| {
            if key_life == KeyLife::NewKey {
                let (pointers, lens) = parts(keys);
                let (pointers, lens) = (pointers.as_ptr(), lens.as_ptr());
                // SAFETY: a batch that nobody else has, arrays with an element for each key.
                let status =
                    unsafe { (f.macs_batch_change)(batch.object(), 0, pointers, lens, keys.len()) };
                if status != OK {
                    return Err("macs_batch_change failed");
                }
            }
            // A server has its jobs in a list of its own; the null provider has none to make.
            let job = |(key_index, message): (usize, &&[u8])| Job {
                key_index,
                nonce: nonce.as_ptr(),
                nonce_len: nonce.len(),
                message: message.as_ptr(),
                message_len: message.len(),
            };
            let jobs: Vec<Job> = messages.iter().enumerate().map(job).collect();
            let (tags, tags_len) = (tags.as_mut_ptr(), tags.len());
            // SAFETY: a batch that lives as long as this closure; jobs whose bytes are of the
            // lengths that they say; room for tags of the length said.
            let status = unsafe {
                (f.macs_batch_tags)(batch.object(), jobs.as_ptr(), jobs.len(), tags, tags_len)
            };
            if status == OK { Ok(()) } else { Err("macs_batch_tags failed") }
        }))
    }
}

/// Where each key begins, and how long it is.
fn parts(keys: &[&[u8]]) -> (Vec<Bytes>, Vec<usize>) {
    keys.iter().map(|key| (key.as_ptr(), key.len())).unzip()
}

/// No name of the catalog has a zero byte in it.
fn c_name(info: &MacInfo) -> CString {
    CString::new(info.name).unwrap_or_default()
}

impl Peer for MacsC {
    fn about(&self) -> About {
        // SAFETY: takes nothing, returns a text of the library's own.
        let version = unsafe { text((self.functions.macs_version)()) };
        let path = self.library.path.display().to_string();
        About { version, path, detail: format!("interface {ABI_VERSION}").into() }
    }

    fn candidates(&self) -> Vec<Candidate> {
        // A sealer's ciphertext is as long as the message, and that of CBC is longer.
        self.described().filter(|it| MacName::of(it.mac).mode != "cbc-then-cmac").collect()
    }

    fn mac(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Tagger, Refused> {
        match key_life {
            KeyLife::Prepared => self.prepared(info, inputs),
            KeyLife::NewKey => self.new_key(info, inputs),
            KeyLife::OneShot => self.one_shot(info, inputs),
        }
    }

    fn sealer(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Sealer, Refused> {
        sealing::sealer(self.functions, info, key_life, inputs)
    }

    fn unseal(
        &self,
        info: &'static MacInfo,
        inputs: &Inputs<'_>,
        tag: &[u8],
    ) -> Result<Option<Vec<u8>>, Refused> {
        sealing::unsealed(self.functions, info, inputs, tag)
    }

    fn sealings(&self) -> Vec<Candidate> {
        let is_one = |it: &Candidate| macs::find(it.mac).is_some_and(MacInfo::is_composition);
        self.described().filter(is_one).collect()
    }

    fn sealing(&self, info: &'static MacInfo, key: &[u8]) -> Result<Box<dyn Sealing>, Refused> {
        sealing::in_place(self.functions, info, key)
    }

    fn batch(
        &self,
        info: &'static MacInfo,
        key_life: KeyLife,
        keys: &[&[u8]],
    ) -> Option<Result<BatchTagger, Refused>> {
        let is_one = key_life != KeyLife::OneShot && !info.is_composition();
        is_one.then(|| self.many(info, key_life, keys))
    }
}
