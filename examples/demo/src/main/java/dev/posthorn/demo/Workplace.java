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

/**
 * The directory in which servers and services keep their files, and a guard over it. Should this JVM be killed, its child
 * processes would live on; the guard then ends them and deletes the directory.
 */
final class Workplace implements AutoCloseable {

    private static final String DONE = "done";

    /**
     * Reads from the demo until it says that all is cleaned up, or is no more. A process is the demo's if it works in this
     * very directory: a process id alone may have gone to another one.
     */
    private static final String GUARD = """
            trap '' INT HUP TERM
            read -r word
            [ "$word" = done ] && exit
            for process in /proc/[0-9]*; do
                case $(readlink "$process/exe") in
                    */java) [ "$process/cwd" -ef "$1/logs" ] && kill -KILL "${process#/proc/}" ;;
                esac
            done
            pid=$(head -n 1 "$1/postgres/data/postmaster.pid" 2>/dev/null)
            if [ -n "$pid" ] && [ "/proc/$pid/cwd" -ef "$1/postgres/data" ]; then
                kill -INT "$pid"
                while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
            fi
            rm -rf "$1"
            """;

    private final Path directory;
    private final Process guard;
    private boolean logsAreKept;

    private Workplace(Path directory, Process guard) {
        this.directory = directory;
        this.guard = guard;
    }

    static Workplace open() {
        try {
            Path directory = temporaryDirectory();
            Files.createDirectory(directory.resolve("logs"));
            Process guard = new ProcessBuilder("sh", "-c", GUARD, "posthorn-demo-guard", directory.toString())
                    .directory(Path.of("/").toFile())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return new Workplace(directory, guard);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot prepare a directory for temporary data: " + e.getMessage(), e);
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

    /** What the processes write; also the directory in which they run. */
    Path logs() {
        return directory.resolve("logs");
    }

    void keepLogs() {
        logsAreKept = true;
    }

    @Override
    public void close() {
        try {
            delete(postgres());
            delete(kafka());
            if (!logsAreKept) {
                delete(directory);
            }
            try (Writer word = guard.outputWriter(UTF_8)) {
                word.write(DONE + "\n");
            }
        } catch (IOException e) {
            throw new UncheckedIOException("could not clean up " + directory + ": " + e.getMessage(), e);
        }
    }

    private static void delete(Path top) throws IOException {
        if (!Files.exists(top)) {
            return;
        }
        List<Path> deepestFirst;
        try (Stream<Path> all = Files.walk(top)) {
            deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : deepestFirst) {
            Files.deleteIfExists(path);
        }
    }
}
