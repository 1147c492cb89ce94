package dev.posthorn.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;

class TlsTest {

    @Test
    void speaksHttpsWithItsCertificate() throws Exception {
        Map<String, Path> settings = Map.of(
                "posthorn.http.tls.certificate", resource("/tls/localhost.pem"),
                "posthorn.http.tls.private-key", resource("/tls/localhost.key"));
        try (TestHub hub = TestHub.start(settings)) {
            HttpRequest request = HttpRequest.newBuilder(
                            URI.create("https://localhost:" + hub.httpPort() + "/actuator/health/readiness"))
                    .build();
            HttpResponse<String> answer = trusting().send(request, BodyHandlers.ofString());
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThatThrownBy(() -> HttpClient.newHttpClient().send(request, BodyHandlers.ofString()))
                    .as("nobody else vouches for the certificate")
                    .isInstanceOf(IOException.class);
            assertThat(hub.rest().get("/v1/keys").status()).as("plain HTTP").isEqualTo(400);
        }
    }

    private static Path resource(String name) throws Exception {
        return Path.of(TlsTest.class.getResource(name).toURI());
    }

    private static HttpClient trusting() throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream in = TlsTest.class.getResourceAsStream("/tls/localhost.pem")) {
            store.setCertificateEntry(
                    "hub", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return HttpClient.newBuilder().sslContext(context).build();
    }
}
