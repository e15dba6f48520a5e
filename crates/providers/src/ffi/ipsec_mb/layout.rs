//! The structures of intel-ipsec-mb.h that calls go through: most of its interface is macros over
//! function pointers in `IMB_MGR`, and what is to be done is written into an `IMB_JOB`. The part
//! declared here lies at the same offsets in all versions of [`VERSIONS`]; the test below compares
//! it with the header where there is one.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr::{null, null_mut};

/// A version whose structures are known, by major and minor number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) number: (u32, u32),
    /// `sizeof(IMB_JOB)`: versions differ in what comes behind the part declared here.
    pub(super) job_len_bytes: usize,
    /// Whether hash bursts take CMAC.
    pub(super) has_cmac_burst: bool,
    /// Whether jobs of a burst need no session (`imb_set_session`, 1.4 and later).
    pub(super) has_plain_burst: bool,
}

const fn version(minor: u32, job_len_bytes: usize) -> Version {
    Version {
        number: (1, minor),
        job_len_bytes,
        has_cmac_burst: false,
        has_plain_burst: minor == 3,
    }
}

/// Compared, header by header: v1.3, v1.4, v1.5, v2.0, v2.0.1 and v2.0.2. What is 3.0 in the making
/// has other offsets, and 1.2 no hash bursts.
pub(super) const VERSIONS: &[Version] = &[
    version(3, 200),
    version(4, 240),
    version(5, 240),
    Version { number: (2, 0), job_len_bytes: 216, has_cmac_burst: true, has_plain_burst: false },
];

/// `IMB_MAX_BURST_SIZE`.
pub(super) const BURST_JOBS_MAX: usize = 128;

pub(super) const FEATURE_SHANI: u64 = 1 << 0;
pub(super) const FEATURE_AESNI: u64 = 1 << 1;
pub(super) const FEATURE_AVX: u64 = 1 << 5;
pub(super) const FEATURE_AVX512F: u64 = 1 << 7;
pub(super) const FEATURE_VAES: u64 = 1 << 12;
pub(super) const FEATURE_VPCLMULQDQ: u64 = 1 << 13;
pub(super) const FEATURE_SAFE_DATA: u64 = 1 << 14;
pub(super) const FEATURE_SAFE_PARAM: u64 = 1 << 15;
pub(super) const FEATURE_GFNI: u64 = 1 << 16;
pub(super) const FEATURE_AVX512_IFMA: u64 = 1 << 17;

pub(super) const CIPHER_NULL: c_uint = 3;
pub(super) const CIPHER_CCM: c_uint = 9;
pub(super) const CIPHER_CHACHA20_POLY1305: c_uint = 19;

pub(super) const AUTH_HMAC_SHA_1: c_uint = 1;
pub(super) const AUTH_HMAC_SHA_224: c_uint = 2;
pub(super) const AUTH_HMAC_SHA_256: c_uint = 3;
pub(super) const AUTH_HMAC_SHA_384: c_uint = 4;
pub(super) const AUTH_HMAC_SHA_512: c_uint = 5;
pub(super) const AUTH_MD5: c_uint = 7;
pub(super) const AUTH_AES_CCM: c_uint = 11;
pub(super) const AUTH_AES_CMAC: c_uint = 12;
pub(super) const AUTH_AES_CMAC_256: c_uint = 27;
pub(super) const AUTH_POLY1305: c_uint = 28;
pub(super) const AUTH_CHACHA20_POLY1305: c_uint = 29;

pub(super) const DIR_ENCRYPT: c_uint = 1;
pub(super) const DIR_DECRYPT: c_uint = 2;
pub(super) const ORDER_CIPHER_HASH: c_uint = 1;
pub(super) const ORDER_HASH_CIPHER: c_uint = 2;
pub(super) const STATUS_COMPLETED: c_uint = 3;

/// `IMB_JOB` up to what a user may hang on it.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Job {
    pub(super) enc_keys: *const c_void,
    pub(super) dec_keys: *const c_void,
    pub(super) key_len_in_bytes: u64,
    pub(super) src: *const u8,
    pub(super) dst: *mut u8,
    pub(super) cipher_start_src_offset_in_bytes: u64,
    pub(super) msg_len_to_cipher_in_bytes: u64,
    pub(super) hash_start_src_offset_in_bytes: u64,
    pub(super) msg_len_to_hash_in_bytes: u64,
    pub(super) iv: *const u8,
    pub(super) iv_len_in_bytes: u64,
    pub(super) auth_tag_output: *mut u8,
    pub(super) auth_tag_output_len_in_bytes: u64,
    /// A union of structures of up to three pointers or lengths of 64 bits.
    pub(super) u: [*const c_void; 3],
    pub(super) status: c_uint,
    pub(super) cipher_mode: c_uint,
    pub(super) cipher_direction: c_uint,
    pub(super) hash_alg: c_uint,
    pub(super) chain_order: c_uint,
}

/// What differs between the messages of one job.
#[derive(Clone, Copy)]
pub(super) struct Data {
    pub(super) src: *const u8,
    pub(super) len: usize,
    /// Where the ciphertext goes; null where nothing is encrypted.
    pub(super) dst: *mut u8,
    pub(super) tag: *mut u8,
}

impl Job {
    /// Authentication alone; message and tag are written in for each call.
    pub(super) const fn hash(
        hash_alg: c_uint,
        tag_len_bytes: usize,
        keys: [*const c_void; 3],
    ) -> Self {
        Self {
            enc_keys: null(),
            dec_keys: null(),
            key_len_in_bytes: 0,
            src: null(),
            dst: null_mut(),
            cipher_start_src_offset_in_bytes: 0,
            msg_len_to_cipher_in_bytes: 0,
            hash_start_src_offset_in_bytes: 0,
            msg_len_to_hash_in_bytes: 0,
            iv: null(),
            iv_len_in_bytes: 0,
            auth_tag_output: null_mut(),
            auth_tag_output_len_in_bytes: tag_len_bytes as u64,
            u: keys,
            status: 0,
            cipher_mode: CIPHER_NULL,
            cipher_direction: DIR_ENCRYPT,
            hash_alg,
            chain_order: ORDER_HASH_CIPHER,
        }
    }

    /// Writes in what is to be done with this job.
    #[inline]
    pub(super) const fn set(&mut self, data: Data) {
        self.src = data.src;
        self.dst = data.dst;
        self.msg_len_to_cipher_in_bytes = data.len as u64;
        self.msg_len_to_hash_in_bytes = data.len as u64;
        self.auth_tag_output = data.tag;
    }
}

pub(super) type JobCall = unsafe extern "C" fn(*mut Mgr) -> *mut Job;
pub(super) type BurstCall = unsafe extern "C" fn(*mut Mgr, u32, *mut *mut Job) -> u32;
pub(super) type HashBurst = unsafe extern "C" fn(*mut Mgr, *mut Job, u32, c_uint) -> u32;
/// Key, encryption round keys, decryption round keys.
pub(super) type KeyExpansion = unsafe extern "C" fn(*const c_void, *mut c_void, *mut c_void);
pub(super) type OneBlock = unsafe extern "C" fn(*const c_void, *mut c_void);
pub(super) type HashCall = unsafe extern "C" fn(*const c_void, u64, *mut c_void);
/// Key data, context, output, input, its length, nonce of 12 bytes, associated data, its length,
/// tag, its length.
pub(super) type GcmWhole = unsafe extern "C" fn(
    *const c_void,
    *mut c_void,
    *mut u8,
    *const u8,
    u64,
    *const u8,
    *const u8,
    u64,
    *mut u8,
    u64,
);
/// Key data, context, nonce, its length, associated data, its length.
pub(super) type GcmStart =
    unsafe extern "C" fn(*const c_void, *mut c_void, *const u8, u64, *const u8, u64);
pub(super) type GcmUpdate =
    unsafe extern "C" fn(*const c_void, *mut c_void, *mut u8, *const u8, u64);
/// Key data, context, tag, its length.
pub(super) type GcmFinish = unsafe extern "C" fn(*const c_void, *mut c_void, *mut u8, u64);
pub(super) type GcmKey = unsafe extern "C" fn(*const c_void, *mut c_void);
/// Key data, context, nonce or message, its length.
pub(super) type GmacInput = unsafe extern "C" fn(*const c_void, *mut c_void, *const u8, u64);
type Unused = *const c_void;

/// `IMB_MGR` up to the last function that is called. Functions of one kind are arrays here: hashes
/// by SHA-1, -224, -256, -384, -512, ciphers by 128, 192, 256 bits.
#[repr(C)]
pub(super) struct Mgr {
    pub(super) flags: u64,
    pub(super) features: u64,
    reserved: [u64; 5],
    pub(super) used_arch: u32,
    pub(super) imb_errno: c_int,
    pub(super) get_next_job: JobCall,
    submit_job: JobCall,
    pub(super) submit_job_nocheck: JobCall,
    get_completed_job: JobCall,
    pub(super) flush_job: JobCall,
    queue_size: Unused,
    pub(super) keyexp: [KeyExpansion; 3],
    pub(super) cmac_subkey_gen_128: KeyExpansion,
    xcbc_keyexp: Unused,
    des_key_sched: Unused,
    pub(super) sha_one_block: [OneBlock; 5],
    pub(super) md5_one_block: OneBlock,
    pub(super) sha: [HashCall; 5],
    aes128_cfb_one: Unused,
    pub(super) gcm_enc: [GcmWhole; 3],
    pub(super) gcm_dec: [GcmWhole; 3],
    gcm_init: [Unused; 3],
    pub(super) gcm_enc_update: [GcmUpdate; 3],
    pub(super) gcm_dec_update: [GcmUpdate; 3],
    pub(super) gcm_enc_finalize: [GcmFinish; 3],
    pub(super) gcm_dec_finalize: [GcmFinish; 3],
    gcm_precomp: [Unused; 3],
    pub(super) gcm_pre: [GcmKey; 3],
    mobile_ciphers: [Unused; 28],
    pub(super) gcm_init_var_iv: [GcmStart; 3],
    pub(super) gmac_init: [GmacInput; 3],
    pub(super) gmac_update: [GmacInput; 3],
    pub(super) gmac_finalize: [GcmFinish; 3],
    hec: [Unused; 2],
    pub(super) cmac_subkey_gen_256: KeyExpansion,
    ghash_pre: Unused,
    crc: [Unused; 12],
    chacha20_poly1305: [Unused; 4],
    pub(super) get_next_burst: BurstCall,
    submit_burst: BurstCall,
    pub(super) submit_burst_nocheck: BurstCall,
    pub(super) flush_burst: BurstCall,
    submit_cipher_burst: [Unused; 2],
    submit_hash_burst: HashBurst,
    pub(super) submit_hash_burst_nocheck: HashBurst,
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;
    use std::fs;
    use std::mem::offset_of;
    use std::process::Command;

    use super::*;

    macro_rules! offsets {
        ($type:ident, $c_type:literal: $($field:ident $($name:literal)?),* $(,)?) => {
            vec![$((
                concat!("offsetof(", $c_type, ", ", offsets!(@ $field $($name)?), ")"),
                offset_of!($type, $field),
            )),*]
        };
        (@ $field:ident $name:literal) => { $name };
        (@ $field:ident) => { stringify!($field) };
    }

    /// What is declared here, as an expression of C and its value.
    fn declared() -> Vec<(&'static str, usize)> {
        let job = offsets!(Job, "IMB_JOB": enc_keys, dec_keys, key_len_in_bytes, src, dst,
            cipher_start_src_offset_in_bytes, msg_len_to_cipher_in_bytes,
            hash_start_src_offset_in_bytes, msg_len_to_hash_in_bytes, iv, iv_len_in_bytes,
            auth_tag_output, auth_tag_output_len_in_bytes, u, status, cipher_mode,
            cipher_direction, hash_alg, chain_order);
        let mgr = offsets!(Mgr, "IMB_MGR": flags, features, used_arch, imb_errno, get_next_job,
            submit_job, submit_job_nocheck, flush_job, keyexp "keyexp_128", cmac_subkey_gen_128,
            sha_one_block "sha1_one_block", md5_one_block, sha "sha1", gcm_enc "gcm128_enc",
            gcm_dec "gcm128_dec", gcm_enc_update "gcm128_enc_update",
            gcm_dec_update "gcm128_dec_update", gcm_enc_finalize "gcm128_enc_finalize",
            gcm_dec_finalize "gcm128_dec_finalize", gcm_pre "gcm128_pre",
            gcm_init_var_iv "gcm128_init_var_iv", gmac_init "gmac128_init",
            gmac_update "gmac128_update", gmac_finalize "gmac128_finalize", cmac_subkey_gen_256,
            get_next_burst, submit_burst_nocheck, flush_burst, submit_hash_burst,
            submit_hash_burst_nocheck);
        let constants = [
            ("sizeof(void *)", size_of::<Unused>()),
            ("IMB_MAX_BURST_SIZE", BURST_JOBS_MAX),
            ("IMB_FEATURE_SHANI", FEATURE_SHANI as usize),
            ("IMB_FEATURE_AESNI", FEATURE_AESNI as usize),
            ("IMB_FEATURE_AVX", FEATURE_AVX as usize),
            ("IMB_FEATURE_AVX512F", FEATURE_AVX512F as usize),
            ("IMB_FEATURE_VAES", FEATURE_VAES as usize),
            ("IMB_FEATURE_VPCLMULQDQ", FEATURE_VPCLMULQDQ as usize),
            ("IMB_FEATURE_SAFE_DATA", FEATURE_SAFE_DATA as usize),
            ("IMB_FEATURE_SAFE_PARAM", FEATURE_SAFE_PARAM as usize),
            ("IMB_FEATURE_GFNI", FEATURE_GFNI as usize),
            ("IMB_FEATURE_AVX512_IFMA", FEATURE_AVX512_IFMA as usize),
            ("IMB_CIPHER_NULL", CIPHER_NULL as usize),
            ("IMB_CIPHER_CCM", CIPHER_CCM as usize),
            ("IMB_CIPHER_CHACHA20_POLY1305", CIPHER_CHACHA20_POLY1305 as usize),
            ("IMB_AUTH_HMAC_SHA_1", AUTH_HMAC_SHA_1 as usize),
            ("IMB_AUTH_HMAC_SHA_224", AUTH_HMAC_SHA_224 as usize),
            ("IMB_AUTH_HMAC_SHA_256", AUTH_HMAC_SHA_256 as usize),
            ("IMB_AUTH_HMAC_SHA_384", AUTH_HMAC_SHA_384 as usize),
            ("IMB_AUTH_HMAC_SHA_512", AUTH_HMAC_SHA_512 as usize),
            ("IMB_AUTH_MD5", AUTH_MD5 as usize),
            ("IMB_AUTH_AES_CCM", AUTH_AES_CCM as usize),
            ("IMB_AUTH_AES_CMAC", AUTH_AES_CMAC as usize),
            ("IMB_AUTH_AES_CMAC_256", AUTH_AES_CMAC_256 as usize),
            ("IMB_AUTH_POLY1305", AUTH_POLY1305 as usize),
            ("IMB_AUTH_CHACHA20_POLY1305", AUTH_CHACHA20_POLY1305 as usize),
            ("IMB_DIR_ENCRYPT", DIR_ENCRYPT as usize),
            ("IMB_DIR_DECRYPT", DIR_DECRYPT as usize),
            ("IMB_ORDER_CIPHER_HASH", ORDER_CIPHER_HASH as usize),
            ("IMB_ORDER_HASH_CIPHER", ORDER_HASH_CIPHER as usize),
            ("IMB_STATUS_COMPLETED", STATUS_COMPLETED as usize),
        ];
        job.into_iter().chain(mgr).chain(constants).collect()
    }

    /// Compiles and runs a program that prints the numbers; `None` without compiler or header
    /// (`CPATH` names the folder of another one).
    fn in_the_header(expressions: &[&str]) -> Option<Vec<usize>> {
        let mut program = String::from(
            "#include <stddef.h>\n#include <stdio.h>\n#include <intel-ipsec-mb.h>\n\
             int main(void) {\n",
        );
        for expression in expressions {
            writeln!(program, "printf(\"%zu\\n\", (size_t)({expression}));").unwrap();
        }
        program.push_str("return 0;\n}\n");
        let folder = tempfile::tempdir().unwrap();
        let (source, binary) = (folder.path().join("offsets.c"), folder.path().join("offsets"));
        fs::write(&source, program).unwrap();
        let compiled = Command::new("cc").arg(&source).arg("-o").arg(&binary).output().ok()?;
        if !compiled.status.success() {
            println!("{}", String::from_utf8_lossy(&compiled.stderr));
            return None;
        }
        let printed = Command::new(&binary).output().unwrap();
        let lines = String::from_utf8(printed.stdout).unwrap();
        Some(lines.lines().map(|line| line.parse().unwrap()).collect())
    }

    #[test]
    fn structures_are_those_of_the_header() {
        let declared = declared();
        let mut expressions: Vec<_> = declared.iter().map(|(expression, _)| *expression).collect();
        expressions.extend(["IMB_VERSION_NUM", "sizeof(IMB_JOB)", "sizeof(struct gcm_key_data)"]);
        let Some(mut found) = in_the_header(&expressions) else {
            println!("skipped: no C compiler or no intel-ipsec-mb.h here");
            assert!(std::env::var_os("CHECK_STRICT").is_none(), "CHECK_STRICT is set");
            return;
        };
        let [number, job_len_bytes, gcm_key_len] = found.split_off(declared.len())[..] else {
            panic!("three more lines");
        };
        let number = ((number >> 16) as u32, (number >> 8 & 0xFF) as u32);
        let version = VERSIONS.iter().find(|version| version.number == number);
        println!("the header is that of {number:?}");
        assert_eq!(version.map(|version| version.job_len_bytes), Some(job_len_bytes));
        assert!(gcm_key_len <= super::super::keys::GCM_KEY_LEN_MAX, "{gcm_key_len}");
        for ((expression, here), there) in declared.iter().zip(found) {
            assert_eq!(*here, there, "{expression}");
        }
    }
}
