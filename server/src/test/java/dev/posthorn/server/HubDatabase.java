package dev.posthorn.server;

import dev.posthorn.log.SchemaName;
import dev.posthorn.server.database.HubSchema;
import dev.posthorn.testkit.DatabaseServer;
import dev.posthorn.testkit.FreshDatabase;

/** A fresh database with a hub's tables. They are installed once in a JVM and then copied, which takes less long. */
final class HubDatabase extends FreshDatabase {

    private HubDatabase(DatabaseServer server, String name) {
        super(server, name, server.dataSource(name));
    }

    public static HubDatabase create() {
        DatabaseServer server = DatabaseServer.newest();
        return new HubDatabase(server, make(server, "TEMPLATE " + Installed.NAME));
    }

    private static final class Installed {

        static final String NAME = install(FreshDatabase.create());

        private static String install(FreshDatabase database) {
            HubSchema.install(database.dataSource(), SchemaName.DEFAULT);
            return database.name();
        }
    }
}
