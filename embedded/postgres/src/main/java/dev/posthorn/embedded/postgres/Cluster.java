package dev.posthorn.embedded.postgres;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The files of one embedded server, and the PostgreSQL programs that work on them while it does not run or beside it. */
final class Cluster {
    static final String USER = "postgres";
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    private static final long LARGE_LOG = 10L << 20;
    private static final int TAIL_LINES = 20;

    private final Path directory;
    private final Path bin;
    private final ServerAccount account;

    Cluster(Path directory, Path home, ServerAccount account) {
        this.directory = directory;
        this.bin = home.resolve("bin");
        this.account = account;
    }

    Path bin() {
        return bin;
    }

    Path data() {
        return directory.resolve("data");
    }

    Path log() {
        return directory.resolve("server.log");
    }

    String password() throws IOException {
        return Files.readString(passwordFile());
    }

    /**
     * Creates the cluster unless there is one. It is made under another name and renamed when complete, so that a program killed
     * in the middle leaves nothing that looks like a cluster.
     */
    void createIfMissing() throws IOException {
        if (Files.isDirectory(data())) {
            return;
        }
        Path unfinished = directory.resolve("initializing");
        Folders.delete(unfinished);
        writePassword();
        account.own(directory);
        run(
                "create a database cluster",
                bin.resolve("initdb").toString(),
                "--pgdata=" + unfinished,
                "--username=" + USER,
                "--pwfile=" + passwordFile(),
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale=C",
                "--data-checksums");
        Files.move(unfinished, data(), StandardCopyOption.ATOMIC_MOVE);
    }

    /** The listener is open to every user of the machine, so the superuser needs a password that only the owner can read. */
    private void writePassword() throws IOException {
        byte[] secret = new byte[16];
        new SecureRandom().nextBytes(secret);
        writePassword(HexFormat.of().formatHex(secret));
    }

    private void writePassword(String password) throws IOException {
        Files.deleteIfExists(passwordFile());
        Files.createFile(passwordFile(), PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        Files.writeString(passwordFile(), password);
    }

    /** Goes on with files that were copied from another server, whose superuser has this password. */
    void adopt(String password) throws IOException {
        writePassword(password);
        account.own(directory);
    }

    private Path passwordFile() {
        return directory.resolve("posthorn.password");
    }

    /** Starts the server as a child of this JVM, which therefore reaps it: a container's first process often would not. */
    Process launch(Map<String, String> settings) throws IOException {
        moveLargeLogAway();
        closeToOthers();
        List<String> words = new ArrayList<>(List.of(bin.resolve("postgres").toString(), "-D", data().toString()));
        settings.forEach((name, value) -> words.addAll(List.of("-c", name + "=" + value)));
        return process(inOwnSession(account.command(words.toArray(String[]::new))))
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                .start();
    }

    /** What the server logs quotes statements, and so what is in them. */
    private void closeToOthers() throws IOException {
        if (!directory.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            return;
        }
        try {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        } catch (FileSystemException ofSomebodyElse) {
            // Then it is theirs to close; the log within is closed all the same.
        }
        if (!Files.exists(log())) {
            Files.createFile(log(), PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        }
        Files.setPosixFilePermissions(log(), OWNER_ONLY);
    }

    /** Ctrl-C goes to every process of the terminal's group; the server must outlive the program's own shutdown. */
    private static List<String> inOwnSession(List<String> command) {
        if (!ServerAccount.succeeds(List.of("setsid", "true"))) {
            return command;
        }
        List<String> words = new ArrayList<>(List.of("setsid"));
        words.addAll(command);
        return words;
    }

    private void moveLargeLogAway() throws IOException {
        if (Files.exists(log()) && Files.size(log()) > LARGE_LOG) {
            Files.move(log(), directory.resolve("server.log.1"), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Stops a running server: open transactions are rolled back, and everything is on disk when this returns. */
    void stopFast() throws IOException {
        stop("fast");
    }

    /** Without the checkpoint that makes the next start quick: for data that nobody will look at again. */
    void stopForGood() throws IOException {
        stop("immediate");
    }

    private void stop(String mode) throws IOException {
        run(
                "stop the server",
                bin.resolve("pg_ctl").toString(),
                "stop",
                "--pgdata=" + data(),
                "--mode=" + mode,
                "--wait",
                "--timeout=60");
    }

    /** The process that the pid file names, if it is alive and is a server of this cluster and not a later user of the number. */
    Optional<ProcessHandle> runningServer() throws IOException {
        return pidFile().stream()
                .findFirst()
                .flatMap(pid -> ProcessHandle.of(Long.parseLong(pid.trim())))
                .filter(ProcessHandle::isAlive)
                .filter(this::belongsHere);
    }

    /** Every process of the server, also those whose parent is gone. */
    List<ProcessHandle> processes() {
        return ProcessHandle.allProcesses().filter(this::worksHere).toList();
    }

    boolean isReady(long pid) throws IOException {
        List<String> lines = pidFile();
        return lines.size() >= 8
                && lines.get(0).trim().equals(Long.toString(pid))
                && lines.get(7).trim().equals("ready");
    }

    private boolean belongsHere(ProcessHandle process) {
        if (Files.isDirectory(Path.of("/proc/self"))) {
            return worksHere(process);
        }
        return process.info().command().map(c -> c.endsWith("postgres")).orElse(false);
    }

    private boolean worksHere(ProcessHandle process) {
        try {
            return Files.readSymbolicLink(Path.of("/proc", Long.toString(process.pid()), "cwd"))
                    .equals(data().toRealPath());
        } catch (IOException e) {
            return false;
        }
    }

    private List<String> pidFile() throws IOException {
        Path file = data().resolve("postmaster.pid");
        // The server writes the file in place, so a read can meet it while it is short or gone.
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }

    String logTail() {
        try {
            List<String> lines = Files.readAllLines(log(), StandardCharsets.ISO_8859_1);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
        } catch (IOException e) {
            return "(no log: " + e.getMessage() + ")";
        }
    }

    private void run(String purpose, String... words) throws IOException {
        Path output = Files.createTempFile("posthorn-", ".out");
        try {
            Process process = process(account.command(words))
                    .redirectOutput(output.toFile())
                    .start();
            if (process.waitFor() != 0) {
                throw new EmbeddedPostgresException("PostgreSQL could not " + purpose + " in " + directory + ":\n"
                        + Files.readString(output, StandardCharsets.ISO_8859_1).trim());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EmbeddedPostgresException("Interrupted while PostgreSQL was to " + purpose, e);
        } finally {
            Files.deleteIfExists(output);
        }
    }

    private ProcessBuilder process(List<String> command) {
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).directory(directory.toFile());
        // PGPORT, PGDATA, PGOPTIONS and the like of the caller are meant for another server.
        builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
        return builder;
    }
}
