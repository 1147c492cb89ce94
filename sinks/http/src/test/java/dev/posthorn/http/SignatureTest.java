package dev.posthorn.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.webhook.Signature;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Verified by the Standard Webhooks project's own library. */
class SignatureTest {

    private static final String ID = "0192f0c1-5b1e-7cc0-8000-000000000001";
    private static final String BODY = "{\"price\": \"10 \u20ac\", \"smile\": \"\ud83d\ude00\"}";
    private static final String OLD = Signature.newSecret();
    private static final String NEW = Signature.newSecret();

    private final long now = Instant.now().getEpochSecond();

    @Test
    void isVerifiedWithItsSecretAndNoOther() {
        String signature = sign(List.of(NEW), ID, now);

        assertThat(signature).matches("v1,[A-Za-z0-9+/]{43}=");
        assertVerified(NEW, signature);
        assertRefused(OLD, ID, now, signature, BODY);
    }

    @Test
    void duringARotationIsVerifiedWithTheOldAndTheNewSecret() {
        String signature = sign(List.of(NEW, OLD), ID, now);

        assertVerified(OLD, signature);
        assertVerified(NEW, signature);
        assertRefused(Signature.newSecret(), ID, now, signature, BODY);
        assertThat(signature.split(" ", -1)).containsExactly(sign(List.of(NEW), ID, now), sign(List.of(OLD), ID, now));
    }

    @Test
    void isRefusedWithAnotherBodyIdOrTimestamp() {
        String signature = sign(List.of(NEW, OLD), ID, now);

        assertRefused(NEW, ID, now, signature, BODY.replace("10", "11"));
        assertRefused(NEW, ID.replace('1', '2'), now, signature, BODY);
        assertRefused(NEW, ID, now - 1, signature, BODY);
    }

    @Test
    void isRefusedWhenItIsOld() {
        long before = now - Duration.ofMinutes(6).toSeconds();

        assertRefused(NEW, ID, before, sign(List.of(NEW), ID, before), BODY);
    }

    @Test
    void agreesWithTheExampleOfTheSpecification() {
        assertThat(Signature.of(List.of("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
                        .of("msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, "{\"test\": 2432232314}".getBytes(UTF_8)))
                .isEqualTo("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    @Test
    void manyThreadsSignAtOnce() {
        Signature signature = Signature.of(List.of(NEW, OLD));
        List<byte[]> bodies =
                IntStream.range(0, 2000).mapToObj(SignatureTest::body).toList();
        List<String> expected = bodies.stream()
                .map(each -> Signature.of(List.of(NEW, OLD)).of(ID, now, each))
                .toList();

        assertThat(bodies.parallelStream()
                        .map(each -> signature.of(ID, now, each))
                        .toList())
                .isEqualTo(expected);
    }

    private static byte[] body(int seed) {
        byte[] body = new byte[seed];
        new Random(seed).nextBytes(body);
        return body;
    }

    @Test
    void newSecretsAreUsableAndDiffer() {
        assertThat(OLD).isNotEqualTo(NEW).matches("whsec_[A-Za-z0-9+/]{43}=");
    }

    @ParameterizedTest
    @ValueSource(ints = {24, 32, 64})
    void takesSecretsOf24To64Bytes(int bytes) {
        assertThatCode(() -> Signature.of(List.of(secret(bytes)))).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 23, 65})
    void refusesSecretsOfOtherLengths(int bytes) {
        assertRefused(List.of(secret(bytes))).hasMessageContaining("24 to 64; make one with: echo whsec_$(openssl");
    }

    @Test
    void refusesOtherSecretsWithoutShowingThem() {
        assertRefused(List.of(NEW, "s3cret-s3cret-s3cret-s3cret"))
                .hasMessage("HTTP sink: a webhook secret does not begin with 'whsec_'; make one with: echo"
                        + " whsec_$(openssl rand -base64 32)");
        assertRefused(List.of("whsec_s3cret!!s3cret!!s3cret")).hasMessageContaining("base64 after 'whsec_'; make one");
        assertRefused(List.of()).hasMessageContaining("give one, or two");
        assertRefused(List.of(NEW, OLD, Signature.newSecret())).hasMessageContaining("give one, or two");
        assertThat(Signature.of(List.of(NEW, OLD))).hasToString("signature with 2 secrets");
    }

    private static AbstractThrowableAssert<?, ?> assertRefused(List<String> secrets) {
        return assertThatThrownBy(() -> HttpSettings.signature(secrets))
                .hasMessageStartingWith("HTTP sink: ")
                .isInstanceOf(PosthornException.class)
                .hasFieldOrPropertyWithValue("code", ErrorCode.INVALID_SETTING)
                .hasMessageNotContaining("s3cret")
                .hasNoCause();
    }

    private static String secret(int bytes) {
        return "whsec_" + Base64.getEncoder().encodeToString(new byte[bytes]);
    }

    private static String sign(List<String> secrets, String id, long time) {
        return Signature.of(secrets).of(id, time, BODY.getBytes(UTF_8));
    }

    private void assertVerified(String secret, String signature) {
        assertThatCode(() -> new Webhook(secret).verify(BODY, headers(ID, now, signature)))
                .doesNotThrowAnyException();
    }

    private static void assertRefused(String secret, String id, long time, String signature, String body) {
        assertThatThrownBy(() -> new Webhook(secret).verify(body, headers(id, time, signature)))
                .isInstanceOf(WebhookVerificationException.class);
    }

    private static HttpHeaders headers(String id, long time, String signature) {
        return HttpHeaders.of(
                Map.of(
                        "webhook-id",
                        List.of(id),
                        "webhook-timestamp",
                        List.of(Long.toString(time)),
                        "webhook-signature",
                        List.of(signature)),
                (name, value) -> true);
    }
}
