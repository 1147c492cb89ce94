package dev.posthorn.server.guard;

import dev.posthorn.audit.Actor;
import dev.posthorn.server.documents.DocumentAct;
import dev.posthorn.server.documents.DocumentContent;
import dev.posthorn.server.documents.DocumentKind;
import dev.posthorn.server.documents.NamedDocuments;
import dev.posthorn.server.documents.NamedDocuments.Put;
import dev.posthorn.server.documents.Preconditions;
import dev.posthorn.server.documents.SecretPlaces;
import dev.posthorn.server.documents.SentDocuments;
import dev.posthorn.server.documents.StoredDocument;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.web.Page;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What people do with guards. */
final class HubGuards {

    private final NamedDocuments<StoredDocument> documents;
    private final SentDocuments<TargetDocument> sent;
    private final GuardStore store;
    private final GuardBlueprint blueprint;
    private final GuardKeeper keeper;
    private final ForwardStore forwards;

    HubGuards(
            NamedDocuments<StoredDocument> documents,
            SentDocuments<TargetDocument> sent,
            GuardStore store,
            GuardBlueprint blueprint,
            GuardKeeper keeper,
            ForwardStore forwards) {
        this.documents = documents;
        this.sent = sent;
        this.store = store;
        this.blueprint = blueprint;
        this.keeper = keeper;
        this.forwards = forwards;
    }

    /** Makes it as the body says. */
    Put<GuardAnswer> put(String name, byte @Nullable [] body, Preconditions conditions, Actor by) {
        return changed(name, sent.whole(name, body, conditions), by);
    }

    /** Changes what the body names, and leaves the rest as it is. */
    GuardAnswer patch(String name, byte @Nullable [] body, Preconditions conditions, Actor by) {
        // Before anything that would tell how to create it.
        documents.get(name);
        return changed(name, sent.patch(name, body, conditions), by).answer();
    }

    private Put<GuardAnswer> changed(String name, SentDocuments.Asked<TargetDocument> asked, Actor by) {
        return documents.change(name, asked.conditions(), () -> documents.former(name), before -> {
            SecretPlaces.Parted draft =
                    blueprint.draft(asked.wanted().apply(before == null ? null : before.document()), before);
            List<String> changed = before == null ? List.of() : blueprint.changed(draft, before);
            if (before != null && changed.isEmpty()) {
                return Optional.of(new Put<>(answer(before), false));
            }
            return save(name, before, draft, changed, by).map(saved -> {
                documents.announce();
                return new Put<>(get(name), before == null);
            });
        });
    }

    private Optional<Long> save(
            String name, @Nullable StoredDocument before, SecretPlaces.Parted draft, List<String> changed, Actor by) {
        DocumentContent content = blueprint.content(name, draft);
        DocumentAct act = before == null
                ? DocumentAct.create(DocumentKind.GUARD, name, content)
                : DocumentAct.change(DocumentKind.GUARD, name, content, changed);
        return store.save(before, content, act, by);
    }

    GuardAnswer get(String name) {
        return answer(documents.get(name));
    }

    /** Refuses everything while the database is away. */
    void requireReady() {
        documents.requireReady();
    }

    /** Whether this instance has read it, or would if it looked. */
    boolean isKnown(String name) {
        return keeper.served(name) != null || isThere(name);
    }

    boolean isThere(String name) {
        return documents.find(name).isPresent();
    }

    Page<GuardAnswer> list(String limit, @Nullable String after) {
        return documents.list(limit, after, this::answer);
    }

    private GuardAnswer answer(StoredDocument row) {
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
        documents.changeExisting(name, conditions, () -> documents.get(name), row -> {
            requireIdle(name);
            return store.delete(row, by) ? Optional.of(name) : Optional.empty();
        });
        documents.announce();
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

    private static ProblemException conflict(String detail) {
        return Problem.of(ProblemType.CONFLICT, detail).asException();
    }
}
