package dev.posthorn.server.subscriptions;

import dev.posthorn.audit.Actor;
import dev.posthorn.server.documents.DocumentAct;
import dev.posthorn.server.documents.DocumentKind;
import dev.posthorn.server.documents.DocumentReader;
import dev.posthorn.server.documents.NamedDocuments;
import dev.posthorn.server.documents.NamedDocuments.Put;
import dev.posthorn.server.documents.Preconditions;
import dev.posthorn.server.documents.SentDocuments;
import dev.posthorn.server.subscriptions.definition.SubscriptionDocument;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Makes subscriptions what people ask for. */
@Component
final class HubSubscriptions {

    private final NamedDocuments<SubscriptionRow> documents;
    private final SentDocuments<SubscriptionDocument> sent;
    private final SubscriptionViews views;
    private final Drafting drafting;
    private final SubscriptionStore store;

    HubSubscriptions(
            NamedDocuments<SubscriptionRow> documents,
            DocumentReader reader,
            SubscriptionViews views,
            Drafting drafting,
            SubscriptionStore store) {
        this.documents = documents;
        this.sent = new SentDocuments<>(reader, SubscriptionDocument.class, SubscriptionAnswer.class);
        this.views = views;
        this.drafting = drafting;
        this.store = store;
    }

    /** Makes it as the body says. */
    Put<SubscriptionAnswer> put(String name, byte @Nullable [] body, Preconditions conditions, Actor by) {
        return changed(name, sent.whole(name, body, conditions), by);
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
            return save(name, before, draft, changed, by).map(saved -> {
                documents.announce();
                return new Put<>(views.get(name), before == null);
            });
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

    private Optional<SubscriptionStore.Saved> save(
            String name, @Nullable SubscriptionRow before, SubscriptionDraft draft, List<String> changed, Actor by) {
        SubscriptionStore.Content content = drafting.content(name, draft, before);
        DocumentAct act = before == null
                ? DocumentAct.create(DocumentKind.SUBSCRIPTION, name, content.content())
                : DocumentAct.change(DocumentKind.SUBSCRIPTION, name, content.content(), changed);
        return store.save(before, content, draft.subscription(), act, by);
    }
}
