package dev.posthorn.server.subscriptions;

import dev.posthorn.relay.Subscription;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.secrets.Encrypted;
import dev.posthorn.server.secrets.LockedException;
import dev.posthorn.server.secrets.Vault;
import dev.posthorn.server.subscriptions.sinks.Assembly;
import dev.posthorn.server.subscriptions.sinks.SecretPlaces;
import dev.posthorn.server.subscriptions.sinks.SinkDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Checks what a caller asks for by building the real thing, and makes it ready to be stored. */
final class Drafting {

    private final DocumentReader reader;
    private final Vault vault;
    private final Blueprint blueprint;
    private final Translation translation;

    Drafting(DocumentReader reader, Vault vault, Blueprint blueprint, Translation translation) {
        this.reader = reader;
        this.vault = vault;
        this.blueprint = blueprint;
        this.translation = translation;
    }

    Draft draft(String name, Document asked, @Nullable Row before) {
        ObjectNode tree = reader.tree(started(name, asked, before));
        ObjectNode stored = before == null ? null : reader.tree(before.document());
        ObjectNode full = SecretPlaces.restored(tree, stored, () -> storedSecrets(before));
        Document document = reader.document(full);
        Subscription subscription = translation.subscription(name, document);
        requireAllowed(Assembly.required("sink", document.sink()), subscription);
        return new Draft(subscription, SecretPlaces.part(full));
    }

    private Map<String, String> storedSecrets(@Nullable Row before) {
        try {
            return before == null ? Map.of() : blueprint.secrets(before);
        } catch (LockedException e) {
            throw Assembly.refusal("sink", "is to keep stored secrets, but " + e.reason());
        }
    }

    /** Left out, it stays as it was. */
    private Document started(String name, Document asked, @Nullable Row before) {
        if (before == null) {
            return asked;
        }
        Start start = reader.start(before.document());
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

    private void requireAllowed(SinkDocument sink, Subscription subscription) {
        translation.refusal(sink, subscription).ifPresent(violation -> {
            throw Assembly.refusal(violation.field(), violation.rule());
        });
    }

    /** Whether it is what is stored already. */
    boolean isSame(Draft draft, Row before) {
        return changed(draft, before).isEmpty();
    }

    /** The fields that are not as they are stored, by name; of secrets only that some are others. */
    List<String> changed(Draft draft, Row before) {
        ObjectNode now = draft.parted().masked();
        ObjectNode then = reader.tree(before.document());
        List<String> changed = Stream.concat(now.propertyNames().stream(), then.propertyNames().stream())
                .distinct()
                .filter(field -> !now.path(field).equals(then.path(field)))
                .sorted()
                .collect(Collectors.toCollection(ArrayList::new));
        if (!hasSameSecrets(draft, before)) {
            changed.add("secrets");
        }
        return changed;
    }

    private boolean hasSameSecrets(Draft draft, Row before) {
        try {
            return draft.parted().secrets().equals(blueprint.secrets(before));
        } catch (LockedException e) {
            return false;
        }
    }

    String document(Draft draft) {
        return reader.text(draft.parted().masked());
    }

    /** Null if there are none. */
    @Nullable
    Encrypted secrets(String name, Draft draft) {
        Map<String, String> secrets = draft.parted().secrets();
        if (secrets.isEmpty()) {
            return null;
        }
        if (!vault.canEncrypt()) {
            throw Assembly.refusal(
                    secrets.keySet().iterator().next(),
                    "is a secret, and this hub has no key to encrypt it by; set posthorn.secrets.key to 32 random"
                            + " bytes in Base64 (openssl rand -base64 32), the same for all instances");
        }
        return vault.encrypt(name, reader.text(secrets));
    }
}
