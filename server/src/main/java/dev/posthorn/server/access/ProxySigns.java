package dev.posthorn.server.access;

import java.util.Locale;
import java.util.Set;

/** The headers by which proxies make themselves known. */
public final class ProxySigns {

    private static final String FAMILY = "x-forwarded-";

    private static final Set<String> OTHERS = Set.of(
            "forwarded",
            "via",
            "x-real-ip",
            "x-client-ip",
            "x-cluster-client-ip",
            "x-original-forwarded-for",
            "x-envoy-external-address",
            "true-client-ip",
            "cf-connecting-ip",
            "fastly-client-ip");

    private ProxySigns() {}

    /** Whether a header of this name says that a proxy was in between, whatever its value. */
    public static boolean isOne(String header) {
        String name = header.toLowerCase(Locale.ROOT);
        return name.startsWith(FAMILY) || OTHERS.contains(name);
    }
}
