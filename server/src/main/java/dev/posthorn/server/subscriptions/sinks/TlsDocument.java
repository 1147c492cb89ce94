package dev.posthorn.server.subscriptions.sinks;

import dev.posthorn.http.Tls;
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
        @Nullable String clientKey) {

    Tls build() {
        Assembly<Tls.Builder, Tls> assembly = Assembly.of("sink.tls", Tls.builder(), Tls.Builder::build)
                .add("sink.tls.trustOnly", trustOnly, Tls.Builder::trustOnly)
                .add("sink.tls.alsoTrust", alsoTrust, Tls.Builder::alsoTrust);
        if (clientCertificate != null || clientKey != null) {
            String chain = Assembly.required("sink.tls.clientCertificate", clientCertificate);
            String key = Assembly.required("sink.tls.clientKey", clientKey);
            assembly.add("sink.tls.clientCertificate", chain, (b, value) -> b.clientCertificate(value, key));
        }
        return assembly.build();
    }

    @Override
    public String toString() {
        return "TLS" + (clientCertificate == null ? "" : " with a client certificate");
    }
}
