package dev.posthorn.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.http.receiver.DeafPort;
import dev.posthorn.http.receiver.RawReceiver;
import dev.posthorn.http.receiver.TokenServer;
import dev.posthorn.http.receiver.Wire;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.testkit.Receiver;
import dev.posthorn.testkit.Receiver.Answer;
import java.io.IOException;
import java.net.UnknownHostException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A sink that sends once tells for certain whether the receiver can have got anything. */
class HttpSinkOnceTest {

    /** Of an event that is not answered. Long enough for a connection to come about on a busy machine. */
    private static final Duration SHORT = Duration.ofSeconds(10);

    private static Outcome once(HttpSink.Builder sink, Duration timeout) {
        return Sends.one(sink.once().build(), Sends.event().build(), timeout);
    }

    @Test
    void whatWasNotAnsweredMayHaveArrived() {
        try (RawReceiver silent = RawReceiver.start(Wire::hang)) {
            assertThat(once(Sends.sink(silent, "http"), SHORT)).isInstanceOf(Outcome.Retry.class);
        }
        try (RawReceiver closing = RawReceiver.start(Wire::request)) {
            assertThat(once(Sends.sink(closing, "http"), Sends.TIMEOUT)).isInstanceOf(Outcome.Retry.class);
            assertThat(closing.requests()).isEqualTo(1);
        }
    }

    @Test
    void whatFoundNoConnectionHasNotArrived() throws IOException {
        try (DeafPort deaf = new DeafPort()) {
            Outcome refused = once(Sends.sink(deaf.url() + "/"), Sends.TIMEOUT);
            assertThat(refused).isInstanceOf(Outcome.Unavailable.class);
        }
        Outcome nameless = once(
                Sends.sink("http://nobody.example/").lookup(host -> {
                    throw new UnknownHostException(host);
                }),
                Sends.TIMEOUT);
        assertThat(nameless)
                .isInstanceOfSatisfying(
                        Outcome.Unavailable.class,
                        outcome -> assertThat(outcome.errorClass()).isEqualTo(ErrorClass.DNS));
        try (RawReceiver plain = RawReceiver.start(Wire::request)) {
            Outcome insecure = once(Sends.sink(plain, "https"), SHORT);
            assertThat(insecure).as("no handshake").isInstanceOf(Outcome.Unavailable.class);
        }
    }

    /** Over a connection that was kept, nobody could tell whether the receiver closed it before or after it read. */
    @Test
    void everyEventHasAConnectionOfItsOwn() {
        try (RawReceiver keeping = RawReceiver.start(wire -> {
                    while (true) {
                        wire.request();
                        wire.say("HTTP/1.1 204 No Content\r\n\r\n");
                    }
                });
                Channel channel = Sends.sink(keeping, "http").once().build().open("test/0", Sends.TIMEOUT)) {
            for (int i = 1; i <= 3; i++) {
                assertThat(Sends.through(channel, Sends.event().build(), 1)).isInstanceOf(Outcome.Delivered.class);
                assertThat(keeping.accepted()).isEqualTo(i);
            }
        }
    }

    @Test
    void anOldTokenIsRenewedForTheNextEventButThisOneIsNotSentAgain() {
        try (TokenServer tokens = new TokenServer();
                Receiver receiver = Receiver.start();
                Channel channel = Sends.sink(receiver.url("/hook"))
                        .authentication(Authentication.oauth2(OAuth2.builder(tokens.url(), "hub", "cl1ent-s3cret")
                                .build()))
                        .once()
                        .build()
                        .open("test/0", Sends.TIMEOUT)) {
            receiver.answering(got -> Answer.status("Bearer token-1".equals(got.header("authorization")) ? 401 : 204));
            assertThat(Sends.through(channel, Sends.event().build(), 1)).isInstanceOf(Outcome.Reject.class);
            assertThat(receiver.requests()).hasSize(1);
            assertThat(Sends.through(channel, Sends.event().build(), 1)).isInstanceOf(Outcome.Delivered.class);
            assertThat(receiver.requests()).hasSize(2);
        }
    }
}
