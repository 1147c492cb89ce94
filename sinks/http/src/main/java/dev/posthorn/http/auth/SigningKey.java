package dev.posthorn.http.auth;

import dev.posthorn.http.text.Setting;
import dev.posthorn.http.tls.PrivateKeys;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.RSAPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A key that signs JWTs in one of the three ways that every receiver knows. */
public final class SigningKey {

    private static final int LEAST_SECRET_BYTES = 32;
    private static final int LEAST_RSA_BITS = 2048;

    private final String algorithm;
    private final Signer signer;

    private interface Signer {
        byte[] sign(byte[] input) throws GeneralSecurityException;
    }

    private SigningKey(String algorithm, Signer signer) {
        this.algorithm = algorithm;
        this.signer = signer;
    }

    public static SigningKey hs256(byte[] secret) {
        Setting.require(
                secret.length >= LEAST_SECRET_BYTES,
                "the JWT secret has " + secret.length + " bytes; HS256 needs at least " + LEAST_SECRET_BYTES);
        SecretKeySpec key = new SecretKeySpec(secret, "HmacSHA256");
        return new SigningKey("HS256", input -> {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            return mac.doFinal(input);
        });
    }

    public static SigningKey rs256(String privateKeyPem) {
        PrivateKey key = PrivateKeys.read("JWT private key", privateKeyPem);
        if (!(key instanceof RSAPrivateKey rsa)) {
            throw Setting.refused("JWT private key: it is not an RSA key; RS256 needs one");
        }
        int bits = rsa.getModulus().bitLength();
        Setting.require(
                bits >= LEAST_RSA_BITS,
                "JWT private key: it has " + bits + " bits; RS256 needs at least " + LEAST_RSA_BITS);
        return new SigningKey("RS256", input -> signed("SHA256withRSA", key, input));
    }

    /** JOSE wants the two numbers of the signature side by side, not as the DER that Java makes by default. */
    public static SigningKey es256(String privateKeyPem) {
        PrivateKey key = PrivateKeys.read("JWT private key", privateKeyPem);
        Setting.require(
                key instanceof ECPrivateKey ec && isP256(ec.getParams()),
                "JWT private key: it is not an EC key on the curve P-256; ES256 needs one");
        return new SigningKey("ES256", input -> signed("SHA256withECDSAinP1363Format", key, input));
    }

    private static boolean isP256(ECParameterSpec curve) {
        try {
            AlgorithmParameters p256 = AlgorithmParameters.getInstance("EC");
            p256.init(new ECGenParameterSpec("secp256r1"));
            ECParameterSpec expected = p256.getParameterSpec(ECParameterSpec.class);
            return curve.getCurve().equals(expected.getCurve())
                    && curve.getGenerator().equals(expected.getGenerator())
                    && curve.getOrder().equals(expected.getOrder());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM does not know the curve P-256", e);
        }
    }

    private static byte[] signed(String algorithm, PrivateKey key, byte[] input) throws GeneralSecurityException {
        java.security.Signature signature = java.security.Signature.getInstance(algorithm);
        signature.initSign(key);
        signature.update(input);
        return signature.sign();
    }

    public String algorithm() {
        return algorithm;
    }

    byte[] sign(byte[] input) throws GeneralSecurityException {
        return signer.sign(input);
    }
}
