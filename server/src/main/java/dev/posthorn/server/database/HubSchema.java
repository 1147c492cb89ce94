package dev.posthorn.server.database;

import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import java.util.List;
import javax.sql.DataSource;

/** The tables of the log and, beside them, those of the hub. */
public final class HubSchema {

    private static final Schema.Part HUB = new Schema.Part(
            "hub_version", "/dev/posthorn/server/schema/", List.of("001_hub.sql", "002_guards.sql", "003_rollups.sql"));

    private HubSchema() {}

    /** Installs or upgrades both; safe when several instances start at once. */
    public static void install(DataSource dataSource, SchemaName name) {
        new Schema(name).install(dataSource);
        new Schema(name, HUB).install(dataSource);
    }
}
