package dev.posthorn.error;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds what somebody probably meant, so that a refusal can name the remedy. */
public final class Nearest {

    private Nearest() {}

    /** The known name that is nearest, unless it takes more than half of the letters to get there. */
    public static Optional<String> to(String name, Collection<String> known) {
        int farthest = Math.max(1, name.length() / 2);
        return known.stream()
                // No distance is less than this, which costs nothing to find out, however long the name is.
                .filter(each -> Math.abs(each.length() - name.length()) <= farthest)
                .min(Comparator.<String>comparingInt(each -> distance(name, each))
                        .thenComparing(Comparator.naturalOrder()))
                .filter(each -> distance(name, each) <= farthest);
    }

    /** As part of a refusal: {@code "did you mean key? "}, or nothing if nobody can tell. */
    public static String question(String name, Collection<String> known) {
        return to(name, known).map(found -> "did you mean " + found + "? ").orElse("");
    }

    /** How many letters have to be put in, taken away or replaced. */
    public static int distance(String from, String to) {
        int[] row = new int[to.length() + 1];
        for (int column = 0; column <= to.length(); column++) {
            row[column] = column;
        }
        for (int line = 1; line <= from.length(); line++) {
            int diagonal = row[0];
            row[0] = line;
            for (int column = 1; column <= to.length(); column++) {
                int replaced = diagonal + (from.charAt(line - 1) == to.charAt(column - 1) ? 0 : 1);
                diagonal = row[column];
                row[column] = Math.min(replaced, 1 + Math.min(row[column], row[column - 1]));
            }
        }
        return row[to.length()];
    }
}
