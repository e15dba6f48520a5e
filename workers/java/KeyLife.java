package macrometer;

/** How long a key lives: what happens to the key in each measured call. */
enum KeyLife {
    /** Key set up once. */
    PREPARED("prepared"),
    /** Key set up for every message, the object kept. */
    NEW_KEY("new-key"),
    /** The object made for every message. */
    ONE_SHOT("one-shot");

    /** The word for it in requests and replies. */
    final String word;

    KeyLife(String word) {
        this.word = word;
    }

    static KeyLife of(String word) throws Refused {
        for (KeyLife keyLife : values()) {
            if (keyLife.word.equals(word)) {
                return keyLife;
            }
        }
        throw new Refused("no key life " + word + ": prepared, new-key or one-shot");
    }
}
