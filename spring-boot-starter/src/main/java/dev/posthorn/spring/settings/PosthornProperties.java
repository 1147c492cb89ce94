package dev.posthorn.spring.settings;

import dev.posthorn.event.EventLimits;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * All settings of the starter.
 *
 * @param role whether this application records, delivers, or both
 * @param dataSource bean name of the data source whose transactions events are recorded in; left out, the only or primary
 *     one
 * @param schema Posthorn's tables
 * @param outbox how events are recorded
 * @param relay how events are delivered
 * @param subscriptions who gets which events, by name
 * @param kafka Kafka for all subscriptions and listeners that do not say otherwise
 * @param inbox how events are consumed
 */
@ConfigurationProperties("posthorn")
public record PosthornProperties(
        @DefaultValue("both") Role role,
        @Nullable String dataSource,
        @DefaultValue Schema schema,
        @DefaultValue Outbox outbox,
        @DefaultValue Relay relay,
        @DefaultValue Map<String, SubscriptionProperties> subscriptions,
        @DefaultValue Kafka kafka,
        @DefaultValue Inbox inbox) {

    /** Who installs the tables. */
    public enum Install {
        /** The application, when it starts. */
        STARTUP,
        /** The application's Flyway, as a repeatable migration. */
        FLYWAY,
        /** Somebody else; the application looks whether it was done. */
        NONE
    }

    /** Whose connections the relay uses. */
    public enum Pool {
        /** A pool of its own, made with the settings of the application's. */
        OWN,
        /** The application's pool. */
        SHARED
    }

    /**
     * Posthorn's tables.
     *
     * @param install who installs and upgrades the tables
     * @param name the PostgreSQL schema of the tables
     */
    public record Schema(
            @DefaultValue("startup") Install install,
            @DefaultValue("posthorn") String name) {}

    /**
     * How events are recorded.
     *
     * @param source source of annotated events whose annotation names none; left out, spring.application.name
     * @param lockKeys whether writers of one key wait for each other, for applications that do not lock their aggregates
     * @param commitDurably whether a transaction that records commits synchronously even where synchronous_commit is off
     * @param maxPayload the greatest payload of an event
     * @param maxHeaders how many headers an event may have
     * @param maxHeaderSize the greatest size of an event's headers together
     */
    public record Outbox(
            @Nullable String source,
            @DefaultValue("false") boolean lockKeys,
            @DefaultValue("true") boolean commitDurably,
            @DefaultValue("1MB") DataSize maxPayload,
            @DefaultValue("64") int maxHeaders,
            @DefaultValue("16KB") DataSize maxHeaderSize) {

        public EventLimits limits() {
            return new EventLimits(
                    Math.toIntExact(maxPayload.toBytes()), maxHeaders, Math.toIntExact(maxHeaderSize.toBytes()));
        }
    }

    /**
     * How events are delivered.
     *
     * @param instance a name for this instance, unique among those that run; left out, a random one
     * @param workers how many threads, each with a connection of its own, deliver
     * @param sessionTtl how long the lanes of an instance that is not heard of stay its own; left out, ten seconds longer
     *     than twice the longest timeout of a subscription, or of a listener's replays, and at least 30s
     * @param dataSource bean name of the data source to deliver from; left out, the one that events are recorded in
     * @param pool whether the relay has a connection pool of its own or shares the application's
     * @param retention for how long things are kept
     */
    public record Relay(
            @Nullable String instance,
            @DefaultValue("2") int workers,
            @Nullable Duration sessionTtl,
            @Nullable String dataSource,
            @DefaultValue("own") Pool pool,
            @DefaultValue Retention retention) {}

    /**
     * For how long things are kept.
     *
     * @param log events in the log; 0 keeps them for ever
     * @param attempts what was tried for an event that did not go well; 0 keeps it for ever
     * @param deadLetters dead letters; left out, until somebody deals with them
     * @param inboxEntries entries of whoever does not say otherwise, by which an event that comes again is known; 0 keeps
     *     them for ever
     * @param interval how often to look for what is due
     */
    public record Retention(
            @DefaultValue("7d") Duration log,
            @DefaultValue("30d") Duration attempts,
            @Nullable Duration deadLetters,
            @DefaultValue("30d") Duration inboxEntries,
            @DefaultValue("1m") Duration interval) {

        public dev.posthorn.relay.retention.Retention retention() {
            return new dev.posthorn.relay.retention.Retention(
                    age(log), age(attempts), age(deadLetters), age(inboxEntries), interval);
        }

        private static @Nullable Duration age(@Nullable Duration duration) {
            return duration == null || duration.isZero() ? null : duration;
        }
    }

    /**
     * Kafka for all subscriptions and listeners that do not say otherwise.
     *
     * @param bootstrapServers addresses of the cluster, host:port, separated by commas; left out,
     *     spring.kafka.bootstrap-servers
     * @param properties settings of Kafka's clients, such as security.protocol and sasl.*; one that only consumers or only
     *     producers know is given to these
     */
    public record Kafka(
            @Nullable String bootstrapServers, @DefaultValue Map<String, String> properties) {}

    /**
     * How events are consumed.
     *
     * @param enabled whether methods with @InboxListener take events
     * @param transactionManager bean name of the transaction manager whose transactions listeners run in; left out, the
     *     only or primary one
     * @param kafkaProperties settings of the consumers of listeners, in addition to posthorn.kafka.properties
     * @param keepEntries for how long the entries of listeners are kept, by which an event that comes again is known; 0
     *     keeps them for ever; left out, posthorn.relay.retention.inbox-entries
     */
    public record Inbox(
            @DefaultValue("true") boolean enabled,
            @Nullable String transactionManager,
            @DefaultValue Map<String, String> kafkaProperties,
            @Nullable Duration keepEntries) {}

    /** For how long listeners' inbox entries are kept; null: for ever. */
    public @Nullable Duration listenersEntries() {
        Duration own = inbox.keepEntries();
        return Retention.age(own == null ? relay.retention().inboxEntries() : own);
    }
}
