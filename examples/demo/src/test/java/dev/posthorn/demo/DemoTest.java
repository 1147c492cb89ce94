package dev.posthorn.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.testkit.ChildJvm;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class DemoTest {

    @TempDir
    private Path temporary;

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void endWhatIsLeft() {
        started.forEach(Process::destroyForcibly);
    }

    @Test
    void theBooksAreRightAlthoughEachProcessIsKilled() throws Exception {
        Process demo = start("--for", "20s");
        String output = rest(demo);

        assertThat(demo.waitFor()).as(output).isZero();
        assertThat(output)
                .contains("Killed broker.")
                .contains("Killed orders.")
                .contains("Killed billing.")
                .containsPattern("refused +[1-9][0-9,]* requests")
                .containsPattern("booked +[1-9][0-9,]* events")
                .contains("OK: every order is booked with exactly its amount, every change once and in order.");
        assertNothingIsLeft(List.of());
    }

    /** By TERM, since whatever a shell starts in the background ignores the INT of Ctrl-C; both are handled alike. */
    @Test
    void aSignalEndsWithTheVerdict() throws Exception {
        Process demo = start("--no-kills");
        awaitStatus(demo.inputReader(UTF_8));
        List<ProcessHandle> family = demo.descendants().toList();
        ChildJvm.signal("TERM", demo);
        String output = rest(demo);

        assertThat(demo.waitFor()).as(output).isZero();
        assertThat(output).containsPattern("killed +0 processes").contains("OK: ");
        assertNothingIsLeft(family);
    }

    @Test
    void aKilledDemoLeavesNoProcessAndNoFile() throws Exception {
        Process demo = start("--no-kills");
        awaitStatus(demo.inputReader(UTF_8));
        List<ProcessHandle> family = demo.descendants().toList();
        assertThat(family).hasSizeGreaterThan(3);
        demo.destroyForcibly();

        assertNothingIsLeft(family);
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', textBlock = """
            --rate,  0,    --rate is 0; it must be 1 to 1000
            --rate,  many, Invalid value for option '--rate'
            --for,   soon, "Invalid value for option '--for': 'soon' is not a time such as 20s"
            --for,   0s,   --for must be longer than nothing
            --seed,  apple, Invalid value for option '--seed'
            --speed, 1,    "Unknown options: '--speed'"
            """)
    void aWrongOptionIsNamed(String option, String value, String message) {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();

        int status = Demo.execute(
                new Console(new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8)), option, value);

        assertThat(status).isEqualTo(2);
        assertThat(err.toString(UTF_8)).contains(message).contains("posthorn demo --help");
        assertThat(out.toString(UTF_8)).isEmpty();
    }

    private Process start(String... arguments) throws IOException {
        Process process = ChildJvm.of(
                        Demo.class, ChildJvm.small(256, "-Djava.io.tmpdir=" + temporary), List.of(arguments))
                .redirectErrorStream(true)
                .start();
        started.add(process);
        return process;
    }

    private static void awaitStatus(BufferedReader output) throws IOException {
        StringBuilder seen = new StringBuilder();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            seen.append(line).append('\n');
            if (line.matches(".* booked [1-9].*")) {
                return;
            }
        }
        throw new AssertionError("the demo ended without a status line:\n" + seen);
    }

    private static String rest(Process process) {
        return process.inputReader(UTF_8).lines().map(line -> line + "\n").collect(Collectors.joining());
    }

    private void assertNothingIsLeft(List<ProcessHandle> family) throws Exception {
        CompletableFuture.allOf(family.stream().map(ProcessHandle::onExit).toArray(CompletableFuture[]::new))
                .get(120, TimeUnit.SECONDS);
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(left()).isEmpty());
    }

    private List<Path> left() throws IOException {
        try (Stream<Path> files = Files.list(temporary)) {
            return files.filter(file -> file.getFileName().toString().startsWith("posthorn"))
                    .toList();
        }
    }
}
