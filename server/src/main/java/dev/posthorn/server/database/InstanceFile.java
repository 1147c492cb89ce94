package dev.posthorn.server.database;

import dev.posthorn.event.FieldRules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Under which name the relay of a data directory runs, for the hub that holds the directory next. Only one can at a time,
 * so whoever reads a name here knows that its bearer has ended, and need not wait for its session. Other instances on the
 * same PostgreSQL, which anybody may connect to, are not named here and keep theirs.
 */
public final class InstanceFile {

    private static final Logger log = LoggerFactory.getLogger(InstanceFile.class);

    private static final int LONGEST = 255;

    private final Path file;

    public InstanceFile(Path data) {
        this.file = data.resolve("relay-instance");
    }

    /** Whoever ran here last, if that is known. */
    public Optional<String> last() {
        try {
            return Files.exists(file)
                    ? Optional.of(Files.readString(file).strip()).filter(InstanceFile::isName)
                    : Optional.empty();
        } catch (IOException e) {
            log.warn(
                    "{} cannot be read ({}): lanes of a hub that was killed are free when its session has ended",
                    file,
                    e);
            return Optional.empty();
        }
    }

    /** As a relay takes it: somebody may have written here. */
    private static boolean isName(String text) {
        return !text.isEmpty() && text.length() <= LONGEST && FieldRules.isStorable(text);
    }

    /** To be called before it takes a lease. */
    public void write(String instance) {
        try {
            Path written = Files.writeString(file.resolveSibling("relay-instance.new"), instance);
            Files.move(written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            log.warn(
                    "{} cannot be written ({}): if this hub is killed, its lanes are free when its session has ended",
                    file,
                    e);
        }
    }
}
