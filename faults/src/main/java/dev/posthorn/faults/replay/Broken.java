package dev.posthorn.faults.replay;

import java.util.ArrayList;
import java.util.List;

/** Collects the promises that were broken. */
final class Broken {

    private final List<String> all = new ArrayList<>();

    void unless(boolean holds, String otherwise) {
        if (!holds) {
            all.add(otherwise);
        }
    }

    List<String> all() {
        return List.copyOf(all);
    }
}
