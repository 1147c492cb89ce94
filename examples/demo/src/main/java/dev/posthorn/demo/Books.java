package dev.posthorn.demo;

import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * What is in the databases of the two services.
 *
 * @param orders the amount of each order
 * @param entries the ledger, as it was written
 */
record Books(Map<UUID, Long> orders, List<Entry> entries) {

    static final String ORDERS = "orders";
    static final String BILLING = "billing";

    private static final String ALL_ORDERS = "SELECT id, amount FROM placed_order";
    private static final String ALL_ENTRIES =
            "SELECT booking, order_id, account, amount, order_amount FROM entry ORDER BY id";
    private static final String BOOKINGS = "SELECT count(*) / 2 FROM entry";

    Books {
        orders = Map.copyOf(orders);
        entries = List.copyOf(entries);
    }

    /**
     * A line of the ledger.
     *
     * @param orderAmount what the order is worth after it
     */
    record Entry(UUID booking, UUID order, String account, long amount, long orderAmount) {

        boolean isDebit() {
            return !account.equals("revenue");
        }
    }

    /** The ledger first: what is booked must be an order already. */
    static Books read(EmbeddedPostgres postgres) {
        List<Entry> entries = new ArrayList<>();
        query(postgres.dataSource(BILLING), ALL_ENTRIES, row -> entries.add(entry(row)));
        Map<UUID, Long> orders = new HashMap<>();
        query(postgres.dataSource(ORDERS), ALL_ORDERS, row -> orders.put(row.getObject(1, UUID.class), row.getLong(2)));
        return new Books(orders, entries);
    }

    private static Entry entry(ResultSet row) throws SQLException {
        return new Entry(
                row.getObject(1, UUID.class),
                row.getObject(2, UUID.class),
                row.getString(3),
                row.getLong(4),
                row.getLong(5));
    }

    static long bookings(EmbeddedPostgres postgres) {
        List<Long> count = new ArrayList<>();
        query(postgres.dataSource(BILLING), BOOKINGS, row -> count.add(row.getLong(1)));
        return count.get(0);
    }

    private interface EachRow {
        void take(ResultSet row) throws SQLException;
    }

    private static void query(DataSource database, String sql, EachRow each) {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                each.take(rows);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("cannot look into the books: " + e.getMessage(), e);
        }
    }
}
