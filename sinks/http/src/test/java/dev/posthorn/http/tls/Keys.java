package dev.posthorn.http.tls;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;

/** Keys that OpenSSL made, in all the forms in which it writes them. They open nothing. */
public final class Keys {

    private Keys() {}

    public static String pem(String name) {
        try (InputStream file = Keys.class.getResourceAsStream("keys/" + name + ".pem")) {
            return new String(file.readAllBytes(), US_ASCII);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The public key that belongs to all {@code rsa-pkcs…} or {@code ec-sec1…} and {@code ec-pkcs8}. */
    public static PublicKey publicKey(String algorithm, String name) throws GeneralSecurityException {
        byte[] content = Pem.read("public key", pem(name)).get(0).content();
        return KeyFactory.getInstance(algorithm).generatePublic(new X509EncodedKeySpec(content));
    }
}
