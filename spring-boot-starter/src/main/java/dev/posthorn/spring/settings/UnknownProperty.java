package dev.posthorn.spring.settings;

import org.jspecify.annotations.Nullable;

/**
 * A property that does not exist. Its value is left out: it may be a secret.
 *
 * @param origin the file and line, or whatever else is known of where it is set
 * @param meant what was probably meant
 */
record UnknownProperty(String name, String origin, @Nullable String meant) {

    @Override
    public String toString() {
        return name + " (" + origin + ")" + (meant == null ? "" : ": did you mean " + meant + "?");
    }
}
