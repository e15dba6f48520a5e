package macrometer;

import java.security.GeneralSecurityException;
import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.security.spec.AlgorithmParameterSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Java's own interface to cryptography: HMAC, AES-GCM and ChaCha20-Poly1305 of the provider that
 * stands first in this Java's list, which is SunJCE unless somebody changed it.
 */
final class Jca implements Library {
    /** Names of hashes after `Hmac`, with the lengths of their tags. */
    private static final Object[][] HMACS = {
        {"MD5", 16}, {"SHA1", 20}, {"SHA224", 28}, {"SHA256", 32}, {"SHA384", 48},
        {"SHA512", 64}, {"SHA512/224", 28}, {"SHA512/256", 32}, {"SHA3-224", 28},
        {"SHA3-256", 32}, {"SHA3-384", 48}, {"SHA3-512", 64},
    };

    private final CodePath codePath;

    Jca(CodePath codePath) {
        this.codePath = codePath;
    }

    @Override
    public String version() {
        try {
            Provider provider = Mac.getInstance("HmacSHA256").getProvider();
            return provider.getName() + " " + provider.getVersionStr();
        } catch (NoSuchAlgorithmException absent) {
            return "no HMAC";
        }
    }

    @Override
    public List<Offer> offers() {
        List<Offer> offers = new ArrayList<>();
        for (Object[] row : HMACS) {
            offers.add(new Hmac((String) row[0], (Integer) row[1]));
        }
        for (int bits = 128; bits <= 256; bits += 64) {
            offers.add(new Gmac(bits).withNonce(1, Offer.LONGEST, 12));
            offers.add(new Aead("gcm-aes-" + bits, codePath.ofGcm(), bits / 8, true)
                    .withNonce(1, Offer.LONGEST, 12));
        }
        offers.add(new Aead("chacha20-poly1305", codePath.ofChaCha20(), 32, false)
                .withNonce(12, 12, 12));
        return offers;
    }

    /** `Mac`: it keeps its key over `doFinal`. SecretKeySpec takes no empty key. */
    private final class Hmac extends MacOffer {
        private final String algorithm;

        Hmac(String hash, int tagLen) {
            super("hmac-" + hash.toLowerCase(Locale.ROOT).replace('/', '-'),
                    codePath.ofHash(hash), 1, Offer.LONGEST, tagLen);
            algorithm = "Hmac" + hash;
        }

        @Override
        Tagger open(KeyLife keyLife, byte[] firstKey, Inputs inputs) throws Exception {
            String algorithm = this.algorithm;
            Mac mac = Mac.getInstance(algorithm);
            switch (keyLife) {
                case PREPARED:
                    mac.init(new SecretKeySpec(firstKey, algorithm));
                    return (key, buffer, offset, length, tag) -> {
                        mac.update(buffer, offset, length);
                        mac.doFinal(tag, 0);
                    };
                case NEW_KEY:
                    return (key, buffer, offset, length, tag) -> {
                        mac.init(new SecretKeySpec(key, algorithm));
                        mac.update(buffer, offset, length);
                        mac.doFinal(tag, 0);
                    };
                default:
                    return (key, buffer, offset, length, tag) -> {
                        Mac made = Mac.getInstance(algorithm);
                        made.init(new SecretKeySpec(key, algorithm));
                        made.update(buffer, offset, length);
                        made.doFinal(tag, 0);
                    };
            }
        }
    }

    /** AES-GCM of no message, with the message as associated data. */
    private final class Gmac extends MacOffer {
        Gmac(int bits) {
            super("gmac-aes-" + bits, codePath.ofGmac(), bits / 8, bits / 8, 16);
        }

        @Override
        Tagger open(KeyLife keyLife, byte[] firstKey, Inputs inputs) throws Exception {
            if (keyLife != KeyLife.NEW_KEY) {
                throw without(keyLife);
            }
            Encryption encryption = new Encryption("AES/GCM/NoPadding", inputs.nonce, 16);
            Cipher cipher = encryption.cipher;
            return (key, buffer, offset, length, tag) -> {
                encryption.init(key);
                cipher.updateAAD(buffer, offset, length);
                cipher.doFinal(tag, 0);
            };
        }
    }

    /** GCM and ChaCha20-Poly1305: a `Cipher` that writes the tag behind the ciphertext. */
    private static final class Aead extends Composition {
        private final boolean isGcm;
        private final String algorithm;

        Aead(String mac, String kernel, int keyLen, boolean isGcm) {
            super(mac, kernel, keyLen, 16);
            this.isGcm = isGcm;
            algorithm = isGcm ? "AES/GCM/NoPadding" : "ChaCha20-Poly1305";
        }

        @Override
        boolean takesTagLen(int length) {
            return length == 16 || isGcm && length >= 12 && length < 16;
        }

        @Override
        Sealer sealer(KeyLife keyLife, byte[] firstKey, Inputs inputs) throws Exception {
            if (keyLife != KeyLife.NEW_KEY) {
                throw without(keyLife);
            }
            Encryption encryption = new Encryption(algorithm, inputs.nonce, inputs.tagLen);
            Cipher cipher = encryption.cipher;
            byte[] associatedData = inputs.associatedData;
            return (key, buffer, offset, length, sealed) -> {
                encryption.init(key);
                if (associatedData.length > 0) {
                    cipher.updateAAD(associatedData);
                }
                cipher.doFinal(buffer, offset, length, sealed, 0);
            };
        }

        @Override
        byte[] opened(byte[] key, byte[] sealed, Inputs inputs) throws Exception {
            Encryption shape = new Encryption(algorithm, inputs.nonce, inputs.tagLen);
            Cipher cipher = shape.cipher;
            SecretKeySpec keySpec = new SecretKeySpec(key, shape.keyAlgorithm);
            cipher.init(Cipher.DECRYPT_MODE, keySpec, shape.parameters);
            cipher.updateAAD(inputs.associatedData);
            try {
                return cipher.doFinal(sealed);
            } catch (AEADBadTagException notGenuine) {
                return null;
            }
        }
    }

    /** A cipher with its parameters, which are made once. */
    private static final class Encryption {
        final Cipher cipher;
        final String keyAlgorithm;
        final AlgorithmParameterSpec parameters;
        private final AlgorithmParameterSpec otherParameters;

        Encryption(String algorithm, byte[] nonce, int tagLen) throws GeneralSecurityException {
            cipher = Cipher.getInstance(algorithm);
            boolean isGcm = algorithm.startsWith("AES");
            keyAlgorithm = isGcm ? "AES" : "ChaCha20";
            byte[] other = nonce.clone();
            other[0] ^= 1;
            int bits = 8 * tagLen;
            parameters = isGcm ? new GCMParameterSpec(bits, nonce) : new IvParameterSpec(nonce);
            otherParameters =
                    isGcm ? new GCMParameterSpec(bits, other) : new IvParameterSpec(other);
        }

        /**
         * Begins a message. The cipher refuses the nonce of the message before it under the same
         * key. With a key for each message that comes up at most between samples; then another
         * nonce is taken first.
         */
        void init(byte[] key) throws GeneralSecurityException {
            SecretKeySpec keySpec = new SecretKeySpec(key, keyAlgorithm);
            try {
                cipher.init(Cipher.ENCRYPT_MODE, keySpec, parameters);
            } catch (GeneralSecurityException used) {
                cipher.init(Cipher.ENCRYPT_MODE, keySpec, otherParameters);
                cipher.init(Cipher.ENCRYPT_MODE, keySpec, parameters);
            }
        }
    }
}
