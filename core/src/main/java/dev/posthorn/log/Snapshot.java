package dev.posthorn.log;

/**
 * A PostgreSQL snapshot as its server wrote it ({@code xmin:xmax:xip,…}): which transactions had ended when it was
 * taken. Compared and calculated with by PostgreSQL only.
 */
public record Snapshot(String text) {

    /** Sees no transaction at all: before the beginning of the log. */
    public static final Snapshot NOTHING = new Snapshot("1:1:");

    public boolean isNothing() {
        return equals(NOTHING);
    }

    @Override
    public String toString() {
        return text;
    }
}
