package dev.posthorn.http.receiver;

import dev.posthorn.sink.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;
import java.util.zip.GZIPOutputStream;

/** What a receiver can do to us, and what is to become of the event. */
@SuppressWarnings("ImmutableEnumChecker") // Behaviours hold nothing, and the sets are copies.
public enum Hostility {
    // Ended only by us.
    HANGS_AFTER_ACCEPT(Wire::hang, "Retry TIMEOUT"),
    HANGS_IN_THE_REQUEST(
            wire -> {
                wire.head();
                wire.read(100_000);
                wire.hang();
            },
            "Retry TIMEOUT"),
    HANGS_AFTER_THE_REQUEST(
            wire -> {
                wire.request();
                wire.hang();
            },
            "Retry TIMEOUT"),
    SIPS_THE_REQUEST(Wire::sip, "Retry TIMEOUT"),
    DRIPS_THE_HEAD(after("", wire -> wire.drip("HTTP/1.1 200 OK\r\nX-A: " + "a".repeat(10_000))), "Retry TIMEOUT"),
    DRIPS_THE_BODY(after(head(200, "Content-Length: 100000"), wire -> wire.drip("x")), "Retry TIMEOUT"),
    DRIPS_THE_BODY_OF_A_REFUSAL(after(head(400, "Content-Length: 100000"), wire -> wire.drip("x")), "Retry TIMEOUT"),
    DRIPS_THE_BODY_OF_A_FAILURE(after(head(500, "Content-Length: 100000"), wire -> wire.drip("x")), "Retry TIMEOUT"),
    DRIPS_CHUNKS(after(head(200, "Transfer-Encoding: chunked"), wire -> wire.drip("1\r\nx\r\n")), "Retry TIMEOUT"),
    DRIPS_A_CHUNK_SIZE(after(head(200, "Transfer-Encoding: chunked"), wire -> wire.drip("0")), "Retry TIMEOUT"),
    DRIPS_HEADERS(after("HTTP/1.1 200 OK\r\n", wire -> wire.drip("A: b\r\n")), "Retry TIMEOUT"),
    DRIPS_INFORMATION(after("", wire -> wire.drip("HTTP/1.1 102 Processing\r\n\r\n")), "Retry TIMEOUT"),
    SENDS_A_BODY_FOR_EVER(
            after(head(200, "A: b"), wire -> wire.sayForEver("x", 1 << 16)), "Retry TIMEOUT", "Unavailable TIMEOUT"),
    SENDS_A_FAILURE_FOR_EVER(
            after(head(503, "A: b"), wire -> wire.sayForEver("x", 1 << 16)), "Retry TIMEOUT", "Unavailable TIMEOUT"),
    SENDS_CHUNKS_FOR_EVER(
            after(head(200, "Transfer-Encoding: chunked"), wire -> wire.sayForEver("2\r\nxx\r\n", 1 << 13)),
            "Retry TIMEOUT",
            "Unavailable TIMEOUT"),
    SENDS_100_FOR_EVER(
            after("", wire -> wire.sayForEver("HTTP/1.1 100 Continue\r\n\r\n", 1 << 10)),
            "Retry TIMEOUT",
            "Unavailable TIMEOUT"),
    SENDS_103_FOR_EVER(
            after("", wire -> wire.sayForEver("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 1 << 10)),
            "Retry TIMEOUT",
            "Unavailable TIMEOUT"),
    NEVER_SHAKES_HANDS(true, Wire::hang, "Unavailable TIMEOUT", "Unavailable TLS"),
    DRIPS_THE_HANDSHAKE(
            true, wire -> wire.drip("\u0016\u0003\u0003@\0\u0002\0?\u00fc"), "Unavailable TIMEOUT", "Unavailable TLS"),

    // Break off.
    RESETS_BEFORE_READING(Wire::reset, "Retry DISCONNECTED", "Unavailable REFUSED"),
    RESETS_IN_THE_REQUEST(
            wire -> {
                wire.head();
                wire.read(100_000);
                wire.reset();
            },
            "Retry DISCONNECTED"),
    RESETS_AFTER_THE_REQUEST(after("", Wire::reset), "Retry DISCONNECTED"),
    RESETS_IN_THE_HEAD(after("HTTP/1.1 200 OK\r\nCont", Wire::reset), "Retry DISCONNECTED"),
    RESETS_IN_THE_BODY(after(head(200, "Content-Length: 100") + "0123456789", Wire::reset), "Retry DISCONNECTED"),
    CLOSES_BEFORE_READING(wire -> {}, "Retry DISCONNECTED", "Unavailable REFUSED"),
    CLOSES_AFTER_THE_REQUEST(after(""), "Retry DISCONNECTED"),
    CLOSES_IN_THE_HEAD(after("HTTP/1.1 200 OK\r\nCont"), "Retry DISCONNECTED", "Retry SERVER_ERROR"),
    CLOSES_IN_THE_BODY(after(head(200, "Content-Length: 100") + "0123456789"), "Retry DISCONNECTED"),
    CLOSES_BETWEEN_CHUNKS(after(head(200, "Transfer-Encoding: chunked") + "2\r\nok\r\n"), "Retry DISCONNECTED"),
    CLOSES_IN_A_CHUNK(after(head(200, "Transfer-Encoding: chunked") + "20\r\nok"), "Retry DISCONNECTED"),

    // Answer before they have the request.
    ACCEPTS_BEFORE_READING(politely(head(200, "Content-Length: 2") + "ok"), "Delivered 200"),
    ACCEPTS_AND_CLOSES_BEFORE_READING(
            early(head(200, "Content-Length: 2", "Connection: close") + "ok", Wire::drain), "Delivered 200"),
    ACCEPTS_AND_NEVER_READS(early(head(200, "Content-Length: 2") + "ok", Wire::hang), "Delivered 200"),
    ACCEPTS_AND_SIPS(early(head(204), Wire::sip), "Delivered 204"),
    ACCEPTS_AND_RESETS(early(head(204), Wire::reset), "Delivered 204", "Retry DISCONNECTED"),
    REDIRECTS_BEFORE_READING(politely(head(307, "Location: /else", "Content-Length: 0")), "Reject REJECTED"),
    REDIRECTS_AND_NEVER_READS(early(head(307, "Location: /else", "Content-Length: 0"), Wire::hang), "Reject REJECTED"),
    REFUSES_BEFORE_READING(politely(head(413, "Content-Length: 3") + "big"), "Reject TOO_LARGE"),
    REFUSES_AND_NEVER_READS(early(head(413, "Content-Length: 3") + "big", Wire::hang), "Reject TOO_LARGE"),
    REFUSES_AND_CLOSES(
            early(head(413, "Connection: close", "Content-Length: 3") + "big", wire -> {
                wire.endOutput();
                wire.drain();
            }),
            "Reject TOO_LARGE"),
    REFUSES_UNTIL_IT_CLOSES(
            early(head(413, "Connection: close") + "big", wire -> {
                wire.endOutput();
                wire.drain();
            }),
            "Reject TOO_LARGE"),

    // Answer what is no answer.
    SPEAKS_ANOTHER_PROTOCOL(after("SSH-2.0-OpenSSH_9.6\r\n"), "Retry SERVER_ERROR"),
    SPEAKS_NOISE(after("\u0000\u00ff\u0001\n\u0002\r\r\n\r\n\u0003"), "Retry SERVER_ERROR"),
    SPEAKS_NOISE_WITHOUT_END(after("", wire -> wire.sayForEver("\u00fe", 1 << 12)), "Retry SERVER_ERROR"),
    SPEAKS_HTTP_0_9(after("<html>ok</html>\n"), "Retry SERVER_ERROR"),
    SPEAKS_HTTP_2(after("HTTP/2.0 200 OK\r\n\r\n"), "Retry SERVER_ERROR"),
    SPEAKS_TLS_ON_A_PLAIN_PORT(
            after("\u0015\u0003\u0003\u0000\u0002\u0002F"), "Retry SERVER_ERROR", "Retry DISCONNECTED"),
    SPEAKS_PLAINLY_WHERE_TLS_IS_DUE(true, wire -> wire.say(head(400, "Content-Length: 0")), "Unavailable TLS"),
    CLOSES_THE_HANDSHAKE(true, wire -> wire.read(1), "Unavailable TLS"),
    STATUS_999(after(head(999, "Content-Length: 0")), "Retry SERVER_ERROR"),
    STATUS_42(after(head(42, "Content-Length: 0")), "Retry SERVER_ERROR"),
    STATUS_0(after(head(0, "Content-Length: 0")), "Retry SERVER_ERROR"),
    STATUS_NEGATIVE(after(head(-200, "Content-Length: 0")), "Retry SERVER_ERROR"),
    STATUS_BEYOND_AN_INT(after("HTTP/1.1 4294967496 OK\r\n\r\n"), "Retry SERVER_ERROR"),
    STATUS_ABC(after("HTTP/1.1 abc OK\r\n\r\n"), "Retry SERVER_ERROR"),
    STATUS_MISSING(after("HTTP/1.1\r\n\r\n"), "Retry SERVER_ERROR"),
    SWITCHES_PROTOCOLS(after(head(101, "Upgrade: websocket", "Connection: Upgrade")), "Retry SERVER_ERROR"),
    SWITCHES_TO_TLS(
            after(head(101, "Upgrade: TLS/1.2", "Connection: Upgrade"), Wire::hang),
            "Retry SERVER_ERROR",
            "Retry DISCONNECTED",
            "Retry TIMEOUT",
            "Unavailable TLS"),
    LENGTH_NEGATIVE(after(head(200, "Content-Length: -1")), "Retry SERVER_ERROR"),
    LENGTH_BEYOND_A_LONG(after(head(200, "Content-Length: 9999999999999999999999")), "Retry SERVER_ERROR"),
    LENGTH_IN_TWO_WAYS(after(head(200, "Content-Length: 2", "Content-Length: 100") + "ok"), "Retry SERVER_ERROR"),
    LENGTH_OF_A_CHUNK_NEGATIVE(after(head(200, "Transfer-Encoding: chunked") + "-1\r\n\r\n"), "Retry SERVER_ERROR"),
    CODING_UNKNOWN(after(head(200, "Transfer-Encoding: rot13") + "bx"), "Retry SERVER_ERROR"),
    HEADERS_1000(after("HTTP/1.1 200 OK\r\n" + "A: b\r\n".repeat(1000) + "\r\n"), "Retry SERVER_ERROR"),
    HEADERS_FOR_EVER(after("HTTP/1.1 200 OK\r\n", wire -> wire.sayForEver("A: b\r\n", 1 << 12)), "Retry SERVER_ERROR"),
    HEADER_OF_1_MB(after(head(200, "A: " + "b".repeat(1 << 20))), "Retry SERVER_ERROR"),
    HEADER_FOR_EVER(after("HTTP/1.1 200 OK\r\nA: ", wire -> wire.sayForEver("b", 1 << 12)), "Retry SERVER_ERROR"),
    HEADER_FOLDED_FOR_EVER(
            after("HTTP/1.1 200 OK\r\nA: b", wire -> wire.sayForEver("\r\n b", 1 << 12)), "Retry SERVER_ERROR"),
    TRAILERS_FOR_EVER(
            after(head(200, "Transfer-Encoding: chunked") + "0\r\n", wire -> wire.sayForEver("A: b\r\n", 1 << 12)),
            "Retry SERVER_ERROR"),
    GZIP_BOMB(
            wire -> {
                wire.request();
                wire.say(head(200, "Content-Encoding: gzip", "Content-Length: " + Bomb.BYTES.length));
                wire.say(Bomb.BYTES);
            },
            "Delivered 200"),
    CHARSET_UNKNOWN(
            after(head(200, "Content-Type: text/plain; charset=no-such", "Content-Length: 2") + "ok"), "Delivered 200"),
    CONTENT_TYPE_BROKEN(after(head(200, "Content-Type: ;;=\"", "Content-Length: 2") + "ok"), "Delivered 200");

    private final boolean secure;
    private final RawReceiver.Behaviour behaviour;
    private final Set<String> outcomes;

    Hostility(RawReceiver.Behaviour behaviour, String... outcomes) {
        this(false, behaviour, outcomes);
    }

    Hostility(boolean secure, RawReceiver.Behaviour behaviour, String... outcomes) {
        this.secure = secure;
        this.behaviour = behaviour;
        this.outcomes = Set.of(outcomes);
    }

    public static String head(int status, String... headers) {
        String lines = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
        return "HTTP/1.1 " + status + " Status\r\n" + lines + "\r\n";
    }

    /** Takes the request, says this and closes. */
    public static RawReceiver.Behaviour after(String said) {
        return after(said, wire -> {});
    }

    /** Takes the request, says this and goes on in another way. */
    public static RawReceiver.Behaviour after(String said, RawReceiver.Behaviour then) {
        return wire -> {
            wire.request();
            wire.say(said);
            then.serve(wire);
        };
    }

    /** Answers as soon as it has seen the request's head. */
    private static RawReceiver.Behaviour early(String said, RawReceiver.Behaviour then) {
        return wire -> {
            wire.head();
            wire.say(said);
            then.serve(wire);
        };
    }

    /** Answers each request as soon as it has seen its head, and reads the rest of it then. */
    private static RawReceiver.Behaviour politely(String said) {
        return wire -> {
            while (true) {
                String head = wire.head();
                wire.say(said);
                wire.body(head);
            }
        };
    }

    /** 100 MB of nothing. */
    private static final class Bomb {

        private static final byte[] BYTES = made();

        private static byte[] made() {
            ByteArrayOutputStream small = new ByteArrayOutputStream();
            try (GZIPOutputStream out = new GZIPOutputStream(small)) {
                byte[] nothing = new byte[1 << 20];
                for (int i = 0; i < 100; i++) {
                    out.write(nothing);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return small.toByteArray();
        }
    }

    public RawReceiver start() {
        return RawReceiver.start(behaviour);
    }

    public String scheme() {
        return secure ? "https" : "http";
    }

    /** What may come of it; more than one where the network decides. */
    public Set<String> outcomes() {
        return outcomes;
    }

    /** Whether it only ends because we end it. */
    public boolean lasts() {
        return outcomes.stream().anyMatch(each -> each.endsWith("TIMEOUT"));
    }

    /** Whether it takes an event that does not fit into the buffers between us. */
    public boolean wantsALargeOne() {
        return name().contains("IN_THE_REQUEST")
                || name().contains("BEFORE_READING")
                || name().matches(".*(SIPS|READS|REFUSES|ACCEPTS_AND).*");
    }

    /** Whether the connection may be used again. */
    public boolean mayBeKept() {
        return name().contains("BEFORE_READING") && !outcomes.contains("Retry DISCONNECTED");
    }

    /** Kind and class of an outcome, or its status. */
    public static String brief(Outcome outcome) {
        String detail = outcome instanceof Outcome.Failure failure
                ? failure.errorClass().name()
                : Integer.toString(outcome.reply().code());
        return outcome.getClass().getSimpleName() + " " + detail;
    }
}
