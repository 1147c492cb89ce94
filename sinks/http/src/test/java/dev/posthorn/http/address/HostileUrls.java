package dev.posthorn.http.address;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.stream.Stream;

/** URLs and names by which a subscriber could reach what is not theirs. None may be sent to. */
public final class HostileUrls {

    /** A URL that shows what it is by itself. */
    public record Url(String trick, String url) {

        @Override
        public String toString() {
            return trick + ": " + url;
        }
    }

    /** A good-looking host, and the addresses that its name server gives for it. */
    public record Name(String trick, String host, List<InetAddress> addresses) {

        public String url() {
            return "http://" + host + "/hook";
        }

        @Override
        public String toString() {
            return trick + ": " + host;
        }
    }

    public static final List<Url> URLS = List.of(
            new Url("loopback", "http://127.0.0.1/"),
            new Url("loopback with port", "http://127.0.0.1:5432/"),
            new Url("other loopback", "http://127.255.255.254/"),
            new Url("loopback name", "http://localhost/"),
            new Url("loopback name in capitals", "http://LOCALHOST:8080/"),
            new Url("name below localhost", "http://hooks.localhost/"),
            new Url("unspecified", "http://0.0.0.0/"),
            new Url("this network", "http://0.1.2.3/"),
            new Url("private 10", "http://10.0.0.1/"),
            new Url("private 172", "https://172.16.0.1/"),
            new Url("end of private 172", "https://172.31.255.255/"),
            new Url("private 192", "http://192.168.1.1/admin"),
            new Url("link-local", "http://169.254.1.1/"),
            new Url("AWS metadata", "http://169.254.169.254/latest/meta-data/iam/security-credentials/"),
            new Url("ECS credentials", "http://169.254.170.2/v2/credentials"),
            new Url("Azure wire server", "http://168.63.129.16/machine"),
            new Url("Alibaba metadata", "http://100.100.100.200/latest/meta-data/"),
            new Url("carrier-grade NAT", "http://100.64.0.1/"),
            new Url("protocol assignments", "http://192.0.0.8/"),
            new Url("documentation", "http://203.0.113.5/"),
            new Url("benchmarking", "http://198.19.255.255/"),
            new Url("6to4 relay", "http://192.88.99.1/"),
            new Url("multicast", "http://224.0.0.1/"),
            new Url("reserved", "http://240.0.0.1/"),
            new Url("broadcast", "http://255.255.255.255/"),
            new Url("decimal", "http://2130706433/"),
            new Url("decimal of metadata", "http://2852039166/latest/"),
            new Url("decimal beyond 32 bits", "http://4425673729/"),
            new Url("octal", "http://0177.0.0.1/"),
            new Url("octal in one", "http://017700000001/"),
            new Url("padded octal", "http://0000177.0000.0000.0001/"),
            new Url("leading zero", "http://127.0.0.01/"),
            new Url("hexadecimal", "http://0x7f000001/"),
            new Url("hexadecimal by octet", "http://0x7f.0x0.0x0.0x1/"),
            new Url("hexadecimal in capitals", "http://0X7F.1/"),
            new Url("mixed bases", "http://0x7f.0.0.01/"),
            new Url("last octet hexadecimal", "http://127.0.0.0x1/"),
            new Url("hexadecimal without digits", "http://127.0.0.0x/"),
            new Url("two parts", "http://127.1/"),
            new Url("three parts", "http://127.0.1/"),
            new Url("zero", "http://0/"),
            new Url("five parts", "http://1.2.3.4.5/"),
            new Url("octet beyond 255", "http://127.0.0.256/"),
            new Url("overflowing octet", "http://383.0.0.1/"),
            new Url("trailing dot of an address", "http://127.0.0.1./"),
            new Url("trailing dot of a name", "http://localhost./"),
            new Url("two dots", "http://127.0.0..1/"),
            new Url("leading dot", "http://.127.0.0.1/"),
            new Url("IPv6 loopback", "http://[::1]/"),
            new Url("IPv6 loopback in full", "http://[0:0:0:0:0:0:0:1]:8080/"),
            new Url("IPv6 loopback with zeros", "http://[0000:0000:0000:0000:0000:0000:0000:0001]/"),
            new Url("IPv6 unspecified", "http://[::]/"),
            new Url("mapped", "http://[::ffff:127.0.0.1]/"),
            new Url("mapped in hexadecimal", "http://[::ffff:7f00:1]/"),
            new Url("mapped in full", "http://[0:0:0:0:0:FFFF:a9fe:a9fe]/"),
            new Url("mapped public", "http://[::ffff:8.8.8.8]/"),
            new Url("mapped octal", "http://[::ffff:0177.0.0.1]/"),
            new Url("compatible", "http://[::127.0.0.1]/"),
            new Url("compatible in hexadecimal", "http://[::7f00:1]/"),
            new Url("translated", "http://[::ffff:0:127.0.0.1]/"),
            new Url("NAT64", "http://[64:ff9b::127.0.0.1]/"),
            new Url("NAT64 of metadata", "http://[64:ff9b::a9fe:a9fe]/"),
            new Url("local NAT64", "http://[64:ff9b:1::10.0.0.1]/"),
            new Url("6to4 of loopback", "http://[2002:7f00:1::]/"),
            new Url("6to4 of private", "http://[2002:a00:1::1]/"),
            new Url("Teredo", "http://[2001:0:4136:e378:8000:63bf:80ff:fffe]/"),
            new Url("ISATAP", "http://[2600:1f18::5efe:127.0.0.1]/"),
            new Url("universal ISATAP", "http://[2600:1f18::200:5efe:a00:1]/"),
            new Url("unique local", "http://[fd12:3456:789a::1]/"),
            new Url("AWS metadata by IPv6", "http://[fd00:ec2::254]/latest/"),
            new Url("IPv6 link-local", "http://[fe80::1]/"),
            new Url("site-local", "http://[fec0::1]/"),
            new Url("IPv6 multicast", "http://[ff02::1]/"),
            new Url("IPv6 documentation", "http://[2001:db8::1]/"),
            new Url("new IPv6 documentation", "http://[3fff::1]/"),
            new Url("discard", "http://[100::1]/"),
            new Url("ORCHID", "http://[2001:20::1]/"),
            new Url("not yet given out", "http://[4000::1]/"),
            new Url("zone", "http://[fe80::1%25eth0]/"),
            new Url("raw zone", "http://[fe80::1%eth0]/"),
            new Url("zone of a public address", "http://[2600:1f18::1%251]/"),
            new Url("IPv4 in brackets", "http://[127.0.0.1]/"),
            new Url("name in brackets", "http://[localhost]/"),
            new Url("future address form", "http://[v1.fe80::a]/"),
            new Url("IPv6 without brackets", "http://::1/"),
            new Url("mapped without brackets", "http://::ffff:127.0.0.1/"),
            new Url("text after brackets", "http://[::1].example.com/"),
            new Url("bracket left open", "http://[::1/"),
            new Url("two gaps", "http://[1::2::3]/"),
            new Url("circled digits", "http://\u2460\u2461\u2466.\u24ea.\u24ea.\u2460/"),
            new Url("fullwidth digits", "http://\uff11\uff12\uff17.\uff10.\uff10.\uff11/"),
            new Url("Arabic digits", "http://\u0661\u0662\u0667.0.0.1/"),
            new Url("ideographic dots", "http://127\u30020\u30020\u30021/"),
            new Url("fullwidth dots", "http://127\uff0e0\uff0e0\uff0e1/"),
            new Url("fullwidth name", "http://\uff4c\uff4f\uff43\uff41\uff4c\uff48\uff4f\uff53\uff54/"),
            new Url("circled name", "http://loc\u24d0lhost/"),
            new Url("long s", "http://localho\u017ft/"),
            new Url("soft hyphen", "http://local\u00adhost/"),
            new Url("zero-width space", "http://local\u200bhost/"),
            new Url("fullwidth slash", "http://127.0.0.1\uff0f.example.com/"),
            new Url("fullwidth at", "http://example.com\uff20127.0.0.1/"),
            new Url("Unicode name", "http://m\u00fcnchen.example/"),
            new Url("user", "http://example.com@127.0.0.1/"),
            new Url("user and password", "http://example.com:80@127.0.0.1/"),
            new Url("user before a good host", "https://user:secret@example.com/"),
            new Url("empty user", "http://@127.0.0.1/"),
            new Url("two users", "http://a@127.0.0.1@example.com/"),
            new Url("user and fragment", "http://127.0.0.1#@example.com/"),
            new Url("user and query", "http://127.0.0.1?@example.com/"),
            new Url("fragment", "https://example.com/#x"),
            new Url("backslash", "http://example.com\\@127.0.0.1/"),
            new Url("backslash before host", "http:\\\\127.0.0.1/"),
            new Url("backslash after host", "http://127.0.0.1\\.example.com/"),
            new Url("backslash in path", "https://example.com/a\\b"),
            new Url("tab in host", "http://127.0\t.0.1/"),
            new Url("tab in scheme", "ht\ttp://127.0.0.1/"),
            new Url("line feed", "http://127.0.0.1\n.example.com/"),
            new Url("header after a line feed", "https://example.com/ HTTP/1.1\r\nHost: internal"),
            new Url("null character", "http://127.0.0.1\0.example.com/"),
            new Url("blank in host", "http://127.0.0.1 .example.com/"),
            new Url("blank at the front", " http://127.0.0.1/"),
            new Url("blank at the end", "https://example.com/ "),
            new Url("delete character", "https://example.com/\u007f"),
            new Url("percent-encoded host", "http://%31%32%37.0.0.1/"),
            new Url("percent-encoded dot", "http://127%2e0%2e0%2e1/"),
            new Url("percent-encoded name", "http://localhos%74/"),
            new Url("percent-encoded fullwidth", "http://%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1/"),
            new Url("percent-encoded at", "http://example.com%40127.0.0.1/"),
            new Url("percent-encoded null", "http://127.0.0.1%00.example.com/"),
            new Url("broken escape", "https://example.com/%zz"),
            new Url("shell characters in host", "http://$(id).example.com/"),
            new Url("comma in host", "http://127.0.0.1,example.com/"),
            new Url("semicolon in host", "http://127.0.0.1;example.com/"),
            new Url("hyphen at the front", "http://-example.com/"),
            new Url("label of digits and letters at the end", "http://example.1a/"),
            new Url("file", "file:///etc/passwd"),
            new Url("ftp", "ftp://example.com/"),
            new Url("gopher", "gopher://127.0.0.1:6379/_FLUSHALL"),
            new Url("dict", "dict://127.0.0.1:11211/stats"),
            new Url("ldap", "ldap://127.0.0.1/"),
            new Url("jar", "jar:http://127.0.0.1!/"),
            new Url("unix socket", "unix:///var/run/docker.sock"),
            new Url("http over unix", "http+unix://%2Fvar%2Frun%2Fdocker.sock/"),
            new Url("websocket", "ws://127.0.0.1/"),
            new Url("script", "javascript:alert(1)"),
            new Url("data", "data:text/plain,x"),
            new Url("no scheme", "//127.0.0.1/"),
            new Url("only a host", "127.0.0.1"),
            new Url("one slash", "http:/127.0.0.1/"),
            new Url("three slashes", "http:///127.0.0.1/"),
            new Url("no slashes", "http:127.0.0.1"),
            new Url("no host", "http://"),
            new Url("only a port", "http://:80/"),
            new Url("nothing", ""),
            new Url("port 0", "http://example.com:0/"),
            new Url("port too high", "http://example.com:65536/"),
            new Url("port beyond an int", "http://example.com:4294967376/"),
            new Url("negative port", "http://example.com:-80/"),
            new Url("signed port", "http://example.com:+80/"),
            new Url("port with leading zero", "http://example.com:080/"),
            new Url("empty port", "http://example.com:/"),
            new Url("port that is a word", "http://example.com:http/"),
            new Url("two ports", "http://127.0.0.1:80:443/"),
            new Url("port in fullwidth", "http://example.com:\uff18\uff10/"));

    public static final List<Name> NAMES = List.of(
            name("loopback", "loopback.example.com", "127.0.0.1"),
            name("address in its name", "127.0.0.1.nip.example.com", "127.0.0.1"),
            name("private", "private.example.com", "10.1.2.3"),
            name("router", "router.example.com", "192.168.0.1"),
            name("docker", "docker.example.com", "172.17.0.1"),
            name("metadata", "metadata.google.internal", "169.254.169.254"),
            name("Azure wire server", "wire.example.com", "168.63.129.16"),
            name("carrier-grade NAT", "nat.example.com", "100.64.0.1"),
            name("unspecified", "zero.example.com", "0.0.0.0"),
            name("multicast", "multicast.example.com", "224.0.0.251"),
            name("IPv6 loopback", "loopback6.example.com", "::1"),
            name("IPv6 unspecified", "zero6.example.com", "::"),
            name("mapped", "mapped.example.com", "::ffff:127.0.0.1"),
            name("compatible", "compatible.example.com", "::127.0.0.1"),
            name("NAT64", "nat64.example.com", "64:ff9b::7f00:1"),
            name("6to4", "sixtofour.example.com", "2002:7f00:1::"),
            name("unique local", "local6.example.com", "fd00::1"),
            name("link-local", "link6.example.com", "fe80::1"),
            new Name("link-local with a zone", "zone6.example.com", List.of(zoned("fe80::1", 1))),
            name("public and loopback", "mixed.example.com", "93.184.216.34", "127.0.0.1"),
            name("loopback and public", "mixed2.example.com", "127.0.0.1", "93.184.216.34"),
            name("public by IPv4, loopback by IPv6", "mixed6.example.com", "93.184.216.34", "::1"),
            name("with an underscore", "inner_net.example.com", "10.0.0.1"),
            name("punycode", "xn--mnchen-3ya.example.com", "127.0.0.1"),
            name("single label", "intranet", "10.0.0.1"));

    private HostileUrls() {}

    private static Name name(String trick, String host, String... addresses) {
        return new Name(
                trick, host, Stream.of(addresses).map(HostileUrls::address).toList());
    }

    public static InetAddress address(String text) {
        return Network.of(text).address();
    }

    private static InetAddress zoned(String text, int zone) {
        try {
            return Inet6Address.getByAddress(null, address(text).getAddress(), zone);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }
}
