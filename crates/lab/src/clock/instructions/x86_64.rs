//! The instructions of x86-64 that bound the macs.
#![expect(unsafe_code, reason = "loops in assembly")]

use super::Probe;
use crate::record::Measure::{Latency, Throughput};

/// A turn of 48 times the lines, in which `\n` is the number or name of a register: of one chain;
/// of 12 chains on vector registers; of 8 on general ones.
macro_rules! unrolled {
    (one $($line:literal)+) => {
        concat!(".rept 48\n.irp n,1\n", $($line, "\n",)+ ".endr\n.endr")
    };
    (vectors $($line:literal)+) => {
        concat!(".rept 4\n.irp n,1,2,3,4,5,6,7,8,9,10,11,12\n", $($line, "\n",)+ ".endr\n.endr")
    };
    (general $($line:literal)+) => {
        concat!(
            ".rept 6\n.irp n,rax,rcx,rdx,rdi,r8,r9,r10,r11\n",
            $($line, "\n",)+
            ".endr\n.endr"
        )
    };
}

/// Ends a loop: what it left in the upper halves of the vector registers would slow other code.
macro_rules! last {
    (sse) => {
        ""
    };
    (avx) => {
        "vzeroupper"
    };
}

macro_rules! probes {
    ($(
        $name:literal $measure:ident [$($feature:tt)*] $last:ident $chains:ident $($line:literal)+;
    )*) => {
        /// Name, what is measured, what it needs, how the loop ends, its chains, its lines. Of the
        /// three operands of an instruction two are the chain's, the third is never written.
        pub(super) const PROBES: &[Probe] = &[$(Probe {
            name: $name,
            measure: $measure,
            has: |_without| {
                true $(&& !_without.takes_feature($feature)
                    && std::arch::is_x86_feature_detected!($feature))*
            },
            turns: {
                unsafe fn turns(count: u64) {
                    // SAFETY: registers only, all of which are given up; the loop ends at zero.
                    // The caller has seen that the processor has the instructions.
                    unsafe {
                        core::arch::asm!(
                            ".p2align 6",
                            "2:",
                            unrolled!($chains $($line)+),
                            "dec r12",
                            "jnz 2b",
                            last!($last),
                            inout("r12") count => _,
                            clobber_abi("sysv64"),
                            options(nostack, nomem),
                        );
                    }
                }
                turns
            },
        }),*];
    };
}

probes! {
    "add r64" Latency [] sse one "add rax, rsi";
    "add r64" Throughput [] sse general "add \\n, rsi";
    "mulx r64" Throughput ["bmi2"] sse one "mulx rax, rcx, rsi";
    "mulx + add + adc" Throughput ["bmi2"] sse one
        "mulx rax, rcx, rsi" "add r8, rcx" "adc r9, rax";
    "4 add r64 + 2 vpaddq ymm" Throughput ["avx2"] avx one
        "add rax, rsi" "add rcx, rsi" "vpaddq ymm1, ymm1, ymm15"
        "add rdx, rsi" "add rdi, rsi" "vpaddq ymm2, ymm2, ymm15";

    "aesenc xmm" Latency ["aes" "avx"] avx one "vaesenc xmm\\n, xmm\\n, xmm15";
    "aesenc xmm" Throughput ["aes" "avx"] avx vectors "vaesenc xmm\\n, xmm\\n, xmm15";
    "aesenc ymm" Throughput ["vaes" "avx2"] avx vectors "vaesenc ymm\\n, ymm\\n, ymm15";
    "aesenc zmm" Throughput ["vaes" "avx512f"] avx vectors "vaesenc zmm\\n, zmm\\n, zmm15";

    "sha1rnds4 xmm" Latency ["sha"] sse one "sha1rnds4 xmm1, xmm15, 0";
    "sha1rnds4 xmm" Throughput ["sha"] sse vectors "sha1rnds4 xmm\\n, xmm15, 0";
    "2 sha256rnds2 xmm" Latency ["sha"] sse one
        "sha256rnds2 xmm1, xmm2, xmm0" "sha256rnds2 xmm2, xmm1, xmm0";
    "sha256rnds2 xmm" Throughput ["sha"] sse vectors "sha256rnds2 xmm\\n, xmm15, xmm0";
    "8 sha256rnds2 + 3 sha256msg1 + 3 sha256msg2" Throughput ["sha"] sse one
        "sha256rnds2 xmm1, xmm15, xmm0" "sha256rnds2 xmm2, xmm15, xmm0"
        "sha256msg1 xmm9, xmm15" "sha256msg2 xmm12, xmm15"
        "sha256rnds2 xmm3, xmm15, xmm0" "sha256rnds2 xmm4, xmm15, xmm0"
        "sha256msg1 xmm10, xmm15" "sha256msg2 xmm13, xmm15"
        "sha256rnds2 xmm5, xmm15, xmm0" "sha256rnds2 xmm6, xmm15, xmm0"
        "sha256msg1 xmm11, xmm15" "sha256msg2 xmm14, xmm15"
        "sha256rnds2 xmm7, xmm15, xmm0" "sha256rnds2 xmm8, xmm15, xmm0";

    "pclmulqdq xmm" Throughput ["pclmulqdq" "avx"] avx vectors
        "vpclmulqdq xmm\\n, xmm\\n, xmm15, 0";
    "pclmulqdq ymm" Throughput ["vpclmulqdq" "avx2"] avx vectors
        "vpclmulqdq ymm\\n, ymm\\n, ymm15, 0";
    "pclmulqdq zmm" Throughput ["vpclmulqdq" "avx512f"] avx vectors
        "vpclmulqdq zmm\\n, zmm\\n, zmm15, 0";

    "vpmuludq ymm" Throughput ["avx2"] avx vectors "vpmuludq ymm\\n, ymm\\n, ymm15";
    "vpmuludq zmm" Throughput ["avx512f"] avx vectors "vpmuludq zmm\\n, zmm\\n, zmm15";
    "vpmadd52luq zmm" Throughput ["avx512ifma"] avx vectors
        "vpmadd52luq zmm\\n, zmm14, zmm15";

    "vpaddd ymm" Throughput ["avx2"] avx vectors "vpaddd ymm\\n, ymm\\n, ymm15";
    "vpaddd zmm" Throughput ["avx512f"] avx vectors "vpaddd zmm\\n, zmm\\n, zmm15";
    "vpxor ymm" Throughput ["avx2"] avx vectors "vpxor ymm\\n, ymm\\n, ymm15";
    "vpxord zmm" Throughput ["avx512f"] avx vectors "vpxord zmm\\n, zmm\\n, zmm15";
    "vprord zmm" Throughput ["avx512f"] avx vectors "vprord zmm\\n, zmm\\n, 7";
    "vpternlogd zmm" Throughput ["avx512f"] avx vectors
        "vpternlogd zmm\\n, zmm14, zmm15, 0x96";
}
