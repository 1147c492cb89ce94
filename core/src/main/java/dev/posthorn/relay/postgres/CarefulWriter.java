package dev.posthorn.relay.postgres;

import dev.posthorn.error.Outage;
import dev.posthorn.log.Session;
import dev.posthorn.relay.store.Changes;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.Settled;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the changes of a settle of which the database refuses something: one value that it does not take would keep the
 * whole lane where it is, for ever. They are written in halves, each behind a savepoint, until what is refused stands
 * alone. Of that as much is written as the database takes: all but what was said about it; else a dead letter with a
 * copy of the event; else one that is only a short record of it. All of it is part of the settle's one transaction.
 *
 * <p>If not even the record can be written, nothing is: the lane tries again and stands still until somebody has seen to
 * the database, because an event that left no trace would be lost.
 */
final class CarefulWriter {

    private static final Logger log = LoggerFactory.getLogger(CarefulWriter.class);

    private final LaneGrant grant;
    private final ChangeWriter writer;
    private final RecordWriter records;

    /** The last event of which not even a record could be written. */
    private long standingAt;

    CarefulWriter(Session session, LaneGrant grant, ChangeWriter writer) {
        this.grant = grant;
        this.writer = writer;
        this.records = new RecordWriter(session, grant);
    }

    /** Something to write. */
    interface Writing {
        void run() throws SQLException;
    }

    /** Tries to write. Returns what the database said if it refused, in which case nothing was written; else null. */
    static @Nullable SQLException refusal(Connection connection, Writing writing) throws SQLException {
        Savepoint before = connection.setSavepoint();
        try {
            writing.run();
            connection.releaseSavepoint(before);
            return null;
        } catch (SQLException e) {
            if (!Outage.isRefusal(e)) {
                throw e;
            }
            connection.rollback(before);
            return e;
        }
    }

    /** Returns what was set aside. */
    List<Settled.SetAside> write(Connection connection, Changes changes) throws SQLException {
        List<Settled.SetAside> setAside = new ArrayList<>();
        write(connection, changes.apart(), setAside);
        return setAside;
    }

    private void write(Connection connection, List<Changes> some, List<Settled.SetAside> setAside) throws SQLException {
        SQLException refusal = refusal(connection, () -> writer.write(connection, Changes.together(some)));
        if (refusal == null) {
            return;
        }
        if (some.size() == 1) {
            writeLess(connection, some.get(0), refusal, setAside);
            return;
        }
        int half = some.size() / 2;
        write(connection, some.subList(0, half), setAside);
        write(connection, some.subList(half, some.size()), setAside);
    }

    private void writeLess(
            Connection connection, Changes refused, SQLException refusal, List<Settled.SetAside> setAside)
            throws SQLException {
        Refused event = Refused.of(refused);
        if (event == null) {
            throw refusal;
        }
        if (refusal(connection, () -> writer.write(connection, event.withoutWords())) == null) {
            log.warn(
                    "Lane {}: the database refuses what was said about event {} of seq {}; it is left out: {}",
                    grant.name(),
                    event.id(),
                    event.seq(),
                    firstLine(refusal));
            return;
        }
        for (RecordWriter.Detail detail : RecordWriter.Detail.values()) {
            Outcome.Failure failure = failure(refusal, detail);
            if (refusal(connection, () -> setAside(connection, event, detail, failure, setAside)) == null) {
                return;
            }
        }
        tellThatItStands(event.seq());
        throw refusal;
    }

    /** Once: it is tried many times a second. */
    private void tellThatItStands(long seq) {
        if (seq != standingAt) {
            standingAt = seq;
            log.error(
                    "Lane {}: the database refuses even a short record of the event of seq {}; the lane stands still and"
                            + " tries again, so that the event is not lost. See to what keeps rows out of table dead_letter",
                    grant.name(),
                    seq);
        }
    }

    private void setAside(
            Connection connection,
            Refused event,
            RecordWriter.Detail detail,
            Outcome.Failure failure,
            List<Settled.SetAside> setAside)
            throws SQLException {
        writer.write(connection, event.ended(failure));
        Settled.SetAside result = event.isOfHistory()
                ? new Settled.SetAside(event.seq(), null, event.attempts(), failure, false)
                : records.write(connection, event, detail, failure);
        setAside.add(result);
        log.error(
                "Lane {}: the event of seq {} is set aside, {}: {}",
                grant.name(),
                event.seq(),
                result.letter() == null ? "without a dead letter" : "as a dead letter with " + detail.words(),
                failure.reason());
    }

    /** The last one quotes nobody: what the database says may hold the very value that it does not take. */
    private static Outcome.Failure failure(SQLException refusal, RecordWriter.Detail detail) {
        String quoted = detail == RecordWriter.Detail.BARE ? "" : " (" + firstLine(refusal) + ")";
        return new Outcome.Reject(
                ErrorClass.UNSTORABLE,
                "the relay's database refuses to store what became of this event, SQLSTATE " + refusal.getSQLState()
                        + quoted + "; this letter has " + detail.words());
    }

    private static String firstLine(SQLException refusal) {
        return String.valueOf(refusal.getMessage()).lines().findFirst().orElse("");
    }
}
