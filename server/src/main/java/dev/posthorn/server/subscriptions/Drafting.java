package dev.posthorn.server.subscriptions;

import dev.posthorn.server.documents.DocumentReader;
import dev.posthorn.server.documents.DocumentSecrets;
import dev.posthorn.server.documents.SecretPlaces;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import dev.posthorn.server.subscriptions.definition.Start;
import dev.posthorn.server.subscriptions.definition.SubscriptionDocument;
import dev.posthorn.server.subscriptions.definition.SubscriptionFactory;
import dev.posthorn.server.web.Parameters;
import dev.posthorn.subscription.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;

/** Checks what a caller asks for by building the real thing, and makes it ready to be stored. */
@Component
final class Drafting {

    private final DocumentReader reader;
    private final DocumentSecrets secrets;
    private final SubscriptionFactory factory;

    Drafting(DocumentReader reader, DocumentSecrets subscriptionSecrets, SubscriptionFactory factory) {
        this.reader = reader;
        this.secrets = subscriptionSecrets;
        this.factory = factory;
    }

    SubscriptionDraft draft(String name, SubscriptionDocument asked, @Nullable SubscriptionRow before) {
        SubscriptionDraft draft = unresolved(name, asked, before);
        refusal(draft).ifPresent(violation -> {
            throw Parameters.refused(violation.field(), violation.rule());
        });
        return draft;
    }

    /** Checked as far as nobody has to be asked for it: {@link #refusal} is still to come. */
    SubscriptionDraft unresolved(String name, SubscriptionDocument asked, @Nullable SubscriptionRow before) {
        SecretPlaces.Parted parted =
                secrets.parted(started(name, asked, before), before == null ? null : before.stored());
        SubscriptionDocument document = secrets.whole(parted, SubscriptionDocument.class);
        Subscription subscription = factory.subscription(name, document);
        return new SubscriptionDraft(subscription, Objects.requireNonNull(document.sink()), parted);
    }

    /** Left out, it stays as it was. */
    private SubscriptionDocument started(String name, SubscriptionDocument asked, @Nullable SubscriptionRow before) {
        if (before == null) {
            return asked;
        }
        Start start = start(before.document());
        Start stored = Objects.requireNonNullElse(start, Start.NOW);
        if (asked.start() != null && !asked.start().equals(stored)) {
            throw Problem.of(
                            ProblemType.CONFLICT,
                            "start: subscription '" + name + "' has begun at " + stored.text()
                                    + ", which cannot be changed; leave start out, or delete the subscription and"
                                    + " create it anew")
                    .asException();
        }
        return asked.startingAt(start);
    }

    /** Where a stored document says that it begins; null if it does not. */
    private @Nullable Start start(String stored) {
        JsonNode start = reader.tree(stored).path("start");
        return start.isString() ? new Start(start.stringValue()) : null;
    }

    /** Why nothing may be sent there at present. May have to look a name up. */
    Optional<Violation> refusal(SubscriptionDraft draft) {
        return factory.refusal(draft.sink(), draft.subscription());
    }

    /** The fields that are not as they are stored; empty if all are. */
    List<String> changed(SubscriptionDraft draft, SubscriptionRow before) {
        return secrets.changed(draft.parted(), before.stored());
    }

    /** One that is not there yet, ready to be stored. */
    NewSubscriptions.Wanted wanted(SubscriptionDraft draft) {
        Subscription subscription = draft.subscription();
        return new NewSubscriptions.Wanted(secrets.content(subscription.name(), draft.parted()), subscription);
    }

    /** What is to be stored of it. A former signing secret keeps its time unless it was given another place. */
    SubscriptionStore.Content content(String name, SubscriptionDraft draft, SubscriptionRow before) {
        String former = before.formerSecret();
        boolean stays = former != null && former.equals(former(draft));
        return new SubscriptionStore.Content(secrets.content(name, draft.parted()), stays ? former : null, null);
    }

    /** The same, with a former signing secret from now on. */
    SubscriptionStore.Content content(String name, SubscriptionDraft draft, Duration grace) {
        return new SubscriptionStore.Content(secrets.content(name, draft.parted()), former(draft), grace);
    }

    /** The mask of the second signing secret; null if there is none. */
    private static @Nullable String former(SubscriptionDraft draft) {
        JsonNode second =
                draft.parted().masked().path("sink").path("signingSecrets").path(1);
        return second.isString() ? second.stringValue() : null;
    }
}
