package dev.posthorn.http.text;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Which headers a user may set: legal ones that Posthorn does not set itself and that do not change the framing. */
public final class HeaderRules {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");
    private static final Pattern VALUE = Pattern.compile("[\\x21-\\x7e]([\\x20-\\x7e\\t]*[\\x21-\\x7e])?");
    private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7e]+");

    private static final Set<String> TAKEN = Set.of(
            "connection",
            "content-encoding",
            "content-length",
            "content-type",
            "expect",
            "host",
            "http2-settings",
            "keep-alive",
            "proxy-authorization",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "user-agent");

    private static final List<String> TAKEN_PREFIXES = List.of("webhook-", "ce-", "posthorn-");

    private HeaderRules() {}

    /** Tells which trace an event belongs to. */
    public static boolean isTrace(String lowerName) {
        return lowerName.equals("traceparent") || lowerName.equals("tracestate");
    }

    public static boolean isFree(String lowerName) {
        return !TAKEN.contains(lowerName)
                && !isTrace(lowerName)
                && TAKEN_PREFIXES.stream().noneMatch(lowerName::startsWith);
    }

    public static void requireFree(String name) {
        Setting.require(
                NAME.matcher(name).matches(),
                "'" + name.replaceAll("[\\p{Cc}\\p{Cf}\\u2028\\u2029]", "?")
                        + "' cannot be the name of a header; use letters, digits, '-'");
        Setting.require(
                isFree(name.toLowerCase(Locale.ROOT)),
                "the header '" + name + "' is set by Posthorn or belongs to the connection; choose another");
    }

    /** The value is never shown: it may be a secret. */
    public static void requireLegalValue(String name, String value) {
        Setting.require(
                VALUE.matcher(value).matches(),
                "the value of the header '" + name + "' must be ASCII text, not empty, without line breaks and without"
                        + " spaces around it");
    }

    /** Whether it can stand after {@code Bearer} as it is. */
    public static boolean isToken(String text) {
        return TOKEN.matcher(text).matches();
    }
}
