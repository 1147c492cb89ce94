package dev.posthorn.testkit;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** What many databases of the tests begin with, made once on each server: a copy is cheaper than the same statements again. */
public final class TemplateDatabase {

    private final Consumer<DataSource> content;
    private final Map<DatabaseServer, String> names = new ConcurrentHashMap<>();

    public TemplateDatabase(Consumer<DataSource> content) {
        this.content = content;
    }

    /** The option of {@code CREATE DATABASE} that copies it there. */
    public String on(DatabaseServer server) {
        return "TEMPLATE " + names.computeIfAbsent(server, this::make);
    }

    private String make(DatabaseServer server) {
        String name = FreshDatabase.makeToStay(server, "");
        content.accept(server.dataSource(name));
        // Nobody can be in it while it is copied, and no autovacuum gives the copies statistics that a new one has not.
        server.execute("ALTER DATABASE " + name + " ALLOW_CONNECTIONS false");
        return name;
    }
}
