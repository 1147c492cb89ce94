package dev.posthorn.faults.crash;

import dev.posthorn.faults.harness.Database;
import dev.posthorn.faults.load.Load;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** The events that writers were told are committed, until the next crash shows which of them are. */
final class Acknowledged implements Load.Told {

    private final List<UUID> waited = new ArrayList<>();
    private final List<UUID> unwaited = new ArrayList<>();

    @Override
    public synchronized void acknowledged(List<UUID> events, boolean waited) {
        (waited ? this.waited : unwaited).addAll(events);
    }

    /** What is not in the log although it was acknowledged since the last look. */
    record Missing(int waited, int unwaited) {}

    /** To be asked when the server is up again. What is acknowledged then is there, or a later look finds it missing. */
    Missing look(Database database) throws SQLException {
        return new Missing(missing(database, take(waited)), missing(database, take(unwaited)));
    }

    private synchronized List<UUID> take(List<UUID> from) {
        List<UUID> taken = List.copyOf(from);
        from.clear();
        return taken;
    }

    private static int missing(Database database, List<UUID> ids) throws SQLException {
        Set<UUID> missing = new HashSet<>(ids);
        try (Connection connection = database.dataSource().getConnection();
                PreparedStatement there =
                        connection.prepareStatement("SELECT id FROM posthorn.event WHERE id = ANY (?)")) {
            Array wanted = connection.createArrayOf("uuid", ids.toArray());
            there.setArray(1, wanted);
            try (ResultSet rows = there.executeQuery()) {
                while (rows.next()) {
                    missing.remove(rows.getObject(1, UUID.class));
                }
            }
        }
        return missing.size();
    }
}
