package macrometer;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** One mac, key life, regime and length, with its keys and messages, ready to be timed. */
final class Cell {
    static final int MESSAGES = 16;
    static final int MESSAGE_STEP_BYTES = 64;

    private static final int EMPTY_BRACKETS = 1001;

    private final Offer offer;
    private final KeyLife keyLife;
    private final int length;
    private final byte[] pool;
    /** What is timed: the pool, or for the regime `latency`, which writes into it, a copy. */
    private final byte[] messages;
    /** The bytes of a message that depend on the last tag. */
    private final int head;
    private final byte[] tag;
    private final byte[][] keys = new byte[MESSAGES][];
    private final WarmUp warmUp;
    private Tagger tagger;

    Cell(Offer offer, KeyLife keyLife, boolean isChained, int length, byte[] keys, byte[] pool)
            throws Exception {
        if ((long) MESSAGE_STEP_BYTES * (MESSAGES - 1) + length > pool.length) {
            throw new Refused("the pool has " + pool.length + " bytes, too few for messages of "
                    + length);
        }
        this.offer = offer;
        this.keyLife = keyLife;
        this.length = length;
        this.pool = pool;
        messages = isChained ? pool.clone() : pool;
        head = isChained ? Math.min(8, length) : 0;
        tag = new byte[offer.tagLen];
        warmUp = new WarmUp(offer, keyLife, length);
        rekey(keys);
    }

    /** Takes the keys, joined, and wipes them there. */
    void rekey(byte[] joined) throws Exception {
        int keyLen = joined.length - (MESSAGES - 1);
        offer.checkKey(keyLen);
        Tagger opened = offer.timed(keyLife, Arrays.copyOf(joined, keyLen));
        for (int i = 0; i < MESSAGES; i++) {
            if (keys[i] != null) {
                Arrays.fill(keys[i], (byte) 0);
            }
            keys[i] = Arrays.copyOfRange(joined, i, i + keyLen);
        }
        Arrays.fill(joined, (byte) 0);
        tagger = opened;
    }

    /** The tags of the first messages, as they lie in the pool. */
    byte[] prove(int count) throws Exception {
        byte[] tags = new byte[count * tag.length];
        byte[] one = new byte[tag.length];
        for (int i = 0; i < count; i++) {
            tagger.tag(keys[i], pool, i * MESSAGE_STEP_BYTES, length, one);
            System.arraycopy(one, 0, tags, i * one.length, one.length);
        }
        return tags;
    }

    /**
     * How many calls come untimed before those that are timed: after the other workers had the
     * processor, the first call finds cold caches.
     */
    private static long leadIn(long calls) {
        return Math.max(calls / 16, 1);
    }

    /** Nanoseconds of as many calls. */
    long run(long iterations) throws Exception {
        warmUp.run(this);
        timed(leadIn(iterations));
        return timed(iterations);
    }

    /** Calls timed one by one: nanoseconds, and how often. */
    Map<Long, Long> single(int count) throws Exception {
        warmUp.run(this);
        timed(leadIn(count));
        long bracketNs = bracketNs();
        Map<Long, Long> counts = new TreeMap<>();
        long[] times = new long[Math.min(count, 1 << 16)];
        for (int done = 0; done < count; done += times.length) {
            int now = Math.min(times.length, count - done);
            oneByOne(times, now);
            for (int i = 0; i < now; i++) {
                counts.merge(Math.max(0, times[i] - bracketNs), 1L, Long::sum);
            }
        }
        return counts;
    }

    /** The one loop: two clock reads around all calls. */
    long timed(long count) throws Exception {
        Tagger tagger = this.tagger;
        byte[][] keys = this.keys;
        byte[] messages = this.messages;
        byte[] tag = this.tag;
        int length = this.length;
        int head = this.head;
        int i = 0;
        long begin = System.nanoTime();
        for (long call = 0; call < count; call++) {
            int offset = i * MESSAGE_STEP_BYTES;
            for (int j = 0; j < head; j++) {
                messages[offset + j] ^= tag[j];
            }
            tagger.tag(keys[i], messages, offset, length, tag);
            i = (i + 1) % MESSAGES;
        }
        return System.nanoTime() - begin;
    }

    private void oneByOne(long[] times, int count) throws Exception {
        for (int call = 0; call < count; call++) {
            int i = call % MESSAGES;
            int offset = i * MESSAGE_STEP_BYTES;
            for (int j = 0; j < head; j++) {
                messages[offset + j] ^= tag[j];
            }
            long begin = System.nanoTime();
            tagger.tag(keys[i], messages, offset, length, tag);
            times[call] = System.nanoTime() - begin;
        }
    }

    private static long bracketNs() {
        long[] empty = new long[EMPTY_BRACKETS];
        for (int i = 0; i < empty.length; i++) {
            long begin = System.nanoTime();
            empty[i] = System.nanoTime() - begin;
        }
        Arrays.sort(empty);
        return empty[empty.length / 2];
    }
}
