package dev.posthorn.webhook;

import dev.posthorn.error.Outage;
import dev.posthorn.event.EventIds;
import dev.posthorn.event.Marks;
import dev.posthorn.inbox.Effect;
import dev.posthorn.inbox.Inbox;
import dev.posthorn.inbox.Once;
import dev.posthorn.inbox.Transactions;
import dev.posthorn.webhook.Reception.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes webhooks that are signed by the rules of Standard Webhooks 1.0 and does the work about each once, however often it
 * comes. Knows nothing of any HTTP server: whoever has one hands over headers and body, and answers what this says.
 * Thread-safe.
 */
public final class WebhookReceiver {

    private static final Logger log = LoggerFactory.getLogger(WebhookReceiver.class);

    /**
     * No full stop: it separates what is signed, and with one in the id the same signature would be right for another id,
     * time and body.
     */
    private static final Pattern ID = Pattern.compile("[!-~&&[^.]]{1,255}");

    private final DataSource dataSource;
    private final String consumer;
    private final @Nullable String source;
    private final Verifier verifier;
    private final Inbox inbox;
    private final @Nullable Transactions transactions;
    private final int maxBodyBytes;
    private final @Nullable Duration retryAfter;

    private WebhookReceiver(Builder builder) {
        this.dataSource = builder.dataSource;
        this.consumer = builder.consumer;
        this.source = builder.source;
        this.verifier = new Verifier(builder.secrets, builder.tolerance, builder.clock);
        this.inbox = Inbox.builder().schema(builder.schema).build();
        this.transactions = builder.transactions;
        this.maxBodyBytes = builder.maxBodyBytes;
        this.retryAfter = builder.retryAfter;
    }

    /** A receiver whose inbox entries are made by this name. The same name every time. */
    public static Builder builder(DataSource dataSource, String consumer) {
        return new Builder(dataSource, consumer);
    }

    /**
     * Verifies the request and does the work, unless it was done before. Never throws for what the sender did or what the
     * work threw.
     *
     * @param headers a header's value by its name in lower case, null if there is none
     * @param body the very bytes that came: what a parser wrote again is not what was signed
     */
    public Reception receive(Function<String, @Nullable String> headers, byte[] body, Work work) {
        if (body.length > maxBodyBytes) {
            return tooLarge();
        }
        String id = headers.apply("webhook-id");
        String timestamp = headers.apply("webhook-timestamp");
        String signatures = headers.apply("webhook-signature");
        if (id == null || timestamp == null || signatures == null) {
            return malformed("webhook-id, webhook-timestamp and webhook-signature are needed, and not all are there");
        }
        if (!ID.matcher(id).matches()) {
            return malformed("webhook-id may hold up to 255 visible ASCII characters, none of them a full stop");
        }
        if (!Verifier.isTimestamp(timestamp)) {
            return malformed("webhook-timestamp is not a number of seconds");
        }
        if (!verifier.isTimely(timestamp)) {
            return refused(id, "webhook-timestamp is too long ago or ahead; are both clocks right?");
        }
        if (!verifier.isGenuine(id, timestamp, signatures, body)) {
            return refused(id, "no signature is right; was it made with the receiver's secret, over these very bytes?");
        }
        return take(new Webhook(id, eventId(id), Verifier.instant(timestamp), headers, body), work);
    }

    /** The same with a body that is still to be read, of which no more is read than the limit allows. */
    public Reception receive(Function<String, @Nullable String> headers, InputStream body, Work work)
            throws IOException {
        byte[] read = body.readNBytes(maxBodyBytes + 1);
        return receive(headers, read, work);
    }

    /**
     * Of an id that is not a UUID the name-based one. Not of a source that the request names: that is not signed, and under
     * another one the event would come again. Of one that is a UUID too, if the receiver has a source: another sender of the
     * same consumer could otherwise use it first.
     */
    private UUID eventId(String id) {
        UUID uuid = EventIds.uuid(id);
        if (uuid == null) {
            return EventIds.named(source == null ? consumer : source, id);
        }
        return source == null ? uuid : EventIds.named(source, uuid.toString());
    }

    private Reception take(Webhook webhook, Work work) {
        if ("true".equals(webhook.header(Marks.TEST))) {
            return Reception.of(Kind.SAMPLE, "a sample; nothing was done");
        }
        try {
            return once(webhook, work).isDuplicate()
                    ? Reception.of(Kind.DUPLICATE, "done before")
                    : Reception.of(Kind.PROCESSED, "done");
        } catch (Exception e) {
            return failed(webhook, e);
        }
    }

    private Once<UUID> once(Webhook webhook, Work work) throws Exception {
        Effect<UUID, Exception> effect = connection -> {
            work.run(connection, webhook);
            return webhook.eventId();
        };
        return transactions == null
                ? inbox.once(dataSource, consumer, webhook.eventId(), effect)
                : transactions.run(connection -> inbox.once(connection, consumer, webhook.eventId(), effect));
    }

    private Reception failed(Webhook webhook, Exception failure) {
        if (failure instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        log.warn("Consumer {}: webhook {} failed; its sender is to try again", consumer, webhook.id(), failure);
        return Outage.isOneOrCancelled(failure)
                ? new Reception(Kind.UNAVAILABLE, "not possible at present; try again", retryAfter)
                : new Reception(Kind.FAILED, "failed; try again", retryAfter);
    }

    private static Reception malformed(String text) {
        return Reception.of(Kind.MALFORMED, text);
    }

    /** Not a warning: whoever finds the URL could fill the log with them. */
    private Reception refused(String id, String text) {
        log.debug("Consumer {}: webhook {} is refused: {}", consumer, id, text);
        return Reception.of(Kind.REFUSED, text);
    }

    private Reception tooLarge() {
        return Reception.of(Kind.TOO_LARGE, "the body has more than " + maxBodyBytes + " bytes");
    }

    @Override
    public String toString() {
        return "webhook receiver of " + consumer;
    }

    /** Settings of a receiver; secrets are needed, the others have defaults. */
    public static final class Builder {

        private final DataSource dataSource;
        private final String consumer;
        private @Nullable String source;
        private String schema = "posthorn";
        private List<Secret> secrets = List.of();
        private Duration tolerance = Duration.ofMinutes(5);
        private InstantSource clock = InstantSource.system();
        private @Nullable Transactions transactions;
        private int maxBodyBytes = 2 << 20;
        private @Nullable Duration retryAfter;

        private Builder(DataSource dataSource, String consumer) {
            this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
            this.consumer = consumer;
        }

        /** The {@code whsec_…} secrets, any of which the sender may sign with: during a rotation the new and the old. */
        public Builder secrets(String... secrets) {
            return secrets(List.of(secrets));
        }

        public Builder secrets(List<String> secrets) {
            this.secrets = secrets.stream().map(Secret::of).toList();
            return this;
        }

        /** How far the sender's clock and this one may be apart, its way to here included. Left out: 5 minutes. */
        public Builder tolerance(Duration tolerance) {
            this.tolerance = Objects.requireNonNull(tolerance, "tolerance");
            return this;
        }

        /** What tells the time. Left out: the system. */
        public Builder clock(InstantSource clock) {
            this.clock = Objects.requireNonNull(clock, "clock");
            return this;
        }

        /**
         * Whose ids they are: they count only within it, UUIDs too, so that no other sender of this consumer can claim them.
         * With the source that a hub knows the sender by, ids that are not UUIDs become the ones that the hub makes of
         * them. Left out: a UUID is taken as it is, and others count within the consumer's name.
         */
        public Builder source(String source) {
            this.source = Objects.requireNonNull(source, "source");
            return this;
        }

        /** Who begins and ends transactions. Left out: each webhook has one of its own on a connection of its own. */
        public Builder transactions(Transactions transactions) {
            this.transactions = Objects.requireNonNull(transactions, "transactions");
            return this;
        }

        /** Left out: 2 MiB, which is room for the largest event in whatever form. */
        public Builder maxBodyBytes(int bytes) {
            this.maxBodyBytes = bytes;
            return this;
        }

        /** What a sender is told to wait when it is to try again. Left out: nothing, so that it goes by its own rules. */
        public Builder retryAfter(Duration retryAfter) {
            this.retryAfter = Objects.requireNonNull(retryAfter, "retryAfter");
            return this;
        }

        public Builder schema(String name) {
            this.schema = Objects.requireNonNull(name, "name");
            return this;
        }

        public WebhookReceiver build() {
            Secret.require(!consumer.isBlank(), "consumer is empty; name who takes the webhooks, the same every time");
            Inbox.requireConsumer(consumer);
            Secret.require(!secrets.isEmpty(), "there is no webhook secret; give those that the sender may sign with");
            Secret.require(
                    tolerance.compareTo(Duration.ZERO) > 0,
                    "tolerance is " + tolerance + "; it must be more than nothing");
            Secret.require(
                    maxBodyBytes >= 0 && maxBodyBytes < Integer.MAX_VALUE,
                    "maxBodyBytes is " + maxBodyBytes + "; it must be from 0 to 2,147,483,646");
            return new WebhookReceiver(this);
        }
    }
}
