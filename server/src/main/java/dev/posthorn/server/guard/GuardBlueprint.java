package dev.posthorn.server.guard;

import dev.posthorn.http.Destinations;
import dev.posthorn.http.HttpSink;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.Violation;
import dev.posthorn.server.secrets.Encrypted;
import dev.posthorn.server.secrets.LockedException;
import dev.posthorn.server.secrets.Vault;
import dev.posthorn.server.subscriptions.DocumentReader;
import dev.posthorn.server.subscriptions.sinks.Assembly;
import dev.posthorn.server.subscriptions.sinks.HttpDocument;
import dev.posthorn.server.subscriptions.sinks.SecretPlaces;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes documents into what is stored and into what is served. A guard's document is that of an HTTP sink without the word
 * sink: its secrets stand in the same places and its fields break the same rules.
 */
final class GuardBlueprint {

    private static final String SINK = "sink";

    private final DocumentReader reader;
    private final Vault vault;
    private final Destinations destinations;

    GuardBlueprint(DocumentReader reader, Vault vault, Destinations destinations) {
        this.reader = reader;
        this.vault = vault;
        this.destinations = destinations;
    }

    /**
     * What a caller asks for, checked.
     *
     * @param document without its secrets
     * @param secrets by their places
     */
    record Draft(String document, Map<String, String> secrets) {

        @Override
        public String toString() {
            return document;
        }
    }

    /** Checks it by building the real thing. Masked secrets are the stored ones. */
    Draft draft(byte[] body, @Nullable GuardRow before) {
        TargetDocument asked = reader.read(body, TargetDocument.class);
        return named(() -> {
            ObjectNode tree = wrapped(reader.tree(asked));
            ObjectNode stored = before == null ? null : wrapped(reader.tree(before.document()));
            ObjectNode full = SecretPlaces.restored(tree, stored, () -> keptSecrets(before));
            TargetDocument document = document(full);
            document.checkedTimeout();
            document.checkedRepeatOn();
            requireAllowed(document.sink(destinations));
            SecretPlaces.Parted parted = SecretPlaces.part(full);
            return new Draft(reader.text(parted.masked().path(SINK)), parted.secrets());
        });
    }

    private static void requireAllowed(HttpSink sink) {
        HttpDocument.refusal(sink, "sink.url").ifPresent(violation -> {
            throw Assembly.refusal(violation.field(), violation.rule());
        });
    }

    private Map<String, String> keptSecrets(@Nullable GuardRow before) {
        try {
            return before == null ? Map.of() : secrets(before);
        } catch (LockedException e) {
            throw Assembly.refusal("", "is to keep stored secrets, but " + reason(e));
        }
    }

    /** What is wrong is told under the names that the caller wrote. */
    private static <T> T named(Supplier<T> work) {
        try {
            return work.get();
        } catch (ProblemException e) {
            Problem problem = e.problem();
            throw problem.violations().isEmpty()
                    ? e
                    : Problem.violated(
                                    problem.type(),
                                    problem.violations().stream()
                                            .map(GuardBlueprint::renamed)
                                            .toList())
                            .asException();
        }
    }

    private static Violation renamed(Violation violation) {
        return new Violation(violation.item(), violation.field().replaceFirst("^sink\\.?", ""), violation.rule());
    }

    private ObjectNode wrapped(ObjectNode document) {
        ObjectNode outer = reader.tree("{}");
        outer.set(SINK, document);
        return outer;
    }

    private TargetDocument document(ObjectNode wrapped) {
        return reader.document((ObjectNode) wrapped.path(SINK), TargetDocument.class);
    }

    /** Null if there are none. */
    @Nullable
    Encrypted encrypted(String name, Draft draft) {
        if (draft.secrets().isEmpty()) {
            return null;
        }
        if (!vault.canEncrypt()) {
            throw Assembly.refusal(
                    draft.secrets().keySet().iterator().next().replaceFirst("^sink\\.", ""),
                    "is a secret, and this hub has no key to encrypt it by; set posthorn.secrets.key to 32 random"
                            + " bytes in Base64 (openssl rand -base64 32), the same for all instances");
        }
        return vault.encrypt(owner(name), reader.text(draft.secrets()));
    }

    private Map<String, String> secrets(GuardRow row) {
        return row.secrets() == null ? Map.of() : reader.secrets(vault.decrypt(owner(row.name()), row.secrets()));
    }

    /** Encrypted by the current key what a former one encrypted; null if there is nothing to do. */
    @Nullable
    Encrypted encryptedAnew(GuardRow row) {
        Encrypted former = row.secrets();
        if (former == null || !vault.isFormer(former.keyId())) {
            return null;
        }
        try {
            return vault.encrypt(owner(row.name()), vault.decrypt(owner(row.name()), former));
        } catch (LockedException toldElsewhere) {
            return null;
        }
    }

    /** A subscription of the same name has secrets of its own. */
    private static String owner(String name) {
        return "guard/" + name;
    }

    /** The fields that are not as they are stored; empty if all are. */
    String changed(Draft draft, GuardRow before) {
        ObjectNode now = reader.tree(draft.document());
        ObjectNode then = reader.tree(before.document());
        return Stream.concat(
                        Stream.concat(now.propertyNames().stream(), then.propertyNames().stream())
                                .distinct()
                                .filter(field -> !now.path(field).equals(then.path(field)))
                                .sorted(),
                        hasSameSecrets(draft, before) ? Stream.of() : Stream.of("secrets"))
                .collect(Collectors.joining(", "));
    }

    private boolean hasSameSecrets(Draft draft, GuardRow before) {
        try {
            return draft.secrets().equals(secrets(before));
        } catch (LockedException e) {
            return false;
        }
    }

    /** A new one each time: what could not be read, decrypted or built is told by what is thrown. */
    Target target(GuardRow row) {
        return named(() -> {
            ObjectNode full = SecretPlaces.joined(wrapped(reader.tree(row.document())), secrets(row));
            TargetDocument document = readable(full);
            return new Target(
                    row.name(), document.sink(destinations), document.checkedTimeout(), document.checkedRepeatOn());
        });
    }

    private TargetDocument readable(ObjectNode full) {
        try {
            return document(full);
        } catch (JacksonException e) {
            throw Assembly.refusal("", "its document cannot be read by this version of the hub; PUT it again");
        }
    }

    /** As it is shown; null for what another version wrote and this one cannot read. */
    @Nullable
    TargetDocument shown(GuardRow row) {
        try {
            return document(
                    SecretPlaces.part(wrapped(reader.tree(row.document()))).masked());
        } catch (JacksonException e) {
            return null;
        }
    }

    static String reason(LockedException locked) {
        return locked.reason().replace("PUT the subscription", "PUT the guard");
    }
}
