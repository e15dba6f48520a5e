package macrometer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** One mac or composition as one library has it: the lengths it takes, and how it is opened. */
abstract class Offer {
    /** Of what has no limit of its own: the longest request. */
    static final int LONGEST = 1 << 28;

    /** Canonical name. */
    final String mac;
    /** One word for the code path. */
    final String kernel;
    /** Lengths of keys, in bytes. */
    final int keyLenMin;
    final int keyLenMax;
    /** Length of the whole tag. */
    final int tagLen;
    /** Lengths of nonces; a mac without one takes 0. */
    int nonceLenMin;
    int nonceLenMax;
    /** Length of the nonce of timed messages, which is zeros. */
    int timedNonceLen;
    /** The key lives that work, once it was tried. */
    List<KeyLife> keyLives = List.of();

    Offer(String mac, String kernel, int keyLenMin, int keyLenMax, int tagLen) {
        this.mac = mac;
        this.kernel = kernel;
        this.keyLenMin = keyLenMin;
        this.keyLenMax = keyLenMax;
        this.tagLen = tagLen;
    }

    /** It takes nonces of these lengths; the timed one has `timed` bytes. */
    final Offer withNonce(int least, int most, int timed) {
        nonceLenMin = least;
        nonceLenMax = most;
        timedNonceLen = timed;
        return this;
    }

    /** Ready to be timed: with zeros as nonce, no associated data and the whole tag. */
    abstract Tagger timed(KeyLife keyLife, byte[] key) throws Exception;

    /** Throws unless what is proved beside the timed calls works too. */
    void tryWhole(byte[] key) throws Exception {}

    final void checkKey(int length) throws Refused {
        if (length < keyLenMin || length > keyLenMax) {
            String taken = taken(keyLenMin, keyLenMax);
            throw new Refused("a key of " + length + " bytes; " + mac + " takes " + taken);
        }
    }

    final void checkNonce(int length) throws Refused {
        if (length < nonceLenMin || length > nonceLenMax) {
            String taken = nonceLenMax == 0 ? "none" : taken(nonceLenMin, nonceLenMax);
            throw new Refused("a nonce of " + length + " bytes; " + mac + " takes " + taken);
        }
    }

    private static String taken(int least, int most) {
        if (most == LONGEST) {
            return "at least " + least;
        }
        return least == most ? "" + least : least + " to " + most;
    }

    final Refused without(KeyLife keyLife) {
        return new Refused("no " + keyLife.word + " " + mac + " here");
    }

    /** Tries everything, and keeps the key lives that agree; whether it works at all. */
    final boolean works() {
        byte[][] keys = {bytes(1), bytes(101)};
        List<KeyLife> right = new ArrayList<>();
        byte[][] expected = null;
        for (KeyLife keyLife : KeyLife.values()) {
            byte[][] tags;
            try {
                tags = triedTags(keyLife, keys);
            } catch (Exception | LinkageError absent) {
                continue;
            }
            expected = expected == null ? tags : expected;
            boolean isSame = Arrays.equals(tags[0], expected[0]);
            if (isSame && Arrays.equals(tags[0], tags[2]) && !Arrays.equals(tags[0], tags[1])) {
                right.add(keyLife);
            }
        }
        try {
            tryWhole(keys[0]);
        } catch (Exception | LinkageError broken) {
            return false;
        }
        keyLives = right;
        return !right.isEmpty();
    }

    /** Three messages, the third of which is the first again; a changed key for the second. */
    private byte[][] triedTags(KeyLife keyLife, byte[][] keys) throws Exception {
        byte[] messages = new byte[200];
        Arrays.fill(messages, (byte) 0x5a);
        Tagger tagger = timed(keyLife, keys[0]);
        byte[][] tags = new byte[3][tagLen];
        tagger.tag(keys[0], messages, 3, 9, tags[0]);
        tagger.tag(keys[1], messages, 0, 40, tags[1]);
        tagger.tag(keys[0], messages, 3, 9, tags[2]);
        return tags;
    }

    /** A key of bytes that differ, so that no two parts of a TDES key are equal. */
    private byte[] bytes(int first) {
        byte[] key = new byte[Math.max(keyLenMin, Math.min(keyLenMax, 32))];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) (first + i);
        }
        return key;
    }
}
