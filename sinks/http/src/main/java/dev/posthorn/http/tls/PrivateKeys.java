package dev.posthorn.http.tls;

import dev.posthorn.http.text.Setting;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads RSA and EC keys from PEM: PKCS#8, PKCS#1 and SEC1. */
public final class PrivateKeys {

    private static final String TO_PKCS8 = "convert it with 'openssl pkcs8 -topk8 -nocrypt -in key.pem'";

    private PrivateKeys() {}

    public static PrivateKey read(String setting, String pem) {
        List<Pem> keys = Pem.read(setting, pem).stream()
                .filter(block -> block.type().endsWith("PRIVATE KEY"))
                .toList();
        Setting.require(
                keys.size() == 1,
                setting + ": " + (keys.isEmpty() ? "no" : "more than one") + " private key in it; give exactly one");
        return read(setting, keys.get(0));
    }

    private static PrivateKey read(String setting, Pem pem) {
        Setting.require(
                !pem.isEncrypted() && !pem.type().equals("ENCRYPTED PRIVATE KEY"),
                setting + ": the private key is encrypted; " + TO_PKCS8);
        PrivateKey key = switch (pem.type()) {
            case "PRIVATE KEY" -> rsaOrEc(pem.content());
            case "RSA PRIVATE KEY" -> decoded("RSA", Der.pkcs8OfPkcs1(pem.content()));
            case "EC PRIVATE KEY" -> decoded("EC", Der.pkcs8OfSec1(pem.content()));
            default -> null;
        };
        if (key == null) {
            throw Setting.refused(setting + ": the block '" + pem.type() + "' is not a readable RSA or EC key; "
                    + "look whether it is whole, or " + TO_PKCS8);
        }
        return key;
    }

    private static @Nullable PrivateKey rsaOrEc(byte[] pkcs8) {
        PrivateKey rsa = decoded("RSA", pkcs8);
        return rsa == null ? decoded("EC", pkcs8) : rsa;
    }

    private static @Nullable PrivateKey decoded(String algorithm, byte @Nullable [] pkcs8) {
        if (pkcs8 == null) {
            return null;
        }
        try {
            return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
        } catch (GeneralSecurityException e) {
            return null;
        }
    }
}
