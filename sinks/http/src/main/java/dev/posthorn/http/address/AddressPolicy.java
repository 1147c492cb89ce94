package dev.posthorn.http.address;

import dev.posthorn.error.PosthornException;
import dev.posthorn.http.text.Setting;
import java.net.InetAddress;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Which addresses and ports may be connected to: public ones, and the exceptions that {@code Destinations} makes. */
public final class AddressPolicy {

    private static final InetAddress LOCALHOST = Network.of("127.0.0.1").address();
    private static final String OPEN_LOOPBACK =
            "give a public address, or allow this one with Destinations.allowLoopback()";

    private final Set<Network> networks;
    private final Set<String> hosts;
    private final Set<Integer> ports;

    public AddressPolicy(Set<Network> networks, Set<String> hosts, Set<Integer> ports) {
        this.networks = new LinkedHashSet<>(networks);
        this.hosts = new LinkedHashSet<>(hosts);
        this.ports = new TreeSet<>(ports);
    }

    /** Checks what is known before a name is looked up. */
    public void requireAllowed(Target target) {
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
        boolean mayBeLocal = trusts(host) || networks.stream().anyMatch(AddressPolicy::opensLoopback);
        return isLocal && !mayBeLocal ? host + " is a loopback name" : null;
    }

    private static boolean opensLoopback(Network network) {
        return AddressKind.LOOPBACK.fits(network.address()) || network.contains(LOCALHOST);
    }

    public boolean allowsPort(int port) {
        return ports.isEmpty() || ports.contains(port);
    }

    /** Why this address of this host must not be connected to; null if it may. */
    public @Nullable String refusal(String host, InetAddress address) {
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
}
