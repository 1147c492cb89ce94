package dev.posthorn.kafka.consumer;

import dev.posthorn.event.Event;
import dev.posthorn.inbox.Consumption;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** Dead letters in the consumer's own database. */
final class LetterBox implements DeadEnd {

    private static final String ORIGIN = "posthorn-origin";

    private final Consumption consumption;

    LetterBox(Consumption consumption) {
        this.consumption = consumption;
    }

    @Override
    public void keep(Taken taken) throws SQLException {
        consumption.setAside(withOrigin(taken), taken.failures());
    }

    /** So that whoever reads the letter finds the record. */
    private static Event withOrigin(Taken taken) {
        Event event = taken.event();
        Map<String, String> headers = new HashMap<>(event.headers());
        headers.put(ORIGIN, taken.partition() + "@" + taken.record().offset());
        return event.withHeaders(headers);
    }
}
