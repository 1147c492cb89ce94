package dev.posthorn.faults.replay;

import dev.posthorn.faults.harness.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Looks at the lanes, and at what the replay says of itself, again and again. Keeps the stretches of time in which every
 * lane had an owner that lives and none changed hands. Used by one thread.
 */
final class Watch implements AutoCloseable {

    /** A lane that has just changed hands catches up on the tokens that gathered meanwhile. */
    private static final Duration SETTLES_WITHIN = Duration.ofMillis(400);

    private static final Duration BETWEEN_ACCOUNTS = Duration.ofMillis(250);
    private static final int EXAMPLES = 3;

    private static final String OWNERS = """
            SELECT l.index, s.instance, k.epoch FROM posthorn.lane_owner k JOIN posthorn.lane l ON l.id = k.lane_id
              JOIN posthorn.session s ON s.id = k.session_id WHERE s.expires_at > clock_timestamp()
            """;

    /** All of it seen by one snapshot. */
    private static final String ACCOUNT = """
            SELECT r.requested,
                   (SELECT coalesce(sum(d.count), 0) FROM posthorn.replay_delivered d WHERE d.replay_id = r.id),
                   count(*) FILTER (WHERE i.state = 'FAILED'),
                   count(*) FILTER (WHERE i.state = 'SKIPPED'),
                   count(*) FILTER (WHERE i.state = 'PENDING'),
                   (SELECT count(*) FROM posthorn.dead_letter l WHERE l.type = ?)
              FROM posthorn.replay r LEFT JOIN posthorn.replay_item i ON i.replay_id = r.id
             WHERE r.id = ? GROUP BY r.id
            """;

    /** An interval, in nanoseconds. */
    record Stretch(long from, long to) {

        double seconds() {
            return (to - from) / 1e9;
        }
    }

    /** A lane's owner; the epoch grows whenever it changes hands. */
    private record Owner(String instance, long epoch) {}

    private final Connection connection;
    private final PreparedStatement owners;
    private final PreparedStatement account;
    private final Supplier<List<String>> alive;
    private final List<Stretch> stretches = new ArrayList<>();
    private final List<String> wrongAccounts = new ArrayList<>();
    private Map<Integer, Owner> steady = Map.of();
    private long steadyFrom;
    private long lastLook;
    private long lastAccount;
    private int accounts;
    private long requested;
    private long delivered;

    Watch(Database database, Supplier<List<String>> alive) throws SQLException {
        this.connection = database.dataSource().getConnection();
        this.owners = connection.prepareStatement(OWNERS);
        this.account = connection.prepareStatement(ACCOUNT);
        this.alive = alive;
    }

    /** From now on its account is looked at too. Every dead letter of the type is an item of it. */
    void watch(String type, long replay) throws SQLException {
        account.setString(1, type);
        account.setLong(2, replay);
        lastAccount = System.nanoTime() - BETWEEN_ACCOUNTS.toNanos();
    }

    void look() throws SQLException {
        lookAtLanes();
        if (lastAccount != 0 && System.nanoTime() - lastAccount >= BETWEEN_ACCOUNTS.toNanos()) {
            lookAtAccount();
        }
    }

    private void lookAtLanes() throws SQLException {
        long before = System.nanoTime();
        Map<Integer, Owner> now = owners();
        if (!now.equals(steady)) {
            cut();
            steady = isServed(now) ? now : Map.of();
            steadyFrom = System.nanoTime();
        }
        lastLook = before;
    }

    private Map<Integer, Owner> owners() throws SQLException {
        Map<Integer, Owner> now = new TreeMap<>();
        try (ResultSet rows = owners.executeQuery()) {
            while (rows.next()) {
                now.put(rows.getInt(1), new Owner(rows.getString(2), rows.getLong(3)));
            }
        }
        return now;
    }

    private boolean isServed(Map<Integer, Owner> now) {
        return now.size() == ReplayingRelay.LANES
                && alive.get()
                        .containsAll(now.values().stream().map(Owner::instance).toList());
    }

    private void lookAtAccount() throws SQLException {
        try (ResultSet row = account.executeQuery()) {
            row.next();
            requested = row.getLong(1);
            delivered = row.getLong(2);
            long pending = row.getLong(5);
            long sum = delivered + row.getLong(3) + row.getLong(4) + pending;
            if (sum != requested || row.getLong(6) != requested - delivered) {
                wrongAccounts.add(requested + " requested, " + delivered + " delivered, " + row.getLong(3) + " failed, "
                        + row.getLong(4) + " skipped, " + pending + " pending, " + row.getLong(6) + " letters left");
            }
        }
        accounts++;
        lastAccount = System.nanoTime();
    }

    /** Whether every lane has an owner that lives. */
    boolean isSteady() {
        return !steady.isEmpty();
    }

    /** Something happens now: no stretch goes on over it. */
    void cut() {
        long from = steadyFrom + SETTLES_WITHIN.toNanos();
        if (isSteady() && lastLook > from) {
            stretches.add(new Stretch(from, lastLook));
        }
        steady = Map.of();
    }

    List<Integer> lanesOf(String instance) {
        return steady.entrySet().stream()
                .filter(lane -> lane.getValue().instance().equals(instance))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Those of at least that length. */
    List<Stretch> stretches(Duration least) {
        return stretches.stream()
                .filter(stretch -> stretch.to() - stretch.from() >= least.toNanos())
                .toList();
    }

    /** From 0 to 1: how much of the replay is delivered. */
    double progress() {
        return requested == 0 ? 0 : (double) delivered / requested;
    }

    int accounts() {
        return accounts;
    }

    /** Examples of what was wrong with them. */
    List<String> wrongAccounts() {
        return wrongAccounts.stream().limit(EXAMPLES).toList();
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
