package dev.posthorn.server.secrets;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** A key of AES-256-GCM. A nonce is made for each encryption and stands before what was encrypted. */
final class VaultKey {

    private static final int BYTES = 32;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final int ID_BYTES = 8;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final SecretKeySpec key;
    private final String id;

    private VaultKey(byte[] bytes) {
        this.key = new SecretKeySpec(bytes, "AES");
        this.id = idOf(bytes);
    }

    /** From Base64; {@code where} names it in the error. */
    static VaultKey of(String where, String base64) {
        byte[] bytes = decoded(base64);
        if (bytes.length != BYTES) {
            throw new PosthornException(
                    ErrorCode.INVALID_SETTING,
                    where + " is not a key of " + BYTES + " bytes in Base64; make one with: openssl rand -base64 32");
        }
        return new VaultKey(bytes);
    }

    private static byte[] decoded(String base64) {
        try {
            return Base64.getDecoder().decode(base64.strip());
        } catch (IllegalArgumentException notBase64) {
            return new byte[0];
        }
    }

    /** A new key in Base64. */
    static String random() {
        return Base64.getEncoder().encodeToString(randomBytes(BYTES));
    }

    private static byte[] randomBytes(int count) {
        byte[] bytes = new byte[count];
        RANDOM.nextBytes(bytes);
        return bytes;
    }

    /** Tells keys apart without telling anything of them. */
    String id() {
        return id;
    }

    private static String idOf(byte[] bytes) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
            return HexFormat.of().formatHex(hash, 0, ID_BYTES);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no SHA-256", e);
        }
    }

    byte[] encrypt(String owner, byte[] plain) {
        byte[] nonce = randomBytes(NONCE_BYTES);
        try {
            byte[] hidden = cipher(Cipher.ENCRYPT_MODE, nonce, owner).doFinal(plain);
            byte[] both = Arrays.copyOf(nonce, NONCE_BYTES + hidden.length);
            System.arraycopy(hidden, 0, both, NONCE_BYTES, hidden.length);
            return both;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM's AES-GCM cannot be used", e);
        }
    }

    byte[] decrypt(String owner, byte[] both) throws GeneralSecurityException {
        if (both.length < NONCE_BYTES) {
            throw new GeneralSecurityException("too short");
        }
        byte[] nonce = Arrays.copyOf(both, NONCE_BYTES);
        return cipher(Cipher.DECRYPT_MODE, nonce, owner).doFinal(both, NONCE_BYTES, both.length - NONCE_BYTES);
    }

    /** Bound to its owner: what was encrypted for one subscription cannot be passed off as another's. */
    private Cipher cipher(int mode, byte[] nonce, String owner) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(owner.getBytes(UTF_8));
        return cipher;
    }

    @Override
    public String toString() {
        return "key " + id;
    }
}
