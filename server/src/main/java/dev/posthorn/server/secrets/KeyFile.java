package dev.posthorn.server.secrets;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.file.attribute.PosixFilePermission.OWNER_READ;
import static java.nio.file.attribute.PosixFilePermission.OWNER_WRITE;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** The key that the hub made for itself, in a file that only its user can read. */
final class KeyFile {

    private static final Set<PosixFilePermission> OURS_ALONE = Set.of(OWNER_READ, OWNER_WRITE);

    private final Path file;

    KeyFile(Path file) {
        this.file = file;
    }

    /** The key; made now if there is none. */
    VaultKey key() {
        try {
            if (!Files.exists(file)) {
                make();
            }
            requireOursAlone();
            return VaultKey.of(file.toString(), Files.readString(file, US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException("the key for secrets in " + file + " cannot be read or written", e);
        }
    }

    /** Under another name first: a crash must not leave half a key that later ones would take for the whole. */
    private void make() throws IOException {
        Files.createDirectories(directory());
        Path half = Files.createTempFile(directory(), "secret", ".tmp", oursAlone());
        try (FileChannel channel = FileChannel.open(half, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap((VaultKey.random() + "\n").getBytes(US_ASCII)));
            channel.force(true);
        }
        Files.move(half, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private Path directory() {
        Path parent = file.toAbsolutePath().getParent();
        return parent == null ? file.toAbsolutePath() : parent;
    }

    private FileAttribute<?>[] oursAlone() {
        return knowsPermissions()
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OURS_ALONE)}
                : new FileAttribute<?>[0];
    }

    private boolean knowsPermissions() {
        return file.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    private void requireOursAlone() throws IOException {
        if (knowsPermissions() && !OURS_ALONE.containsAll(Files.getPosixFilePermissions(file))) {
            throw new PosthornException(
                    ErrorCode.INVALID_SETTING,
                    "the key for secrets in " + file + " can be read by others (" + permissions() + "); run: chmod 600 "
                            + file + ", and change the secrets if somebody may have read it");
        }
    }

    private String permissions() throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }
}
