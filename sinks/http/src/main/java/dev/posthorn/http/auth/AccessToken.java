package dev.posthorn.http.auth;

import dev.posthorn.http.text.HeaderRules;
import dev.posthorn.http.text.Json;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A token and how long it may be used.
 *
 * @param ready the header once more, as all who ask while it is fresh get it
 */
public record AccessToken(
        AuthHeader header, Instant renewAt, Instant expiresAt, CompletionStage<@Nullable AuthHeader> ready) {

    private static final Duration DEFAULT_LIFE = Duration.ofMinutes(5);
    private static final Duration MOST_MARGIN = Duration.ofSeconds(30);
    private static final BigDecimal MOST_SECONDS =
            BigDecimal.valueOf(Duration.ofDays(365).toSeconds());
    private static final Pattern ERROR_CODE = Pattern.compile("[A-Za-z0-9._:/-]{1,80}");

    public static AccessToken of(AuthHeader header, Instant renewAt, Instant expiresAt) {
        return new AccessToken(header, renewAt, expiresAt, CompletableFuture.completedStage(header));
    }

    /**
     * @param asked when the endpoint was asked: counted from there, a life is rather too short than too long
     * @throws IllegalArgumentException if there is no usable token in it, with a reason that quotes none of it
     */
    static AccessToken read(byte[] body, Instant asked) {
        Map<String, Object> answer = Json.members(body);
        if (!(answer.get("access_token") instanceof String token) || !HeaderRules.isToken(token)) {
            throw new IllegalArgumentException("no access_token that can be sent in a header");
        }
        requireBearer(answer.get("token_type"));
        Duration life = life(answer.get("expires_in"));
        Instant expiresAt = asked.plus(life);
        return of(AuthHeader.bearer(token), expiresAt.minus(margin(life)), expiresAt);
    }

    /** The type is mandatory, but some endpoints leave it out; none of these mean another one. */
    private static void requireBearer(@Nullable Object type) {
        if (type != null && !type.toString().toLowerCase(Locale.ROOT).equals("bearer")) {
            throw new IllegalArgumentException("a token_type other than bearer");
        }
    }

    /** Some endpoints send the number as a text. */
    private static Duration life(@Nullable Object expiresIn) {
        if (expiresIn == null) {
            return DEFAULT_LIFE;
        }
        BigDecimal seconds = expiresIn instanceof String text && text.matches("[0-9]{1,18}")
                ? new BigDecimal(text)
                : expiresIn instanceof BigDecimal number ? number : BigDecimal.ZERO;
        if (seconds.compareTo(BigDecimal.ONE) < 0) {
            throw new IllegalArgumentException("an expires_in that is no number of seconds above zero");
        }
        return Duration.ofSeconds(seconds.min(MOST_SECONDS).longValue());
    }

    private static Duration margin(Duration life) {
        Duration fifth = life.dividedBy(5);
        return fifth.compareTo(MOST_MARGIN) < 0 ? fifth : MOST_MARGIN;
    }

    /** The code of an OAuth2 error answer, empty if there is none that is fit to be shown. */
    static String errorCode(byte[] body) {
        try {
            String text = Objects.toString(Json.members(body).get("error"), "");
            return ERROR_CODE.matcher(text).matches() ? text : "";
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    boolean isFresh(Instant now) {
        return now.isBefore(renewAt);
    }

    boolean isValid(Instant now) {
        return now.isBefore(expiresAt);
    }
}
