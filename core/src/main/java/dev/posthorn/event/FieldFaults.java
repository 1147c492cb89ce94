package dev.posthorn.event;

import dev.posthorn.error.PosthornException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Goes on after the first rule that is broken. */
final class FieldFaults {

    private final List<String> found = new ArrayList<>();

    /** A rule, which refuses by throwing. */
    interface Rule {
        @Nullable
        Object apply();
    }

    void check(Rule rule) {
        try {
            rule.apply();
        } catch (PosthornException e) {
            found.add(String.valueOf(e.getMessage()));
        }
    }

    List<String> found() {
        return List.copyOf(found);
    }
}
