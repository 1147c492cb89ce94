package dev.posthorn.server.subscriptions;

import dev.posthorn.server.secrets.Encrypted;
import dev.posthorn.server.secrets.LockedException;
import dev.posthorn.server.secrets.Vault;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Encrypts by the current key what a former one encrypted, so that the former one can be forgotten. */
final class KeyRotation {

    private static final Logger log = LoggerFactory.getLogger(KeyRotation.class);

    private final SubscriptionStore store;
    private final Vault vault;

    KeyRotation(SubscriptionStore store, Vault vault) {
        this.store = store;
        this.vault = vault;
    }

    void run() {
        long done = store.all().stream().filter(this::encryptAnew).count();
        if (done > 0) {
            log.info("The secrets of {} subscriptions were encrypted anew by the current key", done);
        }
    }

    private boolean encryptAnew(Row row) {
        Encrypted former = row.secrets();
        if (former == null || !vault.isFormer(former.keyId())) {
            return false;
        }
        try {
            String text = vault.decrypt(row.name(), former);
            store.encryptAnew(row, former.keyId(), vault.encrypt(row.name(), text));
            return true;
        } catch (LockedException told) {
            // Whoever serves subscriptions has said so already.
            return false;
        }
    }
}
