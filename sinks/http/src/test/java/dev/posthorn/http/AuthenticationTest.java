package dev.posthorn.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.http.auth.AuthHeader;
import dev.posthorn.http.auth.Credentials;
import java.time.InstantSource;
import java.util.Base64;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AuthenticationTest {

    @Test
    void noneShowsNothing() {
        assertThat(header(Authentication.none())).isNull();
        assertThat(Authentication.none()).hasToString("no authentication");
    }

    @Test
    void basicIsUserAndPasswordAsUtf8() {
        Authentication basic = Authentication.basic("j\u00f6rg", "s3cret:\u20ac");

        assertThat(header(basic).name()).isEqualTo("Authorization");
        assertThat(header(basic).value()).startsWith("Basic ");
        assertThat(new String(Base64.getDecoder().decode(header(basic).value().substring(6)), UTF_8))
                .isEqualTo("j\u00f6rg:s3cret:\u20ac");
        assertThat(basic).hasToString("basic, user 'j\u00f6rg'");
    }

    @Test
    void basicTakesAKeyWithoutTheOtherHalf() {
        assertThat(header(Authentication.basic("key", "")).value()).isEqualTo("Basic a2V5Og==");
        assertThat(header(Authentication.basic("", "key")).value()).isEqualTo("Basic OmtleQ==");
        assertRefused(() -> Authentication.basic("", "")).hasMessageContaining("neither");
    }

    @Test
    void basicRefusesWhatAReceiverWouldReadOtherwise() {
        assertRefused(() -> Authentication.basic("a:b", "s3cret")).hasMessageContaining("':'");
        assertRefused(() -> Authentication.basic("a\n", "s3cret")).hasMessageContaining("user");
        assertRefused(() -> Authentication.basic("a", "s3cret\r\nX: y")).hasMessageContaining("password");
        assertRefused(() -> Authentication.basic("a", "s3cret\u0085")).hasMessageContaining("password");
    }

    @Test
    void bearerIsTheTokenAsItIs() {
        assertThat(header(Authentication.bearer("s3cret"))).isEqualTo(new AuthHeader("Authorization", "Bearer s3cret"));
        assertThat(Authentication.bearer("s3cret")).hasToString("bearer token");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "s3cret ", "s3c ret", "s3cret\n", "s3cret\u00e9"})
    void bearerRefusesATokenThatCannotBeSent(String token) {
        assertRefused(() -> Authentication.bearer(token)).hasMessageContaining("bearer token");
    }

    @Test
    void apiKeyGoesIntoItsHeader() {
        Authentication apiKey = Authentication.apiKey("X-Api-Key", "s3cret with space");

        assertThat(header(apiKey)).isEqualTo(new AuthHeader("X-Api-Key", "s3cret with space"));
        assertThat(apiKey).hasToString("API key in header X-Api-Key");
        assertThat(header(Authentication.apiKey("Authorization", "Token s3cret"))
                        .value())
                .isEqualTo("Token s3cret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length",
                "host",
                "Transfer-Encoding",
                "Connection",
                "CONTENT-TYPE",
                "webhook-id",
                "Webhook-Signature",
                "webhook-other",
                "ce-id",
                "CE-type",
                "traceparent",
                "User-Agent",
                "TE",
                "Upgrade",
                "",
                "X Key",
                "X-Key:",
                "X-Key\r\nHost",
                ":path",
                "Sch\u00fcssel"
            })
    void apiKeyRefusesHeadersThatAreTakenOrIllegal(String name) {
        assertRefused(() -> Authentication.apiKey(name, "s3cret")).hasMessageContaining("header");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " s3cret", "s3cret ", "s3cret\r\nHost: x", "s3cret\u0000", "s3cret\u00e9"})
    void apiKeyRefusesAValueThatCannotBeSent(String value) {
        assertRefused(() -> Authentication.apiKey("X-Api-Key", value)).hasMessageContaining("'X-Api-Key'");
    }

    @Test
    void whatStaysTheSameIsNotTriedTwice() {
        Authentication bearer = Authentication.bearer("s3cret");

        assertThat(credentials(bearer).refused(header(bearer))).isFalse();
    }

    @Test
    void aHeaderHidesItsValue() {
        assertThat(new AuthHeader("X-Api-Key", "s3cret")).hasToString("X-Api-Key: [hidden]");
    }

    private static AbstractThrowableAssert<?, ?> assertRefused(ThrowingCallable call) {
        return assertThatThrownBy(call)
                .isInstanceOf(PosthornException.class)
                .hasFieldOrPropertyWithValue("code", ErrorCode.INVALID_SETTING)
                .hasMessageNotContaining("s3c")
                .hasNoCause();
    }

    private static Credentials credentials(Authentication authentication) {
        return authentication.credentials(InstantSource.system(), request -> {
            throw new AssertionError("no endpoint is needed");
        });
    }

    private static AuthHeader header(Authentication authentication) {
        return credentials(authentication).header().toCompletableFuture().join();
    }
}
