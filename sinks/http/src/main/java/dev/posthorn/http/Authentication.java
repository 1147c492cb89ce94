package dev.posthorn.http;

import dev.posthorn.http.address.Target;
import dev.posthorn.http.auth.AuthHeader;
import dev.posthorn.http.auth.Credentials;
import dev.posthorn.http.auth.FixedCredentials;
import dev.posthorn.http.auth.JwtCredentials;
import dev.posthorn.http.auth.OAuth2Credentials;
import dev.posthorn.http.auth.TokenEndpoint;
import dev.posthorn.http.text.HeaderRules;
import dev.posthorn.http.text.Setting;
import java.time.InstantSource;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How a subscription shows its receiver who is sending. Secrets are never shown. */
public final class Authentication {

    private static final Authentication NONE = fixed("no authentication", new FixedCredentials(null));

    private final String text;
    private final @Nullable Target tokenUrl;
    private final Kind kind;

    private interface Kind {
        Credentials credentials(InstantSource clock, TokenEndpoint endpoint);
    }

    private Authentication(String text, @Nullable Target tokenUrl, Kind kind) {
        this.text = text;
        this.tokenUrl = tokenUrl;
        this.kind = kind;
    }

    private static Authentication fixed(String text, Credentials credentials) {
        return new Authentication(text, null, (clock, endpoint) -> credentials);
    }

    /** Nothing is shown; a receiver can still tell by the signature. */
    public static Authentication none() {
        return NONE;
    }

    /** A user and a password, sent as UTF-8. One of them may be empty: some receivers take a key in the other. */
    public static Authentication basic(String user, String password) {
        Setting.requireOneLine("the user of basic authentication", user);
        Setting.requireOneLine("the password of basic authentication", password);
        Setting.require(
                !user.isEmpty() || !password.isEmpty(),
                "basic authentication has neither a user nor a password; give at least one");
        Setting.require(
                user.indexOf(':') < 0,
                "the user of basic authentication contains ':', after which a receiver would read the password;"
                        + " choose another");
        return fixed("basic, user '" + user + "'", new FixedCredentials(AuthHeader.basic(user, password)));
    }

    /** A token that stays the same. */
    public static Authentication bearer(String token) {
        Setting.require(
                HeaderRules.isToken(token), "the bearer token must be ASCII text without spaces and line breaks");
        return fixed("bearer token", new FixedCredentials(AuthHeader.bearer(token)));
    }

    /** A key in a header of the receiver's choice. */
    public static Authentication apiKey(String headerName, String value) {
        HeaderRules.requireFree(headerName);
        HeaderRules.requireLegalValue(headerName, value);
        return fixed("API key in header " + headerName, new FixedCredentials(new AuthHeader(headerName, value)));
    }

    /** A token from a token endpoint, by client credentials. */
    public static Authentication oauth2(OAuth2 settings) {
        Objects.requireNonNull(settings, "settings");
        return new Authentication(
                settings.toString(),
                settings.request().url(),
                (clock, endpoint) -> new OAuth2Credentials(settings.request(), clock, endpoint));
    }

    /** A token that Posthorn signs itself. */
    public static Authentication jwt(Jwt settings) {
        Objects.requireNonNull(settings, "settings");
        return new Authentication(
                settings.toString(), null, (clock, endpoint) -> new JwtCredentials(settings.signer(), clock));
    }

    /** Where tokens are fetched, if they are. */
    @Nullable
    Target tokenUrl() {
        return tokenUrl;
    }

    /** Tokens are cached in what this returns: to be made once and shared by all requests of a subscription. */
    Credentials credentials(InstantSource clock, TokenEndpoint endpoint) {
        return kind.credentials(clock, endpoint);
    }

    @Override
    public String toString() {
        return text;
    }
}
