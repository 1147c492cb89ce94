package dev.posthorn.kafka;

import java.util.List;

/** Values of settings that nobody may read in a reason or a log. */
final class Secrets {

    private final List<String> values;

    Secrets(List<String> values) {
        this.values = values.stream().filter(value -> !value.isBlank()).toList();
    }

    String hiddenIn(String text) {
        String hidden = text;
        for (String value : values) {
            hidden = hidden.replace(value, "[hidden]");
        }
        return hidden;
    }
}
