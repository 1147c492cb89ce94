package dev.posthorn.faults.killpoint;

import java.util.Set;

/**
 * A place at which a relay can end.
 *
 * @param number counted from 1
 * @param unit the number of the transaction, statement or send that it belongs to
 * @param kinds what the unit did up to here, the statement in question included
 */
public record Point(int number, int unit, Place place, Set<Kind> kinds) {

    /** Between which two steps. */
    public enum Place {
        BEFORE_STATEMENT,
        AFTER_STATEMENT,
        BEFORE_COMMIT,
        AFTER_COMMIT,
        /** The receiver does not have it. */
        BEFORE_SEND,
        /** The receiver has it, and the relay does not know. */
        BEFORE_ANSWER,
        /** The lane has been told, and has done nothing about it. */
        AFTER_ANSWER;

        /** Whether nothing happens in between, coming from there. */
        public boolean isSameMomentAs(Place before) {
            return (this == BEFORE_STATEMENT || this == BEFORE_COMMIT)
                    && (before == AFTER_STATEMENT || before == AFTER_COMMIT);
        }

        public boolean isOfASend() {
            return this == BEFORE_SEND || this == BEFORE_ANSWER || this == AFTER_ANSWER;
        }
    }

    public Point {
        kinds = Set.copyOf(kinds);
    }

    @Override
    public String toString() {
        return "point " + number + " (" + place + " " + kinds + ")";
    }
}
