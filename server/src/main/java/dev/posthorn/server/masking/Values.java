package dev.posthorn.server.masking;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.net.URLEncoder;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Pattern;

/** The masked values of one payload, in the forms in which somebody else may write them. */
final class Values {

    /** Whoever echoes one of so many values cannot be looked through any more. */
    static final int MOST = 1_000;

    /** The same of their characters, in all forms. */
    static final int MOST_CHARACTERS = 100_000;

    /** So much of a value is looked for; where it is found, what follows is the rest of it for all that anybody knows. */
    static final int LONGEST = 1_000;

    private static final int LARGEST_SCALE = 100;

    /** The name of a field; any other property name is data, such as the number of a card. */
    private static final Pattern FIELD = Pattern.compile("[\\p{L}_-]*");

    private final Set<String> originals = new LinkedHashSet<>();
    private final Set<String> forms = new LinkedHashSet<>();
    private final Set<String> beginnings = new LinkedHashSet<>();
    private final Set<String> words = new LinkedHashSet<>();
    private int characters;

    /** Found wherever they stand. */
    Set<String> forms() {
        return forms;
    }

    /** Found like forms, of which they are the beginnings: those are too long. */
    Set<String> beginnings() {
        return beginnings;
    }

    /** Found only where they stand by themselves: they are too common otherwise. */
    Set<String> words() {
        return words;
    }

    boolean areTooMany() {
        return originals.size() > MOST || characters > MOST_CHARACTERS;
    }

    boolean areNone() {
        return forms.isEmpty() && beginnings.isEmpty() && words.isEmpty();
    }

    void addName(String name) {
        if (!FIELD.matcher(name).matches()) {
            addText(name);
        }
    }

    void addText(String text) {
        String stripped = text.strip();
        String value = beginning(stripped);
        if (isNew(value)) {
            boolean whole = value.length() == stripped.length();
            String url = URLEncoder.encode(value, UTF_8);
            add(value, whole);
            add(jsonEscaped(value, false), whole);
            add(jsonEscaped(value, true), whole);
            add(jsonEscaped(value, false).replace("/", "\\/"), whole);
            add(htmlEscaped(value), whole);
            add(url, whole);
            add(url.replace("+", "%20"), whole);
        }
    }

    /** Not half of a character, which would be written otherwise than the whole one. */
    private static String beginning(String text) {
        if (text.length() <= LONGEST) {
            return text;
        }
        boolean half = Character.isHighSurrogate(text.charAt(LONGEST - 1));
        return text.substring(0, half ? LONGEST - 1 : LONGEST);
    }

    void addNumber(String number) {
        if (!isNew(number)) {
            return;
        }
        add(number, true);
        BigDecimal value = new BigDecimal(number);
        add(value.toString(), true);
        add(Double.toString(value.doubleValue()), true);
        if (Math.abs((long) value.scale()) <= LARGEST_SCALE) {
            add(value.toPlainString(), true);
            add(value.stripTrailingZeros().toPlainString(), true);
        }
    }

    void addWord(String word) {
        words.add(word);
    }

    private boolean isNew(String value) {
        return !value.isEmpty() && !areTooMany() && originals.add(value);
    }

    private void add(String form, boolean whole) {
        if (!whole || form.length() > LONGEST) {
            add(beginnings, form.substring(0, Math.min(form.length(), LONGEST)));
        } else {
            add(form.length() < Echoes.SHORT ? words : forms, form);
        }
    }

    private void add(Set<String> texts, String text) {
        if (texts.add(text)) {
            characters += text.length();
        }
    }

    private static String jsonEscaped(String text, boolean ascii) {
        StringBuilder escaped = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            int special = "\"\\\b\f\n\r\t".indexOf(c);
            if (special >= 0) {
                escaped.append('\\').append("\"\\bfnrt".charAt(special));
            } else if (c < ' ' || (ascii && c > '~')) {
                escaped.append("\\u%04x".formatted((int) c));
            } else {
                escaped.append(c);
            }
        }
        return escaped.toString();
    }

    private static String htmlEscaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }
}
