package dev.posthorn.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServeTest {

    @TempDir
    private Path directory;

    @Test
    void aSettingThatDoesNotExistIsToldInOneLine() throws Exception {
        ProcessBuilder serve = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Serve.class.getName())
                .directory(directory.toFile())
                .redirectOutput(directory.resolve("out").toFile())
                .redirectError(directory.resolve("err").toFile());
        serve.environment().put("POSTHORN_DATABSE_URL", "jdbc:postgresql://127.0.0.1:1/none");
        Process process = serve.start();
        try {
            assertThat(process.waitFor(60, SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(Files.readString(directory.resolve("err"), UTF_8))
                .isEqualToIgnoringNewLines(
                        "posthorn: there is no setting posthorn.databse.url, which the environment variable"
                                + " POSTHORN_DATABSE_URL sets; did you mean posthorn.database.url"
                                + " (POSTHORN_DATABASE_URL)?\n");
        assertThat(Files.readString(directory.resolve("out"), UTF_8)).isEmpty();
        assertThat(process.exitValue()).isEqualTo(1);
        assertThat(directory.resolve("data")).as("nothing was begun").doesNotExist();
    }
}
