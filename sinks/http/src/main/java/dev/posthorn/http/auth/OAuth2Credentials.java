package dev.posthorn.http.auth;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The token of one subscription. One renewal runs at a time; while it runs, the old token goes on to be used if it is
 * still valid, and otherwise all wait for the same one. The lock is held for a look at the fields only: the endpoint is
 * asked, and those who wait are told, outside it.
 */
public final class OAuth2Credentials implements Credentials {

    /** How long an endpoint is left alone after a failure, and a token kept after one was renewed for a refusal. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private static final int MOST_REASON = 300;

    private final TokenRequest request;
    private final InstantSource clock;
    private final TokenEndpoint endpoint;

    private volatile @Nullable AccessToken current;
    private @Nullable CompletableFuture<@Nullable AuthHeader> renewal;
    private @Nullable CredentialsUnavailable failure;
    private Instant failedAt = Instant.MIN;
    private Instant refusedAt = Instant.MIN;

    public OAuth2Credentials(TokenRequest request, InstantSource clock, TokenEndpoint endpoint) {
        this.request = request;
        this.clock = clock;
        this.endpoint = endpoint;
    }

    @Override
    public CompletionStage<@Nullable AuthHeader> header() {
        AccessToken token = current;
        return token != null && token.isFresh(clock.instant()) ? token.ready() : renewed();
    }

    private CompletionStage<@Nullable AuthHeader> renewed() {
        CompletableFuture<@Nullable AuthHeader> begun = null;
        CompletionStage<@Nullable AuthHeader> header;
        Instant now;
        synchronized (this) {
            // Read under the lock: whoever had read it before a failure was noted would take the clock as set back.
            now = clock.instant();
            if (mayRenew(now)) {
                begun = new CompletableFuture<>();
                renewal = begun;
            }
            header = present(now);
        }
        if (begun != null) {
            renew(begun, now);
        }
        return header;
    }

    private boolean mayRenew(Instant now) {
        boolean isFresh = current != null && current.isFresh(now);
        boolean isPausing = failure != null && isWithinPause(failedAt, now);
        return renewal == null && !isFresh && !isPausing;
    }

    private CompletionStage<@Nullable AuthHeader> present(Instant now) {
        if (current != null && current.isValid(now)) {
            return current.ready();
        }
        return renewal == null ? CompletableFuture.failedStage(failure) : ofOneWhoWaits(renewal);
    }

    /** One of their own for each, so that none can complete it for others, and its failure comes unwrapped. */
    private static CompletionStage<@Nullable AuthHeader> ofOneWhoWaits(CompletionStage<@Nullable AuthHeader> renewal) {
        CompletableFuture<@Nullable AuthHeader> own = new CompletableFuture<>();
        renewal.whenComplete((header, failure) -> {
            if (failure == null) {
                own.complete(header);
            } else {
                own.completeExceptionally(failure);
            }
        });
        return own;
    }

    private void renew(CompletableFuture<@Nullable AuthHeader> begun, Instant asked) {
        CompletionStage<TokenAnswer> answer;
        try {
            answer = endpoint.post(request);
        } catch (RuntimeException e) {
            answer = CompletableFuture.failedStage(e);
        }
        answer.whenComplete((given, error) -> {
            try {
                succeeded(begun, error == null ? token(given, asked) : unreachable(error));
            } catch (CredentialsUnavailable e) {
                failed(begun, e);
            } catch (RuntimeException e) {
                // Whatever it is, a renewal that never ends would be the last.
                String kind = e.getClass().getSimpleName();
                failed(begun, unavailable("answered something unreadable: " + kind));
            }
        });
    }

    private AccessToken token(TokenAnswer answer, Instant asked) {
        if (answer.status() != 200) {
            String code = AccessToken.errorCode(answer.body());
            throw unavailable("answered " + answer.status() + (code.isEmpty() ? "" : " (" + code + ")"));
        }
        try {
            return AccessToken.read(answer.body(), asked);
        } catch (IllegalArgumentException e) {
            throw unavailable("answered 200 without a usable token: " + e.getMessage());
        }
    }

    private AccessToken unreachable(Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        String message = cause.getMessage() == null ? "" : ": " + cause.getMessage();
        throw unavailable("could not be asked: " + cause.getClass().getSimpleName() + message);
    }

    private CredentialsUnavailable unavailable(String what) {
        // Hidden before it is cut, or the first half of a secret would stay.
        String reason = request.secrets().hiddenIn(what);
        return new CredentialsUnavailable("the OAuth2 token endpoint " + request.url() + " "
                + reason.substring(0, Math.min(reason.length(), MOST_REASON)));
    }

    private void succeeded(CompletableFuture<@Nullable AuthHeader> begun, AccessToken token) {
        synchronized (this) {
            current = token;
            failure = null;
            renewal = null;
        }
        begun.complete(token.header());
    }

    private void failed(CompletableFuture<@Nullable AuthHeader> begun, CredentialsUnavailable reason) {
        synchronized (this) {
            failure = reason;
            failedAt = clock.instant();
            renewal = null;
        }
        begun.completeExceptionally(reason);
    }

    /**
     * A receiver that refuses whatever is shown must not make us ask for a token per event: the second refusal within
     * the pause is believed.
     */
    @Override
    public synchronized boolean refused(AuthHeader header) {
        if (current == null || !current.header().equals(header)) {
            return true;
        }
        Instant now = clock.instant();
        if (isWithinPause(refusedAt, now)) {
            return false;
        }
        refusedAt = now;
        current = null;
        return true;
    }

    /** A clock that was set back ends the pause, instead of making it last until then. */
    private static boolean isWithinPause(Instant start, Instant now) {
        return !now.isBefore(start) && now.isBefore(start.plus(PAUSE));
    }
}
