package dev.posthorn.http.auth;

import java.util.concurrent.CompletionStage;

/** Where tokens come from. */
public interface TokenEndpoint {

    /**
     * Posts a form without following redirects. Always completes, after a timeout of its own at the latest: nothing
     * else is asked of the endpoint until it has.
     */
    CompletionStage<TokenAnswer> post(TokenRequest request);
}
