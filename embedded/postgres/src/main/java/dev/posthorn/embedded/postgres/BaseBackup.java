package dev.posthorn.embedded.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.stream.Stream;

/** The files of a server, copied while it works, as a stand-by begins with them. It streams the WAL that belongs to them. */
final class BaseBackup {

    /** Of the running server alone. */
    private static final Set<String> LEFT_OUT =
            Set.of("postmaster.pid", "postmaster.opts", "standby.signal", "backup_label");

    private static final Set<String> EMPTIED = Set.of("pg_wal", "pg_replslot");

    private final EmbeddedPostgres primary;

    BaseBackup(EmbeddedPostgres primary) {
        this.primary = primary;
    }

    void into(Cluster standby) throws IOException {
        try (Connection connection = primary.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_backup_start('standby', true)");
            copy(primary.clusterDirectory(), standby.data());
            try (ResultSet row = statement.executeQuery("SELECT labelfile FROM pg_backup_stop(false)")) {
                row.next();
                Files.writeString(standby.data().resolve("backup_label"), row.getString(1));
            }
        } catch (SQLException e) {
            throw new EmbeddedPostgresException(
                    "Could not copy the PostgreSQL in " + primary.clusterDirectory() + ": " + e.getMessage(), e);
        }
        Files.createFile(standby.data().resolve("standby.signal"));
        Files.writeString(
                standby.data().resolve("postgresql.auto.conf"),
                "primary_conninfo = 'host=127.0.0.1 port=" + primary.port() + " user=" + primary.user() + " password="
                        + primary.password() + "'\n",
                StandardOpenOption.APPEND);
        standby.adopt(primary.password());
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Path inside = from.relativize(file);
                if (isWanted(inside, Files.isDirectory(file))) {
                    copyUnlessGone(file, to.resolve(inside));
                }
            }
        }
    }

    private static boolean isWanted(Path inside, boolean directory) {
        return directory
                || (!LEFT_OUT.contains(inside.toString())
                        && !EMPTIED.contains(inside.getName(0).toString()));
    }

    /** The server goes on meanwhile: what it deletes is not needed. */
    private static void copyUnlessGone(Path file, Path target) throws IOException {
        try {
            Files.copy(file, target, StandardCopyOption.COPY_ATTRIBUTES);
        } catch (NoSuchFileException gone) {
            if (Files.exists(file)) {
                throw gone;
            }
        }
    }
}
