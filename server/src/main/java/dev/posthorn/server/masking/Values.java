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

    private static final int LARGEST_SCALE = 100;

    /** The name of a field; any other property name is data, such as the number of a card. */
    private static final Pattern FIELD = Pattern.compile("[\\p{L}_-]*");

    private final Set<String> originals = new LinkedHashSet<>();
    private final Set<String> forms = new LinkedHashSet<>();
    private final Set<String> words = new LinkedHashSet<>();

    /** Found wherever they stand. */
    Set<String> forms() {
        return forms;
    }

    /** Found only where they stand by themselves: they are too common otherwise. */
    Set<String> words() {
        return words;
    }

    boolean areTooMany() {
        return originals.size() > MOST;
    }

    void addName(String name) {
        if (!FIELD.matcher(name).matches()) {
            addText(name);
        }
    }

    void addText(String text) {
        if (isNew(text.strip())) {
            add(text.strip());
            add(jsonEscaped(text.strip(), false));
            add(jsonEscaped(text.strip(), true));
            add(jsonEscaped(text.strip(), false).replace("/", "\\/"));
            add(htmlEscaped(text.strip()));
            String url = URLEncoder.encode(text.strip(), UTF_8);
            add(url);
            add(url.replace("+", "%20"));
        }
    }

    void addNumber(String number) {
        if (!isNew(number)) {
            return;
        }
        add(number);
        BigDecimal value = new BigDecimal(number);
        add(value.toString());
        add(Double.toString(value.doubleValue()));
        if (Math.abs((long) value.scale()) <= LARGEST_SCALE) {
            add(value.toPlainString());
            add(value.stripTrailingZeros().toPlainString());
        }
    }

    void addWord(String word) {
        words.add(word);
    }

    private boolean isNew(String value) {
        return !value.isEmpty() && !areTooMany() && originals.add(value);
    }

    private void add(String form) {
        (form.length() < Echoes.SHORT ? words : forms).add(form);
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
