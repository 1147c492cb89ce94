package dev.posthorn.log;

import java.util.Map;

/** Writes a flat map of texts as JSON. Only PostgreSQL ever takes it apart again. */
final class FlatJson {

    private FlatJson() {}

    static String object(Map<String, String> map) {
        StringBuilder json = new StringBuilder("{");
        map.forEach((name, value) -> {
            text(json.length() == 1 ? json : json.append(','), name);
            text(json.append(':'), value);
        });
        return json.append('}').toString();
    }

    private static void text(StringBuilder json, String text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\');
            }
            json.append(c);
        }
        json.append('"');
    }
}
