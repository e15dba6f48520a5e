package macrometer;

/** What is wrong with a request, in one line. */
final class Refused extends Exception {
    private static final long serialVersionUID = 1;

    Refused(String reason) {
        super(reason, null, false, false);
    }
}
