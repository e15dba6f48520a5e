package macrometer;

/** A mac: key and message in, tag out. */
abstract class MacOffer extends Offer {
    private static final byte[] NONE = {};

    /** Whether it takes a customization string. */
    boolean isCustomizable;
    /** Whether the length of the tag is one of its inputs. */
    boolean hasTagLen;

    MacOffer(String mac, String kernel, int keyLenMin, int keyLenMax, int tagLen) {
        super(mac, kernel, keyLenMin, keyLenMax, tagLen);
    }

    /** Opens it for these inputs; a key life without a call of its own is refused. */
    abstract Tagger open(KeyLife keyLife, byte[] key, Inputs inputs) throws Exception;

    @Override
    final Tagger timed(KeyLife keyLife, byte[] key) throws Exception {
        return open(keyLife, key, Inputs.ofTag(new byte[timedNonceLen], NONE, tagLen));
    }

    /** One tag with all that may go into it, by the very call that is timed. */
    final byte[] tag(byte[] key, byte[] message, Inputs inputs) throws Exception {
        checkKey(key.length);
        checkNonce(inputs.nonce.length);
        if (!isCustomizable && inputs.customization.length > 0) {
            throw new Refused("a customization string; " + mac + " takes none");
        }
        if (!hasTagLen && inputs.tagLen > tagLen) {
            throw new Refused("a tag of " + inputs.tagLen + " bytes; " + tagLen + " it has");
        }
        byte[] tag = new byte[hasTagLen ? inputs.tagLen : tagLen];
        open(keyLives.get(0), key, inputs).tag(key, message, 0, message.length, tag);
        return java.util.Arrays.copyOf(tag, inputs.tagLen);
    }
}
