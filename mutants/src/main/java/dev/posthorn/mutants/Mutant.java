package dev.posthorn.mutants;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A rule, how to take it out of the sources, and the tests that have to notice. Its file holds the rule as one sentence, a
 * line {@code noticed by} for each test, and for each class a line {@code in} with its name and, after lines {@code @@},
 * the changes in the form of a diff.
 */
record Mutant(String name, String rule, List<Noticer> noticers, List<Change> changes) {

    private static final String SUFFIX = ".mutant";
    private static final String NOTICED_BY = "noticed by ";
    private static final String IN = "in ";
    private static final String HUNK = "@@";

    static List<Mutant> readAll(Path directory) throws IOException {
        try (var files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(SUFFIX))
                    .sorted()
                    .map(Mutant::read)
                    .toList();
        }
    }

    private static Mutant read(Path file) {
        String name = file.getFileName().toString().replace(SUFFIX, "");
        try {
            return of(name, Files.readAllLines(file));
        } catch (IOException | RuntimeException e) {
            throw new IllegalStateException("mutant " + name + " cannot be read: " + e.getMessage(), e);
        }
    }

    static Mutant of(String name, List<String> lines) {
        List<String> rule = new ArrayList<>();
        List<Noticer> noticers = new ArrayList<>();
        List<Change> changes = new ArrayList<>();
        List<String> rest = new ArrayList<>(lines);
        while (!rest.isEmpty()) {
            String line = rest.remove(0);
            if (line.startsWith(NOTICED_BY)) {
                noticers.add(Noticer.of(line.substring(NOTICED_BY.length())));
            } else if (line.startsWith(IN) && !noticers.isEmpty()) {
                changes.add(new Change(line.substring(IN.length()).strip(), hunks(rest)));
            } else if (!line.isBlank()) {
                rule.add(line.strip());
            }
        }
        if (rule.isEmpty() || noticers.isEmpty() || changes.isEmpty()) {
            throw new IllegalArgumentException("it needs a rule, a test that notices, and a change");
        }
        return new Mutant(name, String.join(" ", rule), noticers, changes);
    }

    private static List<Change.Hunk> hunks(List<String> rest) {
        List<Change.Hunk> hunks = new ArrayList<>();
        while (!rest.isEmpty() && !rest.get(0).startsWith(IN)) {
            List<String> hunk = new ArrayList<>();
            if (!rest.remove(0).equals(HUNK)) {
                throw new IllegalArgumentException("a class is followed by a line " + HUNK);
            }
            while (!rest.isEmpty() && !rest.get(0).equals(HUNK) && !rest.get(0).startsWith(IN)) {
                hunk.add(rest.remove(0));
            }
            hunks.add(Change.Hunk.of(hunk));
        }
        return hunks;
    }
}
