package dev.posthorn.server.subscriptions;

import dev.posthorn.audit.Actor;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import dev.posthorn.relay.Subscription;
import dev.posthorn.server.access.Caller;
import dev.posthorn.server.database.Changes;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.secrets.LockedException;
import dev.posthorn.server.subscriptions.sinks.Assembly;
import dev.posthorn.server.subscriptions.sinks.SecretPlaces;
import dev.posthorn.server.web.Page;
import dev.posthorn.server.web.PageToken;
import dev.posthorn.server.web.Preconditions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;

/** What people do with subscriptions. */
final class HubSubscriptions {

    private static final Logger log = LoggerFactory.getLogger(HubSubscriptions.class);

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
    private static final Duration REMOVAL = Duration.ofSeconds(5);
    private static final Duration QUIET = Duration.ofSeconds(3);
    private static final Duration LOOK = Duration.ofMillis(20);
    private static final Duration SOON = Duration.ofSeconds(1);
    private static final int ATTEMPTS = 5;

    private final Database database;
    private final Changes changes;
    private final DocumentReader reader;
    private final SubscriptionStore store;
    private final Drafting drafting;
    private final Blueprint blueprint;
    private final Registrar registrar;
    private final SubscriptionKeeper keeper;
    private final RemovalKeeper removal;
    private final Trial trial;

    HubSubscriptions(
            Database database,
            Changes changes,
            DocumentReader reader,
            SubscriptionStore store,
            Drafting drafting,
            Blueprint blueprint,
            Registrar registrar,
            SubscriptionKeeper keeper,
            RemovalKeeper removal,
            Trial trial) {
        this.database = database;
        this.changes = changes;
        this.reader = reader;
        this.store = store;
        this.drafting = drafting;
        this.blueprint = blueprint;
        this.registrar = registrar;
        this.keeper = keeper;
        this.removal = removal;
        this.trial = trial;
    }

    /** What a PUT came to. */
    record Put(SubscriptionAnswer answer, boolean created) {}

    /**
     * Makes it as the body says. When this returns it is registered: whatever is recorded from then on is delivered to
     * it. Tried again if somebody else changes it between the look and the change.
     */
    Put put(String name, byte[] body, Preconditions conditions, Actor by) {
        database.requireReady();
        requireName(name);
        Document asked = reader.read(body, Document.class);
        for (int i = 0; i < ATTEMPTS; i++) {
            Row before = store.find(name).orElse(null);
            refuseInTheWay(name, before);
            conditions.require(before == null ? null : before.revision());
            Draft draft = drafting.draft(name, asked, before);
            if (before != null && drafting.isSame(draft, before)) {
                return new Put(answer(before), false);
            }
            Optional<Long> revision = save(name, before, draft, by);
            if (revision.isPresent()) {
                registrar.register(draft.subscription().at(revision.get()));
                changes.look();
                return new Put(get(name), before == null);
            }
        }
        throw busy(name);
    }

    private static ProblemException busy(String name) {
        return conflict("subscription '" + name + "' is changed by others all the time; try again");
    }

    private Optional<Long> save(String name, @Nullable Row before, Draft draft, Actor by) {
        return store.save(
                name,
                before == null ? null : before.revision(),
                drafting.document(draft),
                drafting.secrets(name, draft),
                before == null ? List.of() : drafting.changed(draft, before),
                by);
    }

    private static void requireName(String name) {
        if (!NAME.matcher(name).matches()) {
            throw Assembly.refusal(
                    "name", "must be letters, digits, '.', '_' and '-', at most 100, the first a letter or a digit");
        }
    }

    private void refuseInTheWay(String name, @Nullable Row before) {
        if (before != null) {
            refuseDeleting(before);
        } else if (store.isTaken(name)) {
            throw Problem.of(
                            ProblemType.CONFLICT,
                            "a subscription '" + name + "' was made in this database by an application's own relay;"
                                    + " choose another name")
                    .asException();
        }
    }

    private static void refuseDeleting(Row row) {
        if (row.deleting()) {
            throw conflict("subscription '" + row.name() + "' is being deleted; try again when it is gone");
        }
    }

    private static ProblemException conflict(String detail) {
        return new Problem(ProblemType.CONFLICT, detail, List.of(), SOON).asException();
    }

    SubscriptionAnswer get(String name) {
        return answer(row(name));
    }

    private Row row(String name) {
        database.requireReady();
        return store.find(name).orElseThrow(() -> notFound(name));
    }

    private static ProblemException notFound(String name) {
        return Problem.of(
                        ProblemType.NOT_FOUND,
                        "there is no subscription '" + name + "'; GET /v1/subscriptions lists them")
                .asException();
    }

    Page<SubscriptionAnswer> list(String limit, @Nullable String after) {
        database.requireReady();
        int most = Page.limit(limit);
        String from = after == null ? "" : PageToken.parts(after, 1).get(0);
        List<SubscriptionAnswer> found =
                store.page(from, most + 1).stream().map(this::answer).toList();
        return Page.of(found, most, last -> PageToken.of(last.name()));
    }

    Page<RevisionAnswer> revisions(String name, String limit, @Nullable String after) {
        database.requireReady();
        int most = Page.limit(limit);
        List<Revision> found = store.revisions(name, before(after), most + 1);
        if (found.isEmpty() && after == null) {
            throw notFound(name);
        }
        Page<Revision> page = Page.of(found, most, last -> PageToken.of(Long.toString(last.id())));
        return new Page<>(page.items().stream().map(this::answer).toList(), page.next());
    }

    private static long before(@Nullable String after) {
        if (after == null) {
            return Long.MAX_VALUE;
        }
        String id = PageToken.parts(after, 1).get(0);
        if (!id.matches("\\d{1,18}")) {
            throw Assembly.refusal("after", "is not a token of this list; give the 'next' of the page before");
        }
        return Long.parseLong(id);
    }

    private RevisionAnswer answer(Revision revision) {
        return new RevisionAnswer(
                revision.number(),
                revision.changedBy(),
                revision.changedAt(),
                revision.document() == null,
                revision.document() == null ? null : documentOrNull(revision.document()));
    }

    private SubscriptionAnswer answer(Row row) {
        SubscriptionKeeper.Trouble trouble = row.deleting() ? null : keeper.trouble(row);
        return new SubscriptionAnswer(
                row.name(),
                row.revision(),
                row.createdAt(),
                row.changedAt(),
                row.paused(),
                row.pauseReason(),
                state(row, trouble),
                trouble == null ? null : trouble.reason(),
                documentOrNull(row.document()));
    }

    private static State state(Row row, SubscriptionKeeper.@Nullable Trouble trouble) {
        if (row.deleting()) {
            return State.DELETING;
        }
        if (trouble != null) {
            return trouble.state();
        }
        if (row.paused()) {
            return row.quiet() ? State.PAUSED : State.PAUSING;
        }
        return row.changing() || !row.registered() ? State.PENDING : State.ACTIVE;
    }

    /**
     * Null for what another version wrote and this one cannot read: the rest is still to be seen. Masked once more, as an
     * older version stored queries as they were.
     */
    private @Nullable Document documentOrNull(String stored) {
        try {
            return reader.document(SecretPlaces.part(reader.tree(stored)).masked());
        } catch (JacksonException e) {
            return null;
        }
    }

    /** Deletes it; false if some instance still has something of it under way, and it goes when that is done. */
    boolean delete(String name, Preconditions conditions, Actor by) {
        for (int i = 0; i < ATTEMPTS; i++) {
            Row row = row(name);
            if (!row.deleting()) {
                conditions.require(row.revision());
            }
            if (row.deleting() || store.markDeleted(name, row.revision(), by).isPresent()) {
                changes.look();
                return removal.remove(name, REMOVAL);
            }
        }
        throw busy(name);
    }

    /** Answers when no instance sends any more, or says that it is being paused if that takes longer. */
    SubscriptionAnswer pause(String name, Actor by) {
        SubscriptionAnswer answer = setPaused(name, true, by);
        long giveUpAt = System.nanoTime() + QUIET.toNanos();
        while (answer.state() == State.PAUSING
                && System.nanoTime() - giveUpAt < 0
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(LOOK.toNanos());
            answer = get(name);
        }
        return answer;
    }

    SubscriptionAnswer resume(String name, Actor by) {
        return setPaused(name, false, by);
    }

    private SubscriptionAnswer setPaused(String name, boolean paused, Actor by) {
        Row row = row(name);
        refuseDeleting(row);
        if (!store.setPaused(row, paused, by)) {
            throw conflict("subscription '" + name + "' is not registered yet; try again in a moment");
        }
        return get(name);
    }

    /** It is written down before the sample is sent: what a receiver has got cannot be taken back. */
    TrialAnswer test(String name, byte @Nullable [] body, Caller caller, Actor by) {
        Row row = row(name);
        refuseDeleting(row);
        Sample sample = body == null || body.length == 0 ? Sample.DEFAULT : reader.read(body, Sample.class);
        Subscription fresh = fresh(row);
        Event event = trial.event(sample);
        store.audit(row, SubscriptionAct.test(name, event, reader.text(event.headers()), trial.shown(event)), by);
        TrialAnswer answer = trial.of(name, fresh.sink(), fresh.timeout(), event, caller);
        auditOutcome(row, SubscriptionAct.tested(name, event, answer), by);
        return answer;
    }

    /** The sample has been sent, so whoever sent it is told what came of it even if that cannot be written down. */
    private void auditOutcome(Row row, SubscriptionAct tested, Actor by) {
        try {
            store.audit(row, tested, by);
        } catch (PosthornException e) {
            log.warn("What came of a test of subscription {} could not be written down: {}", row.name(), tested, e);
        }
    }

    /** With a sink of its own, besides the one that is served. */
    private Subscription fresh(Row row) {
        try {
            return blueprint.subscription(row);
        } catch (LockedException e) {
            throw conflict("subscription '" + row.name() + "' is locked: " + e.reason());
        } catch (ProblemException e) {
            throw conflict("subscription '" + row.name() + "' is invalid: "
                    + e.problem().detail());
        }
    }
}
