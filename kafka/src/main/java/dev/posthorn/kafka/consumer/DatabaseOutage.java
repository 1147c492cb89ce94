package dev.posthorn.kafka.consumer;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.List;

/** Tells failures that say nothing about an event from those that do. */
final class DatabaseOutage {

    /** Connection lost or refused, no resources, server stopping or starting, disk trouble; conflicts with others. */
    private static final List<String> STATES = List.of("08", "53", "57P", "58", "40001", "40P01");

    private DatabaseOutage() {}

    static boolean isCauseOf(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof SQLException sql && isOutage(sql)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOutage(SQLException e) {
        String state = e.getSQLState();
        return e instanceof SQLTransientConnectionException
                || e instanceof SQLNonTransientConnectionException
                || e instanceof SQLRecoverableException
                || (state != null && STATES.stream().anyMatch(state::startsWith));
    }
}
