package macrometer;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * The lines of the lab, read by a thread that does nothing but wait for them: so the end of the lab
 * is noticed in the middle of a sample too, which may take long, and this process ends with it.
 */
final class Requests extends Thread {
    /** Stands for a line of more than {@link #LINE_MAX_BYTES}, of which nothing is kept. */
    static final byte[] TOO_LONG = new byte[0];
    static final int LINE_MAX_BYTES = 1 << 26;
    private static final byte[] END = new byte[0];

    private final InputStream input;
    private final Optional<ProcessHandle> lab = ProcessHandle.current().parent();
    private final BlockingQueue<byte[]> lines = new ArrayBlockingQueue<>(1);

    private Requests(InputStream input) {
        super("requests");
        this.input = input;
    }

    static Requests of(InputStream input) {
        Requests requests = new Requests(input);
        requests.setDaemon(true);
        requests.start();
        return requests;
    }

    /** The next line without its end; null at the end of the input. */
    byte[] next() throws InterruptedException {
        byte[] line = lines.take();
        return line == END ? null : line;
    }

    @Override
    public void run() {
        try {
            try {
                read();
            } catch (IOException gone) {
                // As at the end of the input.
            }
            lines.put(END);
            // What was asked before is answered still, unless there is nobody left who asked.
            while (ProcessHandle.current().parent().equals(lab)) {
                Thread.sleep(10);
            }
        } catch (InterruptedException never) {
            // Nobody interrupts it.
        } finally {
            Runtime.getRuntime().halt(1);
        }
    }

    private void read() throws IOException, InterruptedException {
        byte[] line = new byte[1 << 16];
        int filled = 0;
        boolean isTooLong = false;
        for (int read; (read = input.read(line, filled, line.length - filled)) >= 0;) {
            // What was read before has no end of line in it.
            int begin = 0;
            int searched = filled;
            filled += read;
            for (int end; (end = endOfLine(line, searched, filled)) >= 0; searched = begin) {
                lines.put(isTooLong ? TOO_LONG : Arrays.copyOfRange(line, begin, end));
                isTooLong = false;
                begin = end + 1;
            }
            System.arraycopy(line, begin, line, 0, filled - begin);
            // Keys do not stay in it.
            Arrays.fill(line, filled - begin, filled, (byte) 0);
            filled -= begin;
            if (filled == line.length && (isTooLong || filled >= LINE_MAX_BYTES)) {
                isTooLong = true;
                filled = 0;
            } else if (filled == line.length) {
                line = Arrays.copyOf(line, 2 * line.length);
            }
        }
    }

    private static int endOfLine(byte[] line, int from, int to) {
        for (int i = from; i < to; i++) {
            if (line[i] == '\n') {
                return i;
            }
        }
        return -1;
    }
}
