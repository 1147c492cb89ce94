package dev.posthorn.server.subscriptions.sinks;

import dev.posthorn.http.Tls;
import dev.posthorn.server.documents.RequiredFields;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Whom to trust over https, and what to show.
 *
 * @param trustOnly certificate authorities (PEM) that are trusted, and no others
 * @param alsoTrust certificate authorities (PEM) that are trusted besides the usual ones
 * @param clientCertificate the hub's own certificate and its chain (PEM)
 * @param clientKey the private key of that certificate (PEM)
 */
public record TlsDocument(
        @Nullable String trustOnly,
        @Nullable String alsoTrust,
        @Nullable String clientCertificate,
        @Nullable String clientKey)
        implements RequiredFields {

    /** A certificate is worth nothing without its key, nor the other way round. */
    @Override
    public Stream<String> missing() {
        return clientCertificate == null && clientKey == null
                ? Stream.of()
                : Stream.concat(
                        CheckedBuilder.missing("clientCertificate", clientCertificate),
                        CheckedBuilder.missing("clientKey", clientKey));
    }

    Tls build() {
        CheckedBuilder<Tls.Builder, Tls> assembly = CheckedBuilder.of("sink.tls", Tls.builder(), Tls.Builder::build)
                .add("sink.tls.trustOnly", trustOnly, Tls.Builder::trustOnly)
                .add("sink.tls.alsoTrust", alsoTrust, Tls.Builder::alsoTrust);
        if (clientKey != null) {
            assembly.add(
                    "sink.tls.clientCertificate",
                    clientCertificate,
                    (b, value) -> b.clientCertificate(value, clientKey));
        }
        return assembly.build();
    }

    @Override
    public String toString() {
        return "TLS" + (clientCertificate == null ? "" : " with a client certificate");
    }
}
