package dev.posthorn.embedded.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EmbeddedPostgresTest {
    @TempDir
    Path directory;

    @Test
    void theNewestIsDurableAndListensOnlyHere() throws Exception {
        try (var postgres = EmbeddedPostgres.builder()
                .dataDirectory(directory)
                .setting("max_prepared_transactions", "20")
                .start()) {
            assertThat(Sql.one(postgres, "SHOW server_version")).startsWith("18.");
            for (String name : List.of("fsync", "synchronous_commit", "full_page_writes", "data_checksums")) {
                assertThat(Sql.one(postgres, "SHOW " + name)).as(name).isEqualTo("on");
            }
            assertThat(Sql.one(postgres, "SHOW listen_addresses")).isEqualTo("127.0.0.1");
            assertThat(Sql.one(postgres, "SHOW max_connections")).isEqualTo("200");
            assertThat(Sql.one(postgres, "SHOW max_prepared_transactions")).isEqualTo("20");
        }
    }

    @Test
    void theOldestRunsBesideTheNewest() throws Exception {
        try (var oldest = EmbeddedPostgres.builder()
                        .binaries(Binaries.oldest())
                        .dataDirectory(directory.resolve("oldest"))
                        .start();
                var newest = EmbeddedPostgres.temporary()) {
            assertThat(Sql.one(oldest, "SHOW server_version")).startsWith("13.");
            assertThat(Sql.one(newest, "SHOW server_version")).startsWith("18.");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void committedRowsSurviveOnTheSamePort(boolean kill) throws Exception {
        try (var postgres = EmbeddedPostgres.builder().dataDirectory(directory).start()) {
            int port = postgres.port();
            Sql.run(postgres, "CREATE TABLE kept (id int)", "INSERT INTO kept VALUES (1)");
            long first = postgres.processId();
            try (var open = postgres.dataSource().getConnection()) {
                assertThat(open.isValid(60)).isTrue();
                if (kill) {
                    postgres.kill();
                } else {
                    postgres.stop();
                }
                assertThat(open.isValid(60)).isFalse();
            }
            assertThat(postgres.isRunning()).isFalse();

            postgres.start();

            assertThat(postgres.port()).isEqualTo(port);
            assertThat(postgres.processId()).isNotEqualTo(first);
            assertThat(Sql.one(postgres, "SELECT id FROM kept")).isEqualTo("1");
        }
    }

    @Test
    void aServerWhoseProgramWasKilledIsTakenOverWithItsData() throws Exception {
        Process program = program(directory);
        try (BufferedReader output = program.inputReader(StandardCharsets.UTF_8)) {
            long left = leftProcess(output);
            assertThatThrownBy(() ->
                            EmbeddedPostgres.builder().dataDirectory(directory).start())
                    .isInstanceOf(EmbeddedPostgresException.class)
                    .hasMessageContaining("already run by process " + program.pid());

            program.destroyForcibly().waitFor();
            assertThat(ProcessHandle.of(left)).get().matches(ProcessHandle::isAlive);

            try (var postgres =
                    EmbeddedPostgres.builder().dataDirectory(directory).start()) {
                assertThat(Sql.one(postgres, "SELECT id FROM kept")).isEqualTo("42");
                assertThat(postgres.processId()).isNotEqualTo(left);
            }
        }
    }

    @Test
    void aServerKilledBehindItsProgramsBackStartsAgain() throws Exception {
        try (var postgres = EmbeddedPostgres.builder().dataDirectory(directory).start()) {
            Sql.run(postgres, "CREATE TABLE kept (id int)", "INSERT INTO kept VALUES (7)");
            ProcessHandle server = ProcessHandle.of(postgres.processId()).orElseThrow();
            server.destroyForcibly();
            server.onExit().join();

            postgres.start();

            assertThat(Sql.one(postgres, "SELECT id FROM kept")).isEqualTo("7");
        }
    }

    @Test
    void aSecondServerOnTheDirectoryIsRefusedAndTheFirstGoesOn() throws Exception {
        try (var first = EmbeddedPostgres.builder().dataDirectory(directory).start()) {
            // Twice: a careless second attempt would drop the file lock that the first server holds.
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> EmbeddedPostgres.builder()
                                .dataDirectory(directory)
                                .start())
                        .isInstanceOf(EmbeddedPostgresException.class)
                        .hasMessageContaining("already run by this same program");
            }
            Process other = program(directory);
            assertThat(other.waitFor()).isNotZero();
            assertThat(new String(other.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
                    .contains(
                            "already run by process " + ProcessHandle.current().pid());
            assertThat(Sql.one(first, "SELECT 1")).isEqualTo("1");
        }
        EmbeddedPostgres.builder().dataDirectory(directory).start().close();
    }

    @Test
    void aTakenPortIsToldWithTheServersOwnWords() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> EmbeddedPostgres.builder()
                            .dataDirectory(directory)
                            .port(taken.getLocalPort())
                            .start())
                    .isInstanceOf(EmbeddedPostgresException.class)
                    .hasMessageContaining("Address already in use")
                    .hasMessageContaining("server.log");
        }
    }

    @Test
    void durabilityCannotBeSwitchedOff() throws Exception {
        assertThatThrownBy(() -> EmbeddedPostgres.builder().setting("fsync", "off"))
                .isInstanceOf(IllegalArgumentException.class);
        try (var postgres = EmbeddedPostgres.builder().dataDirectory(directory).start()) {
            Sql.run(postgres, "ALTER SYSTEM SET fsync = off");
            postgres.stop();
            postgres.start();
            assertThat(Sql.one(postgres, "SHOW fsync")).isEqualTo("on");

            Sql.run(postgres, "ALTER DATABASE postgres SET synchronous_commit = off");
            postgres.stop();
            assertThatThrownBy(postgres::start).hasMessageContaining("synchronous_commit off");
            assertThat(postgres.isRunning()).isFalse();
        }
    }

    @Test
    void aStandbyHasWhatItsPrimaryHadUntilItFellBehindAndGoesOnFromThere() throws Exception {
        try (var primary = EmbeddedPostgres.temporary()) {
            Sql.run(primary, "CREATE TABLE kept (id int)", "INSERT INTO kept VALUES (1)");
            try (var standby = Standby.of(primary, EmbeddedPostgres.builder())) {
                Sql.run(primary, "INSERT INTO kept VALUES (2)");
                standby.catchUp();
                standby.disconnect();
                Sql.run(primary, "INSERT INTO kept VALUES (3)");
                assertThatThrownBy(standby::promote).isInstanceOf(IllegalStateException.class);

                primary.kill();
                EmbeddedPostgres promoted = standby.promote();

                Sql.run(promoted, "INSERT INTO kept VALUES (4)");
                assertThat(Sql.one(promoted, "SELECT string_agg(id::text, ' ' ORDER BY id) FROM kept"))
                        .isEqualTo("1 2 4");
                try (var next = Standby.of(
                        promoted,
                        EmbeddedPostgres.builder().port(primary.port()).dataDirectory(directory))) {
                    assertThat(Sql.one(next.server(), "SELECT count(*) FROM kept"))
                            .isEqualTo("3");
                    promoted.kill();
                    promoted.start();
                    Sql.run(promoted, "INSERT INTO kept VALUES (5)");
                    next.catchUp();
                    assertThat(Sql.one(next.server(), "SELECT max(id) FROM kept"))
                            .isEqualTo("5");
                }
            }
        }
    }

    @Test
    void aTemporaryServerLeavesNothing() throws Exception {
        Path cluster;
        try (var postgres = EmbeddedPostgres.temporary()) {
            cluster = postgres.clusterDirectory();
            assertThat(cluster).isDirectory();
        }
        assertThat(cluster.getParent()).doesNotExist();
    }

    @Test
    void rootWithoutUserNamespacesRunsTheServerAsAnotherUser() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")));
        System.setProperty("posthorn.embedded.no-unshare", "true");
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        System.setProperty("posthorn.cache", directory.resolve("cache").toString());
        try (var postgres = EmbeddedPostgres.temporary()) {
            assertThat(ProcessHandle.of(postgres.processId())
                            .orElseThrow()
                            .info()
                            .user())
                    .get()
                    .isNotEqualTo("root");
            postgres.kill();
            postgres.start();
            assertThat(Sql.one(postgres, "SELECT 1")).isEqualTo("1");
        } finally {
            System.clearProperty("posthorn.embedded.no-unshare");
            System.clearProperty("posthorn.cache");
        }
    }

    private static Process program(Path directory) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        ServerThatIsKilledWithItsProgram.class.getName(),
                        directory.toString())
                .start();
    }

    private static long leftProcess(BufferedReader output) throws IOException {
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith("ready ")) {
                return Long.parseLong(line.substring("ready ".length()));
            }
        }
        throw new AssertionError("the program ended before its server was ready");
    }
}
