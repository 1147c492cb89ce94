package dev.posthorn.server.masking;

import java.util.HashSet;
import java.util.Set;

/**
 * Finds masked values in what others say about an event: a receiver may answer with what it was sent. Case and the kind
 * of white space do not matter, and a value of which only the beginning was kept is found as well. Immutable.
 *
 * <p>Values and text both come from callers, so the time grows with their lengths, not with the product of the two, and
 * values with too many characters hide everything.
 */
public final class Echoes {

    /** Stands in place of what is masked. */
    public static final String MASK = "•••";

    /** Values shorter than this are found only where they stand by themselves. */
    static final int SHORT = 4;

    /** So much of the beginning of a value gives it away. */
    private static final int LEAST_CUT = 3;

    /** Nothing is masked. */
    static final Echoes NONE = new Echoes(Set.of(), Set.of(), Set.of(), false);

    /** Nothing can be told from what is masked. */
    static final Echoes ANYWHERE = new Echoes(Set.of(), Set.of(), Set.of(), true);

    private final Needles values;
    /** Of values that are longer: what follows them is masked too. */
    private final Needles beginnings;

    private final Set<String> words;
    private final int longestWord;
    private final boolean anywhere;

    private Echoes(Set<String> values, Set<String> beginnings, Set<String> words, boolean anywhere) {
        this.values = new Needles(values);
        this.beginnings = new Needles(beginnings);
        this.words = words;
        this.longestWord = words.stream().mapToInt(String::length).max().orElse(0);
        this.anywhere = anywhere;
    }

    static Echoes of(Values values) {
        if (values.areTooMany()) {
            return ANYWHERE;
        }
        return values.areNone()
                ? NONE
                : new Echoes(folded(values.forms()), folded(values.beginnings()), folded(values.words()), false);
    }

    private static Set<String> folded(Set<String> texts) {
        Set<String> folded = new HashSet<>();
        texts.forEach(text -> folded.add(new Folded(text).text()));
        return folded;
    }

    /** The text without any of the values. */
    public String hiddenIn(String text) {
        if (anywhere) {
            return text.isEmpty() ? text : MASK;
        }
        return this == NONE ? text : searched(text);
    }

    private String searched(String text) {
        Folded folded = new Folded(text);
        int[] ends = new int[folded.length()];
        findValues(folded, ends);
        findBeginnings(folded, ends);
        findWords(folded.text(), ends);
        return shown(folded, ends);
    }

    /** Of what ends at one place the longest is enough: it covers the others. */
    private void findValues(Folded folded, int[] ends) {
        int node = values.start();
        for (int end = 1; end <= ends.length; end++) {
            node = values.next(node, folded.text().charAt(end - 1));
            hide(ends, end - values.found(node), end);
            cut(folded, ends, end - values.begun(node), end);
        }
    }

    private void findBeginnings(Folded folded, int[] ends) {
        int node = beginnings.start();
        for (int end = 1; end <= ends.length; end++) {
            node = beginnings.next(node, folded.text().charAt(end - 1));
            if (beginnings.found(node) > 0) {
                hide(ends, end - beginnings.found(node), ends.length);
            }
            cut(folded, ends, end - beginnings.begun(node), end);
        }
    }

    private static void cut(Folded folded, int[] ends, int begin, int end) {
        if (folded.origin(end) - folded.origin(begin) >= LEAST_CUT && folded.isCut(end)) {
            hide(ends, begin, end);
        }
    }

    private void findWords(String text, int[] ends) {
        for (int begin = 0; begin < ends.length; begin++) {
            if (begin == 0 || !Character.isLetterOrDigit(text.charAt(begin - 1))) {
                findWord(text, begin, ends);
            }
        }
    }

    private void findWord(String text, int begin, int[] ends) {
        int last = Math.min(text.length(), begin + longestWord);
        for (int end = begin + 1; end <= last; end++) {
            boolean alone = end == text.length() || !Character.isLetterOrDigit(text.charAt(end));
            if (alone && words.contains(text.substring(begin, end))) {
                hide(ends, begin, end);
            }
        }
    }

    private static void hide(int[] ends, int begin, int end) {
        if (begin < end) {
            ends[begin] = Math.max(ends[begin], end);
        }
    }

    /** Values may overlap, so each place is looked at. */
    private static String shown(Folded folded, int[] ends) {
        StringBuilder shown = new StringBuilder();
        int hiddenTo = 0;
        for (int i = 0; i < ends.length; i++) {
            if (ends[i] > i && i >= hiddenTo) {
                shown.append(MASK);
            }
            hiddenTo = Math.max(hiddenTo, ends[i]);
            if (i >= hiddenTo) {
                shown.append(folded.original(i));
            }
        }
        return shown.toString();
    }
}
