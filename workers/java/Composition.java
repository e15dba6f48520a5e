package macrometer;

import java.util.Arrays;

/** Encrypts and authenticates. */
abstract class Composition extends Offer {
    private static final byte[] NONE = {};

    /**
     * Ready to be called: writes the ciphertext and behind it the tag. Nonce and associated data
     * were given when it was opened; a prepared one does not look at the key.
     */
    interface Sealer {
        void seal(byte[] key, byte[] buffer, int offset, int length, byte[] sealed)
                throws Exception;
    }

    Composition(String mac, String kernel, int keyLen, int tagLen) {
        super(mac, kernel, keyLen, keyLen, tagLen);
    }

    /** Opens it for these inputs; a key life without a call of its own is refused. */
    abstract Sealer sealer(KeyLife keyLife, byte[] key, Inputs inputs) throws Exception;

    /** Opens what was sealed, ciphertext and tag; null when it is not genuine. */
    abstract byte[] opened(byte[] key, byte[] sealed, Inputs inputs) throws Exception;

    /** Whether the library makes tags of this length. */
    abstract boolean takesTagLen(int length);

    /** Seals into a buffer that is kept, and gives the tag. */
    @Override
    final Tagger timed(KeyLife keyLife, byte[] key) throws Exception {
        Inputs inputs = Inputs.ofSealed(new byte[timedNonceLen], NONE, tagLen);
        return new Sealing(sealer(keyLife, key, inputs), tagLen);
    }

    private static final class Sealing implements Tagger {
        private final Sealer sealer;
        private final int tagLen;
        private byte[] sealed = NONE;

        Sealing(Sealer sealer, int tagLen) {
            this.sealer = sealer;
            this.tagLen = tagLen;
        }

        @Override
        public void tag(byte[] key, byte[] buffer, int offset, int length, byte[] tag)
                throws Exception {
            if (sealed.length != length + tagLen) {
                sealed = new byte[length + tagLen];
            }
            sealer.seal(key, buffer, offset, length, sealed);
            System.arraycopy(sealed, length, tag, 0, tagLen);
        }
    }

    /** The ciphertext and behind it the tag. */
    final byte[] seal(byte[] key, byte[] message, Inputs inputs) throws Exception {
        check(key, inputs);
        byte[] sealed = new byte[message.length + inputs.tagLen];
        sealer(KeyLife.NEW_KEY, key, inputs).seal(key, message, 0, message.length, sealed);
        return sealed;
    }

    final byte[] unseal(byte[] key, byte[] sealed, Inputs inputs) throws Exception {
        check(key, inputs);
        return opened(key, sealed, inputs);
    }

    private void check(byte[] key, Inputs inputs) throws Refused {
        checkKey(key.length);
        checkNonce(inputs.nonce.length);
        if (!takesTagLen(inputs.tagLen)) {
            throw new Refused("a tag of " + inputs.tagLen + " bytes; not one that " + mac + " has");
        }
    }

    @Override
    final void tryWhole(byte[] key) throws Exception {
        byte[] message = new byte[21];
        Inputs inputs = Inputs.ofSealed(new byte[timedNonceLen], new byte[5], tagLen);
        byte[] sealed = seal(key, message, inputs);
        byte[] opened = unseal(key, sealed, inputs);
        sealed[sealed.length - 1] ^= 1;
        if (!Arrays.equals(opened, message) || unseal(key, sealed, inputs) != null) {
            throw new Refused("opened wrongly");
        }
    }
}
