package dev.posthorn.http;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.Method;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.apache.hc.core5.http.nio.support.BasicRequestProducer;
import org.jspecify.annotations.Nullable;

/** Asks a token endpoint, over the sink's own connections and by the same rules as to where one may send. */
final class TokenClient implements TokenEndpoint {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int MOST_BYTES = 1 << 16;

    private final HttpSettings settings;
    private final Names names;
    private final Connections connections;

    TokenClient(HttpSettings settings, Names names, Connections connections) {
        this.settings = settings;
        this.names = names;
        this.connections = connections;
    }

    @Override
    public CompletionStage<TokenAnswer> post(Target url, Map<String, String> headers, byte[] form) {
        HttpRequest request = new BasicHttpRequest(Method.POST, url.httpHost(), url.pathAndQuery());
        headers.forEach(request::addHeader);
        Fetch fetch = new Fetch();
        Timer.after(TIMEOUT.toNanos(), fetch::giveUp);
        names.whenKnown(settings.firstHop(url), result -> {
            if (result instanceof Names.Known) {
                fetch.begin(request, form);
            } else {
                fetch.failed(new IOException(result.toString()));
            }
        });
        return fetch.answer;
    }

    private final class Fetch implements FutureCallback<Response> {

        private final CompletableFuture<TokenAnswer> answer = new CompletableFuture<>();
        private final HttpClientContext context = HttpClientContext.create();
        private final Leash leash = Leash.of(context);
        private final ResponseReader response = new ResponseReader(MOST_BYTES);
        private volatile @Nullable Future<Response> running;

        void begin(HttpRequest request, byte[] form) {
            running = connections.send(new BasicRequestProducer(request, new Body(form)), response, context, this);
            if (running == null) {
                cancelled();
            }
        }

        void giveUp() {
            answer.completeExceptionally(new IOException("no answer within " + TIMEOUT.toSeconds() + " s"));
            response.stop();
            leash.cut(running);
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
