package dev.posthorn.server;

import static org.assertj.core.api.Assertions.assertThat;

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
