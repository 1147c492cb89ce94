package dev.posthorn.server;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.testkit.ChildJvm;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code posthorn serve} says when it does not start: one line, with the setting and the remedy. */
class ServeTest {

    private static final List<String> OPTIONS =
            List.of("-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED");

    private static final String NO_DATABASE = "posthorn.database.url=jdbc:postgresql://127.0.0.1:1/none";

    @TempDir
    private Path directory;

    @Test
    void aSettingThatDoesNotExistIsToldInOneLine() throws Exception {
        String line = refusal(Map.of("POSTHORN_DATABSE_URL", "jdbc:postgresql://127.0.0.1:1/none"));
        assertThat(line)
                .isEqualTo("posthorn: there is no setting posthorn.databse.url, which the environment variable"
                        + " POSTHORN_DATABSE_URL sets; did you mean posthorn.database.url (POSTHORN_DATABASE_URL)?");
        assertThat(directory.resolve("data")).as("nothing was begun").doesNotExist();
    }

    /** The hub started on the default port without a word. */
    @Test
    void aSettingWithoutItsPrefixIsRefused() throws Exception {
        assertThat(refusal(Map.of(), "--set", "http.port=18080"))
                .startsWith("posthorn: --set http.port is no setting; all begin with posthorn.");
    }

    @Test
    void aValueThatIsNotAmongThoseAllowedIsToldWithThem() throws Exception {
        assertThat(refusal(Map.of("POSTHORN_EVENTTYPES", "loose")))
                .isEqualTo("posthorn: posthorn.event-types is 'loose'; it must be open or strict");
    }

    /** Thirty milliseconds later a repetition was recorded once more. */
    @Test
    void aTimeOrASizeWithoutItsUnitIsRefused() throws Exception {
        assertThat(refusal(Map.of(), "--set", "posthorn.retention.dedup-period=30"))
                .isEqualTo("posthorn: posthorn.retention.dedup-period is '30'; a time needs its unit, such as 30d, 12h,"
                        + " 5m, 30s or 500ms");
        assertThat(refusal(Map.of("POSTHORN_LIMITS_BODY", "16")))
                .isEqualTo(
                        "posthorn: posthorn.limits.body is '16'; a size needs its unit, such as 16MB, 512KB or 100B");
    }

    /** Its PostgreSQL lived on until the next hub came. */
    @Test
    void aHubThatIsToldToEndWhileItStartsLeavesNoPostgresBehind() throws Exception {
        Path pid = directory.resolve("data/postgres/data/postmaster.pid");
        Process serve = ChildJvm.of(Serve.class, OPTIONS, List.of("--http-port", "0", "--grpc-port", "0"))
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
        try {
            await().atMost(2, MINUTES).until(() -> Files.exists(pid));
            serve.destroy();
            assertThat(serve.waitFor(2, MINUTES)).isTrue();
            assertThat(pid).doesNotExist();
        } finally {
            serve.destroyForcibly();
        }
    }

    @Test
    void aPortThatIsTakenIsToldInOneLine() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(taken.getLocalPort());
            assertThat(refusal(Map.of(), "--set", NO_DATABASE, "--http-port", "0", "--grpc-port", port))
                    .isEqualTo("posthorn: posthorn.grpc.port is " + port + " and posthorn.grpc.address is '127.0.0.1',"
                            + " where gRPC cannot listen (Address already in use); stop whoever does, or set another"
                            + " port");
            assertThat(refusal(Map.of(), "--set", NO_DATABASE, "--grpc-port", "0", "--http-port", port))
                    .isEqualTo("posthorn: posthorn.http.port is " + port + " and posthorn.http.address is '127.0.0.1',"
                            + " where REST cannot listen (Address already in use); stop whoever does, or set another"
                            + " port");
        }
    }

    @Test
    void aDataDirectoryThatAnotherHubHasIsToldInOneLine() throws Exception {
        Path data = directory.resolve("shared");
        try (TestHub first = TestHub.begin(Map.of("posthorn.data", data))) {
            assertThat(first.httpPort()).isPositive();
            assertThat(refusal(Map.of(), "--data", data.toString(), "--http-port", "0", "--grpc-port", "0"))
                    .isEqualTo("posthorn: posthorn.data is " + data + ". The PostgreSQL in "
                            + data.resolve("postgres").toRealPath() + " is already run by process "
                            + ProcessHandle.current().pid()
                            + ". Stop that first, or use another data directory.");
        }
    }

    @Test
    void aDataDirectoryThatCannotBeWrittenIsToldInOneLine() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));
        assertThat(refusal(Map.of(), "--data", file.toString()))
                .isEqualTo(
                        "posthorn: posthorn.data is " + file + ", which is not a directory that the hub can write to");
    }

    @Test
    void aKeyAndAUrlThatMakeNoSenseAreToldInOneLine() throws Exception {
        assertThat(refusal(Map.of(), "--set", NO_DATABASE, "--set", "posthorn.secrets.key=short"))
                .isEqualTo("posthorn: posthorn.secrets.key is not a key of 32 bytes in Base64; make one with: openssl"
                        + " rand -base64 32");
        assertThat(refusal(Map.of(), "--set", "posthorn.database.url=jdbc:postgresql://h:port/d?password=swordfish"))
                .isEqualTo("posthorn: posthorn.database.url is no URL of a PostgreSQL; write it like"
                        + " jdbc:postgresql://127.0.0.1:5432/posthorn");
    }

    /** The one line that it says; nothing else is on its screen but what it had begun. Started as ./posthorn does. */
    private String refusal(Map<String, String> environment, String... arguments) throws Exception {
        ProcessBuilder serve =
                ChildJvm.of(Serve.class, OPTIONS, List.of(arguments)).directory(directory.toFile());
        serve.environment().putAll(environment);
        ChildJvm.Result result = ChildJvm.run(serve);
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out().lines())
                .allMatch(line -> line.contains("  INFO ")
                        || line.contains("database does not answer")
                        || line.contains("database has not answered"));
        assertThat(result.err().lines()).hasSize(1);
        return result.err().strip();
    }
}
