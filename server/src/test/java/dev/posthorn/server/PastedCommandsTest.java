package dev.posthorn.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.testkit.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the documentation tells to paste into a shell, pasted at once: README and the page about replays. */
@Tag("slow")
class PastedCommandsTest {

    private static final Pattern BLOCK = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);
    private static final Pattern PUBLISH = Pattern.compile("curl localhost:8080/v1/events -H .*?}}'\n", Pattern.DOTALL);

    /** Tells the status of each call, and ends the receivers that were started. */
    private static final String PREAMBLE = """
            trap 'kill $(jobs -p) 2>/dev/null' EXIT
            curl() { command curl -sS -w ' HTTP %{http_code}\\n' "$@"; }
            """;

    @TempDir
    private Path directory;

    private TestHub hub;
    private int receiverPort;

    @BeforeEach
    void start() throws IOException {
        hub = TestHub.start();
        receiverPort = FreePort.find();
    }

    @AfterEach
    void stop() {
        hub.close();
    }

    @Test
    void theReadmesEventIsDeliveredAndKnownAgain() throws Exception {
        String block = firstBlock("README.md");
        assertThat(pasted(block))
                .contains("user.created {\"name\": \"Ann\"}")
                .containsPattern("\"name\":\"crm\".* HTTP 201")
                .containsPattern("\"id\":\"user-7.created\".* HTTP 202")
                .containsPattern("\"status\":\"DELIVERED\".* HTTP 200");
        String publish = publishing(block);
        assertThat(pasted(publish)).containsPattern("\"duplicate\":true.* HTTP 200");
        assertThat(pasted(publish.replace("Ann", "Bob"))).contains(" HTTP 409");
    }

    @Test
    void aSubscriberThatIsBackGetsItsDeadLetter() throws Exception {
        assertThat(pasted(firstBlock("docs/replay.md")))
                .containsPattern("\"errorMessage\":\"[^\"]*Connection refused.* HTTP 200")
                .containsPattern(" HTTP 202\\n(.*\\n)*.*\"status\":\"DELIVERED\".* HTTP 200");
        assertThat(hub.rest()
                        .get("/dlt-messages?subscriberId=analytics-service")
                        .json()
                        .get("items"))
                .isEmpty();
    }

    private static String firstBlock(String file) throws IOException {
        Matcher block = BLOCK.matcher(Files.readString(Path.of("..", file), UTF_8));
        assertThat(block.find()).as("a block of shell in " + file).isTrue();
        return block.group(1);
    }

    private static String publishing(String block) {
        Matcher publish = PUBLISH.matcher(block);
        assertThat(publish.find()).as(block).isTrue();
        return publish.group();
    }

    /** With the ports of this test; everything that was written. */
    private String pasted(String block) throws IOException, InterruptedException {
        String script = PREAMBLE
                + block.replace("localhost:8080", "localhost:" + hub.httpPort())
                        .replaceAll("999[89]", Integer.toString(receiverPort));
        Path output = directory.resolve("output");
        Process shell = new ProcessBuilder("bash", "-c", script)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(shell.waitFor(600, SECONDS))
                    .as(() -> "ends; so far it wrote:\n" + read(output))
                    .isTrue();
        } finally {
            shell.descendants().forEach(ProcessHandle::destroyForcibly);
            shell.destroyForcibly();
        }
        return read(output);
    }

    private static String read(Path output) {
        try {
            return Files.readString(output, UTF_8);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
