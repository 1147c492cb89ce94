package dev.posthorn.server.subscriptions;

import dev.posthorn.server.documents.DocumentSecrets;
import dev.posthorn.server.documents.NamedDocuments;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.subscriptions.definition.SubscriptionDocument;
import dev.posthorn.server.web.Page;
import dev.posthorn.server.web.PageToken;
import dev.posthorn.server.web.Parameters;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** What people see of subscriptions: the hub's, and those that applications serve in its database. */
@Component
final class SubscriptionViews {

    private final NamedDocuments<SubscriptionRow> documents;
    private final SubscriptionStore store;
    private final ApplicationSubscriptions applications;
    private final DocumentSecrets secrets;
    private final SubscriptionKeeper keeper;

    SubscriptionViews(
            NamedDocuments<SubscriptionRow> documents,
            SubscriptionStore store,
            ApplicationSubscriptions applications,
            DocumentSecrets subscriptionSecrets,
            SubscriptionKeeper keeper) {
        this.documents = documents;
        this.store = store;
        this.applications = applications;
        this.secrets = subscriptionSecrets;
        this.keeper = keeper;
    }

    SubscriptionAnswer get(String name) {
        return documents
                .find(name)
                .map(this::answer)
                .or(() -> applications.find(name))
                .orElseThrow(() -> documents.notFound(name));
    }

    /** One that has a document. */
    SubscriptionRow row(String name, String remedy) {
        return documents.find(name).orElseThrow(() -> {
            refuseTheirs(name, remedy);
            return documents.notFound(name);
        });
    }

    /** Refuses one that an application serves. */
    void refuseTheirs(String name, String remedy) {
        if (applications.find(name).isPresent()) {
            throw theirs(name, remedy);
        }
    }

    /** Those of these names that applications serve. */
    Set<String> theirs(Collection<String> names) {
        return applications.among(names);
    }

    /** That an application serves it. */
    static ProblemException theirs(String name, String remedy) {
        return Problem.of(
                        ProblemType.CONFLICT,
                        "subscription '" + name + "' is served by an application's own relay in this database; "
                                + remedy)
                .asException();
    }

    /** Refuses one that is about to go. */
    void refuseDeleting(SubscriptionRow row) {
        if (row.deleting()) {
            throw documents.conflict(row.name(), "is being deleted; try again when it is gone");
        }
    }

    Page<SubscriptionAnswer> list(String limit, @Nullable String after) {
        return Page.byName(limit, after, this::page, SubscriptionAnswer::name);
    }

    private List<SubscriptionAnswer> page(String after, int most) {
        List<SubscriptionRow> ours = documents.page(after, most);
        String last = ours.size() < most ? null : ours.get(most - 1).name();
        return Stream.concat(ours.stream().map(this::answer), applications.page(after, last, most).stream())
                .sorted(Comparator.comparing(SubscriptionAnswer::name))
                .limit(most)
                .toList();
    }

    Page<RevisionAnswer> revisions(String name, String limit, @Nullable String after) {
        documents.requireReady();
        int most = Page.limit(limit);
        List<Revision> found =
                store.revisions(name, after == null ? Long.MAX_VALUE : Parameters.place(after), most + 1);
        if (found.isEmpty() && after == null && applications.find(name).isEmpty()) {
            throw documents.notFound(name);
        }
        return Page.of(found, most, last -> PageToken.of(Long.toString(last.id())))
                .map(this::answer);
    }

    private RevisionAnswer answer(Revision revision) {
        return new RevisionAnswer(
                revision.number(),
                revision.changedBy(),
                revision.changedAt(),
                revision.document() == null,
                revision.document() == null ? null : secrets.shown(revision.document(), SubscriptionDocument.class));
    }

    SubscriptionAnswer answer(SubscriptionRow row) {
        SubscriptionKeeper.Trouble trouble = row.deleting() ? null : keeper.trouble(row);
        return new SubscriptionAnswer(
                row.name(),
                null,
                row.revision(),
                row.stored().createdAt(),
                row.changedAt(),
                row.paused(),
                row.pauseReason(),
                state(row, trouble),
                trouble == null ? null : trouble.reason(),
                row.formerSecretUntil(),
                secrets.shown(row.document(), SubscriptionDocument.class));
    }

    private static State state(SubscriptionRow row, SubscriptionKeeper.@Nullable Trouble trouble) {
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
}
