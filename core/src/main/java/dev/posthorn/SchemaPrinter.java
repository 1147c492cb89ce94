package dev.posthorn;

import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import java.util.List;

/** {@code posthorn schema}: prints the schema, or with {@code --roles} the roles, as SQL. */
public final class SchemaPrinter {

    private SchemaPrinter() {}

    @SuppressWarnings("SystemOut")
    public static void main(String... args) {
        List<String> words = List.of(args);
        boolean roles = words.contains("--roles");
        int named = words.indexOf("--name");
        if (words.size() != (roles ? 1 : 0) + (named < 0 ? 0 : 2)) {
            System.err.println("usage: posthorn schema [--name SCHEMA] [--roles]");
            System.exit(2);
        }
        Schema schema = new Schema(named < 0 ? SchemaName.DEFAULT : new SchemaName(words.get(named + 1)));
        System.out.print(roles ? schema.roles() : schema.script());
    }
}
