package dev.posthorn.spring.settings;

import dev.posthorn.error.Nearest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The properties there are, and which of them somebody probably meant. Names are in parts, without the prefix. */
final class KnownProperties {

    /** From that length on a slip may be of two letters. */
    private static final int LONG_NAME = 12;

    private final Shape shape;

    KnownProperties(Class<?> settings) {
        this.shape = Shape.of(settings);
    }

    boolean has(List<String> name) {
        return shape.fits(name, 1);
    }

    /** A property below this one, which is none itself but a group of them. */
    Optional<List<String>> below(List<String> group) {
        return shape.paths()
                .filter(path -> path.size() > group.size())
                .map(path -> named(path, group))
                .filter(path -> uniform(path.subList(0, group.size())).equals(uniform(group)))
                .findFirst();
    }

    /** In a variable nobody can tell whether an underscore is a dot, a dash, or part of a name that the user chose. */
    boolean hasVariable(List<String> name) {
        return shape.fits(name, name.size());
    }

    /** What may have been meant by a property that there is not. */
    Optional<List<String>> meant(List<String> name) {
        return meant(shape, name);
    }

    private static Optional<List<String>> meant(Shape shape, List<String> rest) {
        if (rest.isEmpty() || shape.fits(rest, 1)) {
            return Optional.of(rest);
        }
        if (shape instanceof Shape.Named named) {
            return meant(named.each(), tail(rest)).map(found -> Shape.Parts.join(rest.get(0), found));
        }
        return shape instanceof Shape.Group group ? meant(group, rest) : Optional.of(List.of());
    }

    /** A member with a slip in its name, or without the names of the groups that it is in. */
    private static Optional<List<String>> meant(Shape.Group group, List<String> rest) {
        Map<String, String> members = group.members().keySet().stream()
                .collect(Collectors.toMap(Shape::uniform, each -> each, (one, other) -> one, LinkedHashMap::new));
        String first = Shape.uniform(rest.get(0));
        String member = members.get(first);
        if (member == null) {
            Optional<List<String>> deeper = deeper(group, rest);
            if (deeper.isPresent()) {
                return deeper;
            }
            member = Nearest.to(first, members.keySet()).map(members::get).orElse(null);
        }
        if (member == null) {
            return Optional.empty();
        }
        String found = member;
        Shape below = group.members().get(found);
        return below == null ? Optional.empty() : meant(below, tail(rest)).map(path -> Shape.Parts.join(found, path));
    }

    private static Optional<List<String>> deeper(Shape.Group group, List<String> rest) {
        String wanted = uniform(rest);
        return group.paths()
                .filter(path -> !path.contains(Shape.ANY))
                .filter(path -> path.size() > rest.size()
                        && uniform(path.subList(path.size() - rest.size(), path.size()))
                                .equals(wanted))
                .findFirst();
    }

    /**
     * What a variable almost is: so near that it can be nothing else. Many a variable begins with POSTHORN_ and is somebody
     * else's, such as the POSTHORN_PORT that Kubernetes sets for a service named posthorn.
     */
    Optional<List<String>> almost(List<String> variable) {
        String name = uniform(variable);
        Map<String, List<String>> candidates = shape.paths()
                .map(path -> named(path, variable))
                .collect(Collectors.toMap(KnownProperties::uniform, path -> path, (one, other) -> one));
        return Nearest.to(name, candidates.keySet())
                .filter(each -> Nearest.distance(name, each) <= (each.length() < LONG_NAME ? 1 : 2))
                .map(candidates::get);
    }

    /** With the name that stands in this place of the variable. */
    private static List<String> named(List<String> path, List<String> variable) {
        int place = path.indexOf(Shape.ANY);
        return place < 0 || place >= variable.size()
                ? path
                : Stream.of(path.subList(0, place), List.of(variable.get(place)), path.subList(place + 1, path.size()))
                        .flatMap(List::stream)
                        .toList();
    }

    private static String uniform(List<String> parts) {
        return Shape.uniform(String.join("", parts));
    }

    private static List<String> tail(List<String> parts) {
        return parts.subList(1, parts.size());
    }
}
