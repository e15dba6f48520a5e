package macrometer;

import java.security.GeneralSecurityException;
import java.security.Provider;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * CBC-MAC and its variants over AES and TDES, written in Java over the `Cipher` of Java itself,
 * which has none of them. CBC of all blocks is one call of the cipher: HotSpot has assembly for a
 * run of AES blocks, and a call for each block would cost more than the block.
 */
final class CbcMacs implements Library {
    /** Canonical name of the cipher, Java's name, the lengths of its key and its block. */
    private static final Object[][] CIPHERS = {
        {"aes-128", "AES", 16, 16}, {"aes-192", "AES", 24, 16}, {"aes-256", "AES", 32, 16},
        {"tdes-2", "DESede", 16, 8}, {"tdes-3", "DESede", 24, 8},
    };

    /** What each variant makes of its key, and of the last block. */
    private enum Variant {
        /** Zero padding, no masks: ISO/IEC 9797-1 algorithm 1, padding method 1. */
        CBC_MAC("cbc-mac", 0, 0),
        /** The same with padding method 2. */
        CBC_MAC_PAD2("cbc-mac-pad2", 0, 0),
        /** OMAC1, the masks being L·u and L·u². */
        CMAC("cmac", 0, 0),
        /** Padding method 2, the last value encrypted under a second key. */
        EMAC("emac", 1, 0),
        /** The masks are L·u and L·u⁻¹. */
        OMAC2("omac2", 0, 0),
        /** The masks are K2·u and K2. */
        TMAC("tmac", 0, 1),
        /** The masks are keys. */
        XCBC("xcbc", 0, 2);

        final String mode;
        /** Keys of the cipher beside the first. */
        final int moreKeys;
        /** Keys of the length of a block. */
        final int maskKeys;

        Variant(String mode, int moreKeys, int maskKeys) {
            this.mode = mode;
            this.moreKeys = moreKeys;
            this.maskKeys = maskKeys;
        }
    }

    private final CodePath codePath;

    CbcMacs(CodePath codePath) {
        this.codePath = codePath;
    }

    @Override
    public String version() {
        try {
            Provider provider = Cipher.getInstance("AES/CBC/NoPadding").getProvider();
            return "CBC-MACs over " + provider.getName() + " " + provider.getVersionStr();
        } catch (GeneralSecurityException absent) {
            return "no AES";
        }
    }

    @Override
    public List<Offer> offers() {
        List<Offer> offers = new ArrayList<>();
        for (Variant variant : Variant.values()) {
            for (Object[] row : CIPHERS) {
                String algorithm = (String) row[1];
                String kernel = algorithm.equals("AES") ? codePath.ofAesCbc() : CodePath.JIT;
                offers.add(new OfVariant(variant, (String) row[0], kernel, algorithm,
                        (Integer) row[2], (Integer) row[3]));
            }
        }
        return offers;
    }

    private static final class OfVariant extends MacOffer {
        private final Variant variant;
        private final String algorithm;

        OfVariant(Variant variant, String cipher, String kernel, String algorithm,
                int keyLen, int blockLen) {
            super(variant.mode + "-" + cipher, kernel,
                    keyLen + variant.moreKeys * keyLen + variant.maskKeys * blockLen,
                    keyLen + variant.moreKeys * keyLen + variant.maskKeys * blockLen, blockLen);
            this.variant = variant;
            this.algorithm = algorithm;
        }

        @Override
        Tagger open(KeyLife keyLife, byte[] firstKey, Inputs inputs) throws Exception {
            Chain chain = new Chain(variant, algorithm, tagLen);
            switch (keyLife) {
                case PREPARED:
                    chain.rekey(firstKey);
                    return (key, buffer, offset, length, tag) ->
                            chain.tag(buffer, offset, length, tag);
                case NEW_KEY:
                    // No lambda: to link the first one takes tens of milliseconds of a cold start.
                    return new Tagger() {
                        @Override
                        public void tag(byte[] key, byte[] buffer, int offset, int length,
                                byte[] tag) throws Exception {
                            chain.rekey(key);
                            chain.tag(buffer, offset, length, tag);
                        }
                    };
                default:
                    throw without(keyLife);
            }
        }
    }

    /** The ciphers, the masks, and buffers that are kept from message to message. */
    private static final class Chain {
        /** As much of a message is copied before its last block, so that one call does it all. */
        private static final int COPIED_MAX = 512;
        /** Ciphertext is thrown away; a buffer of this length for it stays in the cache. */
        private static final int CHUNK = 8192;

        private final Variant variant;
        private final String algorithm;
        private final int blockLen;
        private final byte padding;
        private final boolean isAlwaysPadded;
        private final Cipher cipher;
        private final Cipher second;
        private final IvParameterSpec start;
        private final byte[] zeros;
        private final byte[] input;
        private final byte[] output = new byte[CHUNK];
        /** What is added to a full last block, and to a padded one; none where there are no masks. */
        private byte[] ofFull;
        private byte[] ofPadded;

        Chain(Variant variant, String algorithm, int blockLen) throws GeneralSecurityException {
            this.variant = variant;
            this.algorithm = algorithm;
            this.blockLen = blockLen;
            padding = (byte) (variant == Variant.CBC_MAC ? 0 : 0x80);
            isAlwaysPadded = variant == Variant.CBC_MAC_PAD2 || variant == Variant.EMAC;
            // Not by `+`, which is linked at its first use.
            cipher = Cipher.getInstance(algorithm.concat("/CBC/NoPadding"));
            second = variant == Variant.EMAC
                    ? Cipher.getInstance(algorithm.concat("/ECB/NoPadding")) : null;
            zeros = new byte[blockLen];
            start = new IvParameterSpec(zeros);
            input = new byte[COPIED_MAX + blockLen];
        }

        void rekey(byte[] joined) throws GeneralSecurityException {
            int parts = 1 + variant.moreKeys;
            int keyLen = (joined.length - variant.maskKeys * blockLen) / parts;
            cipher.init(Cipher.ENCRYPT_MODE, key(joined, 0, keyLen), start);
            switch (variant) {
                case CMAC:
                    cipher.doFinal(zeros, 0, blockLen, output, 0);
                    ofFull = doubled(Arrays.copyOf(output, blockLen));
                    ofPadded = doubled(ofFull);
                    break;
                case EMAC:
                    second.init(Cipher.ENCRYPT_MODE, key(joined, keyLen, keyLen));
                    break;
                case OMAC2:
                    cipher.doFinal(zeros, 0, blockLen, output, 0);
                    byte[] ofZeros = Arrays.copyOf(output, blockLen);
                    ofFull = doubled(ofZeros);
                    ofPadded = halved(ofZeros);
                    break;
                case TMAC:
                    ofPadded = Arrays.copyOfRange(joined, keyLen, keyLen + blockLen);
                    ofFull = doubled(ofPadded);
                    break;
                case XCBC:
                    ofFull = Arrays.copyOfRange(joined, keyLen, keyLen + blockLen);
                    ofPadded = Arrays.copyOfRange(joined, keyLen + blockLen, joined.length);
                    break;
                default:
                    break;
            }
        }

        /** A key of TDES with two parts has the first of them again as its third. */
        private SecretKeySpec key(byte[] joined, int offset, int length) {
            if (blockLen == 16 || length == 24) {
                return new SecretKeySpec(joined, offset, length, algorithm);
            }
            byte[] three = Arrays.copyOfRange(joined, offset, offset + 24);
            System.arraycopy(joined, offset, three, length, 24 - length);
            return new SecretKeySpec(three, algorithm);
        }

        void tag(byte[] buffer, int offset, int length, byte[] tag)
                throws GeneralSecurityException {
            int rest = length % blockLen;
            boolean isFull = !isAlwaysPadded && length > 0 && rest == 0;
            int ofLast = isFull ? blockLen : rest;
            int at = offset;
            int before = length - ofLast;
            // The chain of what is too long to be copied goes on in the cipher.
            for (boolean isLong = before > COPIED_MAX; isLong && before > 0;) {
                int now = Math.min(before, CHUNK);
                cipher.update(buffer, at, now, output, 0);
                at += now;
                before -= now;
            }
            System.arraycopy(buffer, at, input, 0, before + ofLast);
            if (!isFull) {
                Arrays.fill(input, before + ofLast, before + blockLen, (byte) 0);
                // An empty message without the one bit is a block of zeros.
                input[before + ofLast] = padding;
            }
            byte[] mask = isFull ? ofFull : ofPadded;
            if (mask != null) {
                for (int i = 0; i < blockLen; i++) {
                    input[before + i] ^= mask[i];
                }
            }
            // Behind the last block the cipher stands at the zeros again that the chain begins with.
            cipher.doFinal(input, 0, before + blockLen, output, 0);
            if (second == null) {
                System.arraycopy(output, before, tag, 0, blockLen);
            } else {
                second.doFinal(output, before, blockLen, tag, 0);
            }
        }

        /** X·u. */
        private static byte[] doubled(byte[] block) {
            byte[] doubled = new byte[block.length];
            int carry = 0;
            for (int i = block.length - 1; i >= 0; i--) {
                int shifted = (block[i] & 0xff) << 1 | carry;
                doubled[i] = (byte) shifted;
                carry = shifted >> 8;
            }
            int constant = block.length == 16 ? 0x87 : 0x1b;
            doubled[block.length - 1] ^= (byte) (-carry & constant);
            return doubled;
        }

        /** X·u⁻¹. */
        private static byte[] halved(byte[] block) {
            byte[] halved = new byte[block.length];
            int carry = 0;
            for (int i = 0; i < block.length; i++) {
                halved[i] = (byte) ((block[i] & 0xff) >> 1 | carry << 7);
                carry = block[i] & 1;
            }
            int constant = block.length == 16 ? 0x43 : 0x0d;
            halved[0] ^= (byte) (-carry & 0x80);
            halved[block.length - 1] ^= (byte) (-carry & constant);
            return halved;
        }
    }
}
