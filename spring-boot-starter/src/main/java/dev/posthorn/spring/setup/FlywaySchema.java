package dev.posthorn.spring.setup;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.log.Schema;
import java.util.zip.CRC32;
import org.flywaydb.core.api.MigrationVersion;
import org.flywaydb.core.api.migration.Context;
import org.flywaydb.core.api.migration.JavaMigration;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** Posthorn's tables as a repeatable migration of the application's Flyway: it runs again whenever the tables change. */
final class FlywaySchema implements JavaMigration {

    private final Schema schema;

    FlywaySchema(Schema schema) {
        this.schema = schema;
    }

    /** None: repeatable. */
    @Override
    public @Nullable MigrationVersion getVersion() {
        return null;
    }

    @Override
    public String getDescription() {
        return "Posthorn";
    }

    @Override
    public Integer getChecksum() {
        CRC32 checksum = new CRC32();
        checksum.update(schema.script().getBytes(UTF_8));
        return (int) checksum.getValue();
    }

    /** It has transactions of its own, with a short patience for locks. */
    @Override
    public boolean canExecuteInTransaction() {
        return false;
    }

    /** On Flyway's connection, whose user may be another than the application's. */
    @Override
    public void migrate(Context context) {
        schema.install(new SingleConnectionDataSource(context.getConnection(), true));
    }
}
