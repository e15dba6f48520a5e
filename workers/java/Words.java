package macrometer;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The words of one request, which lie in a line of bytes, and the bytes of replies. */
final class Words {
    private static final byte[] NIBBLES = new byte[256];
    private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    static {
        Arrays.fill(NIBBLES, (byte) -1);
        for (int i = 0; i < DIGITS.length; i++) {
            NIBBLES[DIGITS[i]] = (byte) i;
        }
    }

    private final byte[] line;
    /** Where each word begins, and where the one behind the last would. */
    private final int[] begins;
    private final int count;

    /** Words are separated by single spaces. */
    Words(byte[] line, int length) {
        this.line = line;
        int[] begins = new int[16];
        int count = 1;
        for (int i = 0; i < length; i++) {
            if (line[i] == ' ') {
                if (count + 1 == begins.length) {
                    begins = Arrays.copyOf(begins, 2 * begins.length);
                }
                begins[count++] = i + 1;
            }
        }
        begins[count] = length + 1;
        this.begins = begins;
        this.count = count;
    }

    int count() {
        return count;
    }

    /** A short word as text. */
    String text(int i) {
        int length = Math.min(40, length(i));
        return new String(line, begins[i], length, StandardCharsets.ISO_8859_1);
    }

    /** Bytes in lower-case hexadecimal. */
    byte[] bytes(int i) throws Refused {
        byte[] bytes = new byte[length(i) / 2];
        boolean isWhole = length(i) % 2 == 0;
        for (int j = 0; j < bytes.length && isWhole; j++) {
            int at = begins[i] + 2 * j;
            int both = NIBBLES[line[at] & 0xff] << 4 | NIBBLES[line[at + 1] & 0xff];
            isWhole = both >= 0;
            bytes[j] = (byte) both;
        }
        if (!isWhole) {
            throw new Refused("bytes are lower-case hexadecimal");
        }
        return bytes;
    }

    /** Bytes, of which there may be none: words cannot be empty, and `-` stands for it. */
    byte[] bytesOrNone(int i) throws Refused {
        return length(i) == 1 && line[begins[i]] == '-' ? new byte[0] : bytes(i);
    }

    /** A whole number between two others. */
    long number(int i, long least, long most) throws Refused {
        long number = length(i) == 0 || length(i) > 12 ? -1 : 0;
        for (int at = begins[i]; number >= 0 && at < begins[i + 1] - 1; at++) {
            number = line[at] < '0' || line[at] > '9' ? -1 : 10 * number + line[at] - '0';
        }
        if (number < least || number > most) {
            throw new Refused("not a whole number from " + least + " to " + most + ": " + text(i));
        }
        return number;
    }

    private int length(int i) {
        return begins[i + 1] - 1 - begins[i];
    }

    static String hex(byte[] bytes) {
        return hex(bytes, 0, bytes.length);
    }

    static String hex(byte[] bytes, int from, int to) {
        byte[] digits = new byte[2 * (to - from)];
        for (int i = from; i < to; i++) {
            digits[2 * (i - from)] = DIGITS[bytes[i] >> 4 & 15];
            digits[2 * (i - from) + 1] = DIGITS[bytes[i] & 15];
        }
        return new String(digits, StandardCharsets.ISO_8859_1);
    }

    /** Text in quotes, as JSON has it; what is not printable ASCII is a question mark. */
    static String quoted(String text) {
        return '"' + printable(text).replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    static String printable(String text) {
        return text.replaceAll("[^ -~]", "?");
    }
}
