package macrometer;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/**
 * Calls that are not timed, until the compiler has done with them. Code is compiled once it has run
 * often enough, and again when that showed something new; what other cells do may undo what was
 * compiled for this one. So a cell is warmed up before its first sample, and once more, as a rule
 * for one window, when further cells began after that.
 */
final class WarmUp {
    private static final long WINDOW_NS = 1_000_000;
    private static final long LONGEST_NS = 1_500_000_000;
    /** Windows in a row that brought nothing faster: at first, and at another length. */
    private static final int CALM_WINDOWS = 3;
    private static final int CALM_AGAIN = 1;
    /** A window this much faster than the best before it means that the compiler is at work. */
    private static final double FASTER = 0.97;
    /** A window this close to the best shows that a cell is as warm as it was. */
    private static final double AS_BEFORE = 1.10;
    /** Calls of one mac and key life at least; a KiB of message counts as one more. */
    private static final long CALLS_MIN = 10_000;

    /** Calls so far, of all cells. */
    private static final Map<Offer, EnumMap<KeyLife, Long>> CALLS = new HashMap<>();
    /** Cells that were warmed up so far. */
    private static long cells;

    private final Offer offer;
    private final KeyLife keyLife;
    private final long weight;
    private long cellsThen = -1;
    private double bestNs = Double.MAX_VALUE;

    WarmUp(Offer offer, KeyLife keyLife, int length) {
        this.offer = offer;
        this.keyLife = keyLife;
        weight = 1 + length / 1024;
    }

    void run(Cell cell) throws Exception {
        if (cellsThen == cells) {
            return;
        }
        boolean isFirst = cellsThen < 0;
        double knownNs = bestNs;
        bestNs = Double.MAX_VALUE;
        long before = callsSoFar();
        int calmWindows = before >= CALLS_MIN ? CALM_AGAIN : CALM_WINDOWS;
        long begin = System.nanoTime();
        long window = Cell.MESSAGES;
        long calls = 0;
        int calm = 0;
        boolean isKnown = false;
        while (System.nanoTime() - begin < LONGEST_NS) {
            long elapsedNs = cell.timed(window);
            double callNs = Math.max(1, (double) elapsedNs / window);
            calls += window;
            long next = Math.max(Cell.MESSAGES, Math.min(64 * window, (long) (WINDOW_NS / callNs)));
            if (elapsedNs >= WINDOW_NS / 2 || next == window) {
                calm = callNs < FASTER * bestNs ? 0 : calm + 1;
                isKnown = !isFirst && callNs < AS_BEFORE * knownNs;
                bestNs = Math.min(bestNs, callNs);
                boolean isEnough = before + calls * weight >= CALLS_MIN;
                if (isKnown || calm >= calmWindows && isEnough) {
                    break;
                }
            }
            window = next;
        }
        bestNs = isKnown ? Math.min(bestNs, knownNs) : bestNs;
        count(calls);
        cells += isFirst ? 1 : 0;
        cellsThen = cells;
    }

    private long callsSoFar() {
        return CALLS.getOrDefault(offer, new EnumMap<>(KeyLife.class)).getOrDefault(keyLife, 0L);
    }

    private void count(long calls) {
        CALLS.computeIfAbsent(offer, one -> new EnumMap<>(KeyLife.class))
                .merge(keyLife, calls * weight, Long::sum);
    }
}
