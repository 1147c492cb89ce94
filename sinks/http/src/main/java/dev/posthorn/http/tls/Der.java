package dev.posthorn.http.tls;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The few bytes of DER that turn the older forms of private keys, which Java cannot read, into PKCS#8: the key as it
 * is, wrapped together with the name of its algorithm.
 */
final class Der {

    private static final int INTEGER = 0x02;
    private static final int OCTET_STRING = 0x04;
    private static final int NULL = 0x05;
    private static final int OBJECT_ID = 0x06;
    private static final int SEQUENCE = 0x30;
    private static final int SEC1_CURVE = 0xa0;

    private static final byte[] RSA = {0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 0x0d, 0x01, 0x01, 0x01};
    private static final byte[] EC = {0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 0x02, 0x01};

    private Der() {}

    static byte[] pkcs8OfPkcs1(byte[] rsaKey) {
        return pkcs8(RSA, element(NULL), rsaKey);
    }

    /** Null if the key does not name its curve, or is none. */
    static byte @Nullable [] pkcs8OfSec1(byte[] ecKey) {
        byte[] curve = curve(ecKey);
        return curve == null ? null : pkcs8(EC, curve, ecKey);
    }

    private static byte[] pkcs8(byte[] algorithm, byte[] parameters, byte[] key) {
        return element(
                SEQUENCE,
                element(INTEGER, new byte[] {0}),
                element(SEQUENCE, element(OBJECT_ID, algorithm), parameters),
                element(OCTET_STRING, key));
    }

    private static byte[] element(int tag, byte[]... parts) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            content.writeBytes(part);
        }
        ByteArrayOutputStream element = new ByteArrayOutputStream();
        element.write(tag);
        writeLength(element, content.size());
        element.writeBytes(content.toByteArray());
        return element.toByteArray();
    }

    private static void writeLength(ByteArrayOutputStream to, int length) {
        if (length < 0x80) {
            to.write(length);
            return;
        }
        int bytes = (Integer.SIZE - Integer.numberOfLeadingZeros(length) + 7) / 8;
        to.write(0x80 | bytes);
        for (int i = bytes - 1; i >= 0; i--) {
            to.write(length >> (8 * i));
        }
    }

    /** What stands in the element [0] of a SEC1 key, after its version and the key itself. */
    private static byte @Nullable [] curve(byte[] ecKey) {
        Element key = Element.at(ecKey, 0, SEQUENCE);
        Element version = key == null ? null : Element.at(ecKey, key.start, INTEGER);
        Element number = version == null ? null : Element.at(ecKey, version.end, OCTET_STRING);
        Element curve = number == null ? null : Element.at(ecKey, number.end, SEC1_CURVE);
        return curve == null ? null : Arrays.copyOfRange(ecKey, curve.start, curve.end);
    }

    /** Where an element's content begins and ends. */
    private record Element(int start, int end) {

        static @Nullable Element at(byte[] der, int at, int tag) {
            if (at + 2 > der.length || (der[at] & 0xff) != tag) {
                return null;
            }
            int first = der[at + 1] & 0xff;
            int lengthBytes = first < 0x80 ? 0 : first & 0x7f;
            int start = at + 2 + lengthBytes;
            if (lengthBytes > 3 || start > der.length) {
                return null;
            }
            int length = lengthBytes == 0 ? first : 0;
            for (int i = at + 2; i < start; i++) {
                length = (length << 8) | (der[i] & 0xff);
            }
            return start + length > der.length ? null : new Element(start, start + length);
        }
    }
}
