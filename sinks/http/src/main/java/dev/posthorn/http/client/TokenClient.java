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
import org.apache.hc.core5.http.Method;
import org.apache.hc.core5.http.message.BasicHttpRequest;
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
        Fetch fetch = new Fetch();
        Timer.Task limit = Timer.after(TIMEOUT.toNanos(), fetch::giveUp);
        connections.resolve(asked.url(), result -> {
            if (result instanceof HostResolver.Known) {
                fetch.begin(asked);
            } else {
                fetch.failed(new IOException(result.toString()));
            }
        });
        return fetch.answer.whenComplete((answer, error) -> limit.cancel());
    }

    private final class Fetch implements Transfer.Listener {

        private final CompletableFuture<TokenAnswer> answer = new CompletableFuture<>();
        private volatile @Nullable Transfer transfer;

        void begin(TokenRequest asked) {
            Target url = asked.url();
            BasicHttpRequest head = new BasicHttpRequest(Method.POST, url.httpHost(), url.pathAndQuery());
            asked.headers().forEach(head::addHeader);
            Transfer begun = Transfer.of(
                    connections,
                    new Transfer.Request(connections.route(url), head, asked.form(), MOST_BYTES, () -> true),
                    this);
            if (begun == null) {
                failed(new IOException("the sink was closed"));
            } else {
                transfer = begun;
                begun.begin();
            }
        }

        void giveUp() {
            Transfer late = transfer;
            answer.completeExceptionally(new IOException("no answer within " + TIMEOUT.toSeconds() + " s"));
            if (late != null) {
                late.cut();
            }
        }

        @Override
        public void completed(Response response) {
            answer.complete(new TokenAnswer(response.status(), response.beginning()));
        }

        @Override
        public void failed(Exception error) {
            answer.completeExceptionally(error);
        }
    }
}
