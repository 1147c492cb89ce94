package dev.posthorn.server.subscriptions.definition;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.posthorn.subscription.Subscription;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;

/** Where a new subscription begins: "now", "beginning", or a time. */
public record Start(String text) {

    public static final Start NOW = new Start("now");
    private static final Start BEGINNING = new Start("beginning");

    private static final Instant EARLIEST = Instant.parse("1970-01-01T00:00:00Z");
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static Start of(String text) {
        return text.equals(NOW.text) || text.equals(BEGINNING.text)
                ? new Start(text)
                : new Start(time(text).toString());
    }

    private static Instant time(String text) {
        try {
            Instant time = OffsetDateTime.parse(text).toInstant();
            if (time.isBefore(EARLIEST) || time.isAfter(LATEST)) {
                throw new DateTimeException("out of range");
            }
            return time;
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "must be \"now\", \"beginning\" or a time such as \"2026-01-31T12:00:00Z\"", e);
        }
    }

    @Override
    @JsonValue
    public String text() {
        return text;
    }

    void apply(Subscription.Builder builder) {
        if (equals(NOW)) {
            builder.fromNow();
        } else if (equals(BEGINNING)) {
            builder.fromBeginning();
        } else {
            builder.from(Instant.parse(text));
        }
    }
}
