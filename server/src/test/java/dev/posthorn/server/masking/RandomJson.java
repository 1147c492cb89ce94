package dev.posthorn.server.masking;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** A document, pointers that may name parts of it, and what it must look like when these are masked. */
final class RandomJson {

    private static final List<String> NAMES = List.of("a", "b", "a/b", "m~n", "*", "0", "1", "", "ü", "q\"");
    private static final List<String> NUMBERS = List.of("1.0", "-0", "1E400", "12345678901234567890.10", "7e-3");

    private final Random random;
    private final List<List<String>> pointers = new ArrayList<>();
    private final List<String> secrets = new ArrayList<>();
    private final StringBuilder text = new StringBuilder();
    private final StringBuilder expected = new StringBuilder();
    private int values;

    RandomJson(Random random) {
        this.random = random;
        for (int i = random.nextInt(4); i >= 0; i--) {
            pointers.add(pointer());
        }
        value(List.of(), false);
    }

    String text() {
        return text.toString();
    }

    String expected() {
        return expected.toString();
    }

    /** Texts that only masked values hold. */
    List<String> secrets() {
        return secrets;
    }

    List<String> pointers() {
        return pointers.stream()
                .map(steps -> steps.stream()
                        .map(step -> "/" + step.replace("~", "~0").replace("/", "~1"))
                        .reduce("", String::concat))
                .toList();
    }

    private List<String> pointer() {
        List<String> steps = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0 || (steps.isEmpty() && random.nextInt(20) > 0); i--) {
            steps.add(NAMES.get(random.nextInt(NAMES.size())));
        }
        return steps;
    }

    private boolean isMasked(List<String> path) {
        return pointers.stream().anyMatch(steps -> matches(steps, path));
    }

    private static boolean matches(List<String> steps, List<String> path) {
        if (steps.size() != path.size()) {
            return false;
        }
        for (int i = 0; i < steps.size(); i++) {
            if (!steps.get(i).equals("*") && !steps.get(i).equals(path.get(i))) {
                return false;
            }
        }
        return true;
    }

    private void write(String part, boolean hidden) {
        text.append(part);
        if (!hidden) {
            expected.append(part);
        }
    }

    private void space(boolean hidden) {
        write(" \n\t ".substring(0, random.nextInt(5)), hidden);
    }

    private void value(List<String> path, boolean within) {
        boolean hidden = within || isMasked(path);
        if (hidden && !within) {
            expected.append("\"•••\"");
        }
        int kind = random.nextInt(path.size() > 4 ? 3 : 6);
        if (kind < 2) {
            scalar(hidden);
        } else if (kind == 2) {
            write(List.of("true", "false", "null").get(random.nextInt(3)), hidden);
        } else {
            children(path, hidden, kind == 3);
        }
    }

    private void scalar(boolean hidden) {
        String unique = "value" + values++ + "!";
        if (random.nextInt(3) == 0) {
            write(NUMBERS.get(random.nextInt(NUMBERS.size())), hidden);
        } else {
            write("\"" + unique + "\\n\\u00fc\\\"\"", hidden);
            if (hidden) {
                secrets.add(unique + "\nü\"");
            }
        }
    }

    private void children(List<String> path, boolean hidden, boolean array) {
        write(array ? "[" : "{", hidden);
        List<String> names = new ArrayList<>(NAMES.subList(0, 1 + random.nextInt(NAMES.size())));
        Collections.shuffle(names, random);
        int size = random.nextInt(Math.min(4, names.size()) + 1);
        for (int i = 0; i < size; i++) {
            space(hidden);
            String name = array ? Integer.toString(i) : names.get(i);
            if (!array) {
                write("\"" + name.replace("\"", "\\\"") + "\"", hidden);
                space(hidden);
                write(":", hidden);
                space(hidden);
            }
            List<String> child = new ArrayList<>(path);
            child.add(name);
            value(child, hidden);
            space(hidden);
            write(i + 1 < size ? "," : "", hidden);
        }
        write(array ? "]" : "}", hidden);
    }
}
