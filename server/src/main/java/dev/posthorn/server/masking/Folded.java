package dev.posthorn.server.masking;

/** A text in lower case and with one space for any white space, which still knows how it was written. */
final class Folded {

    private final String original;
    private final String text;
    private final int[] origins;

    Folded(String original) {
        StringBuilder folded = new StringBuilder(original.length());
        int[] places = new int[original.length() + 1];
        for (int i = 0; i < original.length(); i++) {
            boolean space = Character.isWhitespace(original.charAt(i));
            if (!space || i == 0 || !Character.isWhitespace(original.charAt(i - 1))) {
                places[folded.length()] = i;
                folded.append(space ? ' ' : folded(original.charAt(i)));
            }
        }
        places[folded.length()] = original.length();
        this.original = original;
        this.text = folded.toString();
        this.origins = places;
    }

    private static char folded(char c) {
        return Character.toLowerCase(Character.toUpperCase(c));
    }

    String text() {
        return text;
    }

    int length() {
        return text.length();
    }

    /** Where a character stood. */
    int origin(int at) {
        return origins[at];
    }

    /** What a character was made of. */
    CharSequence original(int at) {
        return original.subSequence(origins[at], origins[at + 1]);
    }

    /** Whether what follows was left out; bytes of half a character become the replacement character. */
    boolean isCut(int at) {
        int place = origins[at];
        return place == original.length()
                || original.charAt(place) == '…'
                || original.charAt(place) == '\uFFFD'
                || original.startsWith("...", place);
    }
}
