package dev.posthorn.examples.billing;

import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The ledger. */
@Repository
class Books {

    private static final String ENTER = """
            INSERT INTO entry (booking, order_id, account, amount, order_amount)
            VALUES (:booking, :order, 'customer ' || :customer, :amount, :orderAmount),
                   (:booking, :order, 'revenue', - :amount, :orderAmount)
            """;

    private static final String TOTALS = """
            SELECT count(DISTINCT order_id) AS orders,
                   count(DISTINCT booking) AS bookings,
                   coalesce(sum(amount) FILTER (WHERE account <> 'revenue'), 0) AS customers,
                   coalesce(sum(amount) FILTER (WHERE account = 'revenue'), 0) AS revenue
            FROM entry
            """;

    private final JdbcClient database;

    Books(JdbcClient database) {
        this.database = database;
    }

    /** Debits the customer and credits the revenue. */
    void book(UUID booking, UUID order, String customer, long amount, long orderAmount) {
        database.sql(ENTER)
                .param("booking", booking)
                .param("order", order)
                .param("customer", customer)
                .param("amount", amount)
                .param("orderAmount", orderAmount)
                .update();
    }

    Totals totals() {
        return database.sql(TOTALS).query(Totals.class).single();
    }

    /** Debits are positive, credits negative. */
    record Totals(long orders, long bookings, long customers, long revenue) {}
}
