package dev.posthorn.http;

import java.util.Map;
import java.util.concurrent.CompletionStage;

/** Where tokens come from. */
interface TokenEndpoint {

    /**
     * Posts a form without following redirects. Always completes, after a timeout of its own at the latest: nothing
     * else is asked of the endpoint until it has.
     */
    CompletionStage<TokenAnswer> post(Target url, Map<String, String> headers, byte[] form);
}
