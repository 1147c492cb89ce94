package dev.posthorn.http.auth;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The same header for ever, or none. */
public final class FixedCredentials implements Credentials {

    private final CompletionStage<@Nullable AuthHeader> header;

    public FixedCredentials(@Nullable AuthHeader header) {
        this.header = CompletableFuture.completedStage(header);
    }

    @Override
    public CompletionStage<@Nullable AuthHeader> header() {
        return header;
    }

    @Override
    public boolean refused(AuthHeader header) {
        return false;
    }
}
