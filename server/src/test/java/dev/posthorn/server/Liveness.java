package dev.posthorn.server;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** What keeps a hub from being started again by whoever watches over it. */
public final class Liveness {

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private Liveness() {}

    /** It answers within a second; a machine that is busy with other things may need to be asked more than once. */
    public static void assertAnswers(TestHub hub) {
        await("liveness within a second").atMost(10, SECONDS).until(() -> answers(hub));
    }

    private static boolean answers(TestHub hub) throws InterruptedException {
        URI liveness = URI.create("http://127.0.0.1:" + hub.httpPort() + "/actuator/health/liveness");
        HttpRequest request =
                HttpRequest.newBuilder(liveness).timeout(Duration.ofSeconds(1)).build();
        try {
            return HTTP.send(request, BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException late) {
            return false;
        }
    }
}
