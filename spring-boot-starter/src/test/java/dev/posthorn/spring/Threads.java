package dev.posthorn.spring;

import java.util.List;

/** The threads of Posthorn in this JVM, but for the one that the {@link Shop} has for as long as the JVM lives. */
final class Threads {

    private static final String OF_THE_SHOP = "posthorn-metrics-reader";

    private Threads() {}

    static List<String> of(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith(prefix) && !name.equals(OF_THE_SHOP))
                .toList();
    }

    static List<String> ofPosthorn() {
        return of("posthorn-");
    }
}
