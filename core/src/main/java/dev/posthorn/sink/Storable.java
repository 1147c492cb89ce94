package dev.posthorn.sink;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

/** What somebody said about a failure, in a form that can be stored: it must not keep anybody from settling. */
public final class Storable {

    private static final int LONGEST = 4000;

    private Storable() {}

    /** No zero byte, no half of a surrogate pair, no novel. */
    public static @Nullable String text(@Nullable String text) {
        if (text == null) {
            return null;
        }
        String shown = text.length() > LONGEST ? text.substring(0, LONGEST) + "…" : text;
        return new String(shown.getBytes(UTF_8), UTF_8).replace('\0', '\uFFFD');
    }
}
