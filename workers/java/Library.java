package macrometer;

import java.util.List;

/** A library and all that it may have. What does not work is found by trying and left out. */
interface Library {
    List<Offer> offers();

    /** Its name and version. */
    String version();
}
