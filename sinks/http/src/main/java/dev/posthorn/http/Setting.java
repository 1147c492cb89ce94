package dev.posthorn.http;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.webhook.Signature;
import java.util.List;
import java.util.Objects;

/** What is said about a setting that cannot be used. Whoever writes the message keeps secrets out of it. */
final class Setting {

    private Setting() {}

    static void require(boolean holds, String message) {
        if (!holds) {
            throw refused(message);
        }
    }

    /** A text that goes into a header, a form or a claim. */
    static String requireText(String name, String value) {
        require(!value.isBlank(), name + " is empty; give one or leave the setting out");
        return requireOneLine(name, value);
    }

    static String requireOneLine(String name, String value) {
        require(
                value.chars().noneMatch(Character::isISOControl),
                name + " contains a control character, perhaps a line break; remove it");
        return value;
    }

    /** The newest secret first; two during a rotation, otherwise one. */
    static Signature signature(List<String> secrets) {
        require(
                secrets.size() == 1 || secrets.size() == 2,
                "there are " + secrets.size() + " webhook secrets; give one, or two during a rotation");
        try {
            return Signature.of(secrets);
        } catch (PosthornException e) {
            throw refused(Objects.requireNonNull(e.getMessage()));
        }
    }

    /** Without a cause on purpose: the messages of parsers quote what they could not read. */
    static PosthornException refused(String message) {
        return new PosthornException(ErrorCode.INVALID_SETTING, "HTTP sink: " + message);
    }
}
