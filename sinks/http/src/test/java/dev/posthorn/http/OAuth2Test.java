package dev.posthorn.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.http.auth.AccessToken;
import dev.posthorn.http.auth.AuthHeader;
import dev.posthorn.http.auth.Credentials;
import dev.posthorn.http.auth.CredentialsUnavailable;
import dev.posthorn.http.auth.TokenAnswer;
import dev.posthorn.http.auth.TokenEndpoint;
import dev.posthorn.http.auth.TokenRequest;
import dev.posthorn.http.receiver.DeafPort;
import dev.posthorn.http.receiver.TokenServer;
import dev.posthorn.testing.SettableClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OAuth2Test {

    /** Without the proxies of the system, which another test sets while this one runs. */
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().proxy(HttpClient.Builder.NO_PROXY).build();

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String SECRET = "s3cret+&\u20ac";

    private final TokenServer server = new TokenServer();
    private final SettableClock clock = SettableClock.at(Instant.parse("2026-11-15T10:00:00Z"));
    private final Credentials credentials = credentials(settings().build());

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void asksWithTheClientAsBasicAuthentication() {
        assertThat(header(credentials)).isEqualTo(new AuthHeader("Authorization", "Bearer token-1"));

        TokenServer.Asked asked = server.asked().get(0);
        assertThat(asked.form()).isEqualTo(Map.of("grant_type", "client_credentials"));
        assertThat(asked.contentType()).isEqualTo("application/x-www-form-urlencoded");
        assertThat(new String(Base64.getDecoder().decode(asked.authorization().substring("Basic ".length())), UTF_8))
                .isEqualTo("my%3Aclient:s3cret%2B%26%E2%82%AC");
    }

    @Test
    void asksWithTheClientInTheFormAndWithAllElseThatWasSet() {
        Credentials all = credentials(OAuth2.builder(server.url() + "?tenant=1", "my:client", SECRET)
                .scope("read", "write")
                .scope("admin")
                .audience("https://api")
                .parameter("resource", "a b&c=d")
                .secretInForm()
                .build());
        header(all);

        TokenServer.Asked asked = server.asked().get(0);
        assertThat(asked.authorization()).isNull();
        assertThat(asked.url().getQuery()).isEqualTo("tenant=1");
        assertThat(asked.form())
                .isEqualTo(Map.of(
                        "grant_type", "client_credentials",
                        "scope", "read write admin",
                        "audience", "https://api",
                        "resource", "a b&c=d",
                        "client_id", "my:client",
                        "client_secret", SECRET));
    }

    /** Half a minute before its end, or in its last fifth if that is shorter. */
    @ParameterizedTest
    @CsvSource({"3600, 30", "151, 30", "150, 30", "100, 20", "10, 2", "1, 0.2"})
    void aTokenIsRenewedShortlyBeforeItsEndAndNoSooner(int life, BigDecimal margin) {
        AtomicInteger asked = new AtomicInteger();
        Credentials quick = quick(asked, ",\"expires_in\":" + life);
        header(quick);
        clock.advance(
                Duration.ofSeconds(life).minusMillis(margin.movePointRight(3).longValue() + 1));
        header(quick);
        assertThat(asked).hasValue(1);

        clock.advance(Duration.ofMillis(1));
        header(quick);
        header(quick);
        assertThat(asked).hasValue(2);
    }

    @Test
    void theOldTokenIsUsedWhileANewOneIsFetchedBeforeItsEnd() {
        header(credentials);
        CountDownLatch gate = server.holds();
        clock.advance(Duration.ofSeconds(3600 - 30));

        assertThat(header(credentials).value()).isEqualTo("Bearer token-1");
        awaitAsked(2);
        assertThat(header(credentials).value()).isEqualTo("Bearer token-1");

        gate.countDown();
        awaitHeader("Bearer token-2");
        assertThat(server.asked()).hasSize(2);
    }

    @Test
    void aTokenThatEndedIsNotUsedAndAllWaitForTheNext() {
        header(credentials);
        CountDownLatch gate = server.holds();
        clock.advance(Duration.ofHours(1));

        CompletableFuture<AuthHeader> one = credentials.header().toCompletableFuture();
        CompletableFuture<AuthHeader> other = credentials.header().toCompletableFuture();
        awaitAsked(2);
        assertThat(one).isNotDone();
        assertThat(other.complete(new AuthHeader("X", "of one who waits is no other's")))
                .isTrue();

        gate.countDown();
        assertThat(one.join().value()).isEqualTo("Bearer token-2");
        assertThat(server.asked()).hasSize(2);
    }

    @Test
    void withoutAnEndATokenIsUsedForFiveMinutes() {
        AtomicInteger asked = new AtomicInteger();
        Credentials quick = quick(asked, ",\"token_type\":\"bEARER\"");
        header(quick);
        clock.advance(Duration.ofMillis(269_999));
        header(quick);
        assertThat(asked).hasValue(1);

        clock.advance(Duration.ofMillis(1));
        assertThat(header(quick).value()).isEqualTo("Bearer token-1");
        assertThat(asked).hasValue(2);
    }

    /** With an endpoint that has answered when it returns: what is asked in the background is counted at once. */
    private Credentials quick(AtomicInteger asked, String fields) {
        return Authentication.oauth2(settings().build()).credentials(clock, request -> {
            String token = "{\"access_token\":\"token-" + asked.incrementAndGet() + "\"" + fields + "}";
            return CompletableFuture.completedFuture(new TokenAnswer(200, token.getBytes(UTF_8)));
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"100\"", "100.9", "1e2"})
    void theEndMayBeWrittenInSeveralWays(String expiresIn) {
        server.answers(200, "{\"access_token\":\"token-%d\",\"expires_in\":" + expiresIn + "}");
        header(credentials);
        clock.advance(Duration.ofSeconds(100));

        assertThat(header(credentials).value()).isEqualTo("Bearer token-2");
    }

    @Test
    void aVeryLongLifeDoesNotOverflow() {
        server.answers(200, "{\"access_token\":\"token-%d\",\"expires_in\":1e999999}");
        header(credentials);
        clock.advance(Duration.ofDays(364));

        assertThat(header(credentials).value()).isEqualTo("Bearer token-1");
    }

    @Test
    void twentyThreadsCauseOneRequest() throws Exception {
        CountDownLatch gate = server.holds();
        List<CompletionStage<AuthHeader>> headers = Crowd.of(20, credentials::header);
        gate.countDown();

        assertThat(headers)
                .hasSize(20)
                .allSatisfy(each ->
                        assertThat(each.toCompletableFuture().join().value()).isEqualTo("Bearer token-1"));
        assertThat(server.asked()).hasSize(1);
    }

    @Test
    void whoFindsTheTokenRenewedMeanwhileDoesNotRenewItOnceMore() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        for (int round = 1; round <= 100; round++) {
            Credentials quick = quick(asked, "");
            Crowd.of(20, () -> header(quick));
            assertThat(asked).hasValue(round);
        }
    }

    @Test
    void manyRefusalsOfOneTokenCauseOneRequest() throws Exception {
        AuthHeader first = header(credentials);
        List<AuthHeader> second = Crowd.of(20, () -> {
            assertThat(credentials.refused(first)).isTrue();
            return header(credentials);
        });
        assertThat(second).hasSize(20).containsOnly(AuthHeader.bearer("token-2"));
        assertThat(server.asked()).hasSize(2);

        assertThat(credentials.refused(first)).as("another can be had").isTrue();
        assertThat(header(credentials).value()).isEqualTo("Bearer token-2");
        assertThat(server.asked()).hasSize(2);
    }

    @Test
    void aReceiverThatRefusesEverythingDoesNotCauseARequestPerEvent() {
        assertThat(credentials.refused(header(credentials))).isTrue();
        AuthHeader second = header(credentials);

        assertThat(credentials.refused(second)).isFalse();
        assertThat(header(credentials)).isEqualTo(second);
        assertThat(server.asked()).hasSize(2);

        clock.advance(Duration.ofSeconds(1));
        assertThat(credentials.refused(second)).isTrue();
        assertThat(header(credentials).value()).isEqualTo("Bearer token-3");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "401 | {\"error\":\"invalid_client\",\"error_description\":\"s3cret\"} | answered 401 (invalid_client)",
                "400 | {\"error\":\"no s3cret in here\"} | answered 400",
                "500 | <html>s3cret</html> | answered 500",
                "302 | '' | answered 302",
                "201 | {\"access_token\":\"s3cret\"} | answered 201",
                "200 | '' | not a JSON object",
                "200 | garbage s3cret | without a usable token: not JSON",
                "200 | [] | not a JSON object",
                "200 | {} | no access_token",
                "200 | {\"access_token\":7} | no access_token",
                "200 | {\"access_token\":\"\"} | no access_token",
                "200 | {\"access_token\":\"s3cret\\r\\nHost: x\"} | no access_token",
                "200 | {\"access_token\":\"s3cret\",\"token_type\":\"mac\"} | token_type other than bearer",
                "200 | {\"access_token\":\"s3cret\",\"expires_in\":0} | expires_in",
                "200 | {\"access_token\":\"s3cret\",\"expires_in\":-5} | expires_in",
                "200 | {\"access_token\":\"s3cret\",\"expires_in\":\"soon\"} | expires_in"
            })
    void anAnswerWithoutATokenMakesCredentialsUnavailable(int status, String body, String reason) {
        server.answers(status, body);

        assertUnavailable(credentials(settings("?key=s3cret").build()))
                .hasMessageStartingWith("the OAuth2 token endpoint " + server.url() + " answered " + status)
                .hasMessageContaining(reason);
    }

    @Test
    void anEndpointThatCannotBeReachedMakesCredentialsUnavailable() throws IOException {
        try (DeafPort deaf = new DeafPort()) {
            String url = deaf.url() + "/token";
            assertUnavailable(
                            credentials(OAuth2.builder(url, "my:client", SECRET).build()))
                    .hasMessageStartingWith("the OAuth2 token endpoint " + url + " could not be asked: Connect");
        }
    }

    @Test
    void whatAnEndpointThrowsIsToldWithoutSecrets() {
        OAuth2 settings =
                settings("?key=s3cretquery").parameter("p", "s3cretvalue").build();
        String basic = settings.request().headers().get("Authorization").substring(6);
        RuntimeException error = new IllegalStateException("may not connect: " + SECRET + " s3cret%2B%26%E2%82%AC "
                + basic + " ?key=s3cretquery s3cretvalue " + "x".repeat(10_000));

        for (TokenEndpoint endpoint : List.<TokenEndpoint>of(
                request -> CompletableFuture.failedFuture(error),
                request -> CompletableFuture.supplyAsync(() -> {
                    throw error;
                }),
                request -> {
                    throw error;
                })) {
            assertUnavailable(Authentication.oauth2(settings).credentials(clock, endpoint))
                    .hasMessageContaining("could not be asked: IllegalStateException: may not connect: [hidden]")
                    .hasMessageNotContaining(basic)
                    .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(500));
        }
    }

    @Test
    void anAnswerThatIsNoneDoesNotStopRenewalForEver() {
        AtomicReference<TokenAnswer> answer = new AtomicReference<>();
        Credentials odd = Authentication.oauth2(settings().build())
                .credentials(clock, request -> CompletableFuture.completedFuture(answer.get()));
        assertUnavailable(odd).hasMessageContaining("unreadable");

        answer.set(new TokenAnswer(200, "{\"access_token\":\"t\"}".getBytes(UTF_8)));
        clock.advance(Duration.ofSeconds(1));
        assertThat(header(odd).value()).isEqualTo("Bearer t");
    }

    @Test
    void aFailingEndpointIsLeftAloneForASecond() {
        server.answers(503, "");
        Throwable failure = failure(credentials);
        server.givesTokens(3600);

        clock.advance(Duration.ofMillis(999));
        assertThat(failure(credentials)).isSameAs(failure);
        assertThat(server.asked()).hasSize(1);

        clock.advance(Duration.ofMillis(1));
        assertThat(header(credentials).value()).startsWith("Bearer token-");
        assertThat(server.asked()).hasSize(2);
    }

    /** With a clock that moves, as one that was read too early looks as if it had been set back. */
    @Test
    void aFailingEndpointIsLeftAloneByManyThreadsToo() throws Exception {
        for (int round = 0; round < 100; round++) {
            AtomicLong ticks = new AtomicLong();
            AtomicInteger asked = new AtomicInteger();
            Credentials failing = Authentication.oauth2(settings().build())
                    .credentials(() -> Instant.ofEpochSecond(0, ticks.incrementAndGet()), request -> {
                        asked.incrementAndGet();
                        return CompletableFuture.completedFuture(new TokenAnswer(503, new byte[0]));
                    });
            Crowd.of(20, () -> failure(failing));
            assertThat(asked).hasValue(1);
        }
    }

    @Test
    void aClockThatWasSetBackDoesNotProlongThePause() {
        server.answers(503, "");
        failure(credentials);
        server.givesTokens(3600);

        clock.advance(Duration.ofHours(-1));
        assertThat(header(credentials).value()).startsWith("Bearer token-");
    }

    @Test
    void aValidTokenIsUsedWhileTheEndpointFailsAndItIsAskedOnceASecond() {
        AtomicInteger asked = new AtomicInteger();
        Credentials failing = Authentication.oauth2(settings().build()).credentials(clock, request -> {
            boolean isFirst = asked.incrementAndGet() == 1;
            byte[] body = "{\"access_token\":\"t\",\"expires_in\":100}".getBytes(UTF_8);
            return CompletableFuture.completedFuture(new TokenAnswer(isFirst ? 200 : 503, body));
        });
        header(failing);
        clock.advance(Duration.ofSeconds(80));

        for (int second = 0; second < 20; second++) {
            assertThat(header(failing).value()).isEqualTo("Bearer t");
            assertThat(header(failing).value()).isEqualTo("Bearer t");
            assertThat(asked).hasValue(2 + second);
            clock.advance(Duration.ofSeconds(1));
        }
        assertUnavailable(failing).hasMessageContaining("503");
    }

    @Test
    void settingsHideSecrets() {
        OAuth2 settings = settings("?key=s3cret").parameter("p", "s3cret").build();

        assertThat(settings).hasToString("OAuth2 client 'my:client' with a token from " + server.url());
        assertThat(Authentication.oauth2(settings)).hasToString(settings.toString());
        assertThat(header(credentials)).hasToString("Authorization: [hidden]");
        assertThat(AccessToken.of(AuthHeader.bearer("s3cret"), Instant.EPOCH, Instant.EPOCH)
                        .toString())
                .doesNotContain("s3cret");
        assertThat(new TokenAnswer(200, "s3cret".getBytes(UTF_8))).hasToString("status 200, 6 bytes");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ftp://host/token",
                "/token",
                "https:///token",
                "https://user:s3cret@host/token",
                "https://host/token#s3cret",
                "https://host/a b?s3cret",
                "mailto:s3cret",
                ""
            })
    void refusesATokenUrlThatCannotBeWithoutShowingIt(String url) {
        assertRefused(() -> OAuth2.builder(url, "client", "s3cret").build()).hasMessageContaining("token URL");
    }

    @Test
    void refusesOtherSettingsThatCannotBe() {
        assertRefused(() -> OAuth2.builder("https://host", "", "s3cret")).hasMessageContaining("client id");
        assertRefused(() -> OAuth2.builder("https://host", "client", "s3cret\n"))
                .hasMessageContaining("client secret");
        assertRefused(() -> settings().scope("")).hasMessageContaining("scope");
        assertRefused(() -> settings().audience(" ")).hasMessageContaining("audience");
        for (String reserved : List.of("grant_type", "client_id", "client_secret", "scope", "audience")) {
            assertRefused(() -> settings().parameter(reserved, "s3cret")).hasMessageContaining("'" + reserved + "'");
        }
    }

    private static AbstractThrowableAssert<?, ?> assertRefused(ThrowingCallable call) {
        return assertThatThrownBy(call)
                .isInstanceOf(PosthornException.class)
                .hasFieldOrPropertyWithValue("code", ErrorCode.INVALID_SETTING)
                .hasMessageNotContaining("s3cret")
                .hasNoCause();
    }

    private static AbstractThrowableAssert<?, ?> assertUnavailable(Credentials credentials) {
        Throwable failure = failure(credentials);
        StringWriter printed = new StringWriter();
        failure.printStackTrace(new PrintWriter(printed));
        assertThat(printed.toString()).doesNotContain("s3cret");
        return assertThat(failure).isExactlyInstanceOf(CredentialsUnavailable.class);
    }

    /** As the channel sees it, not wrapped. */
    private static Throwable failure(Credentials credentials) {
        CompletableFuture<Throwable> seen = new CompletableFuture<>();
        credentials.header().whenComplete((header, failure) -> seen.complete(failure));
        return seen.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    private static AuthHeader header(Credentials credentials) {
        try {
            return credentials.header().toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private void awaitAsked(int times) {
        await().atMost(PATIENCE).until(() -> server.asked().size() == times);
    }

    private void awaitHeader(String value) {
        await().atMost(PATIENCE).until(() -> header(credentials).value().equals(value));
    }

    private OAuth2.Builder settings() {
        return settings("");
    }

    private OAuth2.Builder settings(String query) {
        return OAuth2.builder(server.url() + query, "my:client", SECRET);
    }

    private Credentials credentials(OAuth2 settings) {
        return Authentication.oauth2(settings).credentials(clock, this::post);
    }

    private CompletionStage<TokenAnswer> post(TokenRequest asked) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(asked.url().httpHost().toURI() + asked.url().pathAndQuery()))
                .POST(HttpRequest.BodyPublishers.ofByteArray(asked.form()));
        asked.headers().forEach(request::header);
        return CLIENT.sendAsync(request.build(), HttpResponse.BodyHandlers.ofByteArray())
                .thenApply(answer -> new TokenAnswer(answer.statusCode(), answer.body()));
    }
}
