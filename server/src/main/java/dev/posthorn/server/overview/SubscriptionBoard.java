package dev.posthorn.server.overview;

import dev.posthorn.log.Queries;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.rollup.Rollups;
import dev.posthorn.server.rollup.Work;
import dev.posthorn.server.subscriptions.ServedBy;
import dev.posthorn.server.web.Page;
import dev.posthorn.server.web.PageToken;
import dev.posthorn.server.web.Parameters;
import dev.posthorn.status.SubscriptionGauges;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The list of subscriptions, by how they are doing: chosen and put in order in memory, whatever their number. */
final class SubscriptionBoard {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final double FIVE_MINUTES = 300;

    /** Those that are not the hub's have no document. */
    private static final String SINKS = """
            SELECT s.name, h.name IS NOT NULL AS ours, h.document::jsonb -> 'sink' ->> 'kind' AS kind
              FROM posthorn.subscription s
              LEFT JOIN posthorn.hub_subscription h ON h.name = s.name
             WHERE s.name = ANY (:names::text[])
            """;

    private static final String FIND = "SELECT 1 FROM posthorn.subscription WHERE name = :name";

    private final Overviews overviews;
    private final Rollups rollups;
    private final Queries queries;
    private final Database database;

    SubscriptionBoard(Overviews overviews, Rollups rollups, Database database) {
        this.overviews = overviews;
        this.rollups = rollups;
        this.queries = new Queries(database.looks(), database.schema());
        this.database = database;
    }

    /** Which, in which order, and how many at most. */
    record Asked(String search, String sort, boolean troubled, int limit) {}

    private record Sink(String name, boolean ours, @Nullable String kind) {}

    SubscriptionLines lines(Asked asked, @Nullable String after) {
        Order order = Order.of(asked.sort());
        Comparator<Key> way = order.way();
        Key last = after == null ? null : Key.of(order, after);
        Overviews.Seen seen = overviews.seen();
        String search = asked.search().toLowerCase(Locale.ROOT);
        List<Overviews.Standing> matching = overviews.standings(seen).stream()
                .filter(each -> each.name().toLowerCase(Locale.ROOT).contains(search))
                .filter(each -> !asked.troubled() || each.trouble() != null)
                .sorted(Comparator.comparing(order::key, way))
                .toList();
        List<Overviews.Standing> rest = matching.stream()
                .filter(each -> last == null || way.compare(order.key(each), last) > 0)
                .limit(asked.limit() + 1L)
                .toList();
        Page<Overviews.Standing> page =
                Page.of(rest, asked.limit(), each -> order.key(each).token(order));
        return new SubscriptionLines(seen.read().at(), matching.size(), lines(page.items(), seen), page.next());
    }

    /** Where a subscription stands in an order: the lesser first, and those that are alike by name. */
    private record Key(long first, long second, String name) {

        static Key of(Order order, String token) {
            List<String> parts = PageToken.parts(token, 4);
            if (!parts.get(0).equals(order.label())) {
                throw Parameters.refused(
                        "after", "is of a list in another order; give it with the sort that it came with");
            }
            try {
                return new Key(Long.parseLong(parts.get(1)), Long.parseLong(parts.get(2)), parts.get(3));
            } catch (NumberFormatException e) {
                throw Parameters.refused("after", "is not a token of this list; give the 'next' of the page before");
            }
        }

        String token(Order order) {
            return PageToken.of(order.label(), Long.toString(first), Long.toString(second), name);
        }
    }

    private enum Order {
        TROUBLE,
        NAME,
        RATE;

        static Order of(String text) {
            for (Order each : values()) {
                if (each.label().equals(text)) {
                    return each;
                }
            }
            throw Parameters.refused("sort", "is unknown; give trouble, name or rate");
        }

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        Key key(Overviews.Standing standing) {
            return switch (this) {
                case TROUBLE -> new Key(standing.rank(), -standing.weight(), standing.name());
                case NAME -> new Key(0, 0, standing.name());
                case RATE ->
                    new Key(
                            -standing.rate().five().delivered(),
                            -standing.rate().five().failed(),
                            standing.name());
            };
        }

        Comparator<Key> way() {
            return Comparator.comparingLong(Key::first)
                    .thenComparingLong(Key::second)
                    .thenComparing(Key::name);
        }
    }

    private List<SubscriptionLine> lines(List<Overviews.Standing> some, Overviews.Seen seen) {
        if (some.isEmpty()) {
            return List.of();
        }
        List<String> names = some.stream().map(Overviews.Standing::name).toList();
        Map<String, Rollups.Course> courses =
                rollups.minutes(names, seen.glance().now(), HOUR);
        Map<String, Sink> sinks = sinks(names);
        return some.stream()
                .map(each -> line(
                        each, Objects.requireNonNull(courses.get(each.name())).done(), sinks.get(each.name())))
                .toList();
    }

    private Map<String, Sink> sinks(List<String> names) {
        Map<String, Sink> sinks = new HashMap<>();
        queries.run(
                        "reading subscriptions",
                        t -> t.list(
                                SINKS,
                                Map.of("names", names.toArray(String[]::new)),
                                row -> new Sink(row.getString("name"), row.getBoolean("ours"), row.getString("kind"))))
                .forEach(each -> sinks.put(each.name(), each));
        return sinks;
    }

    private static SubscriptionLine line(Overviews.Standing standing, List<Work> minutes, @Nullable Sink sink) {
        SubscriptionGauges gauges = standing.figures().gauges();
        Work five = standing.rate().five();
        double errors = standing.rate().ten().errorRate();
        return new SubscriptionLine(
                standing.name(),
                sink == null || sink.ours() ? null : ServedBy.APPLICATION,
                sink == null ? null : sink.kind(),
                gauges.paused(),
                standing.trouble(),
                new Backlog(gauges.pending().value(), gauges.pending().exact()),
                gauges.oldestAge(),
                gauges.held(),
                gauges.waiting(),
                gauges.blockedKeys(),
                gauges.deadLetters(),
                gauges.oldestDeadLetterAge(),
                SubscriptionLine.LineTrouble.breaker(gauges.breaker()),
                SubscriptionLine.LineTrouble.denial(gauges.denial()),
                standing.figures().lanes(),
                standing.figures().owned(),
                five.delivered() / FIVE_MINUTES,
                five.failed() / FIVE_MINUTES,
                Double.isNaN(errors) ? null : errors,
                minutes.stream().map(Work::delivered).toList(),
                minutes.stream().map(Work::failed).toList());
    }

    Series series(String name, Duration period) {
        if (period.compareTo(Duration.ofMinutes(1)) < 0) {
            throw Parameters.refused("period", "is less than a minute; give 1m to 24h");
        }
        database.requireReady();
        if (queries.run("looking for subscription " + name, t -> t.list(FIND, Map.of("name", name), row -> 1))
                .isEmpty()) {
            throw Problem.of(ProblemType.NOT_FOUND, "there is no subscription '" + name + "'")
                    .asException();
        }
        return Series.of(Objects.requireNonNull(
                rollups.minutes(List.of(name), rollups.now(), period).get(name)));
    }
}
