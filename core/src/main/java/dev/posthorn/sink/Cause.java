package dev.posthorn.sink;

import java.util.regex.Pattern;

/**
 * An error message without what differs from one event to the next, so that failures of one cause are seen as one:
 * numbers, UUIDs and hexadecimal ids are replaced. Quoted texts stay: they name the field or the rule more often than a
 * customer, and two causes told apart by mistake do less harm than two taken for one.
 */
public final class Cause {

    static final int LONGEST = 200;

    /** Messages may hold whole responses; what is beyond this cannot come to stand within the first 200 characters. */
    private static final int LOOKED_AT = 8_000;

    private static final Pattern UUID =
            Pattern.compile("(?i)\\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\\b");

    /** With a letter and a digit: otherwise it is a number, or a word. */
    private static final Pattern HEX =
            Pattern.compile("(?i)\\b(?:0x[0-9a-f]+|(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{8,})\\b");

    private static final Pattern NUMBER = Pattern.compile("[0-9]+");
    private static final Pattern SPACE = Pattern.compile("[\\s\\p{Cntrl}]+");

    private Cause() {}

    /** At most 200 characters; never empty. */
    public static String of(String message) {
        String text = message.length() > LOOKED_AT ? message.substring(0, LOOKED_AT) : message;
        text = UUID.matcher(text).replaceAll("<uuid>");
        text = HEX.matcher(text).replaceAll("<hex>");
        text = NUMBER.matcher(text).replaceAll("#");
        text = SPACE.matcher(text).replaceAll(" ").strip();
        return text.isEmpty() ? "(no message)" : cut(text);
    }

    /** Never between the halves of a surrogate pair, which PostgreSQL does not store. */
    private static String cut(String text) {
        if (text.length() <= LONGEST) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(LONGEST - 1)) ? LONGEST - 1 : LONGEST;
        return text.substring(0, end);
    }
}
