package dev.posthorn.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.http.address.Target;
import dev.posthorn.http.auth.AuthHeader;
import dev.posthorn.http.auth.TokenRequest;
import dev.posthorn.http.text.Setting;
import dev.posthorn.sink.Secrets;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Where and how to get a token by OAuth2 client credentials (RFC 6749, section 4.4). */
public final class OAuth2 {

    private static final Set<String> RESERVED = Set.of("grant_type", "client_id", "client_secret", "scope", "audience");

    private final String clientId;
    private final TokenRequest request;

    private OAuth2(Builder builder) {
        this.clientId = builder.clientId;
        this.request = builder.request();
    }

    /** A client that is known to the endpoint at this URL. */
    public static Builder builder(String tokenUrl, String clientId, String clientSecret) {
        return new Builder(tokenUrl, clientId, clientSecret);
    }

    private static String encoded(Map<String, String> form) {
        return form.entrySet().stream()
                .map(each -> encoded(each.getKey()) + '=' + encoded(each.getValue()))
                .collect(Collectors.joining("&"));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, UTF_8);
    }

    TokenRequest request() {
        return request;
    }

    @Override
    public String toString() {
        return "OAuth2 client '" + clientId + "' with a token from " + request.url();
    }

    /** A client's settings; all but those of {@link OAuth2#builder} may be left out. */
    public static final class Builder {

        private final String tokenUrl;
        private final String clientId;
        private final String clientSecret;
        private final List<String> scopes = new ArrayList<>();
        private final Map<String, String> parameters = new LinkedHashMap<>();
        private @Nullable String audience;
        private boolean secretInForm;

        private Builder(String tokenUrl, String clientId, String clientSecret) {
            this.tokenUrl = Objects.requireNonNull(tokenUrl, "tokenUrl");
            this.clientId = Setting.requireText("the OAuth2 client id", clientId);
            this.clientSecret = Setting.requireText("the OAuth2 client secret", clientSecret);
        }

        /** What the token is to be good for; several add up. */
        public Builder scope(String... scopes) {
            for (String scope : scopes) {
                this.scopes.add(Setting.requireText("an OAuth2 scope", scope));
            }
            return this;
        }

        /** For whom the token is, if the endpoint wants to know. */
        public Builder audience(String audience) {
            this.audience = Setting.requireText("the OAuth2 audience", audience);
            return this;
        }

        /** One more field of the form, such as {@code resource}. */
        public Builder parameter(String name, String value) {
            Setting.requireText("the name of an OAuth2 parameter", name);
            Setting.require(
                    !RESERVED.contains(name), "the OAuth2 parameter '" + name + "' has its own setting; use it");
            parameters.put(name, Objects.requireNonNull(value, "value"));
            return this;
        }

        /** Client id and secret go into the form, for endpoints that do not take them as basic authentication. */
        public Builder secretInForm() {
            this.secretInForm = true;
            return this;
        }

        private TokenRequest request() {
            Target url = Target.of("the OAuth2 token URL", tokenUrl);
            return new TokenRequest(url, headers(), encoded(form()).getBytes(UTF_8), new Secrets(secrets(url)));
        }

        private Map<String, String> headers() {
            Map<String, String> headers = new LinkedHashMap<>();
            headers.put("Content-Type", "application/x-www-form-urlencoded");
            headers.put("Accept", "application/json");
            if (!secretInForm) {
                headers.put("Authorization", basic().value());
            }
            return Map.copyOf(headers);
        }

        /** RFC 6749 wants both encoded as in a form first, so that a ':' in the id does no harm. */
        private AuthHeader basic() {
            return AuthHeader.basic(encoded(clientId), encoded(clientSecret));
        }

        private Map<String, String> form() {
            Map<String, String> form = new LinkedHashMap<>();
            form.put("grant_type", "client_credentials");
            if (!scopes.isEmpty()) {
                form.put("scope", String.join(" ", scopes));
            }
            if (audience != null) {
                form.put("audience", audience);
            }
            if (secretInForm) {
                form.put("client_id", clientId);
                form.put("client_secret", clientSecret);
            }
            form.putAll(parameters);
            return form;
        }

        private List<String> secrets(Target url) {
            List<String> secrets = new ArrayList<>(parameters.values());
            secrets.add(clientSecret);
            secrets.addAll(secrets.stream().map(OAuth2::encoded).toList());
            secrets.add(basic().value().substring("Basic ".length()));
            secrets.add(url.query());
            return secrets;
        }

        public OAuth2 build() {
            return new OAuth2(this);
        }
    }
}
