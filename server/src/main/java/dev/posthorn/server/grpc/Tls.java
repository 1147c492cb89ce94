package dev.posthorn.server.grpc;

import dev.posthorn.server.settings.HubSettings;
import dev.posthorn.server.settings.WrongSettingException;
import io.grpc.InsecureServerCredentials;
import io.grpc.ServerCredentials;
import io.grpc.TlsServerCredentials;
import java.io.IOException;
import java.nio.file.Path;

/** What {@code posthorn.grpc.tls} says. */
final class Tls {

    private static final String CERTIFICATE = "posthorn.grpc.tls.certificate";
    private static final String PRIVATE_KEY = "posthorn.grpc.tls.private-key";

    private Tls() {}

    static ServerCredentials credentials(HubSettings.Tls settings) {
        Path certificate = settings.certificate();
        Path privateKey = settings.privateKey();
        if (certificate == null || privateKey == null) {
            return InsecureServerCredentials.create();
        }
        try {
            return TlsServerCredentials.create(certificate.toFile(), privateKey.toFile());
        } catch (IOException e) {
            throw new WrongSettingException(
                    CERTIFICATE + " or " + PRIVATE_KEY + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** PEM files that are there but make no sense are found out when the server is made of them. */
    static WrongSettingException useless(HubSettings.Tls settings, Exception cause) {
        return new WrongSettingException(
                CERTIFICATE + " '" + settings.certificate() + "' and " + PRIVATE_KEY + " '" + settings.privateKey()
                        + "' must be PEM files, a certificate with its chain and its private key (PKCS #8): "
                        + cause.getMessage(),
                cause);
    }
}
