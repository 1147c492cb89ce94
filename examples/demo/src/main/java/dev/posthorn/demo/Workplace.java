package dev.posthorn.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The directory in which the servers keep their files, and a guard over it. Should this JVM be killed, its PostgreSQL
 * would live on; the guard then stops it, and deletes the directory if it is a temporary one.
 */
final class Workplace implements AutoCloseable {

    private static final String DONE = "done";

    /**
     * Reads from the demo until it says that all is cleaned up, or is no more. The pid file may be one of long ago, so
     * the process must be seen to work in this very directory.
     */
    private static final String GUARD = """
            trap '' INT HUP TERM
            read -r word
            [ "$word" = done ] && exit
            pid=$(head -n 1 "$1/postgres/data/postmaster.pid" 2>/dev/null)
            if [ -n "$pid" ] && [ "/proc/$pid/cwd" -ef "$1/postgres/data" ]; then
                kill -INT "$pid"
                while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
            fi
            [ "$2" = temporary ] && rm -rf "$1"
            """;

    private final Path directory;
    private final boolean temporary;
    private final Process guard;

    private Workplace(Path directory, boolean temporary, Process guard) {
        this.directory = directory;
        this.temporary = temporary;
        this.guard = guard;
    }

    static Workplace open(@Nullable Path data) {
        try {
            Path directory = data == null ? temporaryDirectory() : Files.createDirectories(data.toAbsolutePath());
            List<String> command = List.of(
                    "sh",
                    "-c",
                    GUARD,
                    "posthorn-demo-guard",
                    directory.toString(),
                    data == null ? "temporary" : "kept");
            Process guard = new ProcessBuilder(command)
                    .directory(Path.of("/").toFile())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return new Workplace(directory, data == null, guard);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot prepare the directory " + (data == null ? "for temporary data" : data) + ": "
                            + e.getMessage(),
                    e);
        }
    }

    /** PostgreSQL may have to run as another user, who must be able to walk through. */
    private static Path temporaryDirectory() throws IOException {
        Path directory = Files.createTempDirectory("posthorn-demo-");
        return Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
    }

    Path postgres() {
        return directory.resolve("postgres");
    }

    Path kafka() {
        return directory.resolve("kafka");
    }

    @Override
    public void close() {
        try {
            if (temporary) {
                delete();
            }
            try (Writer word = guard.outputWriter(UTF_8)) {
                word.write(DONE + "\n");
            }
        } catch (IOException e) {
            throw new UncheckedIOException("could not clean up " + directory + ": " + e.getMessage(), e);
        }
    }

    private void delete() throws IOException {
        List<Path> deepestFirst;
        try (Stream<Path> all = Files.walk(directory)) {
            deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : deepestFirst) {
            Files.deleteIfExists(path);
        }
    }
}
