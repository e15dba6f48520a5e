package macrometer;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.bouncycastle.crypto.BlockCipher;
import org.bouncycastle.crypto.CipherParameters;
import org.bouncycastle.crypto.Digest;
import org.bouncycastle.crypto.InvalidCipherTextException;
import org.bouncycastle.crypto.Mac;
import org.bouncycastle.crypto.Xof;
import org.bouncycastle.crypto.digests.Blake2bDigest;
import org.bouncycastle.crypto.digests.Blake2sDigest;
import org.bouncycastle.crypto.macs.CBCBlockCipherMac;
import org.bouncycastle.crypto.macs.CMac;
import org.bouncycastle.crypto.macs.HMac;
import org.bouncycastle.crypto.modes.AEADCipher;
import org.bouncycastle.crypto.modes.CCMBlockCipher;
import org.bouncycastle.crypto.paddings.ISO7816d4Padding;
import org.bouncycastle.crypto.params.AEADParameters;
import org.bouncycastle.crypto.params.KeyParameter;

/**
 * The lightweight interface of BouncyCastle, for what Java itself does not have. Compiled where its
 * jar is found. Classes that not every version has are made by name.
 */
final class BouncyCastle implements Library {
    private static final String PACKAGE = "org.bouncycastle.crypto.";

    /** Canonical name of the cipher, its class, the lengths of its key and its block. */
    private static final Object[][] CIPHERS = {
        {"aes-128", "AESEngine", 16, 16}, {"aes-192", "AESEngine", 24, 16},
        {"aes-256", "AESEngine", 32, 16}, {"rc6-128", "RC6Engine", 16, 16},
        {"rc6-192", "RC6Engine", 24, 16}, {"rc6-256", "RC6Engine", 32, 16},
        {"serpent-128", "SerpentEngine", 16, 16}, {"serpent-192", "SerpentEngine", 24, 16},
        {"serpent-256", "SerpentEngine", 32, 16}, {"tdes-2", "DESedeEngine", 16, 8},
        {"tdes-3", "DESedeEngine", 24, 8}, {"twofish-128", "TwofishEngine", 16, 16},
        {"twofish-192", "TwofishEngine", 24, 16}, {"twofish-256", "TwofishEngine", 32, 16},
    };

    /** Makes an object, for inputs that must be known then. */
    private interface Maker<T> {
        T make(Inputs inputs) throws Exception;
    }

    /** What a key is handed over as. */
    private interface KeyForm {
        CipherParameters of(byte[] key) throws Exception;
    }

    @Override
    public String version() {
        String version = Mac.class.getPackage().getImplementationVersion();
        return "BouncyCastle" + (version == null ? "" : " " + version);
    }

    @Override
    public List<Offer> offers() {
        List<Offer> offers = new ArrayList<>();
        for (Object[] row : CIPHERS) {
            ofCipher(offers, (String) row[0], (String) row[1], (Integer) row[2], (Integer) row[3]);
        }
        for (int bits = 128; bits <= 256; bits += 128) {
            offers.add(new Kmac(bits, false));
            offers.add(new Kmac(bits, true));
        }
        offers.add(new KeyedBlake2("blake2b-keyed", 64, Blake2bDigest::new));
        offers.add(new KeyedBlake2("blake2s-keyed", 32, Blake2sDigest::new));
        offers.add(new OfMac("blake3-keyed", 32, 32, 32, BouncyCastle::blake3,
                BouncyCastle::blake3Key));
        offers.add(new OfMac("poly1305", 32, 32, 16, inputs -> made(Mac.class, "macs.Poly1305")));
        for (int rounds = 1; rounds <= 4; rounds *= 2) {
            int last = rounds == 1 ? 3 : 2 * rounds;
            Object[] arguments = {rounds, last};
            String name = "siphash-" + rounds + "-" + last;
            offers.add(new OfMac(name, 16, 16, 8,
                    inputs -> made(Mac.class, "macs.SipHash", arguments)));
            offers.add(new OfMac(name + "-128", 16, 16, 16,
                    inputs -> made(Mac.class, "macs.SipHash128", arguments)));
        }
        ofHashes(offers);
        return offers;
    }

    private static void ofCipher(
            List<Offer> offers, String name, String engine, int keyLen, int blockLen) {
        offers.add(new OfMac("cmac-" + name, keyLen, keyLen, blockLen,
                inputs -> new CMac(engine(engine))));
        offers.add(new OfMac("cbc-mac-" + name, keyLen, keyLen, blockLen,
                inputs -> new CBCBlockCipherMac(engine(engine), 8 * blockLen)));
        offers.add(new OfMac("cbc-mac-pad2-" + name, keyLen, keyLen, blockLen,
                inputs -> new CBCBlockCipherMac(
                        engine(engine), 8 * blockLen, new ISO7816d4Padding())));
        offers.add(new Aead("eax-" + name, keyLen, blockLen, 1,
                inputs -> moded("modes.EAXBlockCipher", engine))
                .withNonce(0, Offer.LONGEST, blockLen));
        if (blockLen == 16) {
            offers.add(new Ccm("ccm-" + name, keyLen, engine).withNonce(7, 13, 12));
            offers.add(new Aead("gcm-" + name, keyLen, blockLen, 4,
                    inputs -> moded("modes.GCMBlockCipher", engine))
                    .withNonce(1, Offer.LONGEST, 12));
        }
    }

    /** HMAC over what Java itself has no HMAC over; over SHA-3 it has one from 16 on. */
    private static void ofHashes(List<Offer> offers) {
        for (int bits : new int[] {224, 256, 384, 512}) {
            offers.add(new OfMac("hmac-sha3-" + bits, 0, Offer.LONGEST, bits / 8,
                    inputs -> new HMac(made(Digest.class, "digests.SHA3Digest", bits))));
        }
        offers.add(new OfMac("hmac-blake2b", 0, Offer.LONGEST, 64,
                inputs -> new HMac(new Blake2bDigest())));
        offers.add(new OfMac("hmac-blake2s", 0, Offer.LONGEST, 32,
                inputs -> new HMac(new Blake2sDigest(256))));
    }

    /** A `Mac`: it keeps its key over `doFinal`. */
    private static final class OfMac extends MacOffer {
        private final Maker<Mac> maker;
        private final KeyForm keyForm;

        OfMac(String name, int keyLenMin, int keyLenMax, int tagLen, Maker<Mac> maker) {
            this(name, keyLenMin, keyLenMax, tagLen, maker, KeyParameter::new);
        }

        OfMac(String name, int keyLenMin, int keyLenMax, int tagLen, Maker<Mac> maker,
                KeyForm keyForm) {
            super(name, CodePath.JIT, keyLenMin, keyLenMax, tagLen);
            this.maker = maker;
            this.keyForm = keyForm;
        }

        @Override
        Tagger open(KeyLife keyLife, byte[] firstKey, Inputs inputs) throws Exception {
            Mac mac = maker.make(inputs);
            KeyForm keyForm = this.keyForm;
            mac.init(keyForm.of(firstKey));
            switch (keyLife) {
                case PREPARED:
                    return (key, buffer, offset, length, tag) -> {
                        mac.update(buffer, offset, length);
                        mac.doFinal(tag, 0);
                    };
                case NEW_KEY:
                    return (key, buffer, offset, length, tag) -> {
                        mac.init(keyForm.of(key));
                        mac.update(buffer, offset, length);
                        mac.doFinal(tag, 0);
                    };
                default:
                    throw without(keyLife);
            }
        }
    }

    /** KMAC: the length of the tag is the array's, and an input unless it is the XOF. */
    private static final class Kmac extends MacOffer {
        private final int bits;
        private final boolean isXof;

        Kmac(int bits, boolean isXof) {
            super("kmac" + bits + (isXof ? "-xof" : ""), CodePath.JIT, 0, Offer.LONGEST, bits / 4);
            this.bits = bits;
            this.isXof = isXof;
            isCustomizable = true;
            hasTagLen = true;
        }

        @Override
        Tagger open(KeyLife keyLife, byte[] firstKey, Inputs inputs) throws Exception {
            if (keyLife == KeyLife.ONE_SHOT) {
                throw without(keyLife);
            }
            Mac mac = made(Mac.class, "macs.KMAC", bits, inputs.customization);
            Xof xof = (Xof) mac;
            int tagLen = inputs.tagLen;
            boolean isXof = this.isXof;
            boolean isNewKey = keyLife == KeyLife.NEW_KEY;
            mac.init(new KeyParameter(firstKey));
            return (key, buffer, offset, length, tag) -> {
                if (isNewKey) {
                    mac.init(new KeyParameter(key));
                }
                mac.update(buffer, offset, length);
                if (isXof) {
                    xof.doOutput(tag, 0, tagLen);
                    mac.reset();
                } else {
                    xof.doFinal(tag, 0, tagLen);
                }
            };
        }
    }

    /** BLAKE2's own keyed hash. It takes its key when it is made, and keeps it over `doFinal`. */
    private static final class KeyedBlake2 extends MacOffer {
        private final Function<byte[], Digest> maker;

        KeyedBlake2(String mac, int keyLenMax, Function<byte[], Digest> maker) {
            super(mac, CodePath.JIT, 1, keyLenMax, keyLenMax);
            this.maker = maker;
            hasTagLen = true;
        }

        @Override
        Tagger open(KeyLife keyLife, byte[] firstKey, Inputs inputs) throws Exception {
            Function<byte[], Digest> maker = this.maker;
            // The length is hashed: a shorter tag is not the beginning of this one.
            if (inputs.tagLen != tagLen) {
                throw new Refused("a tag of " + inputs.tagLen + " bytes; " + tagLen + " it has");
            }
            switch (keyLife) {
                case PREPARED:
                    Digest prepared = maker.apply(firstKey);
                    return (key, buffer, offset, length, tag) -> {
                        prepared.update(buffer, offset, length);
                        prepared.doFinal(tag, 0);
                    };
                case NEW_KEY:
                    return (key, buffer, offset, length, tag) -> {
                        Digest made = maker.apply(key);
                        made.update(buffer, offset, length);
                        made.doFinal(tag, 0);
                    };
                default:
                    throw without(keyLife);
            }
        }
    }

    /** EAX and GCM. The parameters hold key and nonce; without a key, the last one stays. */
    private static final class Aead extends Composition {
        private final Maker<AEADCipher> maker;
        private final int tagLenMin;

        Aead(String mac, int keyLen, int tagLen, int tagLenMin, Maker<AEADCipher> maker) {
            super(mac, CodePath.JIT, keyLen, tagLen);
            this.maker = maker;
            this.tagLenMin = tagLenMin;
        }

        @Override
        boolean takesTagLen(int length) {
            return length >= tagLenMin && length <= tagLen;
        }

        @Override
        Sealer sealer(KeyLife keyLife, byte[] firstKey, Inputs inputs) throws Exception {
            AEADCipher cipher = maker.make(inputs);
            if (keyLife == KeyLife.PREPARED) {
                cipher.init(true, parameters(new KeyParameter(firstKey), inputs));
                CipherParameters kept = parameters(null, inputs);
                return (key, buffer, offset, length, sealed) -> {
                    cipher.init(true, kept);
                    int written = cipher.processBytes(buffer, offset, length, sealed, 0);
                    cipher.doFinal(sealed, written);
                };
            }
            if (keyLife == KeyLife.ONE_SHOT) {
                throw without(keyLife);
            }
            return (key, buffer, offset, length, sealed) -> {
                begin(cipher, key, inputs);
                int written = cipher.processBytes(buffer, offset, length, sealed, 0);
                cipher.doFinal(sealed, written);
            };
        }

        /**
         * GCM refuses the nonce of the message before it under the same key. With a key for each
         * message that comes up at most between samples; then another nonce is taken first.
         */
        private static void begin(AEADCipher cipher, byte[] key, Inputs inputs) {
            CipherParameters parameters = parameters(new KeyParameter(key), inputs);
            try {
                cipher.init(true, parameters);
            } catch (IllegalArgumentException used) {
                byte[] other = inputs.nonce.clone();
                other[0] ^= 1;
                Inputs others = Inputs.ofSealed(other, inputs.associatedData, inputs.tagLen);
                cipher.init(true, parameters(new KeyParameter(key), others));
                cipher.init(true, parameters);
            }
        }

        @Override
        byte[] opened(byte[] key, byte[] sealed, Inputs inputs) throws Exception {
            AEADCipher cipher = maker.make(inputs);
            cipher.init(false, parameters(new KeyParameter(key), inputs));
            byte[] message = new byte[cipher.getOutputSize(sealed.length)];
            int written = cipher.processBytes(sealed, 0, sealed.length, message, 0);
            try {
                cipher.doFinal(message, written);
            } catch (InvalidCipherTextException notGenuine) {
                return null;
            }
            return message;
        }
    }

    /** CCM needs the whole message, and has a call that takes it without a copy. */
    private static final class Ccm extends Composition {
        private final String engine;

        Ccm(String mac, int keyLen, String engine) {
            super(mac, CodePath.JIT, keyLen, 16);
            this.engine = engine;
        }

        @Override
        boolean takesTagLen(int length) {
            return length >= 4 && length <= 16 && length % 2 == 0;
        }

        @Override
        Sealer sealer(KeyLife keyLife, byte[] firstKey, Inputs inputs) throws Exception {
            CCMBlockCipher cipher = new CCMBlockCipher(engine(engine));
            if (keyLife == KeyLife.PREPARED) {
                cipher.init(true, parameters(new KeyParameter(firstKey), inputs));
                CipherParameters kept = parameters(null, inputs);
                return (key, buffer, offset, length, sealed) -> {
                    cipher.init(true, kept);
                    cipher.processPacket(buffer, offset, length, sealed, 0);
                };
            }
            if (keyLife == KeyLife.ONE_SHOT) {
                throw without(keyLife);
            }
            return (key, buffer, offset, length, sealed) -> {
                cipher.init(true, parameters(new KeyParameter(key), inputs));
                cipher.processPacket(buffer, offset, length, sealed, 0);
            };
        }

        @Override
        byte[] opened(byte[] key, byte[] sealed, Inputs inputs) throws Exception {
            CCMBlockCipher cipher = new CCMBlockCipher(engine(engine));
            cipher.init(false, parameters(new KeyParameter(key), inputs));
            try {
                return cipher.processPacket(sealed, 0, sealed.length);
            } catch (InvalidCipherTextException notGenuine) {
                return null;
            }
        }
    }

    private static AEADParameters parameters(KeyParameter key, Inputs inputs) {
        return new AEADParameters(key, 8 * inputs.tagLen, inputs.nonce, inputs.associatedData);
    }

    private static BlockCipher engine(String name) throws Exception {
        return made(BlockCipher.class, "engines." + name);
    }

    private static AEADCipher moded(String mode, String engine) throws Exception {
        return made(AEADCipher.class, mode, engine(engine));
    }

    private static Mac blake3(Inputs inputs) throws Exception {
        return made(Mac.class, "macs.Blake3Mac", made(Digest.class, "digests.Blake3Digest"));
    }

    private static CipherParameters blake3Key(byte[] key) throws Exception {
        return Blake3Key.of(key);
    }

    /** In a class of its own, for older versions have no such parameters. */
    private static final class Blake3Key {
        private static final MethodHandle OF = handle();

        private static MethodHandle handle() {
            try {
                Class<?> parameters = Class.forName(PACKAGE + "params.Blake3Parameters");
                return MethodHandles.lookup()
                        .findStatic(parameters, "key",
                                MethodType.methodType(parameters, byte[].class))
                        .asType(MethodType.methodType(CipherParameters.class, byte[].class));
            } catch (ReflectiveOperationException absent) {
                throw new LinkageError("no parameters of BLAKE3", absent);
            }
        }

        static CipherParameters of(byte[] key) throws Exception {
            try {
                return (CipherParameters) OF.invokeExact(key);
            } catch (Exception | Error error) {
                throw error;
            } catch (Throwable other) {
                throw new IllegalStateException(other);
            }
        }
    }

    /**
     * An object of a class: by its `newInstance`, which newer versions tell people to use, else by
     * its constructor.
     */
    private static <T> T made(Class<T> type, String name, Object... arguments) throws Exception {
        Class<?> found = Class.forName(PACKAGE + name);
        Class<?>[] types = new Class<?>[arguments.length];
        for (int i = 0; i < types.length; i++) {
            types[i] = typeOf(arguments[i]);
        }
        try {
            return type.cast(found.getMethod("newInstance", types).invoke(null, arguments));
        } catch (NoSuchMethodException older) {
            return type.cast(found.getConstructor(types).newInstance(arguments));
        }
    }

    private static Class<?> typeOf(Object argument) {
        if (argument instanceof Integer) {
            return int.class;
        }
        if (argument instanceof BlockCipher) {
            return BlockCipher.class;
        }
        return argument.getClass();
    }
}
