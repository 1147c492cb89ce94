package dev.posthorn.http.address;

import dev.posthorn.error.PosthornException;
import dev.posthorn.http.text.Setting;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.regex.Pattern;

/** The addresses that share their first bits. */
public record Network(InetAddress address, int bits) {

    private static final Pattern LENGTH = Pattern.compile("0|[1-9][0-9]{0,2}");

    /** Reads {@code 10.1.0.0/16}, {@code fd00::/8} or a single address. */
    public static Network of(String cidr) {
        int slash = cidr.indexOf('/');
        InetAddress address = AddressLiteral.of(slash < 0 ? cidr : cidr.substring(0, slash));
        if (address == null) {
            throw refuse(cidr, "is not a network: give an address and a length, as 10.1.0.0/16 or fd00::/8");
        }
        int all = address.getAddress().length * 8;
        Network network = new Network(address, slash < 0 ? all : bits(cidr, cidr.substring(slash + 1), all));
        byte[] first = network.first();
        if (!Arrays.equals(first, address.getAddress())) {
            throw refuse(cidr, "has bits set beyond its length: give the network's first address, or a longer length");
        }
        return network;
    }

    private static int bits(String cidr, String length, int most) {
        if (!LENGTH.matcher(length).matches() || Integer.parseInt(length) > most) {
            throw refuse(cidr, "has the length '" + length + "': give a number from 0 to " + most);
        }
        return Integer.parseInt(length);
    }

    private static PosthornException refuse(String cidr, String problem) {
        return Setting.refused("the network '" + cidr + "' " + problem);
    }

    private byte[] first() {
        byte[] first = address.getAddress();
        for (int bit = bits; bit < first.length * 8; bit++) {
            first[bit / 8] &= (byte) ~(0x80 >> (bit % 8));
        }
        return first;
    }

    /** Compares the bytes as they are: an IPv4 network holds none of the IPv6 addresses that embed its addresses. */
    public boolean contains(InetAddress other) {
        byte[] own = address.getAddress();
        byte[] its = other.getAddress();
        if (own.length != its.length) {
            return false;
        }
        int whole = bits / 8;
        int rest = bits % 8;
        return Arrays.equals(own, 0, whole, its, 0, whole)
                && (rest == 0 || ((own[whole] ^ its[whole]) & 0xff) >> (8 - rest) == 0);
    }

    boolean isSingle() {
        return bits == address.getAddress().length * 8;
    }

    @Override
    public String toString() {
        return AddressLiteral.text(address) + (isSingle() ? "" : "/" + bits);
    }
}
