package dev.posthorn.http.text;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Writes texts so that they can stand in a header, whatever is in them. */
public final class HeaderText {

    private static final char[] HEX = "0123456789ABCDEF".toCharArray();

    private static final boolean[] PLAIN_IN_ATTRIBUTES = plain('!', "%\"");
    private static final boolean[] PLAIN_IN_VALUES = plain(' ', "%");

    private HeaderText() {}

    /** An attribute of CloudEvents, by the rules of its HTTP binding. */
    public static String attribute(String text) {
        return encoded(text, PLAIN_IN_ATTRIBUTES);
    }

    /**
     * Somebody else's header, as it is: what looks encoded in it may be its own, as in {@code baggage}. Only a text that
     * no header may hold is encoded, and then all of it, so that decoding gives it back.
     */
    public static String value(String text) {
        String stripped = text.strip();
        return stripped.chars().allMatch(c -> c >= ' ' && c <= '~') ? stripped : percent(stripped, PLAIN_IN_VALUES);
    }

    private static boolean[] plain(char least, String except) {
        boolean[] plain = new boolean[128];
        for (char c = least; c <= '~'; c++) {
            plain[c] = except.indexOf(c) < 0;
        }
        return plain;
    }

    private static String encoded(String text, boolean[] plain) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= plain.length || !plain[c]) {
                return percent(text, plain);
            }
        }
        return text;
    }

    private static String percent(String text, boolean[] plain) {
        StringBuilder encoded = new StringBuilder(text.length() + 16);
        for (byte b : text.getBytes(UTF_8)) {
            if (b >= 0 && plain[b]) {
                encoded.append((char) b);
            } else {
                encoded.append('%').append(HEX[(b >> 4) & 15]).append(HEX[b & 15]);
            }
        }
        return encoded.toString();
    }
}
