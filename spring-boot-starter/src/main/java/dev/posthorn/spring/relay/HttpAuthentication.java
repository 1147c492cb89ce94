package dev.posthorn.spring.relay;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.http.Authentication;
import dev.posthorn.http.Jwt;
import dev.posthorn.http.OAuth2;
import dev.posthorn.spring.settings.SubscriptionProperties;
import dev.posthorn.spring.setup.SetupException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.PropertyMapper;

/** How an HTTP receiver is shown who is sending: in one way at most. Apart from others, because posthorn-http may be missing. */
final class HttpAuthentication {

    private static final PropertyMapper GIVEN = PropertyMapper.get();

    private final String property;

    private HttpAuthentication(String property) {
        this.property = property;
    }

    /** @param property of the sink's settings, for messages */
    static Authentication of(String property, SubscriptionProperties.Http settings) {
        Map<String, Supplier<Authentication>> given = new HttpAuthentication(property).given(settings);
        if (given.size() > 1) {
            throw new SetupException(
                    String.join(" and ", given.keySet()) + " are both set, but a request shows one of them",
                    "Remove all but one");
        }
        return given.values().stream().findFirst().map(Supplier::get).orElseGet(Authentication::none);
    }

    private Map<String, Supplier<Authentication>> given(SubscriptionProperties.Http settings) {
        Map<String, Supplier<Authentication>> given = new LinkedHashMap<>();
        String token = settings.bearerToken();
        if (token != null) {
            given.put(property + ".bearer-token", () -> Authentication.bearer(token));
        }
        String user = settings.user();
        String password = settings.password();
        if (user != null || password != null) {
            given.put(
                    property + (user == null ? ".password" : ".user"),
                    () -> Authentication.basic(
                            required("user", user, "the user of basic authentication, or remove the password"),
                            required(
                                    "password", password, "the password of basic authentication, or remove the user")));
        }
        SubscriptionProperties.ApiKey apiKey = settings.apiKey();
        if (apiKey != null) {
            given.put(property + ".api-key", () -> apiKey(apiKey));
        }
        SubscriptionProperties.OAuth2 oauth2 = settings.oauth2();
        if (oauth2 != null) {
            given.put(property + ".oauth2", () -> oauth2(oauth2));
        }
        SubscriptionProperties.Jwt jwt = settings.jwt();
        if (jwt != null) {
            given.put(property + ".jwt", () -> jwt(jwt));
        }
        return given;
    }

    private Authentication apiKey(SubscriptionProperties.ApiKey settings) {
        return Authentication.apiKey(
                required("api-key.header", settings.header(), "the name of the header that the receiver looks at"),
                required("api-key.value", settings.value(), "the key"));
    }

    private Authentication oauth2(SubscriptionProperties.OAuth2 settings) {
        OAuth2.Builder client = OAuth2.builder(
                        required("oauth2.token-url", settings.tokenUrl(), "the URL of the token endpoint"),
                        required("oauth2.client-id", settings.clientId(), "the client's id"),
                        required("oauth2.client-secret", settings.clientSecret(), "the client's secret"))
                .scope(settings.scope().toArray(String[]::new));
        GIVEN.from(settings.audience()).to(client::audience);
        settings.parameters().forEach(client::parameter);
        if (settings.secretInForm()) {
            client.secretInForm();
        }
        return Authentication.oauth2(client.build());
    }

    private Authentication jwt(SubscriptionProperties.Jwt settings) {
        Jwt.Builder token = signed(settings);
        GIVEN.from(settings.keyId()).to(token::keyId);
        GIVEN.from(settings.issuer()).to(token::issuer);
        GIVEN.from(settings.subject()).to(token::subject);
        GIVEN.from(settings.lifetime()).to(token::lifetime);
        if (!settings.audience().isEmpty()) {
            token.audience(settings.audience().toArray(String[]::new));
        }
        settings.claims().forEach((name, value) -> token.claim(name, value));
        return Authentication.jwt(token.build());
    }

    private Jwt.Builder signed(SubscriptionProperties.Jwt settings) {
        return switch (required("jwt.algorithm", settings.algorithm(), "HS256, RS256 or ES256")) {
            case HS256 ->
                Jwt.hs256(required("jwt.secret", settings.secret(), "a secret of at least 32 bytes")
                        .getBytes(UTF_8));
            case RS256 -> Jwt.rs256(required("jwt.key", settings.key(), "an RSA key, PEM"));
            case ES256 -> Jwt.es256(required("jwt.key", settings.key(), "an EC key on P-256, PEM"));
        };
    }

    private <T> T required(String name, @Nullable T value, String remedy) {
        if (value == null) {
            throw new SetupException(property + "." + name + " is missing", "Set it to " + remedy);
        }
        return value;
    }
}
