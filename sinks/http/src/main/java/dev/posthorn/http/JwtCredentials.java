package dev.posthorn.http;

import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Signs a token for many requests: an RSA signature takes longer than all else that a request needs of the CPU. */
final class JwtCredentials implements Credentials {

    /** Refused when this young, a token is not stale, and another one would say the same. */
    private static final Duration YOUNG = Duration.ofSeconds(1);

    private final Jwt settings;
    private final InstantSource clock;
    private volatile @Nullable AccessToken current;

    JwtCredentials(Jwt settings, InstantSource clock) {
        this.settings = settings;
        this.clock = clock;
    }

    @Override
    public CompletionStage<@Nullable Header> header() {
        Instant now = clock.instant();
        AccessToken token = current;
        return token != null && token.isFresh(now) ? token.ready() : renewed(now);
    }

    private synchronized CompletionStage<@Nullable Header> renewed(Instant now) {
        if (current != null && current.isFresh(now)) {
            return current.ready();
        }
        try {
            AccessToken token = signed(now);
            current = token;
            return token.ready();
        } catch (GeneralSecurityException e) {
            return CompletableFuture.failedStage(new CredentialsUnavailable(
                    settings + " cannot be made: " + e.getClass().getSimpleName()));
        }
    }

    private AccessToken signed(Instant now) throws GeneralSecurityException {
        Duration lifetime = settings.lifetime();
        Instant expiresAt = now.plus(lifetime);
        return AccessToken.of(Header.bearer(settings.sign(now)), expiresAt.minus(lifetime.dividedBy(4)), expiresAt);
    }

    @Override
    public synchronized boolean refused(Header header) {
        if (current == null || !current.header().equals(header)) {
            return true;
        }
        Instant madeAt = current.expiresAt().minus(settings.lifetime());
        Instant now = clock.instant();
        // One of the future was made before the clock was set back, and is rightly refused.
        if (!now.isBefore(madeAt) && now.isBefore(madeAt.plus(YOUNG))) {
            return false;
        }
        current = null;
        return true;
    }
}
