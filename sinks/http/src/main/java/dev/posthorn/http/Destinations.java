package dev.posthorn.http;

import dev.posthorn.http.address.AddressKind;
import dev.posthorn.http.address.AddressLiteral;
import dev.posthorn.http.address.AddressPolicy;
import dev.posthorn.http.address.Network;
import dev.posthorn.http.address.Target;
import dev.posthorn.http.text.Setting;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * Where a sink may send. Subscribers choose URLs, and a URL must not lead to what only this machine can reach: without
 * exceptions that is the public internet and nothing else. A URL is checked when its subscription is made, and at each
 * connect the very address that is connected to.
 */
public final class Destinations {

    /** Public addresses, at all ports. */
    public static final Destinations PUBLIC = builder().build();

    private final AddressPolicy policy;

    private Destinations(Builder builder) {
        this.policy = new AddressPolicy(builder.networks, builder.hosts, builder.ports);
    }

    public static Builder builder() {
        return new Builder();
    }

    AddressPolicy policy() {
        return policy;
    }

    @Override
    public String toString() {
        return policy.toString();
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
                throw Setting.refused(
                        "allowNetwork: '" + cidr + "' is IPv4-mapped; give the IPv4 network that it maps");
            }
            networks.add(network);
            return this;
        }

        /** Also this host, or with {@code *.example.com} all below it, whatever its address: the name is trusted. */
        public Builder allowHost(String name) {
            String rule = Target.brokenRule(name.startsWith("*.") ? name.substring(2) : name);
            if (rule != null || AddressLiteral.of(name) != null) {
                throw Setting.refused("allowHost: '" + name + "' is not a host's name"
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
                throw Setting.refused(
                        "onlyPorts: no port is given, so nothing could be sent; give one or leave it out");
            }
            for (int port : allowed) {
                if (port < 1 || port > 65_535) {
                    throw Setting.refused("onlyPorts: " + port + " is not a port; give numbers from 1 to 65535");
                }
                ports.add(port);
            }
            return this;
        }

        public Destinations build() {
            return new Destinations(this);
        }
    }
}
