package dev.posthorn.faults.hub;

import dev.posthorn.faults.harness.Change;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Many subscriptions, and what they want: each the events of its group of three, and those for all. The keys of a group are its
 * own, so each subscription gets every event of some keys and none of any other.
 */
record ManySubscriptions(int count, int thinking) implements Traffic {

    private static final int GROUP = 3;
    private static final String ALL = "all";

    /** The most that a hub makes by one call. */
    private static final int AT_ONCE = 1_000;

    private int groups() {
        return (count + GROUP - 1) / GROUP;
    }

    @Override
    public int keys() {
        return groups();
    }

    @Override
    public String key(String publisher, int number) {
        return group(number) + '/' + publisher;
    }

    @Override
    public String type(String key) {
        return key.substring(0, key.indexOf('/'));
    }

    private static String group(int number) {
        return "group-" + number;
    }

    /** The key of events that all want. */
    static String keyForAll() {
        return ALL + "/one";
    }

    static boolean isForAll(Change change) {
        return change.aggregate().equals(keyForAll());
    }

    /** What of the changes one of them should have got. */
    IntFunction<List<Change>> shares(Collection<Change> changes) {
        Map<String, List<Change>> byType =
                changes.stream().collect(Collectors.groupingBy(change -> type(change.aggregate())));
        return subscription -> Stream.of(ALL, group(subscription / GROUP))
                .flatMap(type -> byType.getOrDefault(type, List.of()).stream())
                .toList();
    }

    /** The bodies of calls that make all of them. */
    List<String> documents(IntFunction<String> urls) {
        return IntStream.iterate(0, first -> first < count, first -> first + AT_ONCE)
                .mapToObj(first -> IntStream.range(first, Math.min(count, first + AT_ONCE))
                        .mapToObj(i -> document(i, urls.apply(i)))
                        .collect(Collectors.joining(",", "{\"subscriptions\":[", "]}")))
                .toList();
    }

    private static String document(int subscription, String url) {
        return """
                {"name": "s-%d", "filter": {"types": ["%s", "%s"]}, "timeout": "3s",
                 "retry": {"maxAttempts": "unlimited", "delays": ["1s"]}, "sink": {"kind": "http", "url": "%s"}}""".formatted(subscription, group(subscription / GROUP), ALL, url);
    }
}
