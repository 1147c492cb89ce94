package dev.posthorn.relay.retention;

import static java.util.stream.Collectors.toCollection;

import dev.posthorn.audit.Act;
import dev.posthorn.audit.Actor;
import dev.posthorn.audit.Audit;
import dev.posthorn.error.PosthornException;
import dev.posthorn.error.Requests;
import dev.posthorn.log.DirectConnections;
import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import dev.posthorn.log.Session;
import dev.posthorn.relay.store.Ticker;
import dev.posthorn.subscription.LoggingListener;
import dev.posthorn.subscription.RelayListener;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forgets what is old: drops partitions of the log that every lane has settled, and deletes what else has had its time,
 * which is the longest that it was told itself or that anybody ever asked for in this schema.
 * A pass that finds the log busy leaves it alone and is repeated. A subscription that has not settled what is old is
 * never passed over: it is named, and {@link #letGo} is the way out.
 */
public final class RetentionKeeper {

    private static final Logger log = LoggerFactory.getLogger(RetentionKeeper.class);

    /** How long a pass goes on deleting; what is left then waits for the next. */
    private static final long PATIENCE_NANOS = Duration.ofSeconds(5).toNanos();

    /** To copy what is still waited for out of a large partition takes its time. */
    private static final Duration PATIENCE_PER_STATEMENT = Duration.ofMinutes(10);

    private static final long REMIND_NANOS = Duration.ofHours(1).toNanos();

    /** No subscription has an empty name. */
    private static final String OPEN_TRANSACTION = "";

    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private final DataSource dataSource;
    private final DirectConnections direct;
    private final SchemaName schema;
    private final Retention retention;
    private final @Nullable OwnEntries own;
    private final RelayListener listener;
    private final Ticker ticker;
    private final Map<String, Long> warned = new HashMap<>();

    public RetentionKeeper(DataSource dataSource, SchemaName schema, Retention retention) {
        this(dataSource, schema, retention, new LoggingListener(), Ticker.SYSTEM);
    }

    private Session open() {
        direct.require();
        return new Session(dataSource, schema).patience(PATIENCE_PER_STATEMENT);
    }

    public RetentionKeeper(
            DataSource dataSource, SchemaName schema, Retention retention, RelayListener listener, Ticker ticker) {
        this(dataSource, schema, retention, null, listener, ticker);
    }

    public RetentionKeeper(
            DataSource dataSource,
            SchemaName schema,
            Retention retention,
            @Nullable OwnEntries own,
            RelayListener listener,
            Ticker ticker) {
        this.dataSource = dataSource;
        this.direct = new DirectConnections(dataSource);
        this.schema = schema;
        this.retention = retention;
        this.own = own;
        this.listener = listener;
        this.ticker = ticker;
    }

    /**
     * A partition that is gone.
     *
     * @param age how long ago it was full
     * @param kept how many of its events were copied out because somebody still waits for them
     */
    public record Dropped(long fromSeq, long toSeq, Duration age, long kept) {

        Dropped keeping(long events) {
            return new Dropped(fromSeq, toSeq, age, events);
        }
    }

    /**
     * A subscription that has not settled events older than the retention, which are kept for it.
     *
     * @param age how long ago the oldest of their partitions was full
     * @param events how many there are at most, other subscriptions' among them
     */
    public record Hold(String subscription, Duration age, long events) {}

    /**
     * What a pass did.
     *
     * @param deleted how many small rows, and events of the DEFAULT partition, are gone
     * @param openTransaction whether an old partition has to stay because a transaction has been open since before it
     *     was full, and may have an event in it
     * @param complete whether nothing was left for the next pass: the log was not in use, and there was time for all
     */
    public record Pass(
            List<Dropped> dropped, long deleted, List<Hold> holds, boolean openTransaction, boolean complete) {

        static final Pass NOTHING = new Pass(List.of(), 0, List.of(), false, true);

        public Pass {
            dropped = List.copyOf(dropped);
            holds = List.copyOf(holds);
        }
    }

    /** Deletes what is due now, unless another instance is at it. */
    public synchronized Pass pass() {
        if (isIdle()) {
            return Pass.NOTHING;
        }
        // A session of its own for each pass, so that each begins with a look at which cluster this is: on another one
        // the ids of transactions that a pass compares and writes down would be wrong.
        try (Session session = open()) {
            RetentionStore store = new RetentionStore(session);
            return retention.isOff() && own != null
                    ? passOverOwn(store, own)
                    : pass(store, AskedRetention.longest(session, retention));
        }
    }

    public boolean isIdle() {
        return retention.isOff() && own == null;
    }

    private Pass passOverOwn(RetentionStore store, OwnEntries own) {
        Deletion deletion = new Deletion(store, Leftovers.of(own), ticker.nanos() + PATIENCE_NANOS);
        boolean complete = deletion.run();
        return new Pass(List.of(), deletion.rows, List.of(), false, complete);
    }

    private Pass pass(RetentionStore store, Retention longest) {
        long giveUpAt = ticker.nanos() + PATIENCE_NANOS;
        List<Dropped> dropped = new ArrayList<>();
        List<Hold> holds = List.of();
        Optional<String> open = Optional.empty();
        boolean complete = true;
        Duration age = longest.log();
        if (age != null) {
            complete = unlessBusy("full partitions are noted", () -> store.stampPassed())
                    && unlessBusy("old partitions are dropped", () -> drop(store, age, dropped, giveUpAt));
            List<RetentionStore.Held> held = store.holds(age);
            holds = held.stream()
                    .map(h -> new Hold(h.subscription(), h.age(), h.events()))
                    .toList();
            open = store.openTransaction(age);
            tell(holds, open, age);
        }
        Deletion deletion = new Deletion(store, Leftovers.of(longest), giveUpAt);
        complete &= deletion.run();
        return new Pass(dropped, deletion.rows, holds, open.isPresent(), complete);
    }

    private boolean drop(RetentionStore store, Duration age, List<Dropped> dropped, long giveUpAt) {
        while (ticker.nanos() <= giveUpAt) {
            Optional<Dropped> due = store.dropNext(age);
            if (due.isEmpty()) {
                return true;
            }
            Dropped next = due.get();
            dropped.add(next);
            log.info(
                    "Schema {}: dropped the partition of events {} to {}, full for {}; {} of them are still waited for"
                            + " and were kept",
                    schema,
                    next.fromSeq(),
                    next.toSeq() - 1,
                    days(next.age()),
                    next.kept());
        }
        return false;
    }

    /** Deletes leftovers, a batch of each kind in turn, so that a lot of one does not keep the others waiting. */
    private final class Deletion {

        private final RetentionStore store;
        private final List<Leftovers.Kind> kinds;
        private final long giveUpAt;
        private long rows;

        private Deletion(RetentionStore store, List<Leftovers.Kind> kinds, long giveUpAt) {
            this.store = store;
            this.kinds = kinds;
            this.giveUpAt = giveUpAt;
        }

        private boolean run() {
            boolean complete = true;
            List<Leftovers.Kind> left = kinds;
            while (!left.isEmpty()) {
                if (ticker.nanos() > giveUpAt) {
                    return false;
                }
                List<Leftovers.Kind> more = new ArrayList<>();
                for (Leftovers.Kind kind : left) {
                    complete &= unlessBusy("old " + kind.what() + " are deleted", () -> deleteBatch(kind, more));
                }
                left = more;
            }
            return complete;
        }

        private boolean deleteBatch(Leftovers.Kind kind, List<Leftovers.Kind> more) {
            Optional<Long> deleted = store.delete(kind);
            rows += deleted.orElse(0L);
            if (deleted.orElse(0L) >= Leftovers.BATCH) {
                more.add(kind);
            }
            return deleted.isPresent();
        }
    }

    /** False if a lock could not be had soon; the session has given up its transaction then. */
    private boolean unlessBusy(String what, BooleanSupplier work) {
        try {
            return work.getAsBoolean();
        } catch (PosthornException e) {
            if (e.getCause() instanceof SQLException cause && LOCK_NOT_AVAILABLE.equals(cause.getSQLState())) {
                log.debug("Schema {}: a table is in use, so {} at the next pass", schema, what);
                return false;
            }
            throw e;
        }
    }

    private void tell(List<Hold> holds, Optional<String> open, Duration age) {
        Set<String> stillHolding = holds.stream().map(Hold::subscription).collect(toCollection(HashSet::new));
        open.ifPresent(transaction -> stillHolding.add(OPEN_TRANSACTION));
        warned.keySet().retainAll(stillHolding);
        for (Hold hold : holds) {
            if (isWorthTelling(hold.subscription())) {
                listener.retentionHeld(hold.subscription(), hold.age(), hold.events());
            }
        }
        if (open.isPresent() && isWorthTelling(OPEN_TRANSACTION)) {
            log.warn(
                    "Schema {}: a transaction that has been open for longer than the retention of {} may yet commit old"
                            + " events, so the log cannot be cut. End the transaction with id {} (see backend_xid in"
                            + " pg_stat_activity, and pg_prepared_xacts)",
                    schema,
                    days(age),
                    open.get());
        }
    }

    private boolean isWorthTelling(String who) {
        long now = ticker.nanos();
        Long last = warned.get(who);
        if (last != null && now - last < REMIND_NANOS) {
            return false;
        }
        warned.put(who, now);
        return true;
    }

    private static String days(Duration duration) {
        return duration.toDays() > 0 ? duration.toDays() + " days" : duration.toSeconds() + " s";
    }

    /**
     * Gives up, for one subscription, the events for which it keeps partitions older than the retention: its lanes turn
     * those they have not settled into dead letters, and the partitions are dropped when they have. In the audit.
     */
    public LetGo letGo(String subscription, Actor by, String reason) {
        String why = Requests.required(
                "reason", reason, Requests.MAX_TEXT, "what is let go of becomes dead letters undelivered: say why");
        LetGo found = previewLetGo(subscription);
        if (!(found instanceof LetGo.Below below)) {
            return found;
        }
        long seq = new Queries(dataSource, schema).run("letting go", t -> {
            long reached = RetentionStore.letGo(t, subscription, below.seq())
                    .orElseThrow(() -> Requests.notFound("subscription '" + subscription + "' was deleted just now"));
            Map<String, String> detail = Map.of("below", String.valueOf(reached));
            Long count = below.exact() ? below.events() : null;
            Audit.write(t, by, new Act("subscription.let-go", "subscription/" + subscription, detail, count, why));
            return reached;
        });
        log.warn(
                "Subscription {} lets go of events below {}, as {} asked ({}): those it has not settled become dead"
                        + " letters",
                subscription,
                seq,
                by.name(),
                why);
        return new LetGo.Below(seq, below.events(), below.exact());
    }

    /** What {@link #letGo} would do now, without doing it. */
    public LetGo previewLetGo(String subscription) {
        try (Session session = open()) {
            Duration age = AskedRetention.longest(session, retention).log();
            if (age == null) {
                return new LetGo.NothingHeld("the log is kept for ever, so there is nothing to let go of");
            }
            RetentionStore store = new RetentionStore(session);
            if (!store.subscriptionExists(subscription)) {
                throw Requests.notFound("there is no subscription named '" + subscription + "'");
            }
            return store.holds(age).stream()
                    .filter(held -> held.subscription().equals(subscription))
                    .findFirst()
                    .<LetGo>map(store::unsettled)
                    .orElseGet(() -> new LetGo.NothingHeld("subscription " + subscription
                            + " has settled every event older than the retention of " + days(age)
                            + ", so there is nothing to let go of"));
        }
    }
}
