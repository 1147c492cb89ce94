package dev.posthorn.faults.hub;

import dev.posthorn.faults.harness.Change;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * What the log holds, against what publishers were told.
 *
 * @param lost acknowledged, and not in the log
 * @param doubled how many rows there are too many
 * @param unknown in the log, and never acknowledged, though every publisher went on until it was told
 */
public record RecordedLog(List<Change> events, int lost, int doubled, int unknown) {

    public RecordedLog {
        events = List.copyOf(events);
    }

    static RecordedLog compare(DataSource database, Set<UUID> acknowledged) throws SQLException {
        List<Change> events = Change.recorded(database);
        Set<UUID> ids = new HashSet<>();
        events.forEach(change -> ids.add(change.id()));
        int known = (int) ids.stream().filter(acknowledged::contains).count();
        return new RecordedLog(events, acknowledged.size() - known, events.size() - ids.size(), ids.size() - known);
    }

    public boolean isClean() {
        return lost + doubled + unknown == 0;
    }

    @Override
    public String toString() {
        return "log: " + events.size() + " events, " + lost + " acknowledged and lost, " + doubled + " twice, "
                + unknown + " that nobody published";
    }
}
