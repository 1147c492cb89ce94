package dev.posthorn.replay;

import dev.posthorn.error.Requests;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which replays to look at, the newest first. */
public final class ReplayQuery {

    /** All of them, a hundred at a time. */
    public static final ReplayQuery ALL = builder().build();

    private final Set<ReplayState> states;
    private final @Nullable String subscription;
    private final int pageSize;
    private final long before;

    private ReplayQuery(Builder builder) {
        this.states = Set.copyOf(builder.states);
        this.subscription = builder.subscription;
        this.pageSize = builder.pageSize;
        this.before = builder.before;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** None stands for all. */
    String[] states() {
        return states.stream().map(Enum::name).toArray(String[]::new);
    }

    @Nullable
    String subscription() {
        return subscription;
    }

    int pageSize() {
        return pageSize;
    }

    long before() {
        return before;
    }

    /** Collects the fields; each is checked as it is given. */
    public static final class Builder {

        private final Set<ReplayState> states = EnumSet.noneOf(ReplayState.class);
        private @Nullable String subscription;
        private int pageSize = 100;
        private long before = Long.MAX_VALUE;

        private Builder() {}

        /** This state; several of them if called several times. */
        public Builder state(ReplayState state) {
            states.add(state);
            return this;
        }

        /** Those that send something to this subscription. */
        public Builder subscription(String name) {
            this.subscription = Requests.text("subscription", name, Requests.MAX_NAME);
            return this;
        }

        /** 100 unless told otherwise. */
        public Builder pageSize(int size) {
            this.pageSize = Requests.pageSize(size);
            return this;
        }

        /** Goes on after the page that gave this as its {@link ReplayPage#next}. */
        public Builder after(long id) {
            this.before = id;
            return this;
        }

        public ReplayQuery build() {
            return new ReplayQuery(this);
        }
    }
}
