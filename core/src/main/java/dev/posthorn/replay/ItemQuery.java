package dev.posthorn.replay;

import dev.posthorn.error.Requests;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Which ended items of a replay to look at. */
public final class ItemQuery {

    /** All that failed or were skipped, a hundred at a time. */
    public static final ItemQuery ALL = builder().build();

    private static final Pattern CURSOR = Pattern.compile("(\\d{1,18})\\.(\\d{1,18})");

    private final ReplayItem.@Nullable Outcome outcome;
    private final @Nullable String subscription;
    private final int pageSize;
    private final Place after;

    /** Where a page ends. */
    record Place(long subscription, long seq) {

        static final Place START = new Place(-1, -1);

        static Place parse(String cursor) {
            Matcher parts = CURSOR.matcher(cursor);
            Requests.require(
                    parts.matches(), "cursor '" + cursor + "' is not one that a page gave; leave it out to begin anew");
            return new Place(Long.parseLong(parts.group(1)), Long.parseLong(parts.group(2)));
        }

        String cursor() {
            return subscription + "." + seq;
        }
    }

    private ItemQuery(Builder builder) {
        this.outcome = builder.outcome;
        this.subscription = builder.subscription;
        this.pageSize = builder.pageSize;
        this.after = builder.after;
    }

    public static Builder builder() {
        return new Builder();
    }

    @Nullable
    String outcome() {
        return outcome == null ? null : outcome.name();
    }

    @Nullable
    String subscription() {
        return subscription;
    }

    int pageSize() {
        return pageSize;
    }

    Place after() {
        return after;
    }

    /** Collects the fields; each is checked as it is given. */
    public static final class Builder {

        private ReplayItem.@Nullable Outcome outcome;
        private @Nullable String subscription;
        private int pageSize = 100;
        private Place after = Place.START;

        private Builder() {}

        public Builder outcome(ReplayItem.Outcome outcome) {
            this.outcome = outcome;
            return this;
        }

        /** By the name that it had when the replay was asked for. */
        public Builder subscription(String name) {
            this.subscription = Requests.text("subscription", name, Requests.MAX_NAME);
            return this;
        }

        /** 100 unless told otherwise. */
        public Builder pageSize(int size) {
            this.pageSize = Requests.pageSize(size);
            return this;
        }

        /** Goes on after the page that gave this cursor; null begins at the beginning. */
        public Builder cursor(@Nullable String cursor) {
            this.after = cursor == null ? Place.START : Place.parse(cursor);
            return this;
        }

        public ItemQuery build() {
            return new ItemQuery(this);
        }
    }
}
