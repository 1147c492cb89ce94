package dev.posthorn;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A JVM with nothing on its class path but what it is given. */
final class ChildJvm {

    private ChildJvm() {}

    /** How it ended and what it printed. */
    record Result(int exitCode, String out, String err) {}

    static Result run(List<Path> classPath, String mainClass, String... arguments)
            throws IOException, InterruptedException {
        Path out = Files.createTempFile("posthorn-child-", ".out");
        Path err = Files.createTempFile("posthorn-child-", ".err");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-cp",
                classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)),
                mainClass));
        Stream.of(arguments).forEach(command::add);
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        try {
            if (!process.waitFor(60, SECONDS)) {
                throw new IOException(mainClass + " did not end within a minute");
            }
            return new Result(process.exitValue(), Files.readString(out, UTF_8), Files.readString(err, UTF_8));
        } finally {
            process.destroyForcibly();
            Files.delete(out);
            Files.delete(err);
        }
    }

    /** The jar or folder that a class of this JVM came from. */
    static Path homeOf(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }
}
