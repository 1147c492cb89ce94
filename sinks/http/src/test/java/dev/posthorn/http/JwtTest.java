package dev.posthorn.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.error.PosthornException;
import dev.posthorn.http.auth.AuthHeader;
import dev.posthorn.http.auth.Credentials;
import dev.posthorn.http.text.Json;
import dev.posthorn.http.tls.Keys;
import dev.posthorn.testing.SettableClock;
import java.math.BigDecimal;
import java.security.PublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JwtTest {

    private static final byte[] SECRET = "s3cret-of-thirty-two-bytes-or-more".getBytes(US_ASCII);
    private static final Instant START = Instant.parse("2026-11-15T10:00:00.700Z");

    private final SettableClock clock = SettableClock.at(START);

    @Test
    void hs256IsVerifiedWithTheSecret() throws Exception {
        String token = Jwt.hs256(SECRET).build().signer().sign(START);
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(SECRET, "HmacSHA256"));

        assertThat(signature(token)).isEqualTo(mac.doFinal(content(token)));
        assertThat(header(token)).isEqualTo(Map.of("alg", "HS256", "typ", "JWT"));
        assertThat(token).matches("[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]{43}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rsa-pkcs1", "rsa-pkcs8"})
    void rs256IsVerifiedWithThePublicKey(String name) throws Exception {
        String token = Jwt.rs256(Keys.pem(name)).keyId("k1").build().signer().sign(START);

        assertVerified(token, "SHA256withRSA", Keys.publicKey("RSA", "rsa-public"));
        assertThat(header(token)).isEqualTo(Map.of("alg", "RS256", "typ", "JWT", "kid", "k1"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ec-sec1", "ec-sec1-with-parameters", "ec-pkcs8"})
    void es256IsVerifiedWithThePublicKey(String name) throws Exception {
        String token = Jwt.es256(Keys.pem(name)).build().signer().sign(START);

        assertThat(signature(token)).hasSize(64);
        assertVerified(token, "SHA256withECDSAinP1363Format", Keys.publicKey("EC", "ec-public"));
        assertThat(header(token)).containsEntry("alg", "ES256");
    }

    private static void assertVerified(String token, String algorithm, PublicKey key) throws Exception {
        java.security.Signature signature = java.security.Signature.getInstance(algorithm);
        signature.initVerify(key);
        signature.update(content(token));
        assertThat(signature.verify(signature(token))).isTrue();
    }

    @Test
    void saysWhoForWhomSinceWhenAndUntilWhen() throws Exception {
        Jwt jwt = Jwt.hs256(SECRET)
                .issuer("shop")
                .subject("orders \"\u20ac\"")
                .audience("a", "b")
                .claim("tenant", "t1")
                .claim("level", 3)
                .claim("share", 0.25)
                .claim("test", true)
                .lifetime(Duration.ofMinutes(10))
                .build();

        Map<String, Object> claims = claims(jwt.signer().sign(START));

        long second = START.getEpochSecond();
        assertThat(claims)
                .containsEntry("iss", "shop")
                .containsEntry("sub", "orders \"\u20ac\"")
                .containsEntry("tenant", "t1")
                .containsEntry("level", BigDecimal.valueOf(3))
                .containsEntry("share", new BigDecimal("0.25"))
                .containsEntry("test", true)
                .containsEntry("iat", BigDecimal.valueOf(second))
                .containsEntry("nbf", BigDecimal.valueOf(second - 30))
                .containsEntry("exp", BigDecimal.valueOf(second + 600))
                .containsKey("jti");
        assertThat(new String(part(jwt.signer().sign(START), 1), UTF_8)).contains("\"aud\":[\"a\",\"b\"]");
    }

    @Test
    void oneAudienceIsATextAndALifeLastsFiveMinutes() throws Exception {
        Map<String, Object> claims =
                claims(Jwt.hs256(SECRET).audience("a").build().signer().sign(START));

        assertThat(claims)
                .containsEntry("aud", "a")
                .containsEntry("exp", BigDecimal.valueOf(START.getEpochSecond() + 300))
                .containsOnlyKeys("aud", "iat", "nbf", "exp", "jti");
    }

    @Test
    void everyTokenHasItsOwnId() throws Exception {
        Jwt jwt = Jwt.hs256(SECRET).build();

        assertThat(claims(jwt.signer().sign(START)).get("jti"))
                .isNotEqualTo(claims(jwt.signer().sign(START)).get("jti"));
    }

    @Test
    void aTokenIsSentUntilAQuarterOfItsLifeIsLeft() {
        Credentials credentials = credentials();
        AuthHeader first = header(credentials);
        assertThat(first.name()).isEqualTo("Authorization");
        assertThat(first.value()).startsWith("Bearer ey");

        clock.advance(Duration.ofSeconds(224));
        assertThat(header(credentials)).isEqualTo(first);

        clock.advance(Duration.ofSeconds(1));
        AuthHeader second = header(credentials);
        assertThat(second).isNotEqualTo(first);
        assertThat(claims(second.value()).get("exp"))
                .isEqualTo(BigDecimal.valueOf(START.plusSeconds(525).getEpochSecond()));
    }

    @Test
    void manyThreadsShareOneToken() throws Exception {
        for (int round = 0; round < 100; round++) {
            Credentials credentials = credentials();
            assertThat(Crowd.of(20, () -> header(credentials))).hasSize(20).containsOnly(header(credentials));
        }
    }

    @Test
    void aRefusedTokenIsMadeAnewUnlessItWasNew() {
        Credentials credentials = credentials();
        AuthHeader first = header(credentials);

        assertThat(credentials.refused(first)).isFalse();
        assertThat(header(credentials)).isEqualTo(first);

        clock.advance(Duration.ofSeconds(1));
        assertThat(credentials.refused(first)).isTrue();
        AuthHeader second = header(credentials);
        assertThat(second).isNotEqualTo(first);

        assertThat(credentials.refused(first)).as("one that is gone already").isTrue();
        assertThat(header(credentials)).isEqualTo(second);
    }

    @Test
    void aRefusedTokenOfTheFutureIsMadeAnew() {
        Credentials credentials = credentials();
        AuthHeader first = header(credentials);
        clock.advance(Duration.ofHours(-1));

        assertThat(credentials.refused(first)).isTrue();
        assertThat(header(credentials)).isNotEqualTo(first);
    }

    @Test
    void refusesKeysThatAreTooWeakOrOfAnotherKind() {
        assertThatThrownBy(() -> Jwt.hs256(Arrays.copyOf(SECRET, 31))).hasMessageContaining("at least 32");
        assertThatThrownBy(() -> Jwt.rs256(Keys.pem("rsa-1024"))).hasMessageContaining("at least 2048");
        assertThatThrownBy(() -> Jwt.rs256(Keys.pem("ec-sec1"))).hasMessageContaining("not an RSA key");
        assertThatThrownBy(() -> Jwt.es256(Keys.pem("ec-p384"))).hasMessageContaining("P-256");
        assertThatThrownBy(() -> Jwt.es256(Keys.pem("rsa-pkcs8"))).hasMessageContaining("P-256");
        assertThatThrownBy(() -> Jwt.es256("nothing"))
                .isInstanceOf(PosthornException.class)
                .hasMessageContaining("JWT private key");
    }

    @ParameterizedTest
    @ValueSource(strings = {"iss", "sub", "aud", "exp", "iat", "nbf", "jti"})
    void refusesClaimsThatAreSetOtherwise(String name) {
        assertThatThrownBy(() -> Jwt.hs256(SECRET).claim(name, "x"))
                .isInstanceOf(PosthornException.class)
                .hasMessageContaining("'" + name + "'");
    }

    @Test
    void refusesOtherSettingsThatCannotBe() {
        Jwt.Builder jwt = Jwt.hs256(SECRET);
        assertThatThrownBy(() -> jwt.lifetime(Duration.ofSeconds(9))).hasMessageContaining("PT10S to PT24H");
        assertThatThrownBy(() -> jwt.lifetime(Duration.ofHours(25))).hasMessageContaining("PT10S to PT24H");
        assertThatThrownBy(() -> jwt.claim("x", Double.NaN)).hasMessageContaining("'x'");
        assertThatThrownBy(() -> jwt.audience()).hasMessageContaining("audience");
        assertThatThrownBy(() -> jwt.keyId("")).hasMessageContaining("key id");
    }

    @Test
    void aSecretGivenAsBytesCannotBeChangedAfterwards() throws Exception {
        byte[] bytes = SECRET.clone();
        Jwt jwt = Jwt.hs256(bytes).build();
        Arrays.fill(bytes, (byte) 0);
        String token = jwt.signer().sign(START);
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(SECRET, "HmacSHA256"));

        assertThat(signature(token)).isEqualTo(mac.doFinal(content(token)));
    }

    @Test
    void showsTheAlgorithmAndTheKeyIdOnly() {
        Jwt jwt = Jwt.hs256(SECRET).keyId("k1").claim("tenant", "hidden").build();

        assertThat(jwt).hasToString("JWT signed with HS256, key id 'k1'");
        assertThat(Authentication.jwt(jwt)).hasToString("JWT signed with HS256, key id 'k1'");
        assertThat(header(credentials())).hasToString("Authorization: [hidden]");
    }

    private Credentials credentials() {
        return Authentication.jwt(Jwt.hs256(SECRET).build()).credentials(clock, request -> {
            throw new AssertionError("a JWT needs no endpoint");
        });
    }

    private static AuthHeader header(Credentials credentials) {
        return credentials.header().toCompletableFuture().join();
    }

    private static byte[] content(String token) {
        return token.substring(0, token.lastIndexOf('.')).getBytes(US_ASCII);
    }

    private static byte[] signature(String token) {
        return part(token, 2);
    }

    private static Map<String, Object> header(String token) {
        return json(part(token, 0));
    }

    private static Map<String, Object> claims(String token) {
        return json(part(token, 1));
    }

    private static byte[] part(String token, int index) {
        return Base64.getUrlDecoder().decode(token.split("\\.", 3)[index]);
    }

    private static Map<String, Object> json(byte[] json) {
        return Json.members(json);
    }
}
