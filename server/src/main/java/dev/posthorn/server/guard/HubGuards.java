package dev.posthorn.server.guard;

import dev.posthorn.audit.Actor;
import dev.posthorn.server.database.Changes;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.subscriptions.sinks.Assembly;
import dev.posthorn.server.web.Page;
import dev.posthorn.server.web.PageToken;
import dev.posthorn.server.web.Preconditions;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What people do with guards. */
final class HubGuards {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
    private static final int ATTEMPTS = 5;

    private final Database database;
    private final Changes changes;
    private final GuardStore store;
    private final GuardBlueprint blueprint;
    private final GuardKeeper keeper;
    private final ForwardStore forwards;

    HubGuards(
            Database database,
            Changes changes,
            GuardStore store,
            GuardBlueprint blueprint,
            GuardKeeper keeper,
            ForwardStore forwards) {
        this.database = database;
        this.changes = changes;
        this.store = store;
        this.blueprint = blueprint;
        this.keeper = keeper;
        this.forwards = forwards;
    }

    /** What a PUT came to. */
    record Put(GuardAnswer answer, boolean created) {}

    /** Makes it as the body says. Tried again if somebody else changes it between the look and the change. */
    Put put(String name, byte[] body, Preconditions conditions, Actor by) {
        database.requireReady();
        requireName(name);
        for (int i = 0; i < ATTEMPTS; i++) {
            GuardRow before = store.find(name).orElse(null);
            conditions.require(before == null ? null : before.revision());
            GuardBlueprint.Draft draft = blueprint.draft(body, before);
            String changed = before == null ? "" : blueprint.changed(draft, before);
            if (before != null && changed.isEmpty()) {
                return new Put(answer(before), false);
            }
            if (save(name, before, draft, changed, by).isPresent()) {
                changes.look();
                return new Put(get(name), before == null);
            }
        }
        throw busy(name);
    }

    private Optional<Long> save(
            String name, @Nullable GuardRow before, GuardBlueprint.Draft draft, String changed, Actor by) {
        return store.save(
                name,
                before == null ? null : before.revision(),
                draft.document(),
                blueprint.encrypted(name, draft),
                changed,
                by);
    }

    private static void requireName(String name) {
        if (!NAME.matcher(name).matches()) {
            throw Assembly.refusal(
                    "name", "must be letters, digits, '.', '_' and '-', at most 100, the first a letter or a digit");
        }
    }

    private static ProblemException busy(String name) {
        return conflict("guard '" + name + "' is changed by others all the time; try again");
    }

    private static ProblemException conflict(String detail) {
        return Problem.of(ProblemType.CONFLICT, detail).asException();
    }

    GuardAnswer get(String name) {
        return answer(row(name));
    }

    private GuardRow row(String name) {
        database.requireReady();
        return store.find(name).orElseThrow(() -> notFound(name));
    }

    static ProblemException notFound(String name) {
        return Problem.of(ProblemType.NOT_FOUND, "there is no guard '" + name + "'; GET /v1/guards lists them")
                .asException();
    }

    boolean isThere(String name) {
        database.requireReady();
        return store.find(name).isPresent();
    }

    Page<GuardAnswer> list(String limit, @Nullable String after) {
        database.requireReady();
        int most = Page.limit(limit);
        String from = after == null ? "" : PageToken.parts(after, 1).get(0);
        List<GuardAnswer> found =
                store.page(from, most + 1).stream().map(this::answer).toList();
        return Page.of(found, most, last -> PageToken.of(last.name()));
    }

    private GuardAnswer answer(GuardRow row) {
        return new GuardAnswer(
                row.name(),
                row.revision(),
                row.createdAt(),
                row.changedAt(),
                forwards.inDoubt(row.name()),
                keeper.trouble(row),
                blueprint.shown(row));
    }

    /** Not while something of it is open: nobody could settle that any more. What it remembers is kept. */
    void delete(String name, Preconditions conditions, Actor by) {
        for (int i = 0; i < ATTEMPTS; i++) {
            GuardRow row = row(name);
            conditions.require(row.revision());
            requireIdle(name);
            if (store.delete(name, row.revision(), by)) {
                changes.look();
                return;
            }
        }
        throw busy(name);
    }

    private void requireIdle(String name) {
        List<String> feeders = store.feeders(name);
        if (!feeders.isEmpty()) {
            throw conflict("guard '" + name + "' is fed by subscription '" + feeders.get(0)
                    + "'; delete that, or give it another sink, first");
        }
        long open = forwards.open(name);
        if (open > 0) {
            throw conflict("guard '" + name + "' has " + open + " forwards that are in doubt or under way; decide them"
                    + " first, see GET /v1/guards/" + name + "/forwards?state=IN_DOUBT");
        }
    }
}
