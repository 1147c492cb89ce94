package dev.posthorn.http;

import dev.posthorn.error.PosthornException;
import java.net.InetAddress;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Where a sink may send. Subscribers choose URLs, and a URL must not lead to what only this machine can reach: without
 * exceptions that is the public internet and nothing else. A URL is checked when its subscription is made, and at each
 * connect the very address that is connected to.
 */
public final class Destinations {

    /** Public addresses, at all ports. */
    public static final Destinations PUBLIC = builder().build();

    private static final InetAddress LOCALHOST = Network.of("127.0.0.1").address();
    private static final String OPEN_LOOPBACK =
            "give a public address, or allow this one with Destinations.allowLoopback()";

    private final Set<Network> networks;
    private final Set<String> hosts;
    private final Set<Integer> ports;

    private Destinations(Builder builder) {
        this.networks = new LinkedHashSet<>(builder.networks);
        this.hosts = new LinkedHashSet<>(builder.hosts);
        this.ports = new TreeSet<>(builder.ports);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Checks what is known before a name is looked up. */
    void requireAllowed(Target target) {
        if (!allowsPort(target.port())) {
            throw refuse(
                    target,
                    "port " + target.port() + " is not allowed",
                    "give one of the ports " + joined(ports) + ", or add it to Destinations.onlyPorts");
        }
        InetAddress literal = target.literal();
        String reason = literal == null ? nameRefusal(target.host()) : refusal(target.host(), literal);
        if (reason != null) {
            throw refuse(target, reason, literal == null ? OPEN_LOOPBACK : remedy(literal));
        }
    }

    private static String remedy(InetAddress address) {
        AddressKind kind = AddressKind.of(address);
        if (kind == AddressKind.MAPPED) {
            return "write it as the IPv4 address that it is";
        }
        return kind == AddressKind.LOOPBACK
                ? OPEN_LOOPBACK
                : "give a public address, or allow this one with Destinations.allowNetwork(\""
                        + AddressLiteral.text(address) + "\")";
    }

    private static PosthornException refuse(Target target, String reason, String remedy) {
        return Setting.refused("must not send to " + target.origin() + ": " + reason + "; " + remedy);
    }

    /** That a name means this machine is known without looking it up. */
    private @Nullable String nameRefusal(String host) {
        boolean isLocal = host.equals("localhost") || host.endsWith(".localhost");
        boolean mayBeLocal = trusts(host) || networks.stream().anyMatch(Destinations::opensLoopback);
        return isLocal && !mayBeLocal ? host + " is a loopback name" : null;
    }

    private static boolean opensLoopback(Network network) {
        return AddressKind.LOOPBACK.fits(network.address()) || network.contains(LOCALHOST);
    }

    boolean allowsPort(int port) {
        return ports.isEmpty() || ports.contains(port);
    }

    /** Why this address of this host must not be connected to; null if it may. */
    @Nullable
    String refusal(String host, InetAddress address) {
        AddressKind kind = AddressKind.of(address);
        return kind == null || trusts(host) || opens(kind, address)
                ? null
                : AddressLiteral.text(address) + " is " + kind;
    }

    private boolean trusts(String host) {
        String name = host.toLowerCase(Locale.ROOT);
        return hosts.stream()
                .anyMatch(each -> each.startsWith("*.") ? name.endsWith(each.substring(1)) : name.equals(each));
    }

    private boolean opens(AddressKind kind, InetAddress address) {
        return networks.stream().anyMatch(network -> network.contains(address) && mayOpen(network, kind));
    }

    /**
     * Metadata holds the machine's credentials, and who allows a wide network has hardly thought of that. A mapped
     * address would go where the IPv4 address in it leads.
     */
    private static boolean mayOpen(Network network, AddressKind kind) {
        return kind != AddressKind.MAPPED && (kind != AddressKind.METADATA || network.isSingle());
    }

    private static String joined(Collection<?> values) {
        return values.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    @Override
    public String toString() {
        return "public addresses"
                + (networks.isEmpty() ? "" : ", networks " + joined(networks))
                + (hosts.isEmpty() ? "" : ", hosts " + joined(hosts))
                + (ports.isEmpty() ? "" : "; only ports " + joined(ports));
    }

    /** Exceptions to what is refused, and the ports. */
    public static final class Builder {

        private final Set<Network> networks = new LinkedHashSet<>();
        private final Set<String> hosts = new LinkedHashSet<>();
        private final Set<Integer> ports = new TreeSet<>();

        private Builder() {}

        /**
         * Also the addresses of this network, such as {@code 10.1.0.0/16}, {@code fd00::/8} or a single address. An IPv4
         * network does not open the IPv6 addresses that embed its own. Cloud metadata is opened only by its single
         * address.
         */
        public Builder allowNetwork(String cidr) {
            Network network = Network.of(cidr);
            if (AddressKind.of(network.address()) == AddressKind.MAPPED) {
                throw refuse("allowNetwork: '" + cidr + "' is IPv4-mapped; give the IPv4 network that it maps");
            }
            networks.add(network);
            return this;
        }

        /** Also this host, or with {@code *.example.com} all below it, whatever its address: the name is trusted. */
        public Builder allowHost(String name) {
            String rule = Target.brokenRule(name.startsWith("*.") ? name.substring(2) : name);
            if (rule != null || AddressLiteral.of(name) != null) {
                throw refuse("allowHost: '" + name + "' is not a host's name"
                        + (rule == null ? "" : " (" + rule + ")")
                        + "; give one as hooks.example.com or *.example.com, and an address to allowNetwork");
            }
            hosts.add(name.toLowerCase(Locale.ROOT));
            return this;
        }

        /** Also this machine itself, for development and tests. */
        public Builder allowLoopback() {
            return allowNetwork("127.0.0.0/8").allowNetwork("::1");
        }

        /** These ports and no others. Left out: all. */
        public Builder onlyPorts(int... allowed) {
            if (allowed.length == 0) {
                throw refuse("onlyPorts: no port is given, so nothing could be sent; give one or leave it out");
            }
            for (int port : allowed) {
                if (port < 1 || port > 65_535) {
                    throw refuse("onlyPorts: " + port + " is not a port; give numbers from 1 to 65535");
                }
                ports.add(port);
            }
            return this;
        }

        private static PosthornException refuse(String problem) {
            return Setting.refused(problem);
        }

        public Destinations build() {
            return new Destinations(this);
        }
    }
}
