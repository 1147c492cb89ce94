package dev.posthorn.http;

import org.jspecify.annotations.Nullable;

/** How we introduce ourselves. */
final class UserAgent {

    static final String TEXT = text(UserAgent.class.getPackage().getImplementationVersion());

    private UserAgent() {}

    private static String text(@Nullable String version) {
        return version == null ? "Posthorn" : "Posthorn/" + version;
    }
}
