package dev.posthorn.faults.torture;

import dev.posthorn.faults.harness.Change;
import dev.posthorn.faults.harness.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Ways of reading a log that look right and are not: what the torture has to notice. */
public final class WrongReaders {

    private static final int LIMIT = 1000;

    private WrongReaders() {}

    /** Loses what was written with a lower seq and committed later. */
    public static Reader bySeq(Database database) throws SQLException {
        return new Polling("seq > last", database, """
                SELECT id, payload, txid::text AS transaction, seq FROM posthorn.event
                 WHERE ?::xid8 IS NOT NULL AND seq > ? ORDER BY seq LIMIT 1000
                """);
    }

    /** Loses too: a transaction with a higher id may have drawn a lower seq. */
    public static Reader bySeqBelowHorizon(Database database) throws SQLException {
        return new Polling("seq > last AND txid < xmin", database, """
                SELECT id, payload, txid::text AS transaction, seq FROM posthorn.event
                 WHERE ?::xid8 IS NOT NULL AND seq > ? AND txid < pg_snapshot_xmin(pg_current_snapshot())
                 ORDER BY seq LIMIT 1000
                """);
    }

    /** Reorders an aggregate: a transaction may take its id early and its lock late. */
    public static Reader byTransactionAndSeq(Database database) throws SQLException {
        return new Polling("(txid, seq) > last AND txid < xmin", database, """
                SELECT id, payload, txid::text AS transaction, seq FROM posthorn.event
                 WHERE (txid, seq) > (?::xid8, ?) AND txid < pg_snapshot_xmin(pg_current_snapshot())
                 ORDER BY txid, seq LIMIT 1000
                """);
    }

    /** Reorders for the same reason: the early transaction lies in the window before that of the one it waited for. */
    public static Reader byWindowsOfHorizon(Database database) throws SQLException {
        return new HorizonWindows(database);
    }

    private static final class Polling implements Reader {

        private final String name;
        private final Connection connection;
        private final PreparedStatement next;
        private String txid = "0";
        private long seq;

        Polling(String name, Database database, String sql) throws SQLException {
            this.name = name;
            this.connection = database.dataSource().getConnection();
            this.next = connection.prepareStatement(sql);
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public Found read() throws SQLException {
            next.setString(1, txid);
            next.setLong(2, seq);
            List<Change> changes = new ArrayList<>();
            try (ResultSet rows = next.executeQuery()) {
                while (rows.next()) {
                    changes.add(Change.of(rows.getObject(1, UUID.class), rows.getBytes(2)));
                    txid = rows.getString(3);
                    seq = rows.getLong(4);
                }
            }
            return new Found(changes, changes.size() == LIMIT);
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }

    private static final class HorizonWindows implements Reader {

        private final Connection connection;
        private final PreparedStatement window;
        private String from = "0";

        HorizonWindows(Database database) throws SQLException {
            this.connection = database.dataSource().getConnection();
            this.window = connection.prepareStatement("""
                    WITH h AS MATERIALIZED (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS xmin)
                    SELECT h.xmin::text, e.id, e.payload
                      FROM h LEFT JOIN posthorn.event e ON e.txid >= ?::xid8 AND e.txid < h.xmin
                     ORDER BY e.seq
                    """);
        }

        @Override
        public String name() {
            return "windows of the xmin horizon";
        }

        @Override
        public Found read() throws SQLException {
            window.setString(1, from);
            List<Change> changes = new ArrayList<>();
            try (ResultSet rows = window.executeQuery()) {
                while (rows.next()) {
                    from = rows.getString(1);
                    UUID id = rows.getObject(2, UUID.class);
                    if (id != null) {
                        changes.add(Change.of(id, rows.getBytes(3)));
                    }
                }
            }
            return new Found(changes, false);
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }
}
