package dev.posthorn.sink;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** Texts that nobody may read in a reason, a reply or a log, whoever put them there. */
public final class Secrets {

    private final List<String> values;

    /** The longest first: one that contains another would otherwise be left half shown. */
    public Secrets(Collection<String> values) {
        this.values = values.stream()
                .filter(value -> !value.isBlank())
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList();
    }

    public String hiddenIn(String text) {
        String hidden = text;
        for (String value : values) {
            hidden = hidden.replace(value, "[hidden]");
        }
        return hidden;
    }
}
