package dev.posthorn.faults.kill;

import dev.posthorn.faults.harness.Crew;
import dev.posthorn.faults.harness.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Looks at every lane's mark again and again: what it settles may only grow. */
final class MarkWatch {

    /** How many events each mark settles, all of it seen by one snapshot. */
    private static final String SETTLED = """
            SELECT s.name || '/' || l.index, m.epoch,
                   count(*) FILTER (WHERE pg_visible_in_snapshot(e.txid, m.a)
                                       OR (pg_visible_in_snapshot(e.txid, m.b) AND e.seq <= m.seq))
              FROM posthorn.event e
             CROSS JOIN posthorn.subscription s
              JOIN posthorn.generation g ON g.subscription_id = s.id AND g.number = s.generation
              JOIN posthorn.lane l
                ON l.subscription_id = s.id AND l.generation = s.generation
               AND l.index = posthorn.key_hash(e.key, e.id) % g.lanes
              JOIN posthorn.lane_effective m ON m.lane_id = l.id
             GROUP BY 1, 2
            """;

    private final Database database;
    private final Crew crew = new Crew();
    private final Map<String, State> states = new HashMap<>();
    private final List<String> backwards = new ArrayList<>();
    private int looks;
    private volatile boolean stopping;

    /** How a mark stood. */
    record State(long epoch, long settled) {}

    private MarkWatch(Database database) {
        this.database = database;
    }

    static MarkWatch start(Database database) {
        MarkWatch watch = new MarkWatch(database);
        watch.crew.start("mark-watch", watch::watch);
        return watch;
    }

    private void watch() throws SQLException, InterruptedException {
        try (Connection connection = database.dataSource().getConnection();
                PreparedStatement settled = connection.prepareStatement(SETTLED)) {
            while (!stopping) {
                look(settled);
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
    }

    private void look(PreparedStatement settled) throws SQLException {
        try (ResultSet rows = settled.executeQuery()) {
            while (rows.next()) {
                note(rows.getString(1), new State(rows.getLong(2), rows.getLong(3)));
            }
        }
        looks++;
    }

    private void note(String lane, State now) {
        State before = states.put(lane, now);
        if (before != null && before.settled > now.settled) {
            backwards.add(lane + " went from " + before + " to " + now);
        }
    }

    /** Ends the watch and tells which marks went backwards. */
    List<String> stop() {
        stopping = true;
        crew.join();
        if (looks < 10) {
            throw new IllegalStateException("only " + looks + " looks at the marks: the watch proves nothing");
        }
        return List.copyOf(backwards);
    }
}
