package dev.posthorn.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.http.receiver.DeafPort;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.sink.Reply;
import dev.posthorn.testkit.Receiver;
import dev.posthorn.testkit.Receiver.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of an event, by what the receiver says. */
class HttpSinkOutcomesTest {

    private static final Instant NOW = Instant.parse("2026-11-15T10:00:00Z");

    private final Receiver receiver = Receiver.start();

    @AfterEach
    void stop() {
        receiver.close();
    }

    private Outcome after(Answer says, HttpSink.Builder sink) {
        receiver.answering(got -> says);
        return Sends.one(sink.clock(InstantSource.fixed(NOW)).build());
    }

    private Outcome after(Answer says) {
        return after(says, Sends.sink(receiver.url("/hook")));
    }

    @ParameterizedTest
    @CsvSource({
        "200, Delivered, ",
        "201, Delivered, ",
        "202, Delivered, ",
        "204, Delivered, ",
        "301, Reject, REJECTED",
        "302, Reject, REJECTED",
        "304, Reject, REJECTED",
        "307, Reject, REJECTED",
        "400, Reject, INVALID",
        "401, Reject, AUTH",
        "403, Reject, AUTH",
        "404, Reject, REJECTED",
        "407, Unavailable, AUTH",
        "408, Retry, TIMEOUT",
        "409, Reject, REJECTED",
        "410, Gone, GONE",
        "413, Reject, TOO_LARGE",
        "415, Reject, INVALID",
        "422, Reject, INVALID",
        "425, Retry, THROTTLED",
        "429, Retry, THROTTLED",
        "500, Retry, SERVER_ERROR",
        "501, Retry, SERVER_ERROR",
        "502, Retry, SERVER_ERROR",
        "503, Retry, SERVER_ERROR",
        "504, Retry, SERVER_ERROR",
        "599, Retry, SERVER_ERROR"
    })
    void aStatusHasItsOutcome(int status, String kind, String errorClass) {
        Outcome outcome = after(Answer.status(status));
        assertThat(outcome.getClass().getSimpleName()).isEqualTo(kind);
        assertThat(outcome.reply()).isEqualTo(new Reply(status, ""));
        if (outcome instanceof Outcome.Failure failure) {
            assertThat(failure.errorClass().name()).isEqualTo(errorClass);
            assertThat(failure.reason()).contains("HTTP " + status);
        }
    }

    @Test
    void whichOthersAreTriedAgainCanBeChosen() {
        HttpSink.Builder sink = Sends.sink(receiver.url("/hook")).retryOn(404, 410);
        assertThat(after(Answer.status(404), sink)).isInstanceOf(Outcome.Retry.class);
        assertThat(after(Answer.status(410), sink)).isInstanceOf(Outcome.Retry.class);
        assertThat(after(Answer.status(409), sink)).isInstanceOf(Outcome.Reject.class);
    }

    @ParameterizedTest
    @CsvSource({
        "7, PT7S",
        "0, PT0S",
        "' 120 ', PT2M",
        "'Sun, 15 Nov 2026 10:05:00 GMT', PT5M",
        "'Sun, 15 Nov 2026 09:00:00 GMT', ",
        "-1, ",
        "soon, ",
        "99999999999999999999, PT277777H46M39S"
    })
    void aWishWhenToComeAgainIsUnderstood(String retryAfter, Duration wish) {
        Outcome outcome = after(new Answer(503, Map.of("Retry-After", retryAfter), ""));
        assertThat(((Outcome.Retry) outcome).after()).isEqualTo(wish);
    }

    @Test
    void theBeginningOfTheAnswerIsKeptAndQuoted() {
        Outcome outcome = after(
                new Answer(
                        422,
                        Map.of("Content-Type", "text/plain; charset=utf-8"),
                        "no\n such örder " + "x".repeat(9000)),
                Sends.sink(receiver.url("/hook")).keepAnswer(1000));
        assertThat(outcome.reply().text()).hasSize(999).startsWith("no\n such örder xxx");
        assertThat(((Outcome.Failure) outcome).reason())
                .startsWith("HTTP 422 Unprocessable Content: no such örder xxx")
                .hasSizeLessThan(300);
    }

    /** Reasons are read in logs and terminals. */
    @Test
    void whatIsQuotedForgesNoLineAndObeysNobody() {
        Outcome outcome = after(new Answer(
                400,
                Map.of("Content-Type", "text/plain; charset=utf-8"),
                "a\r\nb\u2028c \u001b[2J \u009b31m \u202ed\u2066 e"));
        assertThat(((Outcome.Failure) outcome).reason()).endsWith(": a b c [2J 31m d e");
    }

    @Test
    void aRedirectIsNotFollowed() {
        Outcome outcome = after(new Answer(307, Map.of("Location", receiver.url("/hook") + "/else"), ""));
        assertThat(((Outcome.Reject) outcome).reason()).contains("redirects are not followed");
        assertThat(receiver.requests()).hasSize(1);
    }

    @Test
    void aReceiverThatEchoesOurSecretsDoesNotGetThemIntoTheRecords() {
        String key = "s3cr3t-key-of-ours";
        receiver.answering(got -> new Answer(400, Map.of(), "you sent " + got.headers()));
        Outcome outcome = Sends.one(Sends.sink(receiver.url("/hook"))
                .authentication(Authentication.bearer("tok-en-123456"))
                .header("X-Key", key)
                .build());
        assertThat(outcome.reply().text()).contains("you sent").doesNotContain(key, "tok-en-123456");
        assertThat(((Outcome.Failure) outcome).reason()).contains("you sent").doesNotContain(key, "tok-en-123456");
    }

    @Test
    void nobodyListensIsUnavailable() throws IOException {
        try (DeafPort deaf = new DeafPort()) {
            Outcome outcome = Sends.one(Sends.sink(deaf.url()).build());
            int port = deaf.number();
            assertThat(outcome).isInstanceOfSatisfying(Outcome.Unavailable.class, away -> {
                assertThat(away.errorClass()).isEqualTo(ErrorClass.REFUSED);
                assertThat(away.reason()).contains("Connection refused", "127.0.0.1:" + port);
            });
        }
    }

    @Test
    void anUnknownNameIsUnavailable() {
        Outcome outcome = Sends.one(Sends.sink("http://nobody.example/")
                .lookup(host -> {
                    throw new UnknownHostException(host);
                })
                .build());
        assertThat(outcome).isInstanceOfSatisfying(Outcome.Unavailable.class, away -> {
            assertThat(away.errorClass()).isEqualTo(ErrorClass.DNS);
            assertThat(away.reason()).contains("nobody.example");
        });
    }

    @Test
    void whoAsksIsToldThatANameLeadsInsideBeforeAnythingIsSent() {
        HttpSink inside = HttpSink.builder("http://inside.example/")
                .lookup(host -> new InetAddress[] {InetAddress.getLoopbackAddress()})
                .build();
        assertThat(inside.refusal()).contains("127.0.0.1 is a loopback address");
        assertThat(Sends.sink(receiver.url("/hook")).build().refusal()).isEmpty();
        HttpSink unknown = HttpSink.builder("http://nobody.example/")
                .lookup(host -> {
                    throw new UnknownHostException(host);
                })
                .build();
        assertThat(unknown.refusal()).as("it may come to be").isEmpty();
    }

    @Test
    void aNameThatIsNotResolvedInTimeIsUnavailable() {
        CountDownLatch over = new CountDownLatch(1);
        Outcome outcome = Sends.one(
                Sends.sink("http://slow.example/")
                        .lookup(host -> {
                            waitFor(over);
                            return new InetAddress[] {InetAddress.getLoopbackAddress()};
                        })
                        .build(),
                Sends.event().build(),
                Duration.ofMillis(300));
        over.countDown();
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.Unavailable.class,
                        away -> assertThat(away.errorClass()).isEqualTo(ErrorClass.DNS));
    }

    @Test
    void aConnectionThatDoesNotComeAboutIsUnavailable() throws IOException {
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String url = "http://127.0.0.1:" + full.getLocalPort();
            // A queue of one that nobody takes from: later connections get no answer at all.
            try (Socket one = new Socket(InetAddress.getLoopbackAddress(), full.getLocalPort());
                    Socket two = new Socket(InetAddress.getLoopbackAddress(), full.getLocalPort())) {
                assertThat(one.isConnected() && two.isConnected()).isTrue();
                Outcome outcome =
                        Sends.one(Sends.sink(url).build(), Sends.event().build(), Duration.ofMillis(800));
                assertThat(outcome)
                        .isInstanceOfSatisfying(
                                Outcome.Unavailable.class,
                                away -> assertThat(away.errorClass()).isEqualTo(ErrorClass.TIMEOUT));
            }
        }
    }

    private static void waitFor(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
