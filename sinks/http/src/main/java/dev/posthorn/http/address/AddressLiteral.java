package dev.posthorn.http.address;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Addresses as text. Reading one never asks a name server, which {@link InetAddress#getByName} does for other text. */
public final class AddressLiteral {

    private static final String OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
    private static final String QUAD = OCTET + "(\\." + OCTET + "){3}";
    private static final Pattern IPV4 = Pattern.compile(QUAD);
    private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f:]{0,39}:([0-9A-Fa-f]{1,4}|" + QUAD + ")?");
    private static final Pattern ZEROS = Pattern.compile("(^|:)(0(:|$)){2,}");

    private AddressLiteral() {}

    /** The address, if the text is a canonical dotted quad or an IPv6 address without brackets and zone. */
    public static @Nullable InetAddress of(String text) {
        try {
            if (IPV4.matcher(text).matches()) {
                return InetAddress.getByAddress(text, octets(text));
            }
            return IPV6.matcher(text).matches() ? ipv6(text) : null;
        } catch (UnknownHostException e) {
            return null;
        }
    }

    private static byte[] octets(String quad) {
        byte[] octets = new byte[4];
        String[] numbers = quad.split("\\.", -1);
        for (int i = 0; i < octets.length; i++) {
            octets[i] = (byte) Integer.parseInt(numbers[i]);
        }
        return octets;
    }

    private static InetAddress ipv6(String text) throws UnknownHostException {
        // With brackets Java reads an address or throws, and looks nothing up.
        InetAddress read = InetAddress.getByName("[" + text + "]");
        return Inet6Address.getByAddress(text, read instanceof Inet4Address ? mapped(read) : read.getAddress(), -1);
    }

    /** Java makes an IPv4 address of a mapped one. It stays what was written, so that it can be refused as that. */
    private static byte[] mapped(InetAddress ipv4) {
        byte[] bytes = new byte[16];
        Arrays.fill(bytes, 10, 12, (byte) 0xff);
        System.arraycopy(ipv4.getAddress(), 0, bytes, 12, 4);
        return bytes;
    }

    /** The usual short form, such as {@code ::1}. */
    static String text(InetAddress address) {
        String text = address.getHostAddress();
        return address instanceof Inet6Address ? ZEROS.matcher(text).replaceFirst("::") : text;
    }
}
