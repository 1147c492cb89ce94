package dev.posthorn.server.secrets;

/**
 * A text that only the holder of a key can read.
 *
 * @param keyId by which key
 */
@SuppressWarnings("ArrayRecordComponent")
public record Encrypted(byte[] bytes, String keyId) {

    @Override
    public String toString() {
        return "Encrypted[" + bytes.length + " bytes by key " + keyId + "]";
    }
}
