package macrometer;

import java.util.List;

/** What a call takes here at least: one that computes nothing. */
final class Empty extends MacOffer {
    private static final byte[] TAG = {'n', 'u', 'l', 'l', ' ', 't', 'a', 'g'};

    Empty() {
        super("null", "none", 0, LONGEST, TAG.length);
        // There is nothing to try.
        keyLives = List.of(KeyLife.PREPARED);
    }

    @Override
    Tagger open(KeyLife keyLife, byte[] firstKey, Inputs inputs) throws Refused {
        if (keyLife != KeyLife.PREPARED) {
            throw without(keyLife);
        }
        return (key, buffer, offset, length, tag) -> System.arraycopy(TAG, 0, tag, 0, TAG.length);
    }
}
