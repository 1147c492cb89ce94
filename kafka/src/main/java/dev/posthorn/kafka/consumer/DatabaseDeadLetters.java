package dev.posthorn.kafka.consumer;

import dev.posthorn.error.Outage;
import dev.posthorn.event.Event;
import dev.posthorn.inbox.Consumption;
import dev.posthorn.inbox.Counted;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Dead letters in the consumer's own database. */
final class DatabaseDeadLetters implements DeadLetterTarget {

    private static final Logger log = LoggerFactory.getLogger(InboxConsumer.class);

    private static final String ORIGIN = "posthorn-origin";

    private final Consumption consumption;

    DatabaseDeadLetters(Consumption consumption) {
        this.consumption = consumption;
    }

    /** A letter that no row takes is one with nothing in it but the record's value: the offset has to go on. */
    @Override
    public void keep(FetchedRecord fetched) throws SQLException {
        try {
            setAside(fetched, fetched.event());
        } catch (RuntimeException | SQLException e) {
            if (!Outage.isRefusal(e)) {
                throw e;
            }
            log.warn("The dead letter of {} keeps the record's value only: {}", fetched.place(), e.getMessage());
            setAside(fetched, RecordReader.bare(fetched.event().id(), fetched.record(), null));
        }
    }

    private void setAside(FetchedRecord fetched, Event letter) throws SQLException {
        int earlier = fetched.attempts() - fetched.failures().size();
        List<Counted> counted = List.of(CrashTracker.attempt(fetched));
        consumption.setAside(fetched.event(), withOrigin(fetched, letter), fetched.failures(), earlier, counted);
    }

    /** So that whoever reads the letter finds the record. */
    private static Event withOrigin(FetchedRecord fetched, Event letter) {
        Map<String, String> headers = new HashMap<>(letter.headers());
        headers.put(ORIGIN, fetched.place());
        return letter.withHeaders(headers);
    }
}
