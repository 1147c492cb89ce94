package dev.posthorn.faults.torture;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.faults.harness.Change;
import dev.posthorn.faults.harness.Database;
import dev.posthorn.faults.harness.Tally;
import dev.posthorn.log.Batch;
import dev.posthorn.log.Cursor;
import dev.posthorn.log.Filter;
import dev.posthorn.log.KeyHash;
import dev.posthorn.log.LaneScope;
import dev.posthorn.log.Mark;
import dev.posthorn.log.PostgresLog;
import dev.posthorn.log.SchemaName;
import dev.posthorn.log.Session;
import dev.posthorn.log.Snapshot;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * Posthorn's own reader, driven as a lane drives it: reads ahead, persists the mark after some of what it read, and, if
 * it is to be killed, forgets everything but that mark now and then.
 */
final class WindowReader implements Reader {

    private static final long NO_BYTE_LIMIT = 1L << 40;

    private final Form form;
    private final Session session;
    private final PostgresLog log;
    private final SplittableRandom random;
    private final Tally tally;

    private final ArrayDeque<Unsettled> unsettled = new ArrayDeque<>();
    private final Set<UUID> settled = new HashSet<>();
    private Mark persisted;
    private Cursor cursor;
    private long greatestOfEarlierWindows;
    private long greatest;

    /** Read, and not covered by the persisted mark. */
    private record Unsettled(UUID id, Mark markAfter) {}

    private WindowReader(Form form, Database database, Tally tally) throws SQLException {
        this.form = form;
        this.session = new Session(database.dataSource(), SchemaName.DEFAULT);
        LaneScope scope = new LaneScope(Filter.ALL, form.lanes, form.lane, 0, null, null);
        this.log = new PostgresLog(session, scope);
        this.random = new SplittableRandom(form.seed);
        this.tally = tally;
        this.persisted = Mark.at(new Snapshot(
                database.column("SELECT pg_current_snapshot()::text").get(0)));
        this.cursor = persisted.cursor();
    }

    /** How it reads: which part of the keys, how many at most, and whether it is killed. */
    private record Form(String name, int lanes, int lane, int limit, boolean killed, long seed) {

        static Form of(String name, int limit) {
            return new Form(name, 1, 0, limit, false, 0);
        }
    }

    static WindowReader steady(Database database, int limit, Tally tally) throws SQLException {
        return new WindowReader(Form.of("limit " + limit, limit), database, tally);
    }

    static WindowReader killed(Database database, int limit, long seed, Tally tally) throws SQLException {
        Form form = new Form("limit " + limit + ", killed", 1, 0, limit, true, seed);
        return new WindowReader(form, database, tally);
    }

    static WindowReader killedLane(Database database, int lanes, int lane, int limit, long seed, Tally tally)
            throws SQLException {
        String name = "limit " + limit + ", killed, lane " + lane + " of " + lanes;
        return new WindowReader(new Form(name, lanes, lane, limit, true, seed), database, tally);
    }

    @Override
    public String name() {
        return form.name;
    }

    @Override
    public Found read() {
        if (form.killed) {
            settleSome();
            dieNowAndThen();
        }
        Batch batch = log.read(cursor, form.limit, NO_BYTE_LIMIT);
        count(batch);
        take(batch);
        List<Change> changes = new ArrayList<>();
        batch.events().forEach(event -> changes.add(Change.of(event.event())));
        return new Found(changes, !batch.endsWindow() || !changes.isEmpty());
    }

    private void count(Batch batch) {
        for (RecordedEvent event : batch.events()) {
            if (event.seq() < greatestOfEarlierWindows) {
                tally.count("rows below an earlier window's");
            }
            greatest = Math.max(greatest, event.seq());
        }
        if (batch.endsWindow()) {
            greatestOfEarlierWindows = greatest;
        } else if (cursor instanceof Cursor.Tail) {
            tally.count(form.limit >= 1000 ? "windows above 1000" : "windows above a batch");
        }
    }

    private void take(Batch batch) {
        if (form.killed) {
            batch.events().forEach(e -> unsettled.add(new Unsettled(e.event().id(), batch.markAfter(e))));
            Unsettled last = unsettled.pollLast();
            if (last == null) {
                persisted = batch.markAtEnd();
            } else {
                unsettled.add(new Unsettled(last.id, batch.markAtEnd()));
            }
        }
        cursor = batch.next();
    }

    private void settleSome() {
        if (random.nextInt(3) == 0) {
            for (int left = random.nextInt(unsettled.size() + 1); left > 0; left--) {
                Unsettled first = unsettled.remove();
                settled.add(first.id);
                persisted = first.markAfter;
            }
        }
    }

    private void dieNowAndThen() {
        if (!unsettled.isEmpty() && random.nextInt(25) == 0) {
            tally.count("kills between read and settle");
            unsettled.clear();
            cursor = persisted.cursor();
            if (random.nextInt(5) == 0) {
                session.close();
            }
        }
    }

    @Override
    public boolean wants(Change change) {
        return KeyHash.lane(change.aggregate(), change.id(), form.lanes) == form.lane;
    }

    /** What the persisted mark covers is settled for good. */
    @Override
    public boolean mayRepeat(Change change) {
        return form.killed && !settled.contains(change.id());
    }

    @Override
    public void close() {
        session.close();
    }
}
