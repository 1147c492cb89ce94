package dev.posthorn.server.subscriptions;

import dev.posthorn.audit.Actor;
import dev.posthorn.server.documents.DocumentAct;
import dev.posthorn.server.documents.DocumentKind;
import dev.posthorn.server.documents.DocumentReader;
import dev.posthorn.server.documents.NamedDocuments;
import dev.posthorn.server.documents.NamedDocuments.Put;
import dev.posthorn.server.documents.Preconditions;
import dev.posthorn.server.documents.SentDocuments;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import dev.posthorn.server.subscriptions.definition.SubscriptionDocument;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.databind.node.ObjectNode;

/** Makes subscriptions what people ask for. */
@Component
final class HubSubscriptions {

    private final NamedDocuments<SubscriptionRow> documents;
    private final DocumentReader reader;
    private final SentDocuments<SubscriptionDocument> sent;
    private final SubscriptionViews views;
    private final Drafting drafting;
    private final SubscriptionStore store;
    private final ManySubscriptions many;

    HubSubscriptions(
            NamedDocuments<SubscriptionRow> documents,
            DocumentReader reader,
            SubscriptionViews views,
            Drafting drafting,
            SubscriptionStore store,
            ManySubscriptions many) {
        this.documents = documents;
        this.reader = reader;
        this.sent = new SentDocuments<>(reader, SubscriptionDocument.class, SubscriptionAnswer.class);
        this.views = views;
        this.drafting = drafting;
        this.store = store;
        this.many = many;
    }

    /** Makes it as the body says. */
    Put<SubscriptionAnswer> put(String name, byte @Nullable [] body, Preconditions conditions, Actor by) {
        return changed(name, sent.whole(name, body, conditions), by);
    }

    /** What would become of it; nothing is stored. */
    SubscriptionController.CheckAnswer check(byte @Nullable [] body) {
        documents.requireReady();
        try {
            ObjectNode asked = reader.sentDocument(Objects.requireNonNullElse(body, new byte[0]));
            String name = asked.path("name").asString("");
            NamedDocuments.requireName(name);
            return check(name, former(name), sent.whole(name, asked, Preconditions.NONE));
        } catch (ProblemException e) {
            return wrong(false, e);
        }
    }

    private SubscriptionController.CheckAnswer check(
            String name, @Nullable SubscriptionRow before, SentDocuments.Asked<SubscriptionDocument> asked) {
        try {
            SubscriptionDraft draft =
                    drafting.draft(name, asked.wanted().apply(before == null ? null : before.document()), before);
            List<String> changed = before == null ? List.of() : drafting.changed(draft, before);
            return new SubscriptionController.CheckAnswer(true, before != null, changed, List.of());
        } catch (ProblemException e) {
            return wrong(before != null, e);
        }
    }

    /** What a caller can mend is an answer, anything else a problem. */
    private static SubscriptionController.CheckAnswer wrong(boolean exists, ProblemException refused) {
        Problem problem = refused.problem();
        if (problem.type() != ProblemType.INVALID_REQUEST && problem.type() != ProblemType.CONFLICT) {
            throw refused;
        }
        List<Violation> violations =
                problem.violations().isEmpty() ? List.of(Violation.of("", problem.detail())) : problem.violations();
        return new SubscriptionController.CheckAnswer(false, exists, List.of(), violations);
    }

    /** Makes all that the body has, or none. */
    ManySubscriptions.ManyAnswer makeMany(byte @Nullable [] body, Actor by) {
        return many.make(body, by);
    }

    /** Changes what the body names, and leaves the rest as it is. */
    SubscriptionAnswer patch(String name, byte @Nullable [] body, Preconditions conditions, Actor by) {
        // Before anything that would tell how to create it.
        views.row(name, "change it there");
        return changed(name, sent.patch(name, body, conditions), by).answer();
    }

    /** When this returns it is registered: whatever is recorded from then on is delivered to it. */
    private Put<SubscriptionAnswer> changed(String name, SentDocuments.Asked<SubscriptionDocument> asked, Actor by) {
        return documents.change(name, asked.conditions(), () -> former(name), before -> {
            SubscriptionDraft draft =
                    drafting.draft(name, asked.wanted().apply(before == null ? null : before.document()), before);
            List<String> changed = before == null ? List.of() : drafting.changed(draft, before);
            if (before != null && changed.isEmpty()) {
                return Optional.of(new Put<>(views.answer(before), false));
            }
            if (!isSaved(name, before, draft, changed, by)) {
                return Optional.empty();
            }
            documents.announce();
            return Optional.of(new Put<>(views.get(name), before == null));
        });
    }

    private @Nullable SubscriptionRow former(String name) {
        SubscriptionRow before = documents.former(name);
        if (before == null) {
            views.refuseTheirs(name, "change it there, or choose another name for one of the hub's");
        } else {
            views.refuseDeleting(before);
        }
        return before;
    }

    /** Whether it is what was asked for then; not if somebody else has made or changed it meanwhile. */
    private boolean isSaved(
            String name, @Nullable SubscriptionRow before, SubscriptionDraft draft, List<String> changed, Actor by) {
        if (before == null) {
            return store.make(List.of(drafting.wanted(draft)), by).isPresent();
        }
        SubscriptionStore.Content content = drafting.content(name, draft, before);
        DocumentAct act = DocumentAct.change(DocumentKind.SUBSCRIPTION, name, content.content(), changed);
        return store.change(before, content, draft.subscription(), act, by).isPresent();
    }
}
