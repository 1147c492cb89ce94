package dev.posthorn.server.problem;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds what somebody probably meant, so that a refusal can name the remedy. */
public final class Nearest {

    private Nearest() {}

    /** The known name that is nearest, unless it takes more than half of the letters to get there. */
    public static Optional<String> to(String name, Collection<String> known) {
        return known.stream()
                .min(Comparator.<String>comparingInt(each -> distance(name, each))
                        .thenComparing(Comparator.naturalOrder()))
                .filter(each -> distance(name, each) <= Math.max(1, name.length() / 2));
    }

    /** How many letters have to be put in, taken away or replaced. */
    static int distance(String from, String to) {
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
