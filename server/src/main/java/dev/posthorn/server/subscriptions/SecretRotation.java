package dev.posthorn.server.subscriptions;

import dev.posthorn.audit.Actor;
import dev.posthorn.error.PosthornException;
import dev.posthorn.server.documents.DocumentReader;
import dev.posthorn.server.documents.NamedDocuments;
import dev.posthorn.server.documents.Preconditions;
import dev.posthorn.server.periodic.PeriodicTask;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.subscriptions.definition.SubscriptionDocument;
import dev.posthorn.server.web.Parameters;
import dev.posthorn.webhook.Signature;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Gives subscriptions new signing secrets, and drops the former ones when their time is up. Any instance may drop one: the
 * first to do so makes a new revision, by which the others notice that there is nothing left to do.
 */
@Component
public final class SecretRotation extends PeriodicTask {

    private static final Logger log = LoggerFactory.getLogger(SecretRotation.class);

    private static final Duration LOOK_INTERVAL = Duration.ofSeconds(1);

    /** As the relay's. */
    private static final int PHASE = 2;

    private static final Duration DEFAULT_GRACE = Duration.ofHours(24);
    private static final Duration LONGEST_GRACE = Duration.ofDays(30);
    private static final Actor HUB = Actor.named("hub");

    private final NamedDocuments<SubscriptionRow> documents;
    private final DocumentReader reader;
    private final SubscriptionStore store;
    private final Drafting drafting;
    private final SubscriptionViews views;

    SecretRotation(
            NamedDocuments<SubscriptionRow> documents,
            DocumentReader reader,
            SubscriptionStore store,
            Drafting drafting,
            SubscriptionViews views) {
        super("posthorn-secret-rotation", LOOK_INTERVAL, PHASE);
        this.documents = documents;
        this.reader = reader;
        this.store = store;
        this.drafting = drafting;
        this.views = views;
    }

    /**
     * What is asked for.
     *
     * @param grace for how long the former secret is used too, 0s to 30d; left out: 24h
     */
    record RotationRequest(@Nullable Duration grace) {

        private Duration checkedGrace() {
            Duration asked = grace == null ? DEFAULT_GRACE : grace;
            if (asked.compareTo(LONGEST_GRACE) > 0) {
                throw Parameters.refused("grace", "is longer than 30d; give a shorter one");
            }
            return asked;
        }
    }

    /**
     * A subscription that signs by a new secret.
     *
     * @param secret the new secret, shown this once
     * @param formerSecretUntil until when the former one signs too; left out if it does not
     */
    record RotatedSecret(
            String name,
            long revision,
            String secret,
            @Nullable Instant formerSecretUntil) {

        @Override
        public String toString() {
            return name + " at revision " + revision;
        }
    }

    /** Has it sign by a new secret, and for a while by the former one too. */
    RotatedSecret rotate(String name, byte @Nullable [] body, Preconditions conditions, Actor by) {
        Duration grace = (body == null || body.length == 0
                        ? new RotationRequest(null)
                        : reader.read(body, RotationRequest.class))
                .checkedGrace();
        String secret = Signature.newSecret();
        return documents.changeExisting(name, conditions, () -> signing(name), before -> {
            List<String> secrets = former(before, grace);
            secrets.add(0, secret);
            SubscriptionDraft draft = draft(before, secrets);
            return save(before, draft, grace, by).map(saved -> {
                announce(before);
                return new RotatedSecret(name, saved.revision(), secret, saved.formerSecretUntil());
            });
        });
    }

    private SubscriptionRow signing(String name) {
        SubscriptionRow row = views.row(name, "its secrets are known there alone: change them there");
        views.refuseDeleting(row);
        return row;
    }

    /** The masks of those that stay beside the new one. */
    private List<String> former(SubscriptionRow before, Duration grace) {
        List<String> present = signingSecrets(before);
        if (present.isEmpty()) {
            throw conflict(
                    before, "does not sign what it sends; give an http sink signingSecrets by PUT or PATCH first");
        }
        if (grace.isZero()) {
            return new ArrayList<>();
        }
        if (present.size() > 1) {
            Instant until = before.formerSecretUntil();
            throw conflict(
                    before,
                    "has a former secret already"
                            + (until == null ? "" : ", until " + until)
                            + "; take it out of signingSecrets by PATCH first, or rotate with a grace of 0s, which drops"
                            + " both at once");
        }
        return present;
    }

    private List<String> signingSecrets(SubscriptionRow row) {
        List<String> masks = new ArrayList<>();
        for (JsonNode each : reader.tree(row.document()).path("sink").path("signingSecrets")) {
            masks.add(each.stringValue());
        }
        return masks;
    }

    private static ProblemException conflict(SubscriptionRow row, String detail) {
        return Problem.of(ProblemType.CONFLICT, "subscription '" + row.name() + "' " + detail)
                .asException();
    }

    private SubscriptionDraft draft(SubscriptionRow before, List<String> signingSecrets) {
        ObjectNode document = reader.tree(before.document());
        ArrayNode secrets = ((ObjectNode) document.path("sink")).putArray("signingSecrets");
        signingSecrets.forEach(secrets::add);
        return drafting.draft(before.name(), reader.whole(document, SubscriptionDocument.class), before);
    }

    private Optional<SubscriptionStore.Saved> save(
            SubscriptionRow before, SubscriptionDraft draft, Duration grace, Actor by) {
        SubscriptionStore.Content content = grace.isZero()
                ? drafting.content(before.name(), draft, before)
                : drafting.content(before.name(), draft, grace);
        return store.change(
                before,
                content,
                draft.subscription(),
                SubscriptionActs.rotateSecret(before.name(), content.content().document(), grace),
                by);
    }

    /** The change is made: whether it can be served at once must not turn it into a failure, and lose a new secret. */
    private void announce(SubscriptionRow before) {
        try {
            documents.announce();
        } catch (PosthornException e) {
            log.debug("Subscription {}: its new secrets will be served soon", before.name(), e);
        }
    }

    @Override
    protected void runOnce() {
        if (documents.isReady()) {
            store.overdue().forEach(this::drop);
        }
    }

    private void drop(SubscriptionRow before) {
        List<String> left = signingSecrets(before);
        left.remove(before.formerSecret());
        try {
            SubscriptionDraft draft = draft(before, left);
            SubscriptionStore.Content content = drafting.content(before.name(), draft, before);
            store.change(
                            before,
                            content,
                            draft.subscription(),
                            SubscriptionActs.dropSecret(
                                    before.name(), content.content().document()),
                            HUB)
                    .ifPresent(saved -> {
                        log.info("Subscription {}: its former signing secret is dropped", before.name());
                        announce(before);
                    });
        } catch (ProblemException e) {
            // It is not served either, and whoever asks is told why; or another instance can do it.
            log.debug(
                    "Subscription {}: its former signing secret cannot be dropped yet: {}",
                    before.name(),
                    e.problem().detail());
        }
    }
}
