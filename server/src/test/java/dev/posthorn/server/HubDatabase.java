package dev.posthorn.server;

import dev.posthorn.log.SchemaName;
import dev.posthorn.server.database.HubSchema;
import dev.posthorn.testkit.DatabaseServer;
import dev.posthorn.testkit.FreshDatabase;
import dev.posthorn.testkit.TemplateDatabase;

/** A fresh database with a hub's tables. */
final class HubDatabase extends FreshDatabase {

    private static final TemplateDatabase INSTALLED =
            new TemplateDatabase(dataSource -> HubSchema.install(dataSource, SchemaName.DEFAULT));

    private HubDatabase(DatabaseServer server) {
        super(server, INSTALLED.on(server));
    }

    public static HubDatabase create() {
        return new HubDatabase(DatabaseServer.newest());
    }
}
