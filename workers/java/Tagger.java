package macrometer;

/**
 * Ready to be called: what is timed. The message is a part of a buffer, as Java's interfaces take
 * it, and the tag is written to the beginning of an array that is at least as long. A prepared one
 * does not look at the key.
 */
interface Tagger {
    void tag(byte[] key, byte[] buffer, int offset, int length, byte[] tag) throws Exception;
}
