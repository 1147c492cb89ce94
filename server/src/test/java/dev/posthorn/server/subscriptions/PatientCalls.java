package dev.posthorn.server.subscriptions;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.server.TestClient;
import java.time.Duration;

/** Deletes and pauses subscriptions at a hub that may have to wait for a busy machine. */
final class PatientCalls {

    /** For so long a hub waits before it says that a deletion goes on in the background. */
    private static final Duration REMOVAL = Duration.ofSeconds(5);

    /** For so long a hub waits before it says that a subscription is being paused. */
    private static final Duration QUIET = Duration.ofSeconds(3);

    private PatientCalls() {}

    /** Returns when it is gone. */
    static void delete(TestClient rest, String name) {
        long begun = System.nanoTime();
        int status = rest.delete(path(name)).status();
        if (isOver(REMOVAL, begun)) {
            assertThat(status).isIn(202, 204);
        } else {
            assertThat(status).isEqualTo(204);
        }
        awaitGone(rest, name);
    }

    static void awaitGone(TestClient rest, String name) {
        // Most are gone by now, and others soon.
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20))
                .atMost(60, SECONDS)
                .until(() -> rest.get(path(name)).status() == 404);
    }

    /** Returns when nothing of it is sent any more. */
    static void pause(TestClient rest, String name) {
        long begun = System.nanoTime();
        TestClient.Answer answer = rest.post(path(name) + "/pause");
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        if (isOver(QUIET, begun) && state(answer).equals("pausing")) {
            await().atMost(60, SECONDS).until(() -> state(rest.get(path(name))).equals("paused"));
        } else {
            assertThat(state(answer)).isEqualTo("paused");
        }
    }

    private static boolean isOver(Duration patience, long begun) {
        return System.nanoTime() - begun >= patience.toNanos();
    }

    private static String state(TestClient.Answer answer) {
        return answer.json().path("state").asString("");
    }

    private static String path(String name) {
        return "/v1/subscriptions/" + name;
    }
}
