package dev.posthorn.replay;

import dev.posthorn.audit.Act;
import dev.posthorn.audit.Actor;
import dev.posthorn.audit.Audit;
import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.error.Requests;
import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Sends dead letters, and events of the log, again. What is asked for is frozen as a set of items when it is asked for;
 * the owners of the lanes send them, and whatever becomes of an item, it is counted. With no relay running a replay waits.
 */
public final class Replays {

    /** How many items a replay may have. */
    public static final int LARGEST = 1_000_000;

    private static final int TRIES = 5;
    private static final String DEADLOCK = "40P01";

    /** Whatever the data source says, so that whoever waited for the lock sees what the one before has written. */
    private static final String READ_COMMITTED = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

    /** One start at a time, so that two clicks never take the same letter. */
    private static final String ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(hashtextextended('replay posthorn', 0))";

    private static final String LOOK_ONLY = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY";

    private final Queries queries;
    private final int largest;
    private final Runnable asked;

    public Replays(DataSource dataSource, SchemaName schema) {
        this(dataSource, schema, () -> {});
    }

    /**
     * The same in the process of a relay, whose lanes then need not wait for their next look.
     *
     * @param asked called when a replay, or a change of one, is committed: {@code relay::tend}
     */
    public Replays(DataSource dataSource, SchemaName schema, Runnable asked) {
        this(dataSource, schema, LARGEST, asked);
    }

    Replays(DataSource dataSource, SchemaName schema, int largest) {
        this(dataSource, schema, largest, () -> {});
    }

    private Replays(DataSource dataSource, SchemaName schema, int largest, Runnable asked) {
        this.queries = new Queries(dataSource, schema);
        this.largest = largest;
        this.asked = asked;
    }

    /** Freezes the set and has it sent. */
    public Replay start(ReplayRequest request, Actor by) {
        return ask("starting a replay", t -> {
            t.update(READ_COMMITTED, Map.of());
            t.list(ONE_AT_A_TIME, Map.of(), row -> 1);
            Pick pick = new Picker(t, request).forStart();
            Freeze.Frozen frozen = new Freeze(t, request, largest).run(pick, by.name());
            Audit.write(
                    t,
                    by,
                    new Act(
                            "replay.start",
                            target(frozen.id()),
                            request.describe(),
                            frozen.requested(),
                            request.reason()));
            return ReplayReader.get(t, frozen.id());
        });
    }

    /** What {@link #start} would do now: it looks at the very same items. */
    public Preview preview(ReplayRequest request) {
        return queries.run("previewing a replay", t -> {
            t.update(LOOK_ONLY, Map.of());
            Pick pick = new Picker(t, request).forPreview();
            Breakdown breakdown = Breakdown.of(t, pick, request.dedupPeriod(), largest);
            Freeze.requireNotTooMany(breakdown.requested(), largest);
            return new Preview(
                    breakdown.count(),
                    breakdown.skipped,
                    breakdown.subscriptions,
                    breakdown.types,
                    breakdown.ages,
                    request.needsReason(breakdown.requested()),
                    new Concerns(t, request, pick, breakdown).find(largest));
        });
    }

    /** A page of replays, the newest first. */
    public ReplayPage find(ReplayQuery query) {
        return queries.run("looking for replays", t -> ReplayReader.find(t, query));
    }

    public Replay get(long id) {
        return queries.run("reading a replay", t -> ReplayReader.get(t, id));
    }

    /** A page of the items that were not delivered. */
    public ItemPage items(long id, ItemQuery query) {
        return queries.run("reading items of a replay", t -> ReplayReader.items(t, id, query));
    }

    /** Sends no more of a running replay until it is resumed; what is at a sink is settled. */
    public Replay pause(long id, @Nullable String reason, Actor by) {
        String why = Requests.optional("reason", reason, Requests.MAX_TEXT);
        return change("pausing a replay", id, by, steps -> {
            steps.pause(why);
            return act("replay.pause", id, null, why);
        });
    }

    /** Goes on with a paused replay, or lets the rest of one go that waits for it. */
    public Replay resume(long id, Actor by) {
        return change("resuming a replay", id, by, steps -> {
            steps.resume();
            return act("replay.resume", id, null, null);
        });
    }

    /** Ends a replay: what was not sent is skipped. */
    public Replay cancel(long id, @Nullable String reason, Actor by) {
        String why = Requests.optional("reason", reason, Requests.MAX_TEXT);
        return unlessStuck(
                () -> change("cancelling a replay", id, by, steps -> act("replay.cancel", id, steps.cancel(why), why)));
    }

    /** Another rate for a replay that has not ended; null: as fast as it goes. */
    public Replay changeRate(long id, @Nullable Double ratePerSecond, Actor by) {
        return changePace(id, pace -> pace.ratePerSecond(ratePerSecond), by);
    }

    /** Another pace for a replay that has not ended, made of the one it has. */
    public Replay changePace(long id, UnaryOperator<ReplayPace> change, Actor by) {
        return change("changing the pace of a replay", id, by, steps -> {
            ReplayPace pace = change.apply(steps.holdPace());
            steps.changePace(pace);
            return new Act("replay.change", target(id), described(pace), null, null);
        });
    }

    /** What is done to a replay, and what the audit says of it. */
    private interface Step {
        Act take(ReplaySteps steps) throws SQLException;
    }

    private Replay change(String what, long id, Actor by, Step step) {
        return ask(what, t -> {
            t.update(READ_COMMITTED, Map.of());
            Audit.write(t, by, step.take(new ReplaySteps(t, id)));
            return ReplayReader.get(t, id);
        });
    }

    private Replay ask(String what, Queries.Work<Replay> work) {
        Replay replay = queries.run(what, work);
        asked.run();
        return replay;
    }

    /** A lane that settles items of the replay may hold one of them and want the other. */
    private static Replay unlessStuck(Supplier<Replay> work) {
        for (int left = TRIES; ; left--) {
            try {
                return work.get();
            } catch (PosthornException e) {
                if (left == 1 || !isDeadlock(e)) {
                    throw e;
                }
            }
        }
    }

    private static boolean isDeadlock(PosthornException error) {
        return error.code() == ErrorCode.DATABASE
                && error.getCause() instanceof SQLException sql
                && DEADLOCK.equals(sql.getSQLState());
    }

    private static Act act(String action, long id, @Nullable Long count, @Nullable String reason) {
        return new Act(action, target(id), Map.of(), count, reason);
    }

    private static String target(long id) {
        return "replay/" + id;
    }

    private static Map<String, String> described(ReplayPace pace) {
        Map<String, String> all = new TreeMap<>();
        all.put("ratePerSecond", pace.ratePerSecond() == null ? "unlimited" : String.valueOf(pace.ratePerSecond()));
        all.put("maxInFlight", pace.maxInFlight() == null ? "unlimited" : String.valueOf(pace.maxInFlight()));
        return all;
    }
}
