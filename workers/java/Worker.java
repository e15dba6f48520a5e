package macrometer;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A macrometer worker: the MACs of this Java, measured in this Java.
 *
 * <p>Speaks docs/worker-protocol.md on standard input and output. HMAC, AES-GCM and
 * ChaCha20-Poly1305 are Java's own, CBC-MAC and its variants are written here over its AES and
 * TDES; the rest is BouncyCastle's, where its jar is found. Compiled and run by the `java` provider
 * (crates/providers/src/programs/java.rs), which hands over its name and the jar. Needs Java 11.
 */
public final class Worker {
    // A call is a microsecond: these stand for hours, and bound what a bad request can do.
    private static final long ITERATIONS_MAX = 10_000_000_000L;
    private static final long SINGLE_MAX = 10_000_000;
    private static final String TOO_LONG =
            "err the request has more than " + Requests.LINE_MAX_BYTES + " bytes";
    private static final int TAG_MAX_BYTES = 1 << 16;

    private final String name;
    private final String jar;
    /** All that there may be, in the order in which libraries are asked. */
    private List<Library> libraries;
    /** What works, once it was tried. */
    private Map<String, Offer> offers;
    private final List<String> detail = new ArrayList<>();
    private final Map<Long, Cell> cells = new HashMap<>();
    private byte[] pool;

    private Worker(String name, String jar) {
        this.name = name;
        this.jar = jar;
    }

    /** The libraries of Java itself; nothing of them is tried. */
    private List<Library> own() {
        if (libraries == null) {
            CodePath codePath = new CodePath();
            libraries = List.of(new Jca(codePath), new CbcMacs(codePath));
        }
        return libraries;
    }

    /** What works of all libraries. Trying it warms them up, so that it waits until it is asked. */
    private Map<String, Offer> offers() {
        if (offers != null) {
            return offers;
        }
        offers = new TreeMap<>();
        detail.add(System.getProperty("java.vm.name") + ", " + System.getProperty("java.vendor"));
        for (Library library : own()) {
            add(library, "");
        }
        Empty empty = new Empty();
        offers.put(empty.mac, empty);
        if (jar.isEmpty()) {
            detail.add("no BouncyCastle");
            return offers;
        }
        try {
            Class<?> found = Class.forName("macrometer.BouncyCastle");
            add((Library) found.getDeclaredConstructor().newInstance(), " (" + jar + ")");
        } catch (ReflectiveOperationException | LinkageError unfit) {
            detail.add("its BouncyCastle is one that this worker does not know: " + jar);
        }
        return offers;
    }

    /** What works of a library, unless one before it has it. */
    private void add(Library library, String place) {
        int before = offers.size();
        for (Offer offer : library.offers()) {
            if (!offers.containsKey(offer.mac) && offer.works()) {
                offers.put(offer.mac, offer);
            }
        }
        detail.add(library.version() + place + ": " + (offers.size() - before) + " macs");
    }

    public static void main(String[] arguments) throws InterruptedException {
        // The lab decides when a run ends; Ctrl-C reaches the whole group of processes.
        ignoreInterrupts();
        // Replies have a stream of their own: whatever else prints goes to standard error.
        OutputStream replies = new FileOutputStream(FileDescriptor.out);
        System.setOut(System.err);
        String name = arguments.length > 0 ? arguments[0] : "java";
        Worker worker = new Worker(name, arguments.length > 1 ? arguments[1] : "");
        try {
            worker.serve(new FileInputStream(FileDescriptor.in), replies);
        } catch (IOException gone) {
            // The lab is gone; there is nobody to tell.
            Runtime.getRuntime().halt(1);
        }
    }

    /** By name: `sun.misc` is in every Java so far, and in no specification. */
    private static void ignoreInterrupts() {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object interrupt = signal.getConstructor(String.class).newInstance("INT");
            Object ignore = handler.getField("SIG_IGN").get(null);
            signal.getMethod("handle", signal, handler).invoke(null, interrupt, ignore);
        } catch (ReflectiveOperationException | RuntimeException absent) {
            System.err.println("Ctrl-C will end this worker: " + absent);
        }
    }

    /** Answers until `close` or the end of the input. */
    private void serve(InputStream input, OutputStream replies)
            throws IOException, InterruptedException {
        Requests requests = Requests.of(input);
        for (byte[] line; (line = requests.next()) != null;) {
            boolean isLast = new String(line, 0, Math.min(6, line.length),
                    StandardCharsets.ISO_8859_1).equals("close");
            String reply = (line == Requests.TOO_LONG ? TOO_LONG : answer(line, line.length)) + "\n";
            // Keys do not stay in it.
            Arrays.fill(line, (byte) 0);
            replies.write(reply.getBytes(StandardCharsets.ISO_8859_1));
            if (isLast) {
                return;
            }
        }
    }

    /** The reply to one request, without its end of line. */
    private String answer(byte[] line, int length) {
        String reason;
        try {
            return "ok " + answered(new Words(line, length));
        } catch (Refused refused) {
            reason = refused.getMessage();
        } catch (Exception | OutOfMemoryError | LinkageError error) {
            reason = error.getClass().getSimpleName() + ": " + error.getMessage();
        }
        String printable = Words.printable(reason);
        return "err " + printable.substring(0, Math.min(400, printable.length()));
    }

    private String answered(Words words) throws Exception {
        String verb = words.text(0);
        switch (verb) {
            case "close":
                take(words, 0);
                return "{}";
            case "cold":
                take(words, 4);
                return cold(words);
            case "info":
                take(words, 0);
                return info();
            case "open":
                take(words, 6);
                return open(words);
            case "pool":
                take(words, 1);
                pool = words.bytes(1);
                return "{}";
            case "prove":
                take(words, 2);
                int proved = (int) words.number(2, 1, Cell.MESSAGES);
                return "{\"tags\":\"" + Words.hex(cell(words).prove(proved)) + "\"}";
            case "rekey":
                take(words, 2);
                cell(words).rekey(keys(words, 2));
                return "{}";
            case "run":
                take(words, 2);
                long iterations = words.number(2, 1, ITERATIONS_MAX);
                return "{\"elapsed_ns\":" + cell(words).run(iterations) + "}";
            case "seal":
                take(words, 6);
                return seal(words);
            case "single":
                take(words, 2);
                return histogram(cell(words).single((int) words.number(2, 1, SINGLE_MAX)));
            case "tag":
                take(words, 6);
                return tag(words);
            case "unseal":
                take(words, 6);
                return unseal(words);
            default:
                throw new Refused("no request " + verb);
        }
    }

    private static void take(Words words, int count) throws Refused {
        if (words.count() != 1 + count) {
            throw new Refused(words.text(0) + " takes " + count + " words");
        }
    }

    /**
     * The first call of a mac of Java itself: what it takes to make the objects, take the key and
     * make the tag, with whatever Java has to load for that and has not loaded for another mac.
     */
    private String cold(Words words) throws Exception {
        Offer offer = untried(words.text(1));
        KeyLife keyLife = KeyLife.of(words.text(2));
        byte[] key = words.bytes(3);
        byte[] message = words.bytesOrNone(4);
        offer.checkKey(key.length);
        byte[] tag = new byte[offer.tagLen];
        long begin = System.nanoTime();
        offer.timed(keyLife, key).tag(key, message, 0, message.length, tag);
        long elapsedNs = System.nanoTime() - begin;
        return "{\"elapsed_ns\":" + elapsedNs + ",\"tag\":\"" + Words.hex(tag) + "\"}";
    }

    private Offer untried(String mac) throws Refused {
        for (Library library : own()) {
            for (Offer offer : library.offers()) {
                if (offer.mac.equals(mac)) {
                    return offer;
                }
            }
        }
        throw new Refused("no cold start of " + mac + " here");
    }

    private String info() {
        StringBuilder listed = new StringBuilder();
        for (Offer offer : offers().values()) {
            listed.append(listed.length() == 0 ? "" : ",")
                    .append("{\"mac\":").append(Words.quoted(offer.mac))
                    .append(",\"kernel\":").append(Words.quoted(offer.kernel))
                    .append(",\"key_lives\":[");
            String separator = "";
            for (KeyLife keyLife : offer.keyLives) {
                listed.append(separator).append(Words.quoted(keyLife.word));
                separator = ",";
            }
            listed.append("]}");
        }
        return "{\"protocol\":2,\"name\":" + Words.quoted(name)
                + ",\"version\":" + Words.quoted(System.getProperty("java.runtime.version"))
                + ",\"path\":" + Words.quoted(System.getProperty("java.home"))
                + ",\"detail\":" + Words.quoted(String.join("; ", detail))
                + ",\"regimes\":[\"single\",\"latency\",\"cold-fixed\",\"cold-rotated\"]"
                + ",\"offers\":[" + listed + "]}";
    }

    private String open(Words words) throws Exception {
        final long number = words.number(1, 0, ITERATIONS_MAX);
        Offer offer = offers().get(words.text(2));
        if (offer == null) {
            throw new Refused("no mac " + words.text(2) + " here");
        }
        KeyLife keyLife = KeyLife.of(words.text(3));
        if (!offer.keyLives.contains(keyLife)) {
            throw offer.without(keyLife);
        }
        String regime = words.text(4);
        if (!regime.equals("latency") && !regime.equals("single")) {
            throw new Refused("no regime " + regime + ": latency or single");
        }
        if (pool == null) {
            throw new Refused("no pool yet");
        }
        int length = (int) words.number(5, 0, Requests.LINE_MAX_BYTES);
        boolean isChained = regime.equals("latency");
        cells.put(number, new Cell(offer, keyLife, isChained, length, keys(words, 6), pool));
        return "{}";
    }

    private static byte[] keys(Words words, int i) throws Refused {
        byte[] keys = words.bytes(i);
        if (keys.length < Cell.MESSAGES - 1) {
            throw new Refused(keys.length + " key bytes: too few for " + Cell.MESSAGES + " keys");
        }
        return keys;
    }

    private Cell cell(Words words) throws Refused {
        Cell cell = cells.get(words.number(1, 0, ITERATIONS_MAX));
        if (cell == null) {
            throw new Refused("no cell " + words.text(1));
        }
        return cell;
    }

    private static String histogram(Map<Long, Long> counts) {
        StringBuilder pairs = new StringBuilder();
        for (Map.Entry<Long, Long> pair : counts.entrySet()) {
            pairs.append(pairs.length() == 0 ? "[" : ",[");
            pairs.append(pair.getKey()).append(',').append(pair.getValue()).append(']');
        }
        return "{\"ns\":[" + pairs + "]}";
    }

    private String tag(Words words) throws Exception {
        Offer offer = offers().get(words.text(1));
        if (!(offer instanceof MacOffer)) {
            throw new Refused("no mac " + words.text(1) + " here");
        }
        byte[] nonce = words.bytesOrNone(3);
        byte[] customization = words.bytesOrNone(4);
        int tagLen = (int) words.number(5, 1, TAG_MAX_BYTES);
        byte[] message = words.bytesOrNone(6);
        Inputs inputs = Inputs.ofTag(nonce, customization, tagLen);
        byte[] tag = ((MacOffer) offer).tag(words.bytesOrNone(2), message, inputs);
        return "{\"tag\":\"" + Words.hex(tag) + "\"}";
    }

    private Composition composition(Words words) throws Refused {
        Offer offer = offers().get(words.text(1));
        if (!(offer instanceof Composition)) {
            throw new Refused("no composition " + words.text(1) + " here");
        }
        return (Composition) offer;
    }

    private String seal(Words words) throws Exception {
        Composition composition = composition(words);
        int tagLen = (int) words.number(5, 1, TAG_MAX_BYTES);
        byte[] message = words.bytesOrNone(6);
        Inputs inputs = Inputs.ofSealed(words.bytesOrNone(3), words.bytesOrNone(4), tagLen);
        byte[] sealed = composition.seal(words.bytesOrNone(2), message, inputs);
        return "{\"ciphertext\":\"" + Words.hex(sealed, 0, message.length)
                + "\",\"tag\":\"" + Words.hex(sealed, message.length, sealed.length) + "\"}";
    }

    private String unseal(Words words) throws Exception {
        Composition composition = composition(words);
        byte[] ciphertext = words.bytesOrNone(5);
        byte[] tag = words.bytesOrNone(6);
        byte[] sealed = Arrays.copyOf(ciphertext, ciphertext.length + tag.length);
        System.arraycopy(tag, 0, sealed, ciphertext.length, tag.length);
        Inputs inputs = Inputs.ofSealed(words.bytesOrNone(3), words.bytesOrNone(4), tag.length);
        byte[] message = composition.unseal(words.bytesOrNone(2), sealed, inputs);
        return "{\"message\":" + (message == null ? "null" : '"' + Words.hex(message) + '"') + "}";
    }
}
