package dev.posthorn.server.access;

import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a call says about where it comes from, by REST or by gRPC.
 *
 * @param key the API key, if there is one
 * @param address the caller's
 * @param host the hub's name as the caller knows it
 * @param origin the web page that makes the call, if a browser says so
 * @param forwarded it came through a proxy
 */
public record Call(
        @Nullable String key,
        InetAddress address,
        @Nullable String host,
        @Nullable String origin,
        boolean forwarded) {

    private static final String BEARER = "bearer ";

    /** The key in {@code Authorization: Bearer …} or else in {@code X-API-Key}. */
    public static @Nullable String key(@Nullable String authorization, @Nullable String apiKey) {
        if (authorization != null && authorization.toLowerCase(Locale.ROOT).startsWith(BEARER)) {
            return authorization.substring(BEARER.length()).strip();
        }
        return apiKey == null ? null : apiKey.strip();
    }

    /**
     * Whether somebody on this machine calls. A web page from elsewhere that this machine's browser shows is somebody
     * else, and so is whoever comes through a proxy.
     */
    boolean isLocal() {
        return address.isLoopbackAddress()
                && !forwarded
                && (host == null || isLoopback("http://" + host))
                && (origin == null || isLoopback(origin));
    }

    private static boolean isLoopback(String url) {
        try {
            String name = new URI(url).getHost();
            return name != null
                    && (name.equalsIgnoreCase("localhost")
                            || name.equals("[::1]")
                            || name.matches("127(\\.\\d{1,3}){3}"));
        } catch (URISyntaxException e) {
            return false;
        }
    }
}
