package dev.posthorn.server.access;

import dev.posthorn.http.address.AddressLiteral;
import dev.posthorn.http.address.Network;
import dev.posthorn.server.settings.HubSettings;
import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Reads from an HTTP request who calls. A proxy is believed about that only if its own address is among {@code
 * posthorn.http.trusted-proxies}: anybody can send its headers.
 */
@Component
final class HttpCalls {

    private final List<Network> trusted;

    HttpCalls(HubSettings settings) {
        this.trusted =
                settings.http().trustedProxies().stream().map(Network::of).toList();
    }

    Call of(HttpServletRequest request) {
        return new Call(
                Call.key(request.getHeader("Authorization"), request.getHeader("X-API-Key")),
                address(request),
                request.getHeader("Host"),
                origin(request),
                Collections.list(request.getHeaderNames()).stream().anyMatch(ProxySigns::isOne));
    }

    /** A page that only has an image loaded from here sends none, but its browser says that it is another site's. */
    private static @Nullable String origin(HttpServletRequest request) {
        String origin = request.getHeader("Origin");
        return origin == null && "cross-site".equalsIgnoreCase(request.getHeader("Sec-Fetch-Site")) ? "null" : origin;
    }

    /** From the last proxy backwards: what stands before the first that is not one of ours is the caller's own word. */
    private InetAddress address(HttpServletRequest request) {
        InetAddress address = peer(request);
        List<String> before = trusted.isEmpty() ? List.of() : forwardedFor(request);
        for (int i = before.size() - 1; i >= 0 && isTrusted(address); i--) {
            InetAddress next = literal(before.get(i));
            if (next == null) {
                return address;
            }
            address = next;
        }
        return address;
    }

    private static InetAddress peer(HttpServletRequest request) {
        InetAddress peer = literal(request.getRemoteAddr());
        if (peer == null) {
            throw new IllegalStateException("Tomcat gave an address that is none: " + request.getRemoteAddr());
        }
        return peer;
    }

    private static List<String> forwardedFor(HttpServletRequest request) {
        return Collections.list(request.getHeaders("X-Forwarded-For")).stream()
                .flatMap(line -> Arrays.stream(line.split(",")))
                .map(String::strip)
                .toList();
    }

    /** Never looked up: a name would be somebody else's choice. A zone tells only where this machine has it from. */
    private static @Nullable InetAddress literal(String text) {
        int zone = text.indexOf('%');
        return AddressLiteral.of(zone < 0 ? text : text.substring(0, zone));
    }

    private boolean isTrusted(InetAddress address) {
        return trusted.stream().anyMatch(network -> network.contains(address));
    }
}
