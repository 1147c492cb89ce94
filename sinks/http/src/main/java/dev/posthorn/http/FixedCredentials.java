package dev.posthorn.http;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The same header for ever, or none. */
final class FixedCredentials implements Credentials {

    private final CompletionStage<@Nullable Header> header;

    FixedCredentials(@Nullable Header header) {
        this.header = CompletableFuture.completedStage(header);
    }

    @Override
    public CompletionStage<@Nullable Header> header() {
        return header;
    }

    @Override
    public boolean refused(Header header) {
        return false;
    }
}
