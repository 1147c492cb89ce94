package dev.posthorn.server.secrets;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.server.settings.HubSettings;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Encrypts by the current key and decrypts by that and by former ones. */
public final class Vault {

    private static final String FILE = "secret.key";

    private final @Nullable VaultKey current;
    private final Map<String, VaultKey> keys = new LinkedHashMap<>();

    private Vault(@Nullable VaultKey current, List<VaultKey> former) {
        this.current = current;
        former.forEach(key -> keys.put(key.id(), key));
        if (current != null) {
            keys.put(current.id(), current);
        }
    }

    /**
     * With the keys that the settings give.
     *
     * @param data where a key is kept, and made if need be, when the settings give none; null if nowhere
     */
    public static Vault open(HubSettings.Secrets settings, @Nullable Path data) {
        return new Vault(
                current(settings, data),
                settings.formerKeys().stream()
                        .map(key -> VaultKey.of("posthorn.secrets.former-keys", key))
                        .toList());
    }

    private static @Nullable VaultKey current(HubSettings.Secrets settings, @Nullable Path data) {
        if (settings.key() != null && !settings.key().isBlank()) {
            return VaultKey.of("posthorn.secrets.key", settings.key());
        }
        return data == null ? null : new KeyFile(data.resolve(FILE)).key();
    }

    /** Whether there is a key to encrypt by. */
    public boolean canEncrypt() {
        return current != null;
    }

    /** Whether it was encrypted by another key than the current one, if there is one. */
    public boolean isFormer(String keyId) {
        return current != null && !current.id().equals(keyId);
    }

    /** For the owner alone: it has to be named to decrypt. */
    public Encrypted encrypt(String owner, String text) {
        VaultKey key = Objects.requireNonNull(current, "no key to encrypt by");
        return new Encrypted(key.encrypt(owner, text.getBytes(UTF_8)), key.id());
    }

    /** The text again; throws if it cannot be had. */
    public String decrypt(String owner, Encrypted encrypted) {
        VaultKey key = keys.get(encrypted.keyId());
        if (key == null) {
            throw new LockedException("its secrets were encrypted by key " + encrypted.keyId()
                    + ", which this hub does not have; give that key in posthorn.secrets.key or"
                    + " posthorn.secrets.former-keys, or PUT the subscription again with its secrets");
        }
        try {
            return new String(key.decrypt(owner, encrypted.bytes()), UTF_8);
        } catch (GeneralSecurityException e) {
            throw new LockedException("its secrets cannot be decrypted by key " + encrypted.keyId()
                    + ": they were changed since; PUT the subscription again with its secrets");
        }
    }
}
