package dev.posthorn.server.documents;

import dev.posthorn.server.secrets.Encrypted;
import dev.posthorn.server.secrets.LockedException;
import dev.posthorn.server.secrets.Vault;
import dev.posthorn.server.web.Parameters;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

/**
 * Takes the secrets out of the documents of one kind to store them, and puts them back to serve them. A guard's document is
 * that of a sink, without the word: its secrets stand in the same places as those of a document that has a sink.
 */
public final class DocumentSecrets {

    private static final String SINK = "sink";

    private final DocumentKind kind;
    private final DocumentReader reader;
    private final Vault vault;

    public DocumentSecrets(DocumentKind kind, DocumentReader reader, Vault vault) {
        this.kind = kind;
        this.reader = reader;
        this.vault = vault;
    }

    /** What a caller asks for, taken apart; what is masked in it is what is stored. */
    public SecretPlaces.Parted parted(Object asked, @Nullable StoredDocument before) {
        return stored(before).keptIn(wrapped(reader.tree(asked)));
    }

    private StoredSecrets stored(@Nullable StoredDocument before) {
        if (before == null) {
            return StoredSecrets.none();
        }
        ObjectNode document = tree(before.document());
        try {
            return StoredSecrets.of(document, secrets(before));
        } catch (LockedException e) {
            return StoredSecrets.locked(document, kind.reason(e));
        }
    }

    /** The whole of it, with its secrets. */
    public <T> T whole(SecretPlaces.Parted parted, Class<T> type) {
        return reader.document(unwrapped(parted.full()), type);
    }

    /** The whole of what is stored; what could not be decrypted or read is told by what is thrown. */
    public <T> T whole(StoredDocument stored, Class<T> type) {
        ObjectNode full = SecretPlaces.joined(tree(stored.document()), secrets(stored));
        try {
            return reader.document(unwrapped(full), type);
        } catch (JacksonException e) {
            throw Parameters.refused("", "its document cannot be read by this version of the hub; PUT it again");
        }
    }

    /**
     * As people may see it; null for what another version wrote and this one cannot read. Masked once more, as an older
     * version stored queries as they were.
     */
    public <T> @Nullable T shown(String document, Class<T> type) {
        try {
            return reader.document(unwrapped(SecretPlaces.shown(tree(document))), type);
        } catch (JacksonException e) {
            return null;
        }
    }

    /** The fields that are not as they are stored, by name; of secrets only that some are others. */
    public List<String> changed(SecretPlaces.Parted parted, StoredDocument before) {
        ObjectNode now = unwrapped(SecretPlaces.anonymous(parted.masked()));
        ObjectNode then = unwrapped(SecretPlaces.anonymous(tree(before.document())));
        List<String> changed = Stream.concat(now.propertyNames().stream(), then.propertyNames().stream())
                .distinct()
                .filter(field -> !now.path(field).equals(then.path(field)))
                .sorted()
                .collect(Collectors.toCollection(ArrayList::new));
        if (!hasSameSecrets(parted, before)) {
            changed.add("secrets");
        }
        return changed;
    }

    private boolean hasSameSecrets(SecretPlaces.Parted parted, StoredDocument before) {
        try {
            return parted.secrets().equals(secrets(before));
        } catch (LockedException e) {
            return false;
        }
    }

    /** What is to be stored of it. */
    public DocumentContent content(String name, SecretPlaces.Parted parted) {
        return new DocumentContent(reader.text(unwrapped(parted.masked())), encrypted(name, parted.secrets()));
    }

    private @Nullable Encrypted encrypted(String name, Map<String, String> secrets) {
        if (secrets.isEmpty()) {
            return null;
        }
        if (!vault.canEncrypt()) {
            throw Parameters.refused(
                    secrets.keySet().iterator().next(),
                    "is a secret, and this hub has no key to encrypt it by; set posthorn.secrets.key to 32 random"
                            + " bytes in Base64 (openssl rand -base64 32), the same for all instances");
        }
        return vault.encrypt(kind.owner(name), reader.text(secrets));
    }

    /** By their places; throws if they cannot be decrypted. */
    private Map<String, String> secrets(StoredDocument stored) {
        return stored.secrets() == null
                ? Map.of()
                : reader.secrets(vault.decrypt(kind.owner(stored.name()), stored.secrets()));
    }

    /** Encrypted by the current key what a former one encrypted; null if there is nothing to do, or it cannot be done. */
    @Nullable
    Encrypted encryptedAnew(StoredDocument stored) {
        Encrypted former = stored.secrets();
        if (former == null || !vault.isFormer(former.keyId())) {
            return null;
        }
        String owner = kind.owner(stored.name());
        try {
            return vault.encrypt(owner, vault.decrypt(owner, former));
        } catch (LockedException told) {
            // Whoever serves them has said so already.
            return null;
        }
    }

    private ObjectNode tree(String document) {
        return wrapped(reader.tree(document));
    }

    private ObjectNode wrapped(ObjectNode document) {
        if (!kind.isSink()) {
            return document;
        }
        ObjectNode outer = reader.tree("{}");
        outer.set(SINK, document);
        return outer;
    }

    private ObjectNode unwrapped(ObjectNode document) {
        return kind.isSink() ? (ObjectNode) document.path(SINK) : document;
    }
}
