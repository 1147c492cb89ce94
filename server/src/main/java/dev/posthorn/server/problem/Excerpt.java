package dev.posthorn.server.problem;

/** The beginning of a text that may be as long as whoever sent it liked, to be told back to them. */
public final class Excerpt {

    private Excerpt() {}

    /** The text if it has at most so many characters, else its beginning and an ellipsis within them. */
    public static String of(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        int end = most - 1;
        // Half a pair could not be written any more.
        return text.substring(0, Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end) + "…";
    }
}
