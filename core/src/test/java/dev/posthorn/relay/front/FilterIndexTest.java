package dev.posthorn.relay.front;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.Event;
import dev.posthorn.log.Filter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Who wants an event: the same as by asking each filter, without asking each. */
class FilterIndexTest {

    private static final int OTHERS = 10_000;
    private static final String LONG = "z".repeat(3_000);
    private static final List<String> PIECES = List.of(
            "a",
            "b",
            "ab",
            "ba",
            ".",
            "..",
            " ",
            "order",
            "order.created",
            "x_%",
            "\\",
            "(a|b)+",
            "[^a]?",
            "$",
            "ü",
            "u\u0308",
            "😀",
            "😁",
            LONG);
    private static final List<String> NAMES = List.of("tenant", "Tenant", "a'b", "x_%", "a", "a=b");
    private static final List<String> VALUES = List.of("7", "07", "", " ", "b=c", "c", "*", "null", "ü", "😀", LONG);

    private static final Event ORDER =
            event("order.created", "order", "shop.eu", Map.of("tenant", "7", "region", "eu", "zone", "a"));

    private final SplittableRandom random = new SplittableRandom(11);
    private final FilterIndex<Integer> index = new FilterIndex<>();

    @Test
    void findsWhomTheFiltersWouldFindWhileSomeComeAndSomeGo() {
        findsTheSame(new FilterIndex<>(), 20_000);
    }

    @Test
    void findsThemNoMatterHowOftenTheirWaysChange() {
        findsTheSame(new FilterIndex<>(2), 5_000);
    }

    private void findsTheSame(FilterIndex<Integer> index, int looks) {
        List<Wish> wishes = new ArrayList<>();
        Set<Wish> known = new HashSet<>();
        long matching = 0;
        long candidates = 0;
        long kept = 0;
        for (int i = 0; i < looks; i++) {
            add(index, known, wishes, new Wish(anyFilter(), 1_000 + random.nextInt(200)));
            if (wishes.size() > 80 + random.nextInt(60)) {
                Wish gone = takeAny(wishes);
                known.remove(gone);
                index.remove(gone.filter(), gone.who());
                index.remove(gone.filter(), gone.who());
            }
            assertThat(index.size()).isEqualTo(wishes.size());
            Event event = anyEvent();
            List<Integer> wanting = wishes.stream()
                    .filter(wish -> wish.filter().wants(event))
                    .map(Wish::who)
                    .toList();
            assertThat(new HashSet<>(found(index, event))).as("%s", event).isEqualTo(new HashSet<>(wanting));
            matching += wanting.size();
            candidates += index.candidates(event);
            kept += wishes.size();
        }
        assertThat(matching).as("in %d looks", looks).isGreaterThan(5L * looks);
        assertThat(candidates).as("held against, %d of which want it", matching).isLessThan(3 * matching);
        assertThat(candidates).as("of %d", kept).isLessThan(kept / 3);
        wishes.forEach(wish -> index.remove(wish.filter(), wish.who()));
        assertThat(index.isEmpty()).isTrue();
        assertThat(index.places()).isZero();
    }

    private static void add(FilterIndex<Integer> index, Set<Wish> known, List<Wish> wishes, Wish wish) {
        if (known.add(wish)) {
            wishes.add(wish);
        }
        index.add(wish.filter(), wish.who());
    }

    private Wish takeAny(List<Wish> wishes) {
        int at = random.nextInt(wishes.size());
        Wish last = wishes.remove(wishes.size() - 1);
        return at == wishes.size() ? last : wishes.set(at, last);
    }

    @Test
    void whoIsFoundBySeveralPatternsOrSeveralFiltersIsToldOnce() {
        Filter filter = Filter.types("order.created", "order.*", "o*", "*created", "*", "o*d", "*r*", "order.*");
        index.add(filter, 1_001);
        index.add(filter, 1_001);
        index.add(Filter.ALL, 1_001);
        index.add(Filter.ALL.sources("shop.*", "*.eu").header("tenant", "7"), 1_001);
        index.add(Filter.types("order.created", "o*", "*d", "o*d"), 1_001);
        index.add(filter, 1_002);

        assertThat(index.candidates(ORDER)).isEqualTo(4);
        assertThat(found(ORDER)).containsExactlyInAnyOrder(1_001, 1_002);
        index.remove(filter, 1_001);
        assertThat(found(ORDER)).containsExactlyInAnyOrder(1_001, 1_002);
        index.remove(filter, 1_002);
        assertThat(found(ORDER)).containsExactly(1_001);
    }

    @Test
    void allIsFoundByEveryEventAndNoneByNoEvent() {
        index.add(Filter.ALL, 1);
        index.add(Filter.NONE, 2);
        assertThat(found(ORDER)).containsExactly(1);
        assertThat(found(event("x", null, "y", Map.of()))).containsExactly(1);
        assertThat(index.candidates(ORDER)).isEqualTo(1);
    }

    @Test
    void anyAggregateTypeIsMoreThanNone() {
        index.add(Filter.ALL.aggregateTypes("*"), 1);
        assertThat(found(ORDER)).containsExactly(1);
        assertThat(found(event("order.created", null, "shop.eu", Map.of()))).isEmpty();
    }

    @Test
    void beginningsWithinBeginningsAreAllFound() {
        String type = "a.b.c.d.e";
        for (int length = 0; length <= type.length(); length++) {
            index.add(Filter.types(type.substring(0, length) + "*"), length);
            index.add(Filter.types("*" + type.substring(length)), 100 + length);
            index.add(Filter.types(type.substring(0, length) + "!*"), 200 + length);
            index.add(Filter.types(type.substring(0, length) + "~*"), 300 + length);
        }
        List<Integer> all = found(event(type, null, "test", Map.of()));
        assertThat(all)
                .containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(0, type.length())
                        .boxed()
                        .flatMap(length -> Stream.of(length, 100 + length))
                        .toList());
    }

    @Test
    void tenThousandOthersWithOtherWishesAreNotAsked() {
        List<IntFunction<Filter>> others = List.of(
                i -> Filter.types("order.other-" + i),
                i -> Filter.types("order.created." + i, "a" + i),
                i -> Filter.types("order.created-" + i + "*"),
                i -> Filter.types("order." + i + "*", "order.d" + i + ".*"),
                i -> Filter.types("other-" + i + "*x*y"),
                i -> Filter.types("*-" + i),
                i -> Filter.types("*.a*-" + i),
                i -> Filter.types("order.*.created-" + i),
                i -> Filter.types("order.*").sources("shop-" + i),
                i -> Filter.types("*").sources("shop.eu." + i + "*"),
                i -> Filter.types("*r*").aggregateTypes("order-" + i),
                i -> Filter.ALL.sources("shop." + i + ".eu", "*-" + i),
                i -> Filter.ALL.aggregateTypes("order" + i + "*"),
                i -> Filter.ALL.header("tenant", "t" + i),
                i -> Filter.ALL.header("tenant", "t" + i).header("region", "eu").header("zone", "a"),
                i -> Filter.types("order.created").sources("shop.eu").header("tenant", "t" + i),
                i -> Filter.types("order.*", "*").header("region", "eu").header("x", "7"),
                i -> Filter.NONE);
        for (IntFunction<Filter> other : others) {
            FilterIndex<Integer> crowded = new FilterIndex<>();
            addOwn(crowded);
            int before = crowded.candidates(ORDER);
            int places = crowded.places();
            for (int i = 0; i < OTHERS; i++) {
                crowded.add(other.apply(i), i);
            }
            // What came before a place was busy stays where it is: one for each other condition of the filter.
            assertThat(crowded.candidates(ORDER)).as("%s", other.apply(7)).isBetween(before, before + 3);
            assertThat(found(crowded, ORDER)).containsExactlyInAnyOrder(-1, -2, -3, -4, -5);
            for (int i = 0; i < OTHERS; i++) {
                crowded.remove(other.apply(i), i);
            }
            assertThat(crowded.candidates(ORDER)).isEqualTo(before);
            assertThat(crowded.places()).isEqualTo(places);
        }
    }

    private static void addOwn(FilterIndex<Integer> index) {
        index.add(Filter.types("order.created"), -1);
        index.add(Filter.types("order.*").header("tenant", "7"), -2);
        index.add(Filter.ALL, -3);
        index.add(Filter.ALL.sources("*.eu"), -4);
        index.add(Filter.types("o*d", "*"), -5);
    }

    @Test
    void thoseOfOneTenantAreFoundByTheTenant() {
        for (int tenant = 0; tenant < OTHERS; tenant++) {
            Filter filter =
                    Filter.types("order.*", "invoice.*").sources("shop.*").header("region", "eu");
            index.add(filter.header("tenant", "" + tenant), tenant);
        }
        assertThat(found(ORDER)).containsExactly(7);
        assertThat(index.candidates(ORDER)).isLessThan(5);
        Event other = event("order.created", null, "shop.eu", Map.of("tenant", "none", "region", "eu"));
        assertThat(found(other)).isEmpty();
        assertThat(index.candidates(other)).isLessThan(5);
    }

    /** Three of twenty types each, of one source: few places, and all events come by that of the source. */
    @Test
    void whoIsFoundInVainTooOftenIsFoundByAnotherCondition() {
        for (int i = 0; i < 1_140; i++) {
            String[] types = {"order-" + i % 20, "order-" + i / 20 % 20, "order-" + i / 400};
            index.add(Filter.types(types).sources("shop.eu"), i);
        }
        assertThat(index.candidates(ORDER)).isGreaterThan(100);
        for (int i = 0; i < 1_100; i++) {
            assertThat(found(ORDER)).isEmpty();
        }
        assertThat(index.candidates(ORDER)).isZero();
        Event wanted = event("order-7", null, "shop.eu", Map.of());
        assertThat(index.candidates(wanted)).isEqualTo(found(wanted).size());
        int places = index.places();
        for (int i = 0; i < 3_000; i++) {
            found(ORDER);
            found(wanted);
        }
        assertThat(index.places()).isEqualTo(places);
    }

    @Test
    void equalFiltersAreAskedOnce() {
        for (int who = 0; who < OTHERS; who++) {
            index.add(Filter.types("o*d").header("tenant", "7"), who);
        }
        assertThat(index.candidates(ORDER)).isEqualTo(1);
        assertThat(index.size()).isEqualTo(OTHERS);
        assertThat(found(ORDER)).hasSize(OTHERS).doesNotHaveDuplicates();
    }

    @Test
    void theOrderFollowsFromWhatWasAddedAndNotFromAnEventsMap() {
        Map<String, String> headers = new LinkedHashMap<>();
        Map<String, String> backwards = new LinkedHashMap<>();
        for (int i = 0; i < 20; i++) {
            headers.put("h" + i, "x");
            backwards.put("h" + (19 - i), "x");
            index.add(Filter.ALL.header("h" + i, "x"), i);
        }
        List<Integer> order = found(event("a", null, "b", headers));
        assertThat(order).hasSize(20);
        assertThat(found(event("a", null, "b", backwards))).isEqualTo(order);
    }

    @Test
    void whoIsToldMayAddAndRemoveAndLook() {
        index.add(Filter.ALL, 1);
        index.add(Filter.ALL, 2);
        index.add(Filter.types("order.*"), 3);
        List<Integer> told = new ArrayList<>();
        index.forEach(ORDER, who -> {
            told.add(who);
            index.remove(Filter.ALL, who);
            index.add(Filter.types("o*"), who + 10);
            assertThat(found(ORDER)).contains(who + 10);
        });
        assertThat(told).containsExactlyInAnyOrder(1, 2, 3);
        assertThat(found(ORDER)).containsExactlyInAnyOrder(3, 11, 12, 13);
    }

    @Test
    void whatIsNotThereIsNotRemoved() {
        index.add(Filter.ALL, 1);
        index.remove(Filter.ALL, 2);
        index.remove(Filter.NONE, 1);
        assertThat(index.size()).isEqualTo(1);
        assertThat(found(ORDER)).containsExactly(1);
    }

    private record Wish(Filter filter, Integer who) {}

    private List<Integer> found(Event event) {
        return found(index, event);
    }

    /** As told, twice if anybody is told twice. */
    private static List<Integer> found(FilterIndex<Integer> index, Event event) {
        List<Integer> found = new ArrayList<>();
        index.forEach(event, found::add);
        assertThat(new LinkedHashSet<>(found)).as("each once").hasSameSizeAs(found);
        return found;
    }

    private Filter anyFilter() {
        return switch (random.nextInt(20)) {
            case 0 -> Filter.ALL;
            case 1 -> Filter.NONE;
            default -> new Filter(anyPatterns(), anyPatterns(), anyPatterns(), anyHeaders(2));
        };
    }

    private List<String> anyPatterns() {
        int most = random.nextInt(4);
        return random.nextInt(2) > 0
                ? List.of()
                : Stream.generate(this::anyPattern).limit(1 + most).toList();
    }

    private String anyPattern() {
        StringBuilder pattern = new StringBuilder();
        for (int i = random.nextInt(4); i >= 0; i--) {
            pattern.append(random.nextInt(3) == 0 ? "*" : anyPiece());
        }
        return pattern.toString().isBlank() ? "*" : pattern.toString();
    }

    /** More than an event may have that is recorded: an index may not depend on it. */
    private Event anyEvent() {
        return event(anyText(), random.nextBoolean() ? anyText() : null, anyText(), anyHeaders(4));
    }

    private String anyText() {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(5); i > 0; i--) {
            text.append(random.nextInt(40) == 0 ? any(List.of("*", "\uD83D", "\uDE00", "\u0000")) : anyPiece());
        }
        return text.toString();
    }

    /** Few pieces more often than not, so that patterns meet texts. */
    private String anyPiece() {
        return any(random.nextInt(3) > 0 ? PIECES.subList(0, 4) : PIECES);
    }

    private Map<String, String> anyHeaders(int most) {
        Map<String, String> headers = new LinkedHashMap<>();
        for (int i = random.nextInt(most + 1); i > 0; i--) {
            headers.put(any(NAMES), any(random.nextBoolean() ? VALUES.subList(0, 2) : VALUES));
        }
        return headers;
    }

    private String any(List<String> texts) {
        return texts.get(random.nextInt(texts.size()));
    }

    private static Event event(
            String type, @Nullable String aggregateType, String source, Map<String, String> headers) {
        UUID id = new UUID(0, 7);
        return new Event(id, null, source, type, 1, aggregateType, null, Event.JSON, new byte[0], headers, null, null);
    }
}
