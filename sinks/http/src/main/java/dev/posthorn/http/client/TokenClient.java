package dev.posthorn.http.client;

import dev.posthorn.http.address.HostResolver;
import dev.posthorn.http.address.Target;
import dev.posthorn.http.auth.TokenAnswer;
import dev.posthorn.http.auth.TokenEndpoint;
import dev.posthorn.http.auth.TokenRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.Method;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.apache.hc.core5.http.nio.AsyncRequestProducer;
import org.apache.hc.core5.http.nio.support.BasicRequestProducer;
import org.jspecify.annotations.Nullable;

/** Asks a token endpoint, over the sink's own connections and by the same rules as to where one may send. */
public final class TokenClient implements TokenEndpoint {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int MOST_BYTES = 1 << 16;

    private final Connections connections;

    public TokenClient(Connections connections) {
        this.connections = connections;
    }

    @Override
    public CompletionStage<TokenAnswer> post(TokenRequest asked) {
        Target url = asked.url();
        HttpRequest request = new BasicHttpRequest(Method.POST, url.httpHost(), url.pathAndQuery());
        asked.headers().forEach(request::addHeader);
        Fetch fetch = new Fetch(new BasicRequestProducer(request, new RequestBody(asked.form())));
        Timer.after(TIMEOUT.toNanos(), fetch::giveUp);
        connections.resolve(url, result -> {
            if (result instanceof HostResolver.Known) {
                fetch.begin();
            } else {
                fetch.failed(new IOException(result.toString()));
            }
        });
        return fetch.answer;
    }

    private final class Fetch implements FutureCallback<Response> {

        private final AsyncRequestProducer request;
        private final CompletableFuture<TokenAnswer> answer = new CompletableFuture<>();
        private final HttpClientContext context = HttpClientContext.create();
        private final RequestCutoff cutoff = RequestCutoff.of(context);
        private final ResponseReader response = new ResponseReader(MOST_BYTES);
        private volatile @Nullable Future<Response> running;

        Fetch(AsyncRequestProducer request) {
            this.request = request;
        }

        void begin() {
            running = connections.send(request, response, context, this);
            if (running == null) {
                cancelled();
            }
        }

        void giveUp() {
            answer.completeExceptionally(new IOException("no answer within " + TIMEOUT.toSeconds() + " s"));
            response.stop();
            cutoff.cut(running);
        }

        @Override
        public void completed(Response response) {
            answer.complete(new TokenAnswer(response.status(), response.beginning()));
        }

        @Override
        public void failed(Exception error) {
            answer.completeExceptionally(error);
        }

        @Override
        public void cancelled() {
            answer.completeExceptionally(new IOException("the sink was closed"));
        }
    }
}
