package dev.posthorn.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.MINUTES;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A program in a JVM of its own. */
public final class ChildJvm {

    private ChildJvm() {}

    /** How it ended and what it printed. */
    public record Result(int exitCode, String out, String err) {}

    /** Options with which it starts soon and stays small. */
    public static List<String> small(int megabytes, String... more) {
        List<String> options =
                new ArrayList<>(List.of("-Xmx" + megabytes + "m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        options.addAll(List.of(more));
        return options;
    }

    /** With the class path of this JVM. */
    public static ProcessBuilder of(Class<?> program, List<String> options, List<String> arguments) {
        return of(System.getProperty("java.class.path"), program.getName(), options, arguments);
    }

    private static ProcessBuilder of(String classPath, String program, List<String> options, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, program));
        command.addAll(arguments);
        return new ProcessBuilder(command);
    }

    /** Runs a program to its end, with nothing on its class path but this. */
    public static Result run(List<Path> classPath, String program, String... arguments)
            throws IOException, InterruptedException {
        String joined = classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        return run(of(joined, program, small(64), List.of(arguments)));
    }

    /** Runs it to its end, which has to come within five minutes. */
    public static Result run(ProcessBuilder program) throws IOException, InterruptedException {
        Path out = Files.createTempFile("posthorn-child-", ".out");
        Path err = Files.createTempFile("posthorn-child-", ".err");
        Process process =
                program.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
        try {
            if (!process.waitFor(5, MINUTES)) {
                throw new IOException(program.command() + " did not end within five minutes");
            }
            return new Result(process.exitValue(), Files.readString(out, UTF_8), Files.readString(err, UTF_8));
        } finally {
            process.destroyForcibly();
            Files.delete(out);
            Files.delete(err);
        }
    }

    /** Waits until it prints a line that begins so, and gives the rest of it. */
    public static String awaitLine(Process process, String beginning) throws IOException {
        BufferedReader output = process.inputReader(UTF_8);
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(beginning)) {
                return line.substring(beginning.length()).strip();
            }
        }
        throw new IOException("process " + process.pid() + " ended before it printed \"" + beginning + "\"");
    }

    /** What it has written to that file so far. */
    public static String log(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "(no log: " + e + ")";
        }
    }

    /** Sends it a signal, as {@code STOP} or {@code TERM}. */
    public static void signal(String signal, Process process) throws IOException, InterruptedException {
        signal(signal, process.pid());
    }

    static void signal(String signal, long pid) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).start();
        if (kill.waitFor() != 0) {
            throw new IOException("process " + pid + " cannot be sent " + signal);
        }
    }

    /** The jar or folder that a class of this JVM came from. */
    public static Path homeOf(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
