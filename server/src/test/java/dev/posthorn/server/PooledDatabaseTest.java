package dev.posthorn.server;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** A hub whose URL leads to a PgBouncer in transaction mode. */
@ExtendWith(OutputCaptureExtension.class)
class PooledDatabaseTest {

    @Test
    void isRefusedWithAWordAboutWhichUrlToGive(CapturedOutput output) throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.temporary()) {
            int port = TestHub.freePort();
            Process pooler = startPgBouncer(postgres, port);
            try (TestHub hub = TestHub.begin(Map.of(
                    "posthorn.database.url",
                    "jdbc:postgresql://127.0.0.1:" + port + "/postgres?prepareThreshold=0",
                    "posthorn.database.user",
                    "anybody"))) {
                await().atMost(30, SECONDS)
                        .until(() -> output.getAll().contains("a URL that leads directly to PostgreSQL"));
                assertThat(hub.rest().get("/actuator/health/readiness").status())
                        .isEqualTo(503);
            } finally {
                pooler.destroy();
                assertThat(pooler.waitFor(10, SECONDS)).isTrue();
            }
        }
    }

    private static Process startPgBouncer(EmbeddedPostgres postgres, int port) throws IOException {
        Path settings = Files.writeString(Files.createTempFile("posthorn-pgbouncer", ".ini"), """
                [databases]
                postgres = host=127.0.0.1 port=%d user=%s password=%s
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = %d
                unix_socket_dir =
                auth_type = any
                pool_mode = transaction
                ignore_startup_parameters = extra_float_digits
                """.formatted(
                        postgres.port(), postgres.user(), postgres.password(), port));
        settings.toFile().deleteOnExit();
        // Started by root it goes on as nobody, and has to read it.
        Files.setPosixFilePermissions(settings, PosixFilePermissions.fromString("rw-r--r--"));
        List<String> command = new ArrayList<>(List.of(program(), settings.toString()));
        if ("root".equals(System.getProperty("user.name"))) {
            command.addAll(1, List.of("-u", "nobody"));
        }
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static String program() {
        return Files.isExecutable(Path.of("/usr/sbin/pgbouncer")) ? "/usr/sbin/pgbouncer" : "pgbouncer";
    }
}
