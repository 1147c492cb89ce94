package dev.posthorn.http.text;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;

/** What is said about a setting that cannot be used. Whoever writes the message keeps secrets out of it. */
public final class Setting {

    private Setting() {}

    public static void require(boolean holds, String message) {
        if (!holds) {
            throw refused(message);
        }
    }

    /** A text that goes into a header, a form or a claim. */
    public static String requireText(String name, String value) {
        require(!value.isBlank(), name + " is empty; give one or leave the setting out");
        return requireOneLine(name, value);
    }

    public static String requireOneLine(String name, String value) {
        require(
                value.chars().noneMatch(Character::isISOControl),
                name + " contains a control character, perhaps a line break; remove it");
        return value;
    }

    /** Without a cause on purpose: the messages of parsers quote what they could not read. */
    public static PosthornException refused(String message) {
        return new PosthornException(ErrorCode.INVALID_SETTING, "HTTP sink: " + message);
    }
}
