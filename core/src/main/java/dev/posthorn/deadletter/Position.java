package dev.posthorn.deadletter;

import dev.posthorn.error.Requests;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A dead letter's place in the listing, as a cursor carries it: microseconds, as PostgreSQL stores times, and id. */
record Position(Instant lastFailedAt, long id) {

    private static final Pattern TEXT = Pattern.compile("(-?\\d{1,18})\\.(\\d{1,18})");

    static Position parse(String cursor) {
        Matcher parts = TEXT.matcher(cursor);
        if (!parts.matches()) {
            throw Requests.refuse("cursor '" + cursor + "' is not one that a page gave; leave it out to begin anew");
        }
        Instant at = Instant.EPOCH.plus(Long.parseLong(parts.group(1)), ChronoUnit.MICROS);
        return new Position(Requests.time("cursor", at), Long.parseLong(parts.group(2)));
    }

    static Position of(DeadLetter letter) {
        return new Position(letter.lastFailedAt(), letter.id());
    }

    boolean isOlderThan(Position other) {
        int compared = lastFailedAt.compareTo(other.lastFailedAt);
        return compared < 0 || (compared == 0 && id < other.id);
    }

    String cursor() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, lastFailedAt) + "." + id;
    }
}
