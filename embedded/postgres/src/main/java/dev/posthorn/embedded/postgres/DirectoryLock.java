package dev.posthorn.embedded.postgres;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Says that this JVM, and no other, runs the server of a directory.
 *
 * <p>PostgreSQL's own pid file cannot say it: it names the server, which outlives a JVM that was killed. The kernel lets go of
 * this lock when the JVM dies, however it dies, so whoever holds it may stop a server that was left behind.
 *
 * <p>The kernel also lets go when the JVM closes <em>any</em> channel of the file. So nobody opens it twice: a set remembers what
 * this JVM holds, and the holder's process id, for the error message of others, is in a file beside it.
 */
final class DirectoryLock implements AutoCloseable {
    private static final Set<Path> HELD_BY_THIS_JVM = ConcurrentHashMap.newKeySet();

    private final Path directory;
    private final FileChannel channel;

    private DirectoryLock(Path directory, FileChannel channel) {
        this.directory = directory;
        this.channel = channel;
    }

    static DirectoryLock take(Path directory) throws IOException {
        Path real = directory.toRealPath();
        if (!HELD_BY_THIS_JVM.add(real)) {
            throw alreadyRunBy("this same program", real);
        }
        try {
            return new DirectoryLock(real, lockedChannel(real));
        } catch (IOException | RuntimeException e) {
            HELD_BY_THIS_JVM.remove(real);
            throw e;
        }
    }

    private static FileChannel lockedChannel(Path directory) throws IOException {
        FileChannel channel = FileChannel.open(
                directory.resolve("posthorn.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        Path holder = directory.resolve("posthorn.holder");
        if (channel.tryLock() == null) {
            channel.close();
            throw alreadyRunBy(
                    Files.exists(holder) ? "process " + Files.readString(holder) : "another process", directory);
        }
        Files.writeString(holder, Long.toString(ProcessHandle.current().pid()));
        return channel;
    }

    private static EmbeddedPostgresException alreadyRunBy(String holder, Path directory) {
        return new EmbeddedPostgresException("The PostgreSQL in " + directory + " is already run by " + holder
                + ". Stop that first, or use another data directory.");
    }

    @Override
    public void close() throws IOException {
        channel.close();
        HELD_BY_THIS_JVM.remove(directory);
    }
}
