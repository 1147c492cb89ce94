package dev.posthorn.server.json;

import java.util.Locale;

/** What a media type says, whatever its case and parameters. */
public final class ContentTypes {

    private ContentTypes() {}

    /** Without parameters, in lower case. */
    public static String essence(String contentType) {
        int end = contentType.indexOf(';');
        return (end < 0 ? contentType : contentType.substring(0, end)).strip().toLowerCase(Locale.ROOT);
    }

    public static boolean isJson(String contentType) {
        String essence = essence(contentType);
        return essence.endsWith("/json") || essence.endsWith("+json");
    }
}
