package dev.posthorn.server.subscriptions.sinks;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.posthorn.http.Authentication;
import dev.posthorn.http.Jwt;
import dev.posthorn.http.OAuth2;
import dev.posthorn.server.documents.RequiredFields;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How an HTTP receiver is shown who is sending. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
@JsonSubTypes({
    @JsonSubTypes.Type(name = "none", value = AuthDocument.None.class),
    @JsonSubTypes.Type(name = "basic", value = AuthDocument.Basic.class),
    @JsonSubTypes.Type(name = "bearer", value = AuthDocument.Bearer.class),
    @JsonSubTypes.Type(name = "api-key", value = AuthDocument.ApiKey.class),
    @JsonSubTypes.Type(name = "oauth2", value = AuthDocument.ClientCredentials.class),
    @JsonSubTypes.Type(name = "jwt", value = AuthDocument.SignedToken.class)
})
public sealed interface AuthDocument extends RequiredFields {

    /** Of a document in which nothing is missing. */
    Authentication authentication();

    /** Nothing is shown. */
    record None() implements AuthDocument {

        @Override
        public Stream<String> missing() {
            return Stream.of();
        }

        @Override
        public Authentication authentication() {
            return Authentication.none();
        }
    }

    /** A user and a password. */
    record Basic(@Nullable String username, @Nullable String password) implements AuthDocument {

        @Override
        public Stream<String> missing() {
            return Stream.concat(
                    CheckedBuilder.missing("username", username), CheckedBuilder.missing("password", password));
        }

        @Override
        public Authentication authentication() {
            return Authentication.basic(Objects.requireNonNull(username), Objects.requireNonNull(password));
        }

        @Override
        public String toString() {
            return "basic";
        }
    }

    /** A token that stays the same. */
    record Bearer(@Nullable String token) implements AuthDocument {

        @Override
        public Stream<String> missing() {
            return CheckedBuilder.missing("token", token);
        }

        @Override
        public Authentication authentication() {
            return Authentication.bearer(Objects.requireNonNull(token));
        }

        @Override
        public String toString() {
            return "bearer";
        }
    }

    /**
     * A key in a header of the receiver's choice.
     *
     * @param header the header's name
     */
    record ApiKey(@Nullable String header, @Nullable String value) implements AuthDocument {

        @Override
        public Stream<String> missing() {
            return Stream.concat(CheckedBuilder.missing("header", header), CheckedBuilder.missing("value", value));
        }

        @Override
        public Authentication authentication() {
            return Authentication.apiKey(Objects.requireNonNull(header), Objects.requireNonNull(value));
        }

        @Override
        public String toString() {
            return "api-key";
        }
    }

    /**
     * A token from a token endpoint, by OAuth2 client credentials.
     *
     * @param scope one, or several
     * @param parameters more fields of the form; treated as secrets
     * @param secretInForm whether id and secret go into the form instead of basic authentication
     */
    record ClientCredentials(
            @Nullable String tokenUrl,
            @Nullable String clientId,
            @Nullable String clientSecret,

            @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY) @Nullable
            List<String> scope,

            @Nullable String audience,
            @Nullable Map<String, String> parameters,
            @Nullable Boolean secretInForm)
            implements AuthDocument {

        @Override
        public Stream<String> missing() {
            return Stream.of(
                            CheckedBuilder.missing("tokenUrl", tokenUrl),
                            CheckedBuilder.missing("clientId", clientId),
                            CheckedBuilder.missing("clientSecret", clientSecret))
                    .flatMap(all -> all);
        }

        @Override
        public Authentication authentication() {
            OAuth2.Builder builder = OAuth2.builder(
                    Objects.requireNonNull(tokenUrl),
                    Objects.requireNonNull(clientId),
                    Objects.requireNonNull(clientSecret));
            CheckedBuilder<OAuth2.Builder, OAuth2> assembly = CheckedBuilder.of(
                            "sink.auth.tokenUrl", builder, OAuth2.Builder::build)
                    .add("sink.auth.scope", scope, (b, value) -> b.scope(value.toArray(String[]::new)))
                    .add("sink.auth.audience", audience, OAuth2.Builder::audience);
            if (parameters != null) {
                parameters.forEach((name, value) ->
                        assembly.add("sink.auth.parameters." + name, value, (b, text) -> b.parameter(name, text)));
            }
            if (Boolean.TRUE.equals(secretInForm)) {
                builder.secretInForm();
            }
            return Authentication.oauth2(assembly.build());
        }

        @Override
        public String toString() {
            return "oauth2";
        }
    }

    /**
     * A token that the hub signs itself.
     *
     * @param algorithm HS256, RS256 or ES256
     * @param secret for HS256: a text of at least 32 bytes that the receiver knows too
     * @param key for RS256 and ES256: the private key, PEM
     * @param audience one, or several
     * @param lifetime from 10s to 24h; left out: 5m
     * @param claims more claims: texts, numbers, true or false
     */
    record SignedToken(
            @Nullable Algorithm algorithm,
            @Nullable String secret,
            @Nullable String key,
            @Nullable String keyId,
            @Nullable String issuer,
            @Nullable String subject,

            @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY) @Nullable
            List<String> audience,

            @Nullable Duration lifetime,
            @Nullable Map<String, Object> claims)
            implements AuthDocument {

        /** How it is signed. */
        public enum Algorithm {
            HS256,
            RS256,
            ES256
        }

        @Override
        public Stream<String> missing() {
            if (algorithm == null) {
                return Stream.of("algorithm");
            }
            return algorithm == Algorithm.HS256
                    ? CheckedBuilder.missing("secret", secret)
                    : CheckedBuilder.missing("key", key);
        }

        @Override
        public Authentication authentication() {
            CheckedBuilder<Jwt.Builder, Jwt> assembly = CheckedBuilder.of("sink.auth", builder(), Jwt.Builder::build)
                    .add("sink.auth.keyId", keyId, Jwt.Builder::keyId)
                    .add("sink.auth.issuer", issuer, Jwt.Builder::issuer)
                    .add("sink.auth.subject", subject, Jwt.Builder::subject)
                    .add("sink.auth.audience", audience, (b, value) -> b.audience(value.toArray(String[]::new)))
                    .add("sink.auth.lifetime", lifetime, Jwt.Builder::lifetime);
            if (claims != null) {
                claims.forEach((name, value) ->
                        assembly.add("sink.auth.claims." + name, value, (b, claim) -> b.claim(name, claim)));
            }
            return Authentication.jwt(assembly.build());
        }

        private Jwt.Builder builder() {
            return switch (Objects.requireNonNull(algorithm)) {
                case HS256 -> {
                    byte[] bytes = Objects.requireNonNull(secret).getBytes(UTF_8);
                    yield CheckedBuilder.blaming("sink.auth.secret", () -> Jwt.hs256(bytes));
                }
                case RS256 -> CheckedBuilder.blaming("sink.auth.key", () -> Jwt.rs256(Objects.requireNonNull(key)));
                case ES256 -> CheckedBuilder.blaming("sink.auth.key", () -> Jwt.es256(Objects.requireNonNull(key)));
            };
        }

        @Override
        public String toString() {
            return "jwt " + Objects.requireNonNullElse(algorithm, "");
        }
    }
}
