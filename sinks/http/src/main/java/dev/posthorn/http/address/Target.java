package dev.posthorn.http.address;

import dev.posthorn.http.text.Setting;
import java.io.Serial;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hc.core5.http.HttpHost;
import org.jspecify.annotations.Nullable;

/**
 * A subscription's URL. Programs read odd URLs in different ways, and an attacker lives on the difference: whatever can
 * be read in two ways is refused, by its form alone.
 *
 * <p>No message quotes the URL, as it may hold a password or a token.
 */
public final class Target {

    private static final Pattern FORM = Pattern.compile("(?<scheme>[^:/?#]+)://(?<authority>[^/?#]*)(?<rest>[^#]*)");
    private static final Pattern AUTHORITY = Pattern.compile("(?<host>\\[[^\\[\\]]*]|[^:\\[\\]]*)(:(?<port>[^:]*))?");
    private static final Pattern PORT = Pattern.compile("[1-9][0-9]{0,4}");
    private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?");
    private static final Pattern NUMBER = Pattern.compile("[0-9]+|0[xX].*");

    private final String scheme;
    private final String host;
    private final int port;
    private final @Nullable InetAddress literal;
    private final String pathAndQuery;

    private Target(String url) {
        requirePlainCharacters(url);
        Matcher form = FORM.matcher(url);
        require(
                form.matches(),
                "is not of the form https://host/path" + (url.contains("#") ? " without #fragment" : ""));
        this.scheme = group(form, "scheme").toLowerCase(Locale.ROOT);
        require(scheme.equals("http") || scheme.equals("https"), "has another scheme than http or https");
        String authority = group(form, "authority");
        require(!authority.contains("@"), "has a user or password before an @; set the sink's authentication instead");
        Matcher parts = AUTHORITY.matcher(authority);
        require(parts.matches(), "has no host that can be read; an IPv6 address stands in [ ]");
        String written = group(parts, "host");
        this.literal = literal(written);
        this.host = literal == null ? written.toLowerCase(Locale.ROOT) : AddressLiteral.text(literal);
        this.port = port(parts.group("port"), isSecure());
        String rest = group(form, "rest");
        this.pathAndQuery = rest.startsWith("/") ? rest : "/" + rest;
        requireSameReading(url, authority, written, parts.group("port") == null ? -1 : port);
    }

    public static Target of(String url) {
        return of("the URL", url);
    }

    /**
     * The URL, if it can be read in one way only.
     *
     * @param name which URL it is, for the message if it is refused
     */
    public static Target of(String name, String url) {
        try {
            return new Target(url);
        } catch (Refused e) {
            throw Setting.refused(name + " " + e.getMessage());
        }
    }

    private static void requirePlainCharacters(String url) {
        require(
                url.chars().allMatch(c -> c < 0x80),
                "holds characters outside ASCII; give the host in its punycode form (xn--...) and the rest"
                        + " percent-encoded");
        require(
                url.chars().allMatch(c -> c > 0x20 && c < 0x7f && c != '\\'),
                "holds a blank, a control character or a backslash; percent-encode it, or remove it from the host");
    }

    private static @Nullable InetAddress literal(String written) {
        InetAddress address = AddressLiteral.of(unbracketed(written));
        if (written.startsWith("[")) {
            require(!written.contains("%"), "has an address with a zone; remove the % and what follows it");
            require(address != null, "has no IPv6 address between [ and ]");
            return address;
        }
        String rule = brokenRule(written);
        require(address != null || rule == null, "has the host '" + written + "', but " + rule);
        return address;
    }

    private static String unbracketed(String host) {
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    /** The rule for host names that a name breaks; null for a good one. */
    public static @Nullable String brokenRule(String name) {
        if (name.isEmpty() || name.length() > 253) {
            return "a host has 1 to 253 characters, this one " + name.length();
        }
        if (name.endsWith(".")) {
            return "it ends in a dot; remove it";
        }
        String[] labels = name.split("\\.", -1);
        for (String label : labels) {
            if (!LABEL.matcher(label).matches()) {
                return "between dots a host has 1 to 63 letters, digits, '-' and '_', with no '-' at either end";
            }
        }
        return NUMBER.matcher(labels[labels.length - 1]).matches()
                ? "this can be read as several addresses; write an IPv4 address as four decimal numbers without"
                        + " leading zeros"
                : null;
    }

    private static int port(@Nullable String written, boolean secure) {
        if (written == null) {
            return secure ? 443 : 80;
        }
        require(
                PORT.matcher(written).matches() && Integer.parseInt(written) <= 65_535,
                "has no good port after its host; give 1 to 65535 or leave out the colon");
        return Integer.parseInt(written);
    }

    /** Java finds no host where a name holds '_', which name servers do not mind; then the authority is compared. */
    private static void requireSameReading(String url, String authority, String host, int port) {
        try {
            URI read = new URI(url);
            boolean same = read.getHost() == null
                    ? host.contains("_") && authority.equals(read.getRawAuthority())
                    : host.equals(read.getHost()) && port == read.getPort();
            require(same, "can be read in several ways; give a host whose last part begins with a letter");
        } catch (URISyntaxException e) {
            throw refuse("is not a valid URL (" + e.getReason() + " at position " + e.getIndex() + ")");
        }
    }

    private static String group(Matcher matcher, String name) {
        String group = matcher.group(name);
        return group == null ? "" : group;
    }

    private static void require(boolean holds, String problem) {
        if (!holds) {
            throw refuse(problem);
        }
    }

    private static Refused refuse(String problem) {
        return new Refused(problem);
    }

    private static final class Refused extends RuntimeException {

        @Serial
        private static final long serialVersionUID = 1;

        Refused(String problem) {
            super(problem);
        }
    }

    /** In lower case. */
    String scheme() {
        return scheme;
    }

    /** A name in lower case, or an address without brackets. */
    public String host() {
        return host;
    }

    /** The written port, or the scheme's own. */
    public int port() {
        return port;
    }

    boolean isSecure() {
        return scheme.equals("https");
    }

    /** The host's address, if that is what the URL gives instead of a name. */
    @Nullable
    InetAddress literal() {
        return literal;
    }

    /** What stands in the request line. */
    public String pathAndQuery() {
        return pathAndQuery;
    }

    /** Empty if there is none. */
    public String query() {
        int mark = pathAndQuery.indexOf('?');
        return mark < 0 ? "" : pathAndQuery.substring(mark + 1);
    }

    public HttpHost httpHost() {
        return new HttpHost(scheme, host, port);
    }

    /** Without the path, which may be a secret. */
    public String origin() {
        return scheme + "://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    /** Without the query, which often holds a token. */
    @Override
    public String toString() {
        int query = pathAndQuery.indexOf('?');
        return origin() + (query < 0 ? pathAndQuery : pathAndQuery.substring(0, query));
    }
}
