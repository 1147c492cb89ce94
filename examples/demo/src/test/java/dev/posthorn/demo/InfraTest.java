package dev.posthorn.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.embedded.kafka.EmbeddedKafka;
import dev.posthorn.testkit.ChildJvm;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class InfraTest {

    @TempDir
    private Path temporary;

    @Test
    void bothServersAreThereUntilCtrlCAndGoneAfterIt() throws Exception {
        Process infra = start("--postgres-port", "0", "--kafka-port", "0");
        try {
            Urls urls = Urls.of(infra.inputReader(UTF_8));
            assertOwnsItsDatabase(urls.jdbc());
            assertTakesTopics(urls.kafka());
            ChildJvm.signal("INT", infra);
            assertThat(infra.waitFor()).isZero();
            assertThatThrownBy(() -> DriverManager.getConnection(urls.jdbc())).hasMessageContaining("refused");
            assertThatThrownBy(() -> new Socket("localhost", urls.kafkaPort())).hasMessageContaining("refused");
            try (Stream<Path> left = Files.list(temporary)) {
                assertThat(left.filter(each -> each.getFileName().toString().startsWith("posthorn")))
                        .isEmpty();
            }
        } finally {
            infra.destroyForcibly();
        }
    }

    @Test
    void aGivenDirectoryKeepsWhatIsInIt() throws Exception {
        String directory = temporary.resolve("kept").toString();
        for (int run = 0; run < 2; run++) {
            Process infra = start("--postgres-port", "0", "--kafka-port", "0", "--data", directory);
            try {
                Urls urls = Urls.of(infra.inputReader(UTF_8));
                try (Connection connection = connect(urls.jdbc());
                        Statement statement = connection.createStatement()) {
                    statement.execute(run == 0 ? "CREATE TABLE kept (a int)" : "SELECT a FROM kept");
                }
                ChildJvm.signal("INT", infra);
                assertThat(infra.waitFor()).isZero();
            } finally {
                infra.destroyForcibly();
            }
        }
    }

    @Test
    void aPortInUseIsToldInOneLineWithTheOption() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(taken.getLocalPort());
            assertThat(refusal("--postgres-port", port, "--kafka-port", "0"))
                    .isEqualTo("posthorn infra: port " + port + " for PostgreSQL is in use; stop whoever listens there,"
                            + " or choose another one with --postgres-port (0: any that is free)");
            assertThat(refusal("--postgres-port", "0", "--kafka-port", port))
                    .isEqualTo("posthorn infra: port " + port + " for Kafka is in use; stop whoever listens there, or"
                            + " choose another one with --kafka-port (0: any that is free)");
        }
    }

    private static String refusal(String... arguments) {
        var err = new ByteArrayOutputStream();
        int status = Infra.execute(new Console(System.out, new PrintStream(err, true, UTF_8)), arguments);
        assertThat(status).isEqualTo(1);
        return err.toString(UTF_8).strip();
    }

    private static void assertOwnsItsDatabase(String jdbcUrl) throws SQLException {
        try (Connection connection = connect(jdbcUrl);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE SCHEMA trial");
        }
    }

    /** The driver gives a server 5 s to say whether it speaks TLS, which is short on a machine that is busy. */
    private static Connection connect(String jdbcUrl) throws SQLException {
        return DriverManager.getConnection(jdbcUrl + "&sslResponseTimeout=60000");
    }

    private static void assertTakesTopics(String bootstrapServers) throws InterruptedException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            EmbeddedKafka.createTopic(admin, new NewTopic("trial", 1, (short) 1));
        }
    }

    /** As a terminal does: without the first words, what a shell started in the background would ignore the signal. */
    private Process start(String... arguments) throws IOException {
        ProcessBuilder infra =
                ChildJvm.of(Infra.class, ChildJvm.small(512, "-Djava.io.tmpdir=" + temporary), List.of(arguments));
        infra.command().addAll(0, List.of("env", "--default-signal=INT"));
        return infra.redirectErrorStream(true).start();
    }

    private record Urls(String jdbc, String kafka) {

        private static final Pattern PRINTED =
                Pattern.compile("spring\\.datasource\\.url: (\\S+)\\s+posthorn\\.kafka\\.bootstrap-servers: (\\S+)");

        /** Reads until all of it is there. */
        static Urls of(BufferedReader output) throws IOException {
            StringBuilder seen = new StringBuilder();
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                seen.append(line).append('\n');
                if (line.contains("Ctrl-C ends both")) {
                    Matcher urls = PRINTED.matcher(seen);
                    assertThat(urls.find()).as(seen.toString()).isTrue();
                    return new Urls(urls.group(1), urls.group(2));
                }
            }
            throw new AssertionError("it ended without its URLs:\n" + seen);
        }

        int kafkaPort() {
            return Integer.parseInt(kafka.substring(kafka.indexOf(':') + 1));
        }
    }
}
