package dev.posthorn.http.auth;

import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Signs a token for many requests: an RSA signature takes longer than all else that a request needs of the CPU. */
public final class JwtCredentials implements Credentials {

    /** Refused when this young, a token is not stale, and another one would say the same. */
    private static final Duration YOUNG = Duration.ofSeconds(1);

    private final JwtSigner signer;
    private final InstantSource clock;
    private volatile @Nullable AccessToken current;

    public JwtCredentials(JwtSigner signer, InstantSource clock) {
        this.signer = signer;
        this.clock = clock;
    }

    @Override
    public CompletionStage<@Nullable AuthHeader> header() {
        Instant now = clock.instant();
        AccessToken token = current;
        return token != null && token.isFresh(now) ? token.ready() : renewed(now);
    }

    private synchronized CompletionStage<@Nullable AuthHeader> renewed(Instant now) {
        if (current != null && current.isFresh(now)) {
            return current.ready();
        }
        try {
            AccessToken token = signed(now);
            current = token;
            return token.ready();
        } catch (GeneralSecurityException e) {
            return CompletableFuture.failedStage(new CredentialsUnavailable(
                    signer + " cannot be made: " + e.getClass().getSimpleName()));
        }
    }

    private AccessToken signed(Instant now) throws GeneralSecurityException {
        Duration lifetime = signer.lifetime();
        Instant expiresAt = now.plus(lifetime);
        return AccessToken.of(AuthHeader.bearer(signer.sign(now)), expiresAt.minus(lifetime.dividedBy(4)), expiresAt);
    }

    @Override
    public synchronized boolean refused(AuthHeader header) {
        if (current == null || !current.header().equals(header)) {
            return true;
        }
        Instant madeAt = current.expiresAt().minus(signer.lifetime());
        Instant now = clock.instant();
        // One of the future was made before the clock was set back, and is rightly refused.
        if (!now.isBefore(madeAt) && now.isBefore(madeAt.plus(YOUNG))) {
            return false;
        }
        current = null;
        return true;
    }
}
