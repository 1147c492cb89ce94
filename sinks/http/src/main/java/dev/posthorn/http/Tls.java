package dev.posthorn.http;

import dev.posthorn.http.text.Setting;
import dev.posthorn.http.tls.ClientCertificate;
import dev.posthorn.http.tls.X509Certificates;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** Which receivers are trusted over https, and what we show to those that want to see a certificate. */
public final class Tls {

    /** The JDK's certificate authorities, and no certificate of our own. */
    public static final Tls DEFAULT = builder().build();

    private enum Trust {
        JDK,
        JDK_AND_OWN,
        OWN
    }

    private final Trust trust;
    private final List<X509Certificate> authorities;
    private final @Nullable ClientCertificate clientCertificate;
    private final SSLContext context;

    private Tls(Builder builder) {
        this.trust = builder.trust;
        this.authorities = List.copyOf(builder.authorities);
        this.clientCertificate = builder.clientCertificate;
        try {
            this.context = SSLContext.getInstance("TLS");
            context.init(clientCertificate == null ? null : clientCertificate.keyManagers(), trustManagers(), null);
        } catch (GeneralSecurityException | IOException e) {
            throw Setting.refused("TLS: the certificates cannot be used: " + e.getMessage());
        }
    }

    public static Builder builder() {
        return new Builder();
    }

    TrustManager @Nullable [] trustManagers() throws GeneralSecurityException, IOException {
        return switch (trust) {
            case JDK -> null;
            case OWN -> trusting(authorities.stream());
            case JDK_AND_OWN -> trusting(Stream.concat(authoritiesOfTheJdk(), authorities.stream()));
        };
    }

    private static Stream<X509Certificate> authoritiesOfTheJdk() throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init((KeyStore) null);
        return Stream.of(factory.getTrustManagers())
                .filter(X509TrustManager.class::isInstance)
                .flatMap(each -> Stream.of(((X509TrustManager) each).getAcceptedIssuers()));
    }

    /** One manager for all: two in a row would each have to say why the other one's certificates are no good. */
    private static TrustManager[] trusting(Stream<X509Certificate> authorities)
            throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        for (X509Certificate each : authorities.toList()) {
            store.setCertificateEntry("authority-" + store.size(), each);
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    /** The same one each time. Whether the certificate names the host is for the connection to check. */
    SSLContext context() {
        return context;
    }

    @Override
    public String toString() {
        String trusted = switch (trust) {
            case JDK -> "TLS with the JDK's authorities";
            case JDK_AND_OWN -> "TLS with the JDK's authorities and " + authorities.size() + " more";
            case OWN -> "TLS with " + authorities.size() + " authorities of its own";
        };
        return clientCertificate == null ? trusted : trusted + ", " + clientCertificate;
    }

    /** Settings of TLS; all may be left out. */
    public static final class Builder {

        private final List<X509Certificate> authorities = new ArrayList<>();
        private Trust trust = Trust.JDK;
        private @Nullable ClientCertificate clientCertificate;

        private Builder() {}

        /** Trusts these certificate authorities (PEM, several one after the other) and no others. */
        public Builder trustOnly(String caPem) {
            return trust(Trust.OWN, X509Certificates.read("TLS trustOnly", caPem));
        }

        /** Trusts these certificate authorities (PEM, several one after the other) as well as the JDK's. */
        public Builder alsoTrust(String caPem) {
            return trust(Trust.JDK_AND_OWN, X509Certificates.read("TLS alsoTrust", caPem));
        }

        private Builder trust(Trust asked, List<X509Certificate> more) {
            Setting.require(
                    trust == Trust.JDK || trust == asked, "TLS trustOnly and alsoTrust contradict each other; use one");
            this.trust = asked;
            this.authorities.addAll(more);
            return this;
        }

        /**
         * Shows this certificate to receivers that ask for one.
         *
         * @param certificateChainPem the client's certificate first, then those that issued it, if the receiver needs
         *     them
         * @param privateKeyPem PKCS#8, PKCS#1 (RSA) or SEC1 (EC), not encrypted
         */
        public Builder clientCertificate(String certificateChainPem, String privateKeyPem) {
            this.clientCertificate = ClientCertificate.read(certificateChainPem, privateKeyPem);
            return this;
        }

        public Tls build() {
            return new Tls(this);
        }
    }
}
