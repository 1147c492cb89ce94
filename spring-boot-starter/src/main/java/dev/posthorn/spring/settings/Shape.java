package dev.posthorn.spring.settings;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What may follow a property's name, as the record says that it is bound to. Names are compared in the uniform form, in which
 * case and dashes do not count.
 */
sealed interface Shape {

    /** Stands for a name that the user chooses. */
    String ANY = "<name>";

    /** Whether these parts of a name may follow. The first may consist of up to so many of the parts that are left. */
    boolean fits(List<String> rest, int words);

    /** The paths of all values, in parts as they are written. */
    default Stream<List<String>> paths() {
        return Stream.of(List.of());
    }

    static Shape of(Class<?> settings) {
        return of((Type) settings);
    }

    private static Shape of(Type type) {
        if (type instanceof ParameterizedType generic) {
            Type last = generic.getActualTypeArguments()[generic.getActualTypeArguments().length - 1];
            return generic.getRawType() == Map.class ? ofMap(last) : new Indexed();
        }
        return type instanceof Class<?> settings && settings.isRecord() ? new Group(members(settings)) : new Value();
    }

    private static Shape ofMap(Type values) {
        Shape each = of(values);
        return each instanceof Group ? new Named(each) : new Anything();
    }

    private static Map<String, Shape> members(Class<?> settings) {
        Map<String, Shape> members = new LinkedHashMap<>();
        Arrays.stream(settings.getRecordComponents())
                .forEach(each -> members.put(dashed(each), of(each.getGenericType())));
        return members;
    }

    private static String dashed(RecordComponent component) {
        return component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    static String uniform(String name) {
        return name.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "");
    }

    /** One value: nothing follows. */
    record Value() implements Shape {

        @Override
        public boolean fits(List<String> rest, int words) {
            return rest.isEmpty();
        }
    }

    /** A list of values, whole or one by one. */
    record Indexed() implements Shape {

        @Override
        public boolean fits(List<String> rest, int words) {
            return rest.isEmpty() || (rest.size() == 1 && rest.get(0).chars().allMatch(Character::isDigit));
        }
    }

    /** A map whose keys are others' business. */
    record Anything() implements Shape {

        @Override
        public boolean fits(List<String> rest, int words) {
            return true;
        }
    }

    /** Several of the same shape, under names that the user chooses. */
    record Named(Shape each) implements Shape {

        @Override
        public boolean fits(List<String> rest, int words) {
            return Parts.ends(rest, words).anyMatch(end -> each.fits(rest.subList(end, rest.size()), words));
        }

        @Override
        public Stream<List<String>> paths() {
            return each.paths().map(path -> Parts.join(ANY, path));
        }
    }

    /** Settings that belong together. It has no value of its own. */
    record Group(Map<String, Shape> members) implements Shape {

        @Override
        public boolean fits(List<String> rest, int words) {
            return Parts.ends(rest, words)
                    .anyMatch(end -> members.entrySet().stream()
                            .filter(each ->
                                    uniform(each.getKey()).equals(uniform(String.join("", rest.subList(0, end)))))
                            .anyMatch(each -> each.getValue().fits(rest.subList(end, rest.size()), words)));
        }

        @Override
        public Stream<List<String>> paths() {
            return members.entrySet().stream()
                    .flatMap(each -> each.getValue().paths().map(path -> Parts.join(each.getKey(), path)));
        }
    }

    /** The parts of a name. */
    final class Parts {

        private Parts() {}

        static List<String> join(String first, List<String> rest) {
            return Stream.concat(Stream.of(first), rest.stream()).toList();
        }

        private static Stream<Integer> ends(List<String> rest, int words) {
            return Stream.iterate(1, end -> end <= Math.min(words, rest.size()), end -> end + 1);
        }
    }
}
