package dev.posthorn.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.http.receiver.Certificates;
import dev.posthorn.http.receiver.Certificates.Client;
import dev.posthorn.http.receiver.TokenServer;
import dev.posthorn.http.text.Json;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.testing.SettableClock;
import dev.posthorn.testkit.Receiver;
import dev.posthorn.testkit.Receiver.Answer;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every way to show who is sending, at a receiver that looks. */
class HttpSinkAuthenticationTest {

    private static final Instant NOW = Instant.parse("2026-11-15T10:00:00Z");

    private static Certificates certificates;

    private final Receiver receiver = Receiver.start();

    @BeforeAll
    static void makeCertificates(@TempDir Path directory) {
        certificates = Certificates.in(directory);
    }

    @AfterEach
    void stop() {
        receiver.close();
    }

    /** Takes requests with this header value and no others. */
    private void demands(String header, String value) {
        receiver.answering(got -> Answer.status(value.equals(got.header(header)) ? 204 : 401));
    }

    private Outcome send(Authentication authentication) {
        return Sends.one(
                Sends.sink(receiver.url("/hook")).authentication(authentication).build());
    }

    private static void assertDelivered(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Delivered.class);
    }

    private static void assertRejected(Outcome outcome) {
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.Reject.class,
                        reject -> assertThat(reject.errorClass()).isEqualTo(ErrorClass.AUTH));
    }

    private static void assertUnavailable(Outcome outcome, ErrorClass errorClass) {
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.Unavailable.class,
                        away -> assertThat(away.errorClass()).isEqualTo(errorClass));
    }

    @Test
    void nothingIsShownUnlessAskedFor() {
        receiver.answering(got -> Answer.status(got.headers().containsKey("authorization") ? 400 : 204));
        assertDelivered(send(Authentication.none()));
    }

    @Test
    void basic() {
        demands("authorization", "Basic " + Base64.getEncoder().encodeToString("jörg:geheim".getBytes(UTF_8)));
        assertDelivered(send(Authentication.basic("jörg", "geheim")));
        assertRejected(send(Authentication.basic("jörg", "falsch")));
    }

    @Test
    void bearer() {
        demands("authorization", "Bearer abc.def");
        assertDelivered(send(Authentication.bearer("abc.def")));
        assertRejected(send(Authentication.bearer("abc.xyz")));
    }

    @Test
    void apiKey() {
        demands("x-api-key", "k-1");
        assertDelivered(send(Authentication.apiKey("X-Api-Key", "k-1")));
        assertRejected(send(Authentication.apiKey("X-Api-Key", "k-2")));
    }

    @Test
    void aWrongFixedCredentialIsTriedOnce() {
        demands("authorization", "another");
        send(Authentication.bearer("abc"));
        assertThat(receiver.requests()).hasSize(1);
    }

    @Test
    void aTokenIsFetchedOnceKeptAndRenewedBeforeItExpires() {
        SettableClock clock = SettableClock.at(NOW);
        try (TokenServer tokens = new TokenServer();
                Channel channel = oauth2(tokens, clock).open("t/0", Sends.TIMEOUT)) {
            tokens.givesTokens(100);
            demands("authorization", "Bearer token-1");
            for (int i = 0; i < 5; i++) {
                assertDelivered(Sends.through(channel, Sends.event().build(), 1));
            }
            assertThat(tokens.asked()).hasSize(1);

            clock.advance(Duration.ofSeconds(101));
            demands("authorization", "Bearer token-2");
            assertDelivered(Sends.through(channel, Sends.event().build(), 1));
            assertThat(tokens.asked()).hasSize(2);
        }
    }

    private HttpSink oauth2(TokenServer tokens, SettableClock clock) {
        OAuth2 settings = OAuth2.builder(tokens.url(), "client", "cl1ent-s3cret")
                .scope("events")
                .build();
        return Sends.sink(receiver.url("/hook"))
                .authentication(Authentication.oauth2(settings))
                .clock(clock)
                .build();
    }

    @Test
    void aTokenThatTheReceiverNoLongerTakesIsRenewedAndTheEventSentAgainAtOnce() {
        try (TokenServer tokens = new TokenServer();
                Channel channel = oauth2(tokens, SettableClock.at(NOW)).open("t/0", Sends.TIMEOUT)) {
            demands("authorization", "Bearer token-1");
            assertDelivered(Sends.through(channel, Sends.event().build(), 1));
            demands("authorization", "Bearer token-2");
            assertDelivered(Sends.through(channel, Sends.event().build(), 1));
            assertThat(receiver.requests())
                    .extracting(got -> got.header("authorization"))
                    .containsExactly("Bearer token-1", "Bearer token-1", "Bearer token-2");
        }
    }

    @Test
    void manyRefusalsAtOnceCauseOneRenewal() {
        try (TokenServer tokens = new TokenServer();
                Channel channel = oauth2(tokens, SettableClock.at(NOW)).open("t/0", Sends.TIMEOUT)) {
            Set<String> seen = ConcurrentHashMap.newKeySet();
            receiver.answering(got -> {
                seen.add(got.header("authorization"));
                return Answer.status("Bearer token-1".equals(got.header("authorization")) ? 401 : 204);
            });
            List<CompletableFuture<Outcome>> outcomes = IntStream.range(0, 30)
                    .mapToObj(
                            i -> Sends.begin(channel, Sends.event().key("k" + i).build(), 1))
                    .toList();
            outcomes.forEach(outcome -> assertDelivered(Sends.get(outcome)));
            assertThat(tokens.asked()).hasSize(2);
            assertThat(seen).containsExactlyInAnyOrder("Bearer token-1", "Bearer token-2");
        }
    }

    @Test
    void aReceiverThatTakesNoTokenAtAllRejects() {
        try (TokenServer tokens = new TokenServer();
                Channel channel = oauth2(tokens, SettableClock.at(NOW)).open("t/0", Sends.TIMEOUT)) {
            demands("authorization", "never");
            assertRejected(Sends.through(channel, Sends.event().build(), 1));
            assertThat(receiver.requests())
                    .as("with one token and with another")
                    .hasSize(2);
        }
    }

    @Test
    void aTokenEndpointThatFailsMakesTheReceiverUnavailable() {
        try (TokenServer tokens = new TokenServer()) {
            tokens.answers(401, "{\"error\":\"invalid_client\",\"error_description\":\"cl1ent-s3cret is wrong\"}");
            Outcome outcome = Sends.one(oauth2(tokens, SettableClock.at(NOW)));
            assertUnavailable(outcome, ErrorClass.AUTH);
            assertThat(((Outcome.Failure) outcome).reason())
                    .contains(tokens.url(), "401", "invalid_client")
                    .doesNotContain("cl1ent-s3cret");
            assertThat(receiver.requests()).isEmpty();
        }
    }

    @Test
    void aTokenEndpointThatIsAwayOrSilentMakesTheReceiverUnavailable() {
        HttpSink away;
        try (TokenServer tokens = new TokenServer()) {
            away = oauth2(tokens, SettableClock.at(NOW));
            tokens.holds();
            Outcome silent = Sends.one(
                    oauth2(tokens, SettableClock.at(NOW)), Sends.event().build(), Duration.ofMillis(400));
            assertUnavailable(silent, ErrorClass.AUTH);
        }
        assertUnavailable(Sends.one(away), ErrorClass.AUTH);
        assertThat(receiver.requests()).isEmpty();
    }

    @Test
    void aTokenOfOurOwnIsMadeAnewBeforeItExpires() {
        SettableClock clock = SettableClock.at(NOW);
        Jwt jwt = Jwt.hs256(new byte[32])
                .issuer("shop")
                .lifetime(Duration.ofMinutes(1))
                .build();
        HttpSink sink = Sends.sink(receiver.url("/hook"))
                .authentication(Authentication.jwt(jwt))
                .clock(clock)
                .build();
        Set<String> tokens = ConcurrentHashMap.newKeySet();
        receiver.answering(got -> {
            tokens.add(got.header("authorization"));
            return Answer.status(
                    expiry(got.header("authorization")) > clock.instant().getEpochSecond() ? 204 : 401);
        });
        for (int i = 0; i < 10; i++) {
            assertDelivered(Sends.one(sink));
            clock.advance(Duration.ofSeconds(20));
        }
        assertThat(tokens).hasSizeBetween(4, 6);
    }

    private static long expiry(String bearer) {
        byte[] claims = Base64.getUrlDecoder().decode(bearer.split("\\.", -1)[1]);
        return Long.parseLong(String.valueOf(Json.members(claims).get("exp")));
    }

    @ParameterizedTest
    @EnumSource(names = {"RSA", "EC"})
    void aClientCertificateIsShown(Client client) {
        try (Receiver secure = Receiver.start(certificates.server(), true)) {
            Tls tls = Tls.builder()
                    .trustOnly(certificates.caPem())
                    .clientCertificate(certificates.certificatePem(client), certificates.keyPem(client))
                    .build();
            assertDelivered(Sends.one(Sends.sink(secure.url("/hook")).tls(tls).build()));
        }
    }

    /** With TLS 1.3 the receiver looks at the certificate when the handshake is over for us; it may only hang up. */
    @Test
    void withoutTheRightClientCertificateNothingArrivesAndTheEventIsTriedAgain() {
        try (Receiver secure = Receiver.start(certificates.server(), true)) {
            Tls.Builder none = Tls.builder().trustOnly(certificates.caPem());
            assertThat(Sends.one(
                            Sends.sink(secure.url("/hook")).tls(none.build()).build()))
                    .isInstanceOfAny(Outcome.Unavailable.class, Outcome.Retry.class);
            Tls.Builder strange = Tls.builder()
                    .trustOnly(certificates.caPem())
                    .clientCertificate(
                            certificates.certificatePem(Client.STRANGER), certificates.keyPem(Client.STRANGER));
            assertThat(Sends.one(
                            Sends.sink(secure.url("/hook")).tls(strange.build()).build()))
                    .isInstanceOfAny(Outcome.Unavailable.class, Outcome.Retry.class);
            assertThat(secure.requests()).isEmpty();
        }
    }

    @Test
    void aReceiverThatNobodyVouchesForIsUnavailable() {
        try (Receiver secure = Receiver.start(certificates.server(), false)) {
            assertUnavailable(Sends.one(Sends.sink(secure.url("/hook")).build()), ErrorClass.TLS);
            Tls wrong = Tls.builder().trustOnly(certificates.strangerPem()).build();
            assertUnavailable(
                    Sends.one(Sends.sink(secure.url("/hook")).tls(wrong).build()), ErrorClass.TLS);
            Tls right = Tls.builder().alsoTrust(certificates.caPem()).build();
            assertDelivered(Sends.one(Sends.sink(secure.url("/hook")).tls(right).build()));
            assertThat(secure.requests()).hasSize(1);
        }
    }

    @Test
    void aCertificateForAnotherHostIsNotTaken() {
        try (Receiver secure = Receiver.start(certificates.server(), false)) {
            Tls tls = Tls.builder().trustOnly(certificates.caPem()).build();
            Outcome outcome = Sends.one(Sends.sink("https://hooks.example:" + secure.port())
                    .tls(tls)
                    .lookup(host -> new InetAddress[] {InetAddress.getLoopbackAddress()})
                    .build());
            assertUnavailable(outcome, ErrorClass.TLS);
            assertThat(secure.requests()).isEmpty();
        }
    }

    @Test
    void secretsAreNotShownAnywhere() {
        HttpSink sink = Sends.sink(receiver.url("/hook") + "?key=s3cret")
                .authentication(Authentication.basic("user", "s3cret"))
                .signedWith("whsec_"
                        + Base64.getEncoder().encodeToString("s3cret".repeat(5).getBytes(UTF_8)))
                .header("X-Key", "s3cret-header")
                .build();
        assertThat(sink.toString()).contains("basic", "user").doesNotContain("s3cret", "whsec_");
        assertThat(Map.of("sink", sink).toString()).doesNotContain("s3cret");
    }
}
