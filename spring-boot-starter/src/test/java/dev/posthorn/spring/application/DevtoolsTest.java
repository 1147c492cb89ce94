package dev.posthorn.spring.application;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.spring.restart.RestartedApplication;
import dev.posthorn.spring.shop.TestServer;
import dev.posthorn.testkit.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** Restarts by devtools: the context is closed and made anew by another class loader in the same JVM. */
class DevtoolsTest {

    @Test
    void afterTwoRestartsThereIsOneRelayAndEveryEventWasHeardOnce(@TempDir Path temporary) throws Exception {
        String database = TestServer.database();
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(database);
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        jdbc.execute("""
                CREATE TABLE heard (life int, by_class int);
                CREATE TABLE thread (name text, is_ours boolean);
                CREATE TABLE connections (count int);
                """);
        String topic = "restarted-" + UUID.randomUUID();
        TestServer.kafka().createTopic(topic, 1);

        Path log = temporary.resolve("log");
        Process application = start(log, database + "&ApplicationName=restarted", topic);
        try {
            assertThat(application.waitFor(600, TimeUnit.SECONDS))
                    .as("it ends:%n%s", Files.readString(log))
                    .isTrue();
            assertThat(application.exitValue()).as("%s", Files.readString(log)).isZero();
        } finally {
            application.destroyForcibly();
        }

        assertThat(jdbc.queryForList("SELECT life FROM heard ORDER BY life", Integer.class))
                .containsExactly(1, 2, 3);
        assertThat(jdbc.queryForList("SELECT DISTINCT by_class FROM heard", Integer.class))
                .as("a class of its own in every life")
                .hasSize(3);
        assertThat(jdbc.queryForList("SELECT name FROM thread WHERE is_ours", String.class))
                .contains("posthorn-lease-keeper")
                .doesNotHaveDuplicates();
        assertThat(jdbc.queryForList("SELECT name FROM thread WHERE NOT is_ours", String.class))
                .as("of a former life")
                .isEmpty();
        assertThat(jdbc.queryForObject("SELECT count FROM connections", Integer.class))
                .isLessThanOrEqualTo(RestartedApplication.CONNECTIONS);
    }

    private static Process start(Path log, String database, String topic) throws Exception {
        return ChildJvm.of(
                        RestartedApplication.class,
                        List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
                        List.of(
                                "--spring.application.name=restarted",
                                "--spring.main.web-application-type=none",
                                "--spring.devtools.livereload.enabled=false",
                                "--spring.datasource.url=" + database,
                                "--spring.datasource.hikari.maximum-pool-size=2",
                                "--spring.flyway.enabled=false",
                                "--management.otlp.metrics.export.enabled=false",
                                "--topic=" + topic,
                                "--posthorn.kafka.bootstrap-servers="
                                        + TestServer.kafka().bootstrapServers(),
                                "--posthorn.subscriptions.begun.kafka.topic=" + topic))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }
}
