package dev.posthorn.spring.shop;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Set;

/**
 * The threads of Posthorn in this JVM, but for the one that the {@link Shop} has for as long as the JVM lives, and the one that
 * all HTTP sinks of the JVM share, which ends by itself ten seconds after the last of them.
 */
public final class Threads {

    private static final Set<String> OF_OTHERS = Set.of("posthorn-metrics-reader", "posthorn-http-timer");

    private Threads() {}

    public static List<String> of(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith(prefix) && !OF_OTHERS.contains(name))
                .toList();
    }

    /** One that has been waited for may be seen for a moment longer; one that was forgotten goes on. */
    public static void assertNoneOfPosthorn() {
        await().atMost(60, SECONDS)
                .untilAsserted(() -> assertThat(of("posthorn-")).isEmpty());
    }
}
