package dev.posthorn.server.secrets;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.error.PosthornException;
import dev.posthorn.server.settings.HubSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VaultTest {

    private static final String KEY = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
    private static final String OTHER = "ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA=";

    @TempDir
    Path data;

    private static Vault vault(String key, String... former) {
        return Vault.open(new HubSettings.Secrets(key, List.of(former)), null);
    }

    @Test
    void whatIsEncryptedIsDecryptedByTheSameKeyForTheSameOwner() {
        Encrypted encrypted = vault(KEY).encrypt("a", "s3cret");
        assertThat(new String(encrypted.bytes(), ISO_8859_1)).doesNotContain("s3cret");
        assertThat(encrypted.keyId()).matches("[0-9a-f]{16}");
        assertThat(vault(KEY).decrypt("a", encrypted)).isEqualTo("s3cret");
        assertThat(vault(OTHER, KEY).decrypt("a", encrypted)).isEqualTo("s3cret");
        assertThatThrownBy(() -> vault(KEY).decrypt("b", encrypted)).isInstanceOf(LockedException.class);
        assertThatThrownBy(() -> vault(OTHER).decrypt("a", encrypted))
                .isInstanceOf(LockedException.class)
                .hasMessageContaining(encrypted.keyId())
                .hasMessageContaining("posthorn.secrets.former-keys");
    }

    @Test
    void theSameIsNeverEncryptedTheSameWayTwice() {
        Vault vault = vault(KEY);
        assertThat(vault.encrypt("a", "s3cret").bytes())
                .isNotEqualTo(vault.encrypt("a", "s3cret").bytes());
    }

    @Test
    void whatWasChangedIsNotDecrypted() {
        Encrypted encrypted = vault(KEY).encrypt("a", "s3cret");
        for (int i = 0; i < encrypted.bytes().length; i++) {
            byte[] bytes = encrypted.bytes().clone();
            bytes[i] ^= 1;
            Encrypted changed = new Encrypted(bytes, encrypted.keyId());
            assertThatThrownBy(() -> vault(KEY).decrypt("a", changed)).isInstanceOf(LockedException.class);
        }
        assertThatThrownBy(() -> vault(KEY).decrypt("a", new Encrypted(new byte[3], encrypted.keyId())))
                .isInstanceOf(LockedException.class);
    }

    @Test
    void aKeyIsTurnedDownByName() {
        for (String bad : List.of("short", "not base64 !", "MDEy")) {
            assertThatThrownBy(() -> vault(bad))
                    .isInstanceOf(PosthornException.class)
                    .hasMessageContaining("posthorn.secrets.key")
                    .hasMessageContaining("openssl rand -base64 32")
                    .hasMessageNotContaining(bad);
        }
        assertThatThrownBy(() -> vault(KEY, "short")).hasMessageContaining("posthorn.secrets.former-keys");
    }

    @Test
    void withoutAKeyNothingIsEncrypted() {
        assertThat(vault(null).canEncrypt()).isFalse();
        assertThat(vault(KEY).canEncrypt()).isTrue();
    }

    @Test
    void aKeyIsMadeForItsUserAloneAndFoundAgain() throws IOException {
        HubSettings.Secrets none = new HubSettings.Secrets(null, List.of());
        Path directory = data.resolve("new");
        Encrypted encrypted = Vault.open(none, directory).encrypt("a", "s3cret");
        Path file = directory.resolve("secret.key");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(directory.toFile().list()).containsExactly("secret.key");
        assertThat(Vault.open(none, directory).decrypt("a", encrypted)).isEqualTo("s3cret");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThatThrownBy(() -> Vault.open(none, directory))
                .hasMessageContaining("can be read by others")
                .hasMessageContaining("chmod 600");
    }
}
