package dev.posthorn.audit;

import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Something that was done, for the audit.
 *
 * @param action what: a noun and a verb, such as {@code replay.start}
 * @param target what it was done to, as its kind and its name or id: {@code subscription/orders}
 * @param detail what was asked for, by the names under which it was asked: no secrets, no payload. A text that is longer
 *     than {@value #LONGEST_TEXT} characters is cut, so that a page of entries can always be read
 * @param count how many things it was done to; null if that is not known
 */
public record Act(
        String action,
        String target,
        Map<String, String> detail,
        @Nullable Long count,
        @Nullable String reason) {

    public static final int LONGEST_TEXT = 10_000;

    private static final String CUT = "…";

    public Act {
        detail = detail.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, each -> cut(each.getValue())));
    }

    public static Act of(String action, String target) {
        return of(action, target, Map.of());
    }

    public static Act of(String action, String target, Map<String, String> detail) {
        return new Act(action, target, detail, null, null);
    }

    /** Never between the halves of a character, one of which alone could not be stored. */
    private static String cut(String text) {
        if (text.length() <= LONGEST_TEXT) {
            return text;
        }
        int end = LONGEST_TEXT - CUT.length();
        return text.substring(0, Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end) + CUT;
    }
}
