package dev.posthorn.server.problem;

import dev.posthorn.error.Outage;
import dev.posthorn.error.PosthornException;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells what problem an exception is to the caller. */
public final class Problems {

    private static final Logger log = LoggerFactory.getLogger(Problems.class);

    private static final int DEEPEST_CAUSE = 10;

    private static final Duration SOON = Duration.ofSeconds(1);

    /** By its time limit, or by somebody. */
    private static final String CANCELLED = "57014";

    private Problems() {}

    public static Problem of(Throwable error) {
        ProblemException expected = expected(error);
        if (expected != null) {
            return expected.problem();
        }
        return error instanceof PosthornException ours ? of(ours) : unexpected(error);
    }

    /** Frameworks like to wrap what they do not know: ours may be the cause of theirs. */
    private static @Nullable ProblemException expected(@Nullable Throwable error) {
        int depth = 0;
        for (Throwable each = error; each != null && depth < DEEPEST_CAUSE; each = each.getCause()) {
            if (each instanceof ProblemException found) {
                return found;
            }
            depth++;
        }
        return null;
    }

    private static Problem of(PosthornException error) {
        String message = String.valueOf(error.getMessage());
        return switch (error.code()) {
            case INVALID_EVENT -> Problem.of(ProblemType.INVALID_EVENT, message);
            case INVALID_REQUEST, INVALID_SETTING -> Problem.of(ProblemType.INVALID_REQUEST, message);
            case NOT_FOUND -> Problem.of(ProblemType.NOT_FOUND, message);
            case CONFLICT -> Problem.of(ProblemType.CONFLICT, message);
            case DATABASE -> ofDatabase(error);
            case SCHEMA_MISMATCH, UNSUPPORTED_DATABASE, IN_RECOVERY, CLUSTER_CHANGED ->
                Problem.unavailable(message, SOON);
            case AUTO_COMMIT -> unexpected(error);
        };
    }

    private static Problem ofDatabase(PosthornException error) {
        if (error.getCause() instanceof SQLException sql && CANCELLED.equals(sql.getSQLState())) {
            log.debug("The database was told to end a statement that took too long", error);
            return Problem.unavailable(
                    "this took the database longer than a call may; ask for less at a time, by from and to or a smaller"
                            + " limit, or try again when the hub is less busy",
                    SOON);
        }
        return Outage.isOneOrCancelled(error) ? databaseIsAway(error) : unexpected(error);
    }

    private static Problem databaseIsAway(PosthornException error) {
        log.debug("The database does not answer as it should", error);
        return Problem.unavailable(
                "the database cannot be reached at the moment; try again: an event id is never recorded twice", SOON);
    }

    private static Problem unexpected(Throwable error) {
        log.error("A call failed in a way that nobody expected", error);
        return Problem.of(
                ProblemType.INTERNAL, "the hub failed; its log tells why. Whether the call took effect is not known");
    }
}
