package dev.posthorn.kafka.consumer;

import dev.posthorn.error.Outage;
import dev.posthorn.event.Event;
import dev.posthorn.inbox.Consumption;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Dead letters in the consumer's own database. */
final class LetterBox implements DeadEnd {

    private static final Logger log = LoggerFactory.getLogger(InboxConsumer.class);

    private static final String ORIGIN = "posthorn-origin";

    private final Consumption consumption;

    LetterBox(Consumption consumption) {
        this.consumption = consumption;
    }

    /** A letter that no row takes is one with nothing in it but the record's value: the offset has to go on. */
    @Override
    public void keep(Taken taken) throws SQLException {
        try {
            setAside(taken, taken.event());
        } catch (RuntimeException | SQLException e) {
            if (!Outage.isRefusal(e)) {
                throw e;
            }
            log.warn("The dead letter of {} keeps the record's value only: {}", taken.place(), e.getMessage());
            setAside(taken, Reading.bare(taken.event().id(), taken.record(), null));
        }
    }

    private void setAside(Taken taken, Event event) throws SQLException {
        int earlier = taken.attempts() - taken.failures().size();
        consumption.setAside(withOrigin(taken, event), taken.failures(), earlier, List.of(Care.attempt(taken)));
    }

    /** So that whoever reads the letter finds the record. */
    private static Event withOrigin(Taken taken, Event event) {
        Map<String, String> headers = new HashMap<>(event.headers());
        headers.put(ORIGIN, taken.place());
        return event.withHeaders(headers);
    }
}
