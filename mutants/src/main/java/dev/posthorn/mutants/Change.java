package dev.posthorn.mutants;

import java.util.ArrayList;
import java.util.List;

/**
 * What a mutant does to one class, as pieces of a diff without line numbers.
 *
 * @param className of the outermost class, which names the file
 */
record Change(String className, List<Hunk> hunks) {

    /** A piece of text and what takes its place. White space does not count, so that the formatter may wrap it. */
    record Hunk(String before, String after) {

        /** Reads lines that begin with a blank, a minus or a plus. */
        static Hunk of(List<String> lines) {
            StringBuilder before = new StringBuilder();
            StringBuilder after = new StringBuilder();
            for (String line : lines) {
                String text = line.isEmpty() ? "\n" : line.substring(1) + "\n";
                if (!line.startsWith("+")) {
                    before.append(text);
                }
                if (!line.startsWith("-")) {
                    after.append(text);
                }
            }
            return new Hunk(before.toString().strip(), after.toString().strip());
        }

        String applyTo(String source) {
            StringBuilder dense = new StringBuilder();
            List<Integer> places = new ArrayList<>();
            for (int i = 0; i < source.length(); i++) {
                if (!Character.isWhitespace(source.charAt(i))) {
                    dense.append(source.charAt(i));
                    places.add(i);
                }
            }
            String wanted = before.replaceAll("\\s", "");
            int at = wanted.isEmpty() ? -1 : dense.indexOf(wanted);
            if (at < 0 || dense.indexOf(wanted, at + 1) >= 0) {
                throw new IllegalStateException(
                        "this text is " + (at < 0 ? "not there any more" : "there more than once") + ":\n" + before);
            }
            int end = places.get(at + wanted.length() - 1) + 1;
            return source.substring(0, places.get(at)) + after + source.substring(end);
        }
    }

    String applyTo(String source) {
        String changed = source;
        for (Hunk hunk : hunks) {
            changed = hunk.applyTo(changed);
        }
        return changed;
    }
}
