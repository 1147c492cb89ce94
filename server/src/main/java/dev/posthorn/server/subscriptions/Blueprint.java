package dev.posthorn.server.subscriptions;

import dev.posthorn.relay.Subscription;
import dev.posthorn.server.masking.Masker;
import dev.posthorn.server.masking.MaskingSink;
import dev.posthorn.server.secrets.Vault;
import dev.posthorn.server.subscriptions.sinks.Assembly;
import dev.posthorn.server.subscriptions.sinks.SecretPlaces;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

/** Makes what is stored whole again, with its secrets, and what is served of it. */
final class Blueprint {

    private final DocumentReader reader;
    private final Vault vault;
    private final Translation translation;
    private final Masker masker;

    Blueprint(DocumentReader reader, Vault vault, Translation translation, Masker masker) {
        this.reader = reader;
        this.vault = vault;
        this.translation = translation;
        this.masker = masker;
    }

    /** By their places; throws if they cannot be decrypted. */
    Map<String, String> secrets(Row row) {
        return row.secrets() == null ? Map.of() : reader.secrets(vault.decrypt(row.name(), row.secrets()));
    }

    /** A new one each time: what could not be read, decrypted or built is told by what is thrown. */
    Subscription subscription(Row row) {
        ObjectNode full = SecretPlaces.joined(reader.tree(row.document()), secrets(row));
        return translation
                .subscription(row.name(), document(full), sink -> new MaskingSink(sink, masker))
                .at(row.revision());
    }

    private Document document(ObjectNode full) {
        try {
            return reader.document(full);
        } catch (JacksonException e) {
            throw Assembly.refusal("", "its document cannot be read by this version of the hub; PUT it again");
        }
    }
}
