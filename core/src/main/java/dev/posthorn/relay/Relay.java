package dev.posthorn.relay;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.FieldRules;
import dev.posthorn.log.DirectConnections;
import dev.posthorn.log.PartitionKeeper;
import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import dev.posthorn.log.Session;
import dev.posthorn.relay.budget.Deliveries;
import dev.posthorn.relay.budget.LaneOrders;
import dev.posthorn.relay.lane.Lane;
import dev.posthorn.relay.postgres.PostgresLeaseStore;
import dev.posthorn.relay.retention.AskedRetention;
import dev.posthorn.relay.retention.OwnEntries;
import dev.posthorn.relay.retention.Retention;
import dev.posthorn.relay.retention.RetentionKeeper;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.Ticker;
import dev.posthorn.subscription.LoggingListener;
import dev.posthorn.subscription.RelayListener;
import dev.posthorn.subscription.SafeListener;
import dev.posthorn.subscription.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers recorded events to the sinks of its subscriptions. Any number of instances may run against one database;
 * they share the lanes.
 *
 * <p>Uses one connection per worker and two more, and keeps them; now and then one more for retention. Give it a data
 * source with at least that many to spare.
 */
public final class Relay implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Relay.class);

    private static final Duration PARTITION_INTERVAL = Duration.ofSeconds(5);
    /** Less than a second by what a pass itself may take. */
    private static final Duration LONGEST_PASS_INTERVAL = Duration.ofMillis(800);

    /** Below this a database that is only busy would be taken for one that is gone. */
    private static final Duration LEAST_PATIENCE = Duration.ofSeconds(2);

    private static final Duration MOST_PATIENCE = Duration.ofSeconds(10);

    /** A pass of retention may be in the middle of something; it is not waited for much longer than that takes. */
    private static final Duration LAST_PASS = Duration.ofSeconds(10);

    private static final Duration CHANGE_INTERVAL = Duration.ofMillis(50);

    private static final Duration DEFAULT_TTL = Duration.ofSeconds(30);
    private static final Duration DEFAULT_ROOM = Duration.ofSeconds(10);

    /** Less would be used up by the margin that is never relied upon. */
    private static final Duration LEAST_TTL = Subscription.TRUST_MARGIN.plusMillis(2);

    private static final int LONGEST_NAME = 255;

    private final String instance;
    private final RelayListener listener;
    private final Session keeperSession;
    private final Duration sessionTtl;
    private final LeaseKeeper keeper;
    private final PartitionKeeper partitions;
    private final RetentionKeeper retention;
    private final Duration retentionInterval;
    private final List<Worker> workers = new ArrayList<>();
    private final Thread keeperThread;
    private final Thread partitionThread;
    private final @Nullable Thread retentionThread;
    private final CountDownLatch stopping = new CountDownLatch(1);

    /** A pass is wanted before its time. */
    private final Semaphore changed = new Semaphore(0);

    private volatile List<Lane> lanes = List.of();

    private Relay(Builder builder) {
        this.instance = builder.instance;
        this.listener = builder.allListeners();
        DataSource dataSource = builder.dataSource;
        this.keeperSession = new Session(dataSource, builder.schema);
        Deliveries deliveries = Deliveries.ofThisProcess();
        for (int i = 0; i < builder.workers; i++) {
            workers.add(new Worker("posthorn-worker-" + i, new Session(dataSource, builder.schema), deliveries));
        }
        this.sessionTtl = builder.ttl();
        setPatience();
        this.keeper = new LeaseKeeper(
                new PostgresLeaseStore(keeperSession, instance, !builder.onlyRegistered),
                builder.subscriptions,
                this::startLane,
                sessionTtl,
                Ticker.SYSTEM);
        this.partitions = new PartitionKeeper(dataSource, builder.schema, builder.partitionSize);
        this.retention = new RetentionKeeper(
                dataSource, builder.schema, builder.retention, builder.own, listener, Ticker.SYSTEM);
        this.retentionInterval = builder.retention.interval();
        this.keeperThread = daemon(this::keepLeases, "posthorn-lease-keeper");
        this.partitionThread = daemon(this::keepPartitions, "posthorn-partition-keeper");
        // A thread of its own, because a pass can take seconds, and the next partition must not wait for it.
        this.retentionThread = retention.isIdle() ? null : daemon(this::keepRetention, "posthorn-retention-keeper");
    }

    private static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    public static Builder builder(DataSource dataSource) {
        return new Builder(dataSource);
    }

    /** A third of the session's time, so that a connection that has gone silent is replaced well before that is over. */
    private void setPatience() {
        Duration third = shorter(sessionTtl.dividedBy(3), MOST_PATIENCE);
        Duration patience = third.compareTo(LEAST_PATIENCE) < 0 ? LEAST_PATIENCE : third;
        keeperSession.patience(patience);
        workers.forEach(worker -> worker.session().patience(patience));
    }

    /** A session is renewed at least three times in its life; a change, and a session that has ended, are noticed within a second. */
    private Duration passInterval() {
        return shorter(sessionTtl.dividedBy(3), LONGEST_PASS_INTERVAL);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private Duration longestTimeout() {
        return keeper.wishes().all().stream()
                .map(Subscription::timeout)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    private void start() {
        workers.forEach(Worker::start);
        keeperThread.start();
        partitionThread.start();
        if (retentionThread != null) {
            retentionThread.start();
        }
    }

    private Lane startLane(LaneGrant grant, Subscription subscription, LaneOrders orders) {
        Worker worker =
                workers.stream().min(Comparator.comparingInt(Worker::load)).orElseThrow();
        return worker.start(grant, subscription, orders, listener, instance);
    }

    private void keepLeases() {
        String trouble = "";
        do {
            workers.forEach(worker -> worker.session().endIfStuck());
            try {
                if (isStandingStill()) {
                    trouble = tellOnce(
                            trouble,
                            "a worker has not come to the end of one step for " + sessionTtl
                                    + ", so its session is not renewed and its lanes go to others");
                    continue;
                }
                keeper.pass();
                lanes = keeper.lanes();
                if (!trouble.isEmpty()) {
                    log.info("Instance {}: its session is renewed again", instance);
                    trouble = "";
                }
            } catch (PosthornException e) {
                trouble = tellOnce(trouble, String.valueOf(e.getMessage()));
            } catch (Throwable bug) {
                log.error(
                        "Instance {}: an error nobody expected while renewing its session; trying again",
                        instance,
                        bug);
            }
        } while (!pauseUntilPass());
    }

    private String tellOnce(String told, String trouble) {
        if (!told.equals(trouble)) {
            log.warn(
                    "Instance {}: {}. Trying again every {} ms",
                    instance,
                    trouble,
                    passInterval().toMillis());
        }
        return trouble;
    }

    /** The lanes of such a worker are served by nobody. Once the session is not renewed any more, others take them over. */
    private boolean isStandingStill() {
        return workers.stream().anyMatch(worker -> worker.standsStillNanos() > sessionTtl.toNanos());
    }

    private void keepPartitions() {
        do {
            try {
                partitions.keep();
            } catch (PosthornException e) {
                log.debug("Instance {}: {}; trying again", instance, e.getMessage());
            } catch (Throwable bug) {
                log.error("Instance {}: an error nobody expected while making partitions; trying again", instance, bug);
            }
        } while (!pause(PARTITION_INTERVAL));
    }

    private void keepRetention() {
        String trouble = "";
        do {
            try {
                retention.pass();
                trouble = "";
            } catch (PosthornException e) {
                if (!trouble.equals(String.valueOf(e.getMessage()))) {
                    trouble = String.valueOf(e.getMessage());
                    log.warn(
                            "Instance {}: {}. Old events stay until that is put right; trying again every {} ms",
                            instance,
                            trouble,
                            retentionInterval.toMillis());
                }
            } catch (Throwable bug) {
                log.error(
                        "Instance {}: an error nobody expected while deleting old events; trying again", instance, bug);
            }
        } while (!pause(retentionInterval));
    }

    /** Waits that long; true if the relay is to stop. */
    private boolean pause(Duration duration) {
        try {
            return stopping.await(duration.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            return true;
        }
    }

    /** Waits for the next pass; true if the relay is to stop. */
    private boolean pauseUntilPass() {
        try {
            Duration pause = keeper.isChanging() ? CHANGE_INTERVAL : passInterval();
            var unused = changed.tryAcquire(pause.toNanos(), TimeUnit.NANOSECONDS);
            changed.drainPermits();
            return stopping.getCount() == 0;
        } catch (InterruptedException e) {
            return true;
        }
    }

    /**
     * Serves these subscriptions from now on, and no others. One that is new begins; one that is not among them settles
     * what it has sent and stops, and keeps its place; one whose settings have changed does both, so that nothing is lost
     * or sent twice over the change. Takes effect within a moment, a sink that owes answers within its timeout.
     */
    public void serve(List<Subscription> subscriptions) {
        requireDifferentNames(subscriptions);
        requireFitting(subscriptions, sessionTtl);
        keeper.wishes().replace(subscriptions);
        changed.release();
    }

    /**
     * The same for these names alone: of them it serves these from now on, and no others. What has another name stays as
     * it is, and costs nothing however much of it there is.
     */
    public void serveInstead(Collection<String> names, List<Subscription> subscriptions) {
        requireDifferentNames(subscriptions);
        requireFitting(subscriptions, sessionTtl);
        keeper.wishes().replace(names, subscriptions);
        changed.release();
    }

    private static void requireDifferentNames(List<Subscription> subscriptions) {
        Set<String> names = new HashSet<>();
        for (Subscription subscription : subscriptions) {
            if (!names.add(subscription.name())) {
                throw new PosthornException(
                        ErrorCode.INVALID_SETTING, "there are two subscriptions named '" + subscription.name() + "'");
            }
        }
    }

    private static void requireFitting(List<Subscription> subscriptions, Duration sessionTtl) {
        subscriptions.forEach(subscription -> subscription.requireFitting("session-ttl", sessionTtl));
    }

    /** Something was committed in this process: look at the log now instead of at the next poll. */
    public void wake() {
        workers.forEach(Worker::wake);
    }

    /**
     * Somebody in this process asked something of lanes, a command or a replay, and that is committed: look now for what
     * has changed instead of within a second.
     */
    public void tend() {
        changed.release();
    }

    /** What forgets old events; a subscription that holds it up can be told there to let go. */
    public RetentionKeeper retention() {
        return retention;
    }

    public String instance() {
        return instance;
    }

    /** Whether it looks after its lanes: false once it is being closed. */
    public boolean isRunning() {
        return stopping.getCount() > 0 && keeperThread.isAlive();
    }

    /** The lanes that this instance owns now. */
    public List<OwnedLane> lanes() {
        return lanes.stream().map(OwnedLane::of).toList();
    }

    /** The same in the flesh, for tests. */
    List<Lane> liveLanes() {
        return lanes;
    }

    /** How often its lease keeper was asked to look since it last began to, for tests. */
    int timesAskedToLook() {
        return changed.availablePermits();
    }

    /**
     * Stops cleanly: sends nothing more, waits for the answers to what was sent, settles it, and gives the lanes up. A
     * sink that does not answer within its timeout is not waited for any longer.
     */
    @Override
    public void close() {
        stopping.countDown();
        changed.release();
        join(keeperThread, Duration.ZERO);
        join(partitionThread, LAST_PASS);
        try {
            long giveUpAt = System.nanoTime() + longestTimeout().plusSeconds(5).toNanos();
            keeper.leaveAll();
            while (!keeper.releaseLeft() && System.nanoTime() < giveUpAt) {
                TimeUnit.MILLISECONDS.sleep(2);
            }
            keeper.close();
        } catch (PosthornException e) {
            log.warn(
                    "Instance {}: stopped without giving up its lanes: {}. They are free when its session ends",
                    instance,
                    e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            workers.forEach(Worker::stop);
            keeperSession.close();
            // Last, because a pass may take a while, and lanes should be free for others before.
            if (retentionThread != null) {
                join(retentionThread, LAST_PASS);
            }
        }
    }

    private static void join(Thread thread, Duration most) {
        try {
            thread.join(most.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Settings of a relay. */
    public static final class Builder {

        private final DataSource dataSource;
        private final List<Subscription> subscriptions = new ArrayList<>();
        private final List<RelayListener> listeners = new ArrayList<>(List.of(new LoggingListener()));
        private SchemaName schema = SchemaName.DEFAULT;
        private String instance = UUID.randomUUID().toString();
        private @Nullable String predecessor;
        private @Nullable Duration sessionTtl;
        private int workers = 2;
        private long partitionSize = PartitionKeeper.DEFAULT_SIZE;
        private Retention retention = Retention.defaults();
        private @Nullable String asker;
        private @Nullable OwnEntries own;
        private boolean onlyRegistered;

        private Builder(DataSource dataSource) {
            this.dataSource = dataSource;
        }

        public Builder subscribe(Subscription subscription) {
            subscriptions.add(subscription);
            requireDifferentNames(subscriptions);
            return this;
        }

        public Builder schema(String name) {
            this.schema = new SchemaName(name);
            return this;
        }

        /** A name for this instance, unique among those that run; left out, a random one. */
        public Builder instance(String instance) {
            requireName("instance", instance);
            this.instance = instance;
            return this;
        }

        /**
         * How long the lanes of an instance that is not heard of stay its own; left out, ten seconds longer than twice the
         * longest timeout among the subscriptions that it starts with, and at least 30 s. A subscription whose timeout
         * needs more is refused: at least a second more than twice the timeout, or its lanes could be another's while a
         * send is under way.
         */
        public Builder sessionTtl(Duration ttl) {
            if (ttl.compareTo(LEAST_TTL) < 0) {
                throw new PosthornException(
                        ErrorCode.INVALID_SETTING, "session-ttl is " + ttl + "; it must be at least " + LEAST_TTL);
            }
            this.sessionTtl = ttl;
            return this;
        }

        private Duration ttl() {
            return sessionTtl != null
                    ? sessionTtl
                    : subscriptions.stream()
                            .map(subscription ->
                                    subscription.timeout().multipliedBy(2).plus(DEFAULT_ROOM))
                            .reduce(DEFAULT_TTL, (a, b) -> a.compareTo(b) > 0 ? a : b);
        }

        /**
         * The session of that instance ends when this one starts, instead of when its time has come. Only for one that is
         * known to have ended: if it lives, both send.
         */
        public Builder successorOf(String instance) {
            requireName("predecessor", instance);
            this.predecessor = instance;
            return this;
        }

        private static void requireName(String setting, String name) {
            if (name.isBlank() || name.length() > LONGEST_NAME || !FieldRules.isStorable(name)) {
                throw new PosthornException(
                        ErrorCode.INVALID_SETTING,
                        "the relay's " + setting + " has " + name.length() + " characters; it must have from 1 to "
                                + LONGEST_NAME + ", none of them a control character");
            }
        }

        /** How many threads, each with a connection of its own, step the lanes. */
        public Builder workers(int workers) {
            if (workers < 1) {
                throw new PosthornException(
                        ErrorCode.INVALID_SETTING, "workers is " + workers + "; it must be at least 1");
            }
            this.workers = workers;
            return this;
        }

        /** How many events a partition of the log holds. */
        public Builder partitionSize(long events) {
            this.partitionSize = events;
            return this;
        }

        /** Told what happens, in addition to the log. */
        public Builder listener(RelayListener listener) {
            listeners.add(listener);
            return this;
        }

        private RelayListener allListeners() {
            return new SafeListener(listeners);
        }

        /**
         * For how long events and what is known about them are kept; left out, {@link Retention#defaults()}. What is given
         * here is stored in the schema, and no relay on it forgets anything earlier.
         */
        public Builder retention(Retention retention) {
            return retention("relay", retention);
        }

        /**
         * The same, for several applications that relay in one schema.
         *
         * @param asker who wants that, in 1 to 255 characters; what was stored under this name before is void
         */
        public Builder retention(String asker, Retention retention) {
            requireName("retention's asker", asker);
            this.asker = asker;
            this.retention = retention;
            return this;
        }

        /**
         * Forgets nothing but these consumers' inbox entries: for a relay that serves a consumer, on a schema that is
         * others' business.
         *
         * @param entries for how long they are kept; null: for ever
         */
        public Builder onlyInboxOf(Set<String> consumers, @Nullable Duration entries) {
            this.asker = null;
            this.retention = Retention.off();
            this.own = entries == null ? null : new OwnEntries(consumers, entries);
            return this;
        }

        /**
         * Serves a subscription only while it is stored, and leaves it to {@link Subscriptions#register} to make it: so
         * that one that was deleted elsewhere is never made anew by an instance that has not heard of that yet.
         */
        public Builder onlyRegistered() {
            this.onlyRegistered = true;
            return this;
        }

        /**
         * Starts it; refuses if the schema is not installed, the data came from another cluster, or connections are not
         * sessions.
         */
        public Relay start() {
            new DirectConnections(dataSource).require();
            new Schema(schema).verify(dataSource);
            if (asker != null) {
                AskedRetention.ask(dataSource, schema, asker, retention);
            }
            requireFitting(subscriptions, ttl());
            if (predecessor != null) {
                endSessionsOf(predecessor);
            }
            Relay relay = new Relay(this);
            try {
                relay.keeper.pass();
            } catch (RuntimeException e) {
                relay.keeperSession.close();
                throw e;
            }
            relay.lanes = relay.keeper.lanes();
            relay.start();
            return relay;
        }

        private void endSessionsOf(String dead) {
            try (Session session = new Session(dataSource, schema)) {
                new PostgresLeaseStore(session, instance).endSessionsOf(dead);
            }
        }

        /** The same relay without threads, for tests that drive it by hand. */
        public Steps stepped(Ticker ticker) {
            requireFitting(subscriptions, ttl());
            Session session = new Session(dataSource, schema);
            return new Steps(
                    session,
                    new PostgresLeaseStore(session, instance, !onlyRegistered),
                    instance,
                    subscriptions,
                    allListeners(),
                    ttl(),
                    ticker);
        }
    }
}
