package dev.posthorn.server.masking;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds masked values in what others say about an event: a receiver may answer with what it was sent. Case and the kind
 * of white space do not matter, and a value of which only the beginning was kept is found as well. Immutable.
 */
public final class Echoes {

    /** Stands in place of what is masked. */
    public static final String MASK = "•••";

    /** Values shorter than this are found only where they stand by themselves. */
    static final int SHORT = 4;

    /** So much of the beginning of a value gives it away. */
    private static final int LEAST_CUT = 3;

    /** Nothing is masked. */
    static final Echoes NONE = new Echoes(Map.of(), false);

    /** Nothing can be told from what is masked. */
    static final Echoes ANYWHERE = new Echoes(Map.of(), true);

    private final Map<Character, List<Form>> forms;
    private final boolean anywhere;

    /** A value as it may be written. */
    private record Form(String text, boolean word) {}

    private Echoes(Map<Character, List<Form>> forms, boolean anywhere) {
        this.forms = forms;
        this.anywhere = anywhere;
    }

    static Echoes of(Values values) {
        if (values.areTooMany()) {
            return ANYWHERE;
        }
        Map<Character, List<Form>> forms = new HashMap<>();
        values.forms().forEach(text -> add(forms, new Form(text, false)));
        values.words().forEach(text -> add(forms, new Form(text, true)));
        return forms.isEmpty() ? NONE : new Echoes(forms, false);
    }

    private static void add(Map<Character, List<Form>> forms, Form form) {
        forms.computeIfAbsent(folded(form.text().charAt(0)), first -> new ArrayList<>())
                .add(form);
    }

    /** The text without any of the values. */
    public String hiddenIn(String text) {
        if (anywhere) {
            return text.isEmpty() ? text : MASK;
        }
        return forms.isEmpty() ? text : searched(text);
    }

    /** Values may overlap, so each place is looked at. */
    private String searched(String text) {
        StringBuilder shown = new StringBuilder(text.length());
        int hiddenTo = 0;
        for (int i = 0; i < text.length(); i++) {
            int end = longest(text, i);
            if (end > i && i >= hiddenTo) {
                shown.append(MASK);
            }
            hiddenTo = Math.max(hiddenTo, end);
            if (i >= hiddenTo) {
                shown.append(text.charAt(i));
            }
        }
        return shown.toString();
    }

    private int longest(String text, int begin) {
        int longest = begin;
        for (Form form : forms.getOrDefault(folded(text.charAt(begin)), List.of())) {
            longest = Math.max(longest, end(form, text, begin));
        }
        return longest;
    }

    /** Where the form ends that begins there; the beginning if it does not. */
    private static int end(Form form, String text, int begin) {
        String value = form.text();
        int at = begin;
        int i = 0;
        while (i < value.length() && at < text.length() && isSame(value.charAt(i), text.charAt(at))) {
            boolean space = Character.isWhitespace(value.charAt(i));
            i = space ? afterSpace(value, i) : i + 1;
            at = space ? afterSpace(text, at) : at + 1;
        }
        if (i < value.length()) {
            return !form.word() && at - begin >= LEAST_CUT && isCut(text, at) ? at : begin;
        }
        return form.word() && !standsAlone(text, begin, at) ? begin : at;
    }

    private static int afterSpace(String text, int begin) {
        int at = begin;
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return at;
    }

    /** Whether what follows was left out; bytes of half a character become the replacement character. */
    private static boolean isCut(String text, int at) {
        return at == text.length()
                || text.charAt(at) == '…'
                || text.charAt(at) == '\uFFFD'
                || text.startsWith("...", at);
    }

    private static boolean standsAlone(String text, int begin, int end) {
        return (begin == 0 || !Character.isLetterOrDigit(text.charAt(begin - 1)))
                && (end == text.length() || !Character.isLetterOrDigit(text.charAt(end)));
    }

    private static boolean isSame(char one, char other) {
        return one == other
                || folded(one) == folded(other)
                || (Character.isWhitespace(one) && Character.isWhitespace(other));
    }

    private static char folded(char c) {
        return Character.isWhitespace(c) ? ' ' : Character.toLowerCase(Character.toUpperCase(c));
    }
}
