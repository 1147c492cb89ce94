package dev.posthorn.http.tls;

import dev.posthorn.http.text.Setting;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;

/** What we show to receivers that want to see a certificate, with its key. */
public record ClientCertificate(List<X509Certificate> chain, PrivateKey key) {

    private static final String SETTING = "TLS clientCertificate";

    public static ClientCertificate read(String chainPem, String keyPem) {
        List<X509Certificate> chain = X509Certificates.read(SETTING, chainPem);
        for (int i = 1; i < chain.size(); i++) {
            Setting.require(
                    chain.get(i - 1)
                            .getIssuerX500Principal()
                            .equals(chain.get(i).getSubjectX500Principal()),
                    SETTING + ": the chain is not in order; give the client's certificate first and after each"
                            + " certificate the one that issued it");
        }
        PrivateKey key = PrivateKeys.read(SETTING + " private key", keyPem);
        Setting.require(
                isPair(key, chain.get(0).getPublicKey()),
                SETTING + ": the private key does not belong to the certificate of "
                        + chain.get(0).getSubjectX500Principal() + "; give the pair");
        return new ClientCertificate(List.copyOf(chain), key);
    }

    /** Whether the one verifies what the other signs. */
    private static boolean isPair(PrivateKey key, PublicKey publicKey) {
        if (!key.getAlgorithm().equals(publicKey.getAlgorithm())) {
            return false;
        }
        try {
            java.security.Signature signature = java.security.Signature.getInstance(
                    key.getAlgorithm().equals("RSA") ? "SHA256withRSA" : "SHA256withECDSA");
            byte[] something = {1, 2, 3};
            signature.initSign(key);
            signature.update(something);
            byte[] signed = signature.sign();
            signature.initVerify(publicKey);
            signature.update(something);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    public KeyManager[] keyManagers() throws GeneralSecurityException, IOException {
        char[] password = {};
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("client", key, password, chain.toArray(Certificate[]::new));
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, password);
        return factory.getKeyManagers();
    }

    @Override
    public String toString() {
        X509Certificate own = chain.get(0);
        return "client certificate of " + own.getSubjectX500Principal() + ", expires "
                + own.getNotAfter().toInstant();
    }
}
