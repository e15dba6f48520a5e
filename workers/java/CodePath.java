package macrometer;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * Which code HotSpot runs for Java's own cryptography. It has assembly of its own for parts of it,
 * and says by its flags whether it uses it; the instructions in that assembly are inferred from
 * the CPU. What has none is compiled from Java: `jit`.
 */
final class CodePath {
    static final String JIT = "jit";

    private final HotSpotDiagnosticMXBean flags = hotSpot();
    private final Set<String> cpu = cpuFlags();
    private final boolean isX86 = System.getProperty("os.arch", "").equals("amd64");

    String ofHash(String hash) {
        if (hash.equals("MD5")) {
            return isOn("UseMD5Intrinsics") ? isX86 ? "asm" : "neon" : JIT;
        }
        if (hash.equals("SHA1")) {
            return isOn("UseSHA1Intrinsics") ? isX86 ? "sha-ni" : "armv8" : JIT;
        }
        if (hash.startsWith("SHA3-")) {
            return isOn("UseSHA3Intrinsics") ? isX86 ? "avx512" : "armv8" : JIT;
        }
        if (hash.equals("SHA224") || hash.equals("SHA256")) {
            // On x86 that of SHA-1 needs the SHA instructions; without them AVX2 does for SHA-256.
            String x86 = isOn("UseSHA1Intrinsics") ? "sha-ni" : "avx2";
            return isOn("UseSHA256Intrinsics") ? isX86 ? x86 : "armv8" : JIT;
        }
        boolean hasInstructions = Runtime.version().feature() >= 24 && cpu.contains("sha512");
        String x86 = hasInstructions ? "sha512-ni" : "avx2";
        return isOn("UseSHA512Intrinsics") ? isX86 ? x86 : "armv8" : JIT;
    }

    /** Named after the cipher: GHASH has carry-less multiplication beside it. */
    String ofGcm() {
        boolean isWide = Runtime.version().feature() >= 14
                && cpu.containsAll(Arrays.asList("vaes", "vpclmulqdq", "avx512f"))
                && level("UseAVX") >= 3;
        return isWide && !ofGmac().equals(JIT) ? "vaes" : ofGmac();
    }

    String ofGmac() {
        boolean isOn = isOn("UseAESIntrinsics") && isOn("UseGHASHIntrinsics");
        return isOn ? isX86 ? "aes-ni" : "armv8" : JIT;
    }

    String ofAesCbc() {
        return isOn("UseAESIntrinsics") ? isX86 ? "aes-ni" : "armv8" : JIT;
    }

    String ofChaCha20() {
        if (!isOn("UseChaCha20Intrinsics")) {
            return JIT;
        }
        int level = level("UseAVX");
        return !isX86 ? "neon" : level >= 3 ? "avx512" : level == 2 ? "avx2" : "avx";
    }

    private boolean isOn(String flag) {
        return "true".equals(value(flag));
    }

    private int level(String flag) {
        String value = value(flag);
        return value == null ? 0 : Integer.parseInt(value);
    }

    /** The value of a flag; null where this machine has no such flag. */
    private String value(String flag) {
        try {
            return flags == null ? null : flags.getVMOption(flag).getValue();
        } catch (IllegalArgumentException unknown) {
            return null;
        }
    }

    private static HotSpotDiagnosticMXBean hotSpot() {
        try {
            return ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        } catch (RuntimeException | LinkageError absent) {
            return null;
        }
    }

    private static Set<String> cpuFlags() {
        try {
            for (String line : Files.readAllLines(Paths.get("/proc/cpuinfo"))) {
                if (line.startsWith("flags")) {
                    return new HashSet<>(Arrays.asList(line.split("\\s+")));
                }
            }
        } catch (java.io.IOException | RuntimeException absent) {
            // As good as a CPU without any.
        }
        return Set.of();
    }
}
