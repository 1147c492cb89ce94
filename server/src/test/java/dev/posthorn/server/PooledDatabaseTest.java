package dev.posthorn.server;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.testkit.FreshDatabase;
import dev.posthorn.testkit.PgBouncer;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** A hub whose URL leads to a PgBouncer in transaction mode. */
@ExtendWith(OutputCaptureExtension.class)
class PooledDatabaseTest {

    @Test
    void isRefusedWithAWordAboutWhichUrlToGive(CapturedOutput output) {
        FreshDatabase database = FreshDatabase.create();
        try (PgBouncer pooler = PgBouncer.start(database, "transaction", 20);
                TestHub hub = TestHub.begin(Map.of(
                        "posthorn.database.url", pooler.dataSource().getURL(), "posthorn.database.user", "anybody"))) {
            await().atMost(120, SECONDS)
                    .until(() -> output.getAll().contains("a URL that leads directly to PostgreSQL"));
            assertThat(hub.rest().get("/actuator/health/readiness").status()).isEqualTo(503);
        }
    }
}
