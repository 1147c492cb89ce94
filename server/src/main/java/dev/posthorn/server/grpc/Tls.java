package dev.posthorn.server.grpc;

import dev.posthorn.server.settings.HubSettings;
import io.grpc.InsecureServerCredentials;
import io.grpc.ServerCredentials;
import io.grpc.TlsServerCredentials;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** What {@code posthorn.grpc.tls} says, checked. */
final class Tls {

    private static final String CERTIFICATE = "posthorn.grpc.tls.certificate";
    private static final String PRIVATE_KEY = "posthorn.grpc.tls.private-key";

    private Tls() {}

    static ServerCredentials credentials(HubSettings.Tls settings) {
        if (settings.certificate() == null && settings.privateKey() == null) {
            return InsecureServerCredentials.create();
        }
        Path certificate = file(CERTIFICATE, settings.certificate(), PRIVATE_KEY);
        Path privateKey = file(PRIVATE_KEY, settings.privateKey(), CERTIFICATE);
        try {
            return TlsServerCredentials.create(certificate.toFile(), privateKey.toFile());
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    CERTIFICATE + " or " + PRIVATE_KEY + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static Path file(String setting, @Nullable Path file, String other) {
        if (file == null) {
            throw new IllegalArgumentException(
                    setting + " is missing, though " + other + " is set; set both for TLS, or neither");
        }
        if (!Files.isReadable(file)) {
            throw new IllegalArgumentException(setting + " is '" + file + "', which is no file that can be read");
        }
        return file;
    }

    /** PEM files that are there but make no sense are found out when the server is made of them. */
    static IllegalArgumentException useless(HubSettings.Tls settings, Exception cause) {
        return new IllegalArgumentException(
                CERTIFICATE + " '" + settings.certificate() + "' and " + PRIVATE_KEY + " '" + settings.privateKey()
                        + "' must be PEM files, a certificate with its chain and its private key (PKCS #8): "
                        + cause.getMessage(),
                cause);
    }
}
