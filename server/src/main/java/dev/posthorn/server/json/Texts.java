package dev.posthorn.server.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;

/** What is wrong with texts that others send, and how to quote them without passing it on. */
public final class Texts {

    private static final int LONGEST_QUOTE = 80;
    private static final int CHUNK = 8_192;

    private Texts() {}

    /** Whether these bytes are UTF-8. A JSON parser alone lets overlong forms and surrogates pass. */
    public static boolean isUtf8(byte[] bytes) {
        CharsetDecoder decoder = UTF_8.newDecoder();
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(Math.min(CHUNK, bytes.length + 1));
        CoderResult result;
        do {
            out.clear();
            result = decoder.decode(in, out, true);
        } while (result.isOverflow());
        return !result.isError();
    }

    /** Whether each surrogate has its other half; without it the text cannot be written as UTF-8. */
    public static boolean isWellFormed(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                return hasNoLoneSurrogate(text, i);
            }
        }
        return true;
    }

    private static boolean hasNoLoneSurrogate(String text, int from) {
        return text.substring(from).codePoints().noneMatch(Texts::isSurrogate);
    }

    /** A text of somebody else's as it may stand in a message: short, and without what cannot be printed. */
    public static String quote(String text) {
        return printable(text.length() > LONGEST_QUOTE ? text.substring(0, LONGEST_QUOTE) + "…" : text);
    }

    /** The text with a question mark for every character that cannot be printed or written. */
    public static String printable(String text) {
        StringBuilder printed = new StringBuilder(text.length());
        text.codePoints().map(c -> isPrintable(c) ? c : '?').forEach(printed::appendCodePoint);
        return printed.toString();
    }

    /** Nor what turns the direction of writing, or is a line break to some: it would show another text than there is. */
    private static boolean isPrintable(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE -> false;
            default -> true;
        };
    }

    private static boolean isSurrogate(int codePoint) {
        return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
    }
}
