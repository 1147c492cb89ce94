package dev.posthorn.faults.attacks;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/** The events of which somebody, friend or foe, was told that they are recorded. */
final class Acknowledgements {

    private static final String FOUND = """
            SELECT count(*), count(DISTINCT id) FROM posthorn.event WHERE id = ANY (?)""";

    private final Set<UUID> ids = ConcurrentHashMap.newKeySet();

    void add(UUID id) {
        ids.add(id);
    }

    int count() {
        return ids.size();
    }

    Verdict compare(DataSource database) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement statement = connection.prepareStatement(FOUND)) {
            Array all = connection.createArrayOf("uuid", ids.toArray());
            statement.setArray(1, all);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return new Verdict(ids.size() - row.getInt(2), row.getInt(1) - row.getInt(2));
            }
        }
    }

    /**
     * What the log says of them.
     *
     * @param lost acknowledged, and not in the log
     * @param doubled how many rows there are too many
     */
    record Verdict(int lost, int doubled) {}
}
