package dev.posthorn.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.http.receiver.Certificates;
import dev.posthorn.http.receiver.Certificates.Client;
import dev.posthorn.http.tls.Keys;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TlsTest {

    private static final ExecutorService SERVERS = Executors.newCachedThreadPool();
    private static final String TEXT_BETWEEN = "\nsubject=CN = somebody\r\n";

    private static Certificates certificates;

    @BeforeAll
    static void makeCertificates(@TempDir Path directory) {
        certificates = Certificates.in(directory);
    }

    @AfterAll
    static void stop() {
        SERVERS.shutdownNow();
    }

    @ParameterizedTest
    @EnumSource(
            value = Client.class,
            names = {"RSA", "EC"})
    void aServerThatNeedsACertificateSeesOurs(Client client) throws Exception {
        Tls tls = showing(client).trustOnly(certificates.caPem()).build();

        assertThat(shake(certificates.server(), true, tls)).startsWith("CN=client-");
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void aClientWithoutACertificateIsRefused(String protocol) {
        Tls tls = Tls.builder().trustOnly(certificates.caPem()).build();

        assertClientRefused(() -> shake(certificates.server(), true, tls, protocol));
    }

    @Test
    void aClientWithACertificateOfAnotherAuthorityIsRefused() {
        Tls tls = showing(Client.STRANGER).trustOnly(certificates.caPem()).build();

        assertClientRefused(() -> shake(certificates.server(), true, tls));
    }

    /** By the server's word: a client that is still writing may see no more of it than a closed connection. */
    private static void assertClientRefused(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(IOException.class)
                .satisfies(
                        e -> assertThat(e.getSuppressed()[0]).hasMessageContaining("Empty client certificate chain"));
    }

    @Test
    void aServerThatNeedsNoneSeesNone() throws Exception {
        Tls tls = Tls.builder().trustOnly(certificates.caPem()).build();

        assertThat(shake(certificates.server(), false, tls)).isEqualTo("nobody");
    }

    @Test
    void aServerOfAnUnknownAuthorityIsNotTrusted() {
        for (Tls tls : new Tls[] {
            Tls.DEFAULT,
            Tls.builder().trustOnly(certificates.strangerPem()).build(),
            Tls.builder().alsoTrust(certificates.strangerPem()).build()
        }) {
            assertThatThrownBy(() -> shake(certificates.server(), false, tls))
                    .isInstanceOf(SSLHandshakeException.class)
                    .hasMessageContaining("PKIX path");
        }
        assertThatThrownBy(() -> shake(
                        certificates.strangeServer(),
                        false,
                        Tls.builder().trustOnly(certificates.caPem()).build()))
                .isInstanceOf(SSLHandshakeException.class);
    }

    @Test
    void severalAuthoritiesAreTrusted() throws Exception {
        String bundle = "ours:\n" + certificates.strangerPem() + TEXT_BETWEEN + certificates.caPem();
        Tls together = Tls.builder().trustOnly(bundle.replace("\n", "\r\n")).build();
        Tls inTurn = Tls.builder()
                .trustOnly(certificates.caPem())
                .trustOnly(certificates.strangerPem())
                .build();

        for (Tls tls : new Tls[] {together, inTurn}) {
            assertThat(shake(certificates.server(), false, tls)).isEqualTo("nobody");
            assertThat(shake(certificates.strangeServer(), false, tls)).isEqualTo("nobody");
            assertThat(tls).hasToString("TLS with 2 authorities of its own");
        }
    }

    @Test
    void ownAuthoritiesCanBeTrustedBesideThoseOfTheJdk() throws Exception {
        Tls tls = Tls.builder().alsoTrust(certificates.caPem()).build();

        assertThat(shake(certificates.server(), false, tls)).isEqualTo("nobody");
        assertThat(acceptedBy(tls)).hasSizeGreaterThan(10).hasSize(acceptedByTheJdk() + 1);
        assertThat(acceptedBy(Tls.builder().trustOnly(certificates.caPem()).build()))
                .hasSize(1);
    }

    private static java.security.cert.X509Certificate[] acceptedBy(Tls tls) throws Exception {
        return Stream.of(tls.trustManagers())
                .map(X509TrustManager.class::cast)
                .findFirst()
                .orElseThrow()
                .getAcceptedIssuers();
    }

    private static int acceptedByTheJdk() throws Exception {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init((KeyStore) null);
        return ((X509TrustManager) factory.getTrustManagers()[0]).getAcceptedIssuers().length;
    }

    @Test
    void theContextStaysTheSameSoThatSessionsCanBeResumed() {
        assertThat(Tls.DEFAULT.context()).isSameAs(Tls.DEFAULT.context());
    }

    @Test
    void refusesAKeyThatDoesNotBelongToTheCertificate() {
        assertRefused(() -> Tls.builder()
                        .clientCertificate(certificates.certificatePem(Client.RSA), certificates.keyPem(Client.EC)))
                .hasMessageContaining("clientCertificate")
                .hasMessageContaining("CN=client-rsa");
        assertRefused(() -> Tls.builder()
                        .clientCertificate(
                                certificates.certificatePem(Client.EC), certificates.keyPem(Client.STRANGER)))
                .hasMessageContaining("does not belong");
        assertRefused(() ->
                        Tls.builder().clientCertificate(certificates.certificatePem(Client.RSA), Keys.pem("rsa-pkcs1")))
                .hasMessageContaining("does not belong");
    }

    @Test
    void refusesAChainInTheWrongOrder() {
        assertRefused(() -> Tls.builder()
                        .clientCertificate(
                                certificates.caPem() + certificates.certificatePem(Client.EC),
                                certificates.keyPem(Client.EC)))
                .hasMessageContaining("not in order");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "garbage",
                "-----BEGIN CERTIFICATE-----\nAQID\n-----END CERTIFICATE-----",
                "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----",
                "-----BEGIN CERTIFICATE-----\n???\n-----END CERTIFICATE-----",
                "-----BEGIN CERTIFICATE-----\nAQID",
                "-----BEGIN PUBLIC KEY-----\nAQID\n-----END PUBLIC KEY-----"
            })
    void refusesWhatIsNoCertificateAndNamesTheSetting(String pem) {
        assertRefused(() -> Tls.builder().trustOnly(pem)).hasMessageStartingWith("HTTP sink: TLS trustOnly: ");
        assertRefused(() -> Tls.builder().alsoTrust(pem)).hasMessageStartingWith("HTTP sink: TLS alsoTrust: ");
        assertRefused(() -> Tls.builder().clientCertificate(pem, certificates.keyPem(Client.EC)))
                .hasMessageStartingWith("HTTP sink: TLS clientCertificate: ");
        assertRefused(() -> Tls.builder().clientCertificate(certificates.certificatePem(Client.EC), pem))
                .hasMessageStartingWith("HTTP sink: TLS clientCertificate private key: ");
    }

    @Test
    void refusesToTrustOnlySomeAndOthersToo() {
        assertRefused(() -> Tls.builder().trustOnly(certificates.caPem()).alsoTrust(certificates.strangerPem()))
                .hasMessageContaining("contradict");
        assertRefused(() -> Tls.builder().alsoTrust(certificates.caPem()).trustOnly(certificates.strangerPem()))
                .hasMessageContaining("contradict");
    }

    @Test
    void showsTheSubjectAndTheEndOfTheClientsCertificateAndNoKey() {
        assertThat(Tls.DEFAULT).hasToString("TLS with the JDK's authorities");
        assertThat(showing(Client.RSA).alsoTrust(certificates.caPem()).build().toString())
                .matches("TLS with the JDK's authorities and 1 more, client certificate of"
                        + " CN=client-rsa, O=Posthorn tests, expires 20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");
    }

    private static AbstractThrowableAssert<?, ?> assertRefused(ThrowingCallable call) {
        return assertThatThrownBy(call)
                .isInstanceOf(PosthornException.class)
                .hasFieldOrPropertyWithValue("code", ErrorCode.INVALID_SETTING)
                .hasNoCause();
    }

    private static Tls.Builder showing(Client client) {
        return Tls.builder().clientCertificate(certificates.certificatePem(client), certificates.keyPem(client));
    }

    private static String shake(SSLContext server, boolean needsCertificate, Tls client) throws Exception {
        return shake(server, needsCertificate, client, "TLSv1.3");
    }

    /** Whom the server saw. A byte is read, as with TLS 1.3 a client hears only then that it was refused. */
    private static String shake(SSLContext server, boolean needsCertificate, Tls client, String protocol)
            throws Exception {
        try (SSLServerSocket listening = (SSLServerSocket)
                server.getServerSocketFactory().createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            listening.setNeedClientAuth(needsCertificate);
            CompletableFuture<String> seen = CompletableFuture.supplyAsync(() -> accept(listening), SERVERS);
            try (SSLSocket socket = (SSLSocket)
                    client.context().getSocketFactory().createSocket("127.0.0.1", listening.getLocalPort())) {
                socket.setSoTimeout(60_000);
                SSLParameters parameters = socket.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
                parameters.setProtocols(new String[] {protocol});
                socket.setSSLParameters(parameters);
                socket.startHandshake();
                assertThat(socket.getInputStream().read()).isEqualTo('!');
            } catch (IOException e) {
                e.addSuppressed(new IOException(seen.get(2, TimeUnit.MINUTES)));
                throw e;
            }
            return seen.get(2, TimeUnit.MINUTES);
        }
    }

    private static String accept(SSLServerSocket listening) {
        try (SSLSocket socket = (SSLSocket) listening.accept()) {
            socket.setSoTimeout(60_000);
            socket.startHandshake();
            socket.getOutputStream().write('!');
            return who(socket.getSession());
        } catch (IOException e) {
            return "refused: " + e.getMessage();
        }
    }

    private static String who(SSLSession session) {
        try {
            return session.getPeerPrincipal().getName();
        } catch (SSLPeerUnverifiedException e) {
            return "nobody";
        }
    }
}
