package dev.posthorn.error;

import java.io.IOException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Tells a database that is away from a statement or a value that is at fault. The one place that decides it: what fails in
 * an outage is done again as it was and counts against nothing, anything else is the fault of what was asked.
 *
 * <p>An outage is whatever the same statement will survive without a change: no connection, a server that starts or stops,
 * is read-only after a fail-over or has run out of something, and a conflict with other transactions. Everything that is
 * wrapped in the failure is looked at: drivers, pools and frameworks each have their own way of wrapping.
 */
public final class Outage {

    /**
     * The beginnings of SQLSTATEs. 08: connection. 25006: read-only. 28, 3D: let nobody in, has no such database. 40001,
     * 40003, 40P01: serialization, unknown end, deadlock. 53: connections, memory, disk. 57P: stops, starts, has crashed.
     * 58: trouble with its files.
     */
    private static final List<String> AWAY =
            List.of("08", "25006", "28", "3D", "40001", "40003", "40P01", "53", "57P", "58");

    /** Cancelled, by somebody or by its time limit; waited in vain for a lock. */
    private static final List<String> CANCELLED = List.of("57014", "55P03");

    private Outage() {}

    /**
     * Whether the database's absence is behind a failure. A statement that was cancelled is none: its own time limit may
     * have done it, and then it would be cancelled for ever.
     */
    public static boolean isOne(Throwable failure) {
        return anywhere(failure, Outage::isAbsence);
    }

    /**
     * The same about a statement of Posthorn's own: how long it takes does not depend on what is in an event, so to be
     * cancelled is no fault of an event either; and what has no SQLSTATE was said by a pool, not by the server.
     */
    public static boolean isOneOrCancelled(Throwable failure) {
        return anywhere(failure, each -> isAbsence(each) || isCancellation(each));
    }

    /**
     * Whether the database answered a statement of Posthorn's own, and what it said may be due to a value. 42: it misses a
     * table, a column or a right, which is no value's fault, and is there again once somebody has seen to it.
     */
    public static boolean isRefusal(Throwable failure) {
        return !isOneOrCancelled(failure)
                && anywhere(
                        failure,
                        each -> each instanceof SQLException sql
                                && sql.getSQLState() != null
                                && !sql.getSQLState().startsWith("42"));
    }

    private static boolean isAbsence(Throwable each) {
        return (each instanceof SQLException sql && isAbsence(sql))
                || (each instanceof PosthornException ours && isAbsence(ours));
    }

    private static boolean isAbsence(SQLException e) {
        return e instanceof SQLTransientConnectionException
                || e instanceof SQLNonTransientConnectionException
                || e instanceof SQLRecoverableException
                || e.getCause() instanceof IOException
                || begins(e.getSQLState(), AWAY);
    }

    /** Of what is no SQL failure only that which says that the right database did not answer. */
    private static boolean isAbsence(PosthornException e) {
        return switch (e.code()) {
            case IN_RECOVERY, CLUSTER_CHANGED, SCHEMA_MISMATCH -> true;
            case DATABASE -> e.getCause() == null;
            default -> false;
        };
    }

    private static boolean isCancellation(Throwable each) {
        return each instanceof SQLTimeoutException
                || (each instanceof SQLException e && (e.getSQLState() == null || begins(e.getSQLState(), CANCELLED)));
    }

    /** Pools and handlers throw exceptions without a state. */
    private static boolean begins(@Nullable String state, List<String> beginnings) {
        return state != null && beginnings.stream().anyMatch(state::startsWith);
    }

    /** Causes, the further ones of a batch, and what failed while the first was dealt with: the rollback, for instance. */
    private static boolean anywhere(Throwable failure, Predicate<Throwable> wanted) {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Throwable> left = new ArrayDeque<>(List.of(failure));
        while (!left.isEmpty()) {
            Throwable each = left.remove();
            if (!seen.add(each)) {
                continue;
            }
            if (wanted.test(each)) {
                return true;
            }
            add(left, each.getCause());
            add(left, each instanceof SQLException sql ? sql.getNextException() : null);
            left.addAll(List.of(each.getSuppressed()));
        }
        return false;
    }

    private static void add(Deque<Throwable> left, @Nullable Throwable each) {
        if (each != null) {
            left.add(each);
        }
    }
}
