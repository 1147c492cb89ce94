package dev.posthorn.http.address;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of addresses that are no part of the public internet, or that lead to another address hidden in them. The
 * first kind that fits is an address's kind.
 */
public enum AddressKind {
    METADATA(
            "a cloud metadata address",
            "169.254.169.254",
            "169.254.170.2",
            "169.254.170.23",
            "168.63.129.16",
            "100.100.100.200",
            "192.0.0.192",
            "fd00:ec2::254",
            "fd00:ec2::23",
            "fd20:ce::254"),
    LOOPBACK("a loopback address", "127.0.0.0/8", "::1"),
    UNSPECIFIED("an unspecified address", "0.0.0.0/8", "::"),
    PRIVATE("a private address", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"),
    CARRIER_NAT("a carrier-grade NAT address", "100.64.0.0/10"),
    LINK_LOCAL("a link-local address", "169.254.0.0/16", "fe80::/10"),
    SITE_LOCAL("a site-local address", "fec0::/10"),
    MULTICAST("a multicast address", "224.0.0.0/4", "ff00::/8"),
    BROADCAST("the broadcast address", "255.255.255.255"),
    RESERVED("a reserved address", "240.0.0.0/4"),
    DOCUMENTATION(
            "a documentation address",
            "192.0.2.0/24",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "2001:db8::/32",
            "3fff::/20"),
    BENCHMARK("a benchmarking address", "198.18.0.0/15"),
    SIX_TO_FOUR("a 6to4 address", "192.88.99.0/24", "2002::/16"),
    TEREDO("a Teredo address", "2001::/32"),
    PROTOCOL("an address set aside for protocols", "192.0.0.0/24", "2001::/23"),
    MAPPED("an IPv4-mapped address", "::ffff:0:0/96"),
    TRANSLATED("an IPv4-translated address", "::ffff:0:0:0/96"),
    COMPATIBLE("an IPv4-compatible address", "::/96"),
    NAT64("a NAT64 address", "64:ff9b::/96", "64:ff9b:1::/48"),
    DISCARD("a discard-only address", "100::/64"),
    ISATAP("an ISATAP address") {
        @Override
        boolean fits(InetAddress address) {
            byte[] bytes = address.getAddress();
            return bytes.length == 16
                    && (bytes[8] & ~3) == 0
                    && bytes[9] == 0
                    && bytes[10] == 0x5e
                    && bytes[11] == (byte) 0xfe;
        }
    },
    /** What nobody has a use for today may become anything tomorrow. */
    NOT_GLOBAL("not a global address") {
        @Override
        boolean fits(InetAddress address) {
            return address instanceof Inet6Address && !GLOBAL.contains(address);
        }
    };

    private static final Network GLOBAL = Network.of("2000::/3");

    private static final List<AddressKind> ALL = List.of(values());

    private final String words;

    @SuppressWarnings("ImmutableEnumChecker") // A list of Stream.toList() never changes; its type does not say so.
    private final List<Network> networks;

    AddressKind(String words, String... networks) {
        this.words = words;
        this.networks = Stream.of(networks).map(Network::of).toList();
    }

    /** Null for a public address. */
    public static @Nullable AddressKind of(InetAddress address) {
        for (AddressKind kind : ALL) {
            if (kind.fits(address)) {
                return kind;
            }
        }
        return null;
    }

    boolean fits(InetAddress address) {
        return networks.stream().anyMatch(network -> network.contains(address));
    }

    /** Completes "the address is". */
    @Override
    public String toString() {
        return words;
    }
}
