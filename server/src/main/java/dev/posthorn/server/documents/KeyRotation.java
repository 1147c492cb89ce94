package dev.posthorn.server.documents;

import dev.posthorn.server.secrets.Encrypted;
import java.util.Objects;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Encrypts by the current key what a former one encrypted, so that the former one can be forgotten. */
public final class KeyRotation<R extends NamedDocument> {

    private static final Logger log = LoggerFactory.getLogger(KeyRotation.class);

    private final DocumentTable<R> table;
    private final Function<R, StoredDocument> stored;
    private final DocumentSecrets secrets;

    public KeyRotation(DocumentTable<R> table, Function<R, StoredDocument> stored, DocumentSecrets secrets) {
        this.table = table;
        this.stored = stored;
        this.secrets = secrets;
    }

    public void run() {
        long done = table.all().stream().map(stored).filter(this::encryptAnew).count();
        if (done > 0) {
            log.info(
                    "The secrets of {} {}s were encrypted anew by the current key",
                    done,
                    table.kind().title());
        }
    }

    private boolean encryptAnew(StoredDocument document) {
        Encrypted anew = secrets.encryptedAnew(document);
        if (anew == null) {
            return false;
        }
        table.encryptAnew(document, Objects.requireNonNull(document.secrets()).keyId(), anew);
        return true;
    }
}
