package dev.posthorn.server.ingest;

import dev.posthorn.server.json.Texts;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What is wrong with the events of a request, each thing under the name that the caller wrote. Goes on after the first, so
 * that a caller learns of more than one at a time, and gives up after so many that nobody would read on.
 */
final class Refusals {

    static final int MOST = 20;

    private final FormFieldNames names;
    private final List<Violation> found = new ArrayList<>();
    private boolean tooLargeOnly = true;
    private @Nullable Integer item;
    private int before;

    Refusals(FormFieldNames names) {
        this.names = names;
    }

    /** From here on it is about this event of the array, or about the only one. */
    void begin(@Nullable Integer number) {
        item = number;
        before = found.size();
    }

    boolean isItemRefused() {
        return found.size() > before;
    }

    /** What the caller calls the field. */
    String name(String field) {
        return names.of(field);
    }

    /** Takes the field by the caller's name. */
    void add(String field, String rule) {
        tooLargeOnly = false;
        keep(field, rule);
    }

    void addTooLarge(String field, String rule) {
        keep(field, rule);
    }

    /** Takes what the core says, each beginning with its own name of the field, unless that field was refused before. */
    void addFaults(List<String> faults) {
        Set<String> refused = fields();
        for (String each : faults) {
            Violation fault = violation(Texts.printable(each));
            String field = names.of(fault.field());
            if (!refused.contains(at(item, field))) {
                add(field, fault.rule());
            }
        }
    }

    /** Whether something is wrong with one of these fields of the event. */
    boolean isAnyRefused(Set<String> fields) {
        Set<String> refused = fields();
        return fields.stream().anyMatch(field -> refused.contains(at(item, field)));
    }

    private Set<String> fields() {
        return found.subList(before, found.size()).stream()
                .map(Violation::field)
                .collect(Collectors.toSet());
    }

    static Violation violation(String message) {
        String[] words = message.split(" ", 3);
        if (words[0].equals("header") && words.length == 3 && !words[1].equals("name")) {
            return Violation.of("headers." + words[1], words[2]);
        }
        if (words[0].equals("header") || words.length < 2) {
            return Violation.of("headers", message);
        }
        String field = words[0].endsWith(":") ? words[0].substring(0, words[0].length() - 1) : words[0];
        return Violation.of(field, message.substring(words[0].length() + 1));
    }

    private void keep(String field, String rule) {
        found.add(new Violation(item, at(item, field), rule));
        if (found.size() == MOST) {
            throwIfAny();
        }
    }

    private static String at(@Nullable Integer item, String field) {
        if (item == null) {
            return field;
        }
        return "[" + item + "]" + (field.isEmpty() ? "" : "." + field);
    }

    void throwIfAny() {
        if (!found.isEmpty()) {
            throw Problem.violated(tooLargeOnly ? ProblemType.TOO_LARGE : ProblemType.INVALID_EVENT, found)
                    .asException();
        }
    }

    /** What others found wrong with the events later, with the names that this caller knows. */
    ProblemException renamed(Problem problem, boolean array) {
        if (problem.violations().isEmpty()) {
            return problem.asException();
        }
        List<Violation> renamed = problem.violations().stream()
                .map(violation -> renamed(violation, array))
                .toList();
        Problem same = Problem.violated(problem.type(), renamed);
        return new Problem(same.type(), same.detail(), renamed, problem.retryAfter()).asException();
    }

    private Violation renamed(Violation violation, boolean array) {
        Integer number = null;
        if (array) {
            number = violation.item() == null ? Integer.valueOf(0) : violation.item();
        }
        return new Violation(number, at(number, names.of(violation.field())), violation.rule());
    }
}
