package dev.posthorn.benchmarks.testbed;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.posthorn.event.Event;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.Iterator;
import java.util.stream.Stream;

/** Events as they are published over REST. Sample events hold nothing that JSON would have to escape. */
public final class EventJson {

    /** Enough for a batch to begin with. */
    private static final int ROOM = 1 << 16;

    private EventJson() {}

    public static byte[] one(Event event) {
        ByteArrayOutputStream json = new ByteArrayOutputStream();
        append(json, event);
        return json.toByteArray();
    }

    public static byte[] array(Stream<Event> events) {
        ByteArrayOutputStream json = new ByteArrayOutputStream(ROOM);
        char before = '[';
        for (Iterator<Event> each = events.iterator(); each.hasNext(); before = ',') {
            json.write(before);
            append(json, each.next());
        }
        json.write(']');
        return json.toByteArray();
    }

    private static void append(ByteArrayOutputStream json, Event event) {
        Instant occurredAt = event.occurredAt();
        String time = occurredAt == null ? "" : ",\"occurredAt\":\"" + occurredAt + "\"";
        String envelope = "{\"id\":\"" + event.id() + "\",\"source\":\"" + event.source() + "\",\"type\":\""
                + event.type() + "\",\"version\":" + event.version() + ",\"aggregateType\":\"" + event.aggregateType()
                + "\",\"key\":\"" + event.key() + "\"" + time + ",\"data\":";
        json.writeBytes(envelope.getBytes(US_ASCII));
        json.writeBytes(event.payload());
        json.write('}');
    }
}
