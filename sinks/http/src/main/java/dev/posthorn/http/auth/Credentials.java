package dev.posthorn.http.auth;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What one request has to show. */
public interface Credentials {

    /**
     * The header to send, null if none, perhaps after a while; completes exceptionally with
     * {@link CredentialsUnavailable} if none can be had at present.
     */
    CompletionStage<@Nullable AuthHeader> header();

    /** The receiver did not accept that header (401). True if another can be had, so that one more try makes sense. */
    boolean refused(AuthHeader header);
}
