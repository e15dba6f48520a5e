package macrometer;

/** What goes into a tag or a sealed message beside the key and the message. */
final class Inputs {
    private static final byte[] NONE = {};

    final byte[] nonce;
    final byte[] customization;
    final byte[] associatedData;
    final int tagLen;

    private Inputs(byte[] nonce, byte[] customization, byte[] associatedData, int tagLen) {
        this.nonce = nonce;
        this.customization = customization;
        this.associatedData = associatedData;
        this.tagLen = tagLen;
    }

    static Inputs ofTag(byte[] nonce, byte[] customization, int tagLen) {
        return new Inputs(nonce, customization, NONE, tagLen);
    }

    static Inputs ofSealed(byte[] nonce, byte[] associatedData, int tagLen) {
        return new Inputs(nonce, NONE, associatedData, tagLen);
    }
}
