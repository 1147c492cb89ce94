package dev.posthorn.log;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import java.util.regex.Pattern;

/**
 * The PostgreSQL schema that holds Posthorn's tables. All SQL is written for the default name, so that it can be read
 * and run as it stands; {@link #apply} puts the chosen name in its place.
 */
public record SchemaName(String name) {

    private static final Pattern VALID = Pattern.compile("[a-z_][a-z0-9_]{0,47}");
    private static final Pattern DEFAULT_NAME = Pattern.compile("\\bposthorn\\b");

    public static final SchemaName DEFAULT = new SchemaName("posthorn");

    public SchemaName {
        if (!VALID.matcher(name).matches()) {
            throw new PosthornException(
                    ErrorCode.INVALID_SETTING,
                    "schema name '" + name + "' must be lower-case letters, digits and '_', at most 48 of them, not"
                            + " starting with a digit");
        }
    }

    /** The given SQL with this schema's name, quoted. */
    public String apply(String sql) {
        return DEFAULT_NAME.matcher(sql).replaceAll('"' + name + '"');
    }

    @Override
    public String toString() {
        return name;
    }
}
