package dev.posthorn.mutants;

import java.util.List;

/**
 * A test that has to fail with the mutant.
 *
 * @param properties system properties for it, such as {@code posthorn.simulation.seeds=200}
 */
record Noticer(String className, String method, List<String> properties) {

    /** Reads {@code dev.posthorn.SomeTest#aMethod with name=value name=value}. */
    static Noticer of(String text) {
        String[] testAndProperties = text.split(" with ", 2);
        String[] classAndMethod = testAndProperties[0].strip().split("#", 2);
        if (classAndMethod.length != 2) {
            throw new IllegalArgumentException("no test, as in dev.posthorn.SomeTest#aMethod: " + text);
        }
        List<String> properties = testAndProperties.length == 1
                ? List.of()
                : List.of(testAndProperties[1].strip().split("\\s+"));
        return new Noticer(classAndMethod[0], classAndMethod[1], properties);
    }

    /** How {@link TestRun} is told of it. */
    String test() {
        return className + "#" + method;
    }

    @Override
    public String toString() {
        String name = className.substring(className.lastIndexOf('.') + 1) + "#" + method;
        return properties.isEmpty() ? name : name + " with " + String.join(" ", properties);
    }
}
