package dev.posthorn.kafka.consumer;

import dev.posthorn.event.Event;
import dev.posthorn.inbox.BatchHandler;
import dev.posthorn.inbox.ConsumerListener;
import dev.posthorn.inbox.Consumption;
import dev.posthorn.inbox.Handler;
import dev.posthorn.inbox.Transactions;
import dev.posthorn.kafka.RecordDecoder;
import dev.posthorn.log.DirectConnections;
import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Relay;
import dev.posthorn.relay.retention.Retention;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.subscription.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Takes events from Kafka as a member of a consumer group and hands each to a handler, through the inbox: one effect per
 * event, however often it comes. Events of a key are handled in order, those of different keys side by side; an offset is
 * committed when everything before it is done.
 *
 * <p>A handler that throws is called again after the delays of the retry policy; meanwhile later events of the key wait
 * and other keys go on. In the end the event is a dead letter, and the key goes on.
 */
public final class InboxConsumer implements AutoCloseable {

    /** Longer than a partition waits for its handlers when it is handed over. */
    private static final Duration CLOSE_WITHIN = Duration.ofSeconds(40);

    private final Builder settings;
    private final Consumption consumption;
    private final ConsumerSettings kafka;
    private final ConsumerParts parts;
    private final List<Thread> workers = new CopyOnWriteArrayList<>();
    private volatile @Nullable Member member;
    private volatile @Nullable Thread memberThread;
    private @Nullable DeadLetterTarget deadLetters;
    private @Nullable Relay relay;

    private InboxConsumer(Builder builder, ConsumerSettings kafka) {
        this.settings = builder;
        this.kafka = kafka;
        this.consumption = new Consumption(
                builder.name,
                builder.schema,
                builder.transactions == null ? Transactions.over(builder.dataSource) : builder.transactions,
                Objects.requireNonNull(builder.handler),
                builder.around,
                builder.inbox);
        this.parts = new ConsumerParts(
                builder.name,
                consumption,
                new KeyQueues(builder.inFlightLimit, builder.inFlightBytes),
                new CrashTracker(builder.name, consumption, builder.inFlightLimit + kafka.mostAtOnce()),
                new Listeners(builder.listeners));
    }

    /**
     * A consumer without its name, topics and handler yet.
     *
     * @param bootstrapServers the cluster's {@code host:port} addresses, separated by commas
     * @param dataSource of the handler's effects; Posthorn's schema is in the same database
     */
    public static Builder builder(String bootstrapServers, DataSource dataSource) {
        return new Builder(bootstrapServers, dataSource);
    }

    /** Joins the group. Refuses if Posthorn's schema is not installed, or its relay would have no sessions of its own. */
    public synchronized void start() {
        if (member != null) {
            throw new IllegalStateException("consumer " + settings.name + " was started before");
        }
        new Schema(settings.schema).verify(settings.dataSource);
        if (settings.ownRelay) {
            new DirectConnections(settings.relayDataSource).require();
        }
        consumption.keepEntries(settings.dataSource, settings.inboxEntries);
        KafkaConsumer<byte[], byte[]> client = new KafkaConsumer<>(kafka.consumer());
        try {
            start(new Member(parts, settings.topics, client, new RecordReader(settings.reader)));
        } catch (RuntimeException e) {
            client.close();
            endOthers();
            throw e;
        }
    }

    private void start(Member joining) {
        deadLetters = settings.deadLetterTopic
                ? new DeadLetterTopic(settings.name, consumption, kafka.producer(), ConsumerSettings.SEND_TIMEOUT)
                : new DatabaseDeadLetters(consumption);
        relay = settings.ownRelay ? startRelay() : null;
        member = joining;
        startThreads(joining, deadLetters);
    }

    /** Serves the replays of its dead letters, and forgets its old inbox entries. The rest of the schema is others'. */
    private Relay startRelay() {
        Relay.Builder builder = Relay.builder(settings.relayDataSource)
                .schema(settings.schema.name())
                .workers(1);
        if (settings.retention == null) {
            builder.onlyInboxOf(consumption.names(), settings.inboxEntries);
        } else {
            builder.retention("consumer " + settings.name, settings.retention);
        }
        subscription().ifPresent(builder::subscribe);
        return builder.start();
    }

    private void startThreads(Member member, DeadLetterTarget deadLetters) {
        for (int i = 0; i < settings.threads; i++) {
            KeyQueueWorker worker = new KeyQueueWorker(parts, settings.batchSize, deadLetters, settings.retry);
            workers.add(thread(worker, settings.name + "-" + i));
        }
        memberThread = thread(member, settings.name);
        workers.forEach(Thread::start);
        memberThread.start();
    }

    private static Thread thread(Runnable work, String name) {
        Thread thread = new Thread(work, "posthorn-consumer-" + name);
        thread.setDaemon(true);
        return thread;
    }

    public String name() {
        return settings.name;
    }

    /**
     * Where replays of this consumer's dead letters go. Served by a relay of its own, unless {@link
     * Builder#ownRelay(boolean)} says that the application's relay does it. Empty if dead letters go to a topic.
     */
    public Optional<Subscription> subscription() {
        return settings.deadLetterTopic ? Optional.empty() : Optional.of(consumption.subscription());
    }

    /**
     * A replay of its dead letters, if these go to topics; the consumer need not be started for it.
     *
     * @throws dev.posthorn.error.PosthornException if they do not: then {@code Replays} replays them
     */
    public TopicReplay.Builder replay() {
        if (!settings.deadLetterTopic) {
            throw ConsumerSettings.refuse("the dead letters of " + settings.name
                    + " are in its database: replay them by" + " Replays, or build it with deadLetterTopic()");
        }
        return new TopicReplay.Builder(
                new DeadLetterReplayer(parts, settings.topics, new RecordReader(settings.reader), kafka));
    }

    /** The names that its inbox entries have, for a relay that is to forget them. */
    public Set<String> inboxNames() {
        return consumption.names();
    }

    /** How many records of each partition that this member has are not done; looked at twice a second. */
    public Map<TopicPartition, Long> lag() {
        Member current = member;
        return current == null ? Map.of() : current.lag();
    }

    /** Whether it takes part in its group and handles what it gets. */
    public boolean isRunning() {
        Thread thread = memberThread;
        return thread != null && thread.isAlive() && workers.stream().anyMatch(Thread::isAlive);
    }

    /** Ends what is being handled, commits and leaves the group. Waits at most 40 s for handlers. */
    @Override
    public synchronized void close() {
        Member leaving = member;
        if (leaving == null) {
            return;
        }
        leaving.stop();
        long giveUpAt = System.nanoTime() + CLOSE_WITHIN.toNanos();
        Thread thread = memberThread;
        if (thread != null) {
            join(thread, giveUpAt);
        }
        parts.queues().close();
        workers.forEach(worker -> join(worker, giveUpAt));
        workers.forEach(Thread::interrupt);
        endOthers();
    }

    private void endOthers() {
        if (deadLetters != null) {
            deadLetters.close();
        }
        if (relay != null) {
            relay.close();
        }
    }

    /** Closes them side by side, so that many take no longer than one. */
    public static void closeAll(Collection<InboxConsumer> consumers) {
        List<Thread> closing = consumers.stream()
                .map(each -> thread(each::close, each.settings.name + "-closing"))
                .toList();
        closing.forEach(Thread::start);
        // Each ends by itself when its own time is up.
        closing.forEach(InboxConsumer::join);
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void join(Thread thread, long giveUpAt) {
        try {
            TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, giveUpAt - System.nanoTime()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The trace of a single event, for the log; a batch has many. */
    private static AutoCloseable traceInLog(List<Event> events) {
        String traceparent = events.size() == 1 ? events.get(0).headers().get("traceparent") : null;
        return traceparent == null ? () -> {} : MDC.putCloseable("traceparent", traceparent);
    }

    /** Settings of a consumer. */
    public static final class Builder {

        /** Short ones: while an event waits, the offsets of its partition stay where they are. */
        public static final RetryPolicy DEFAULT_RETRY = RetryPolicy.of(
                5, Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(15), Duration.ofSeconds(30));

        private static final int DEFAULT_BATCH = 500;

        private final String bootstrapServers;
        private final DataSource dataSource;
        private DataSource relayDataSource;
        private final Map<String, String> settings = new LinkedHashMap<>();
        private final List<ConsumerListener> listeners = new ArrayList<>();
        private String name = "";
        private Set<String> topics = Set.of();
        private @Nullable BatchHandler handler;
        private int batchSize = DEFAULT_BATCH;
        private boolean batches;
        private int threads = 4;
        private int inFlightLimit = 10_000;
        private long inFlightBytes = 64L << 20;
        private RetryPolicy retry = DEFAULT_RETRY;
        private boolean deadLetterTopic;
        private boolean inbox = true;
        private boolean ownRelay = true;
        private @Nullable Duration inboxEntries = Retention.defaults().inboxEntries();
        private @Nullable Retention retention;
        private Function<List<Event>, AutoCloseable> around = InboxConsumer::traceInLog;
        private Function<ConsumerRecord<byte[], byte[]>, Event> reader = RecordDecoder::decode;
        private SchemaName schema = SchemaName.DEFAULT;
        private @Nullable Transactions transactions;

        private Builder(String bootstrapServers, DataSource dataSource) {
            this.bootstrapServers = Objects.requireNonNull(bootstrapServers, "bootstrapServers");
            this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
            this.relayDataSource = dataSource;
        }

        /** Who takes the events: its inbox entries, its consumer group and its dead letters. The same every time. */
        public Builder name(String name) {
            this.name = name;
            return this;
        }

        public Builder topics(String... topics) {
            this.topics = Set.copyOf(List.of(topics));
            return this;
        }

        /** One event per transaction. */
        public Builder handler(Handler handler) {
            this.handler = (connection, events) -> handler.handle(connection, events.get(0));
            this.batches = false;
            return this;
        }

        /** Many events per transaction: several times as fast. */
        public Builder batchHandler(BatchHandler handler) {
            this.handler = handler;
            this.batches = true;
            return this;
        }

        /** How many events, or batches, are handled at the same time; each takes a connection. Left out: 4. */
        public Builder threads(int threads) {
            this.threads = positive("threads", threads);
            return this;
        }

        /** How many events a batch has at most. Left out: 500. */
        public Builder batchSize(int events) {
            this.batchSize = positive("batch-size", events);
            return this;
        }

        /** How many records are fetched and not done, about. Left out: 10,000. */
        public Builder inFlightLimit(int records) {
            this.inFlightLimit = positive("in-flight-limit", records);
            return this;
        }

        /** The same limit in bytes. Left out: 64 MiB. */
        public Builder inFlightBytes(long bytes) {
            if (bytes < 1) {
                throw ConsumerSettings.refuse("in-flight-bytes is " + bytes + "; it must be at least 1");
            }
            this.inFlightBytes = bytes;
            return this;
        }

        /** Left out: five attempts, after 1, 5, 15 and 30 s. */
        public Builder retry(RetryPolicy retry) {
            this.retry = retry;
            return this;
        }

        /** Dead letters go to {@code <topic>.DLT} instead of the database. */
        public Builder deadLetterTopic() {
            this.deadLetterTopic = true;
            return this;
        }

        /** For effects that are harmless when repeated: no inbox entry, hence at least once. */
        public Builder withoutInbox() {
            this.inbox = false;
            return this;
        }

        /**
         * The connections of its relay, for handlers whose own go through PgBouncer in transaction mode: a relay keeps
         * sessions. Left out: those of the handlers.
         */
        public Builder relayDataSource(DataSource dataSource) {
            this.relayDataSource = Objects.requireNonNull(dataSource, "dataSource");
            return this;
        }

        /** Whether it runs a relay for its {@link InboxConsumer#subscription()} and its inbox itself. Left out: yes. */
        public Builder ownRelay(boolean ownRelay) {
            this.ownRelay = ownRelay;
            return this;
        }

        /**
         * For how long its inbox entries are kept; null: for ever. Stored, so that no relay on the schema deletes them
         * earlier. Left out: 30 days.
         */
        public Builder inboxEntries(@Nullable Duration age) {
            if (age != null && age.toMillis() < 1) {
                throw ConsumerSettings.refuse(
                        "inbox-entries is " + age + "; it must be at least 1 ms, or null to keep them for ever");
            }
            this.inboxEntries = age;
            return this;
        }

        /**
         * For a schema on which no relay runs but those of consumers: what its relay forgets of it besides. Left out:
         * nothing but its own inbox entries.
         */
        public Builder retention(Retention retention) {
            this.retention = retention;
            return this;
        }

        /**
         * Opened before each call of a handler and closed after it, on its thread: the trace of the event, for instance.
         * Left out: the event's traceparent is in slf4j's MDC.
         */
        public Builder around(Function<List<Event>, AutoCloseable> scope) {
            this.around = scope;
            return this;
        }

        /** For records that were not written by Posthorn. What it throws makes the record a dead letter. */
        public Builder reader(Function<ConsumerRecord<byte[], byte[]>, Event> reader) {
            this.reader = reader;
            return this;
        }

        /** Told what happens, in addition to the log. */
        public Builder listener(ConsumerListener listener) {
            listeners.add(listener);
            return this;
        }

        public Builder schema(String name) {
            this.schema = new SchemaName(name);
            return this;
        }

        /** Who begins and ends the handler's transactions. Left out: the consumer, on the data source. */
        public Builder transactions(Transactions transactions) {
            this.transactions = transactions;
            return this;
        }

        /** A setting of Kafka's consumer, such as those for security. */
        public Builder setting(String name, String value) {
            settings.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
            return this;
        }

        public InboxConsumer build() {
            if (name.isBlank()) {
                throw ConsumerSettings.refuse("name is missing; name who takes the events, the same every time");
            }
            if (topics.isEmpty()) {
                throw ConsumerSettings.refuse("topics is missing; name at least one");
            }
            if (handler == null) {
                throw ConsumerSettings.refuse("handler is missing; give a handler or a batchHandler");
            }
            batchSize = batches ? batchSize : 1;
            InboxConsumer consumer = new InboxConsumer(this, new ConsumerSettings(bootstrapServers, name, settings));
            consumer.subscription(); // Refuses a name that no subscription can have.
            return consumer;
        }

        private static int positive(String name, int value) {
            if (value < 1) {
                throw ConsumerSettings.refuse(name + " is " + value + "; it must be at least 1");
            }
            return value;
        }
    }
}
