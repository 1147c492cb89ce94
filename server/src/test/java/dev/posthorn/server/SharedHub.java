package dev.posthorn.server;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Lends a hub to test classes that need no settings, no empty log and nobody's count of events: to start one takes longer
 * than most of their tests. All get the same one, and what they subscribed and guarded is deleted after each class.
 */
public final class SharedHub implements ParameterResolver, AfterAllCallback {

    private static final Namespace NAMESPACE = Namespace.create(SharedHub.class);

    /** Closed with the store, which is when all tests are over. */
    private static TestHub hub(ExtensionContext context) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .computeIfAbsent(TestHub.class, key -> TestHub.start(), TestHub.class);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == TestHub.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return hub(context);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        TestClient rest = hub(context).rest();
        // A guard stays as long as a subscription needs it.
        for (String path : List.of("/v1/subscriptions", "/v1/guards")) {
            names(rest, path).forEach(name -> rest.delete(path + "/" + name));
            await().pollDelay(Duration.ZERO)
                    .atMost(60, SECONDS)
                    .untilAsserted(() -> assertThat(names(rest, path)).isEmpty());
        }
    }

    private static List<String> names(TestClient rest, String path) {
        return rest.get(path + "?limit=1000")
                .json()
                .path("items")
                .valueStream()
                .map(each -> each.path("name").asString())
                .toList();
    }
}
