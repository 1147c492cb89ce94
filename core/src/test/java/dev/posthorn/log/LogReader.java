package dev.posthorn.log;

import dev.posthorn.TestDatabase;
import dev.posthorn.event.RecordedEvent;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Reads a log from now on, remembering all it saw. */
final class LogReader implements AutoCloseable {

    static final LaneScope WHOLE = new LaneScope(Filter.ALL, 1, 0, 0, null, null);

    private final Session session;
    private final PostgresLog log;
    private final List<RecordedEvent> seen = new ArrayList<>();
    private Cursor cursor;
    private int batches;

    LogReader(TestDatabase database) {
        this(database, database.dataSource(), WHOLE, new Cursor.Tail(now(database)));
    }

    LogReader(TestDatabase database, DataSource dataSource, LaneScope scope, Cursor start) {
        this.session = new Session(dataSource, SchemaName.DEFAULT);
        this.log = new PostgresLog(session, scope);
        this.cursor = start;
    }

    static Snapshot now(TestDatabase database) {
        return new Snapshot(database.value("SELECT pg_current_snapshot()"));
    }

    /** The whole log, as a new subscription from the beginning would read it. */
    static LogReader fromBeginning(TestDatabase database, LaneScope scope) {
        Window first = new Window(Snapshot.NOTHING, now(database));
        return new LogReader(database, database.dataSource(), scope, Cursor.Inside.of(first, 0));
    }

    Batch readOnce(int limit, long bytes) {
        Batch batch = log.read(cursor, limit, bytes);
        seen.addAll(batch.events());
        cursor = batch.next();
        batches++;
        return batch;
    }

    /** Until a read finds the end of a window and nothing in it. */
    LogReader readAll(int limit) {
        Batch batch;
        do {
            batch = readOnce(limit, Long.MAX_VALUE / 4);
        } while (!batch.endsWindow() || !batch.events().isEmpty());
        return this;
    }

    List<String> keys() {
        return seen.stream().map(e -> String.valueOf(e.event().key())).toList();
    }

    List<Long> seqs() {
        return seen.stream().map(RecordedEvent::seq).toList();
    }

    int batches() {
        return batches;
    }

    @Override
    public void close() {
        session.close();
    }
}
