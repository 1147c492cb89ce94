package dev.posthorn.event;

/**
 * What Posthorn itself says about a delivery, in headers whose names begin with {@code posthorn-}. A receiver acts upon
 * them, so no event carries such a header of its own, in whatever case it is written.
 */
public final class Marks {

    /** A sample that a receiver is not to act upon. */
    public static final String TEST = "posthorn-test";

    /** Sent again by the replay with this id. */
    public static final String REPLAY = "posthorn-replay";

    private static final String PREFIX = "posthorn-";

    private Marks() {}

    /** Whether the name is one that only Posthorn uses. */
    public static boolean isOne(String header) {
        return header.regionMatches(true, 0, PREFIX, 0, PREFIX.length());
    }
}
