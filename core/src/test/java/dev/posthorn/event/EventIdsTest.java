package dev.posthorn.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventIdsTest {

    private static final String UUID_TEXT = "0b0e7a5e-35f5-4a6f-9c3a-2f7f6f1d2c3b";

    @Test
    void aGivenUuidIsTakenAsItIs() {
        UUID id = UUID.fromString(UUID_TEXT);
        assertThat(event("shop", UUID_TEXT).id()).isEqualTo(id);
        assertThat(event("shop", UUID_TEXT).sourceId()).isNull();
        assertThat(event("shop", UUID_TEXT.toUpperCase(Locale.ROOT)).id()).isEqualTo(id);
        assertThat(Event.builder()
                        .source("s")
                        .type("t")
                        .json("{}")
                        .id(id)
                        .build()
                        .id())
                .isEqualTo(id);
    }

    @Test
    void anyOtherIdIsKeptBesideAUuidMadeOfItAndItsSource() {
        Event event = event("shop", "order-7/placed");

        assertThat(event.sourceId()).isEqualTo("order-7/placed");
        assertThat(event.id()).isEqualTo(event("shop", "order-7/placed").id());
        assertThat(event.id()).isNotEqualTo(event("billing", "order-7/placed").id());
        assertThat(event.id()).isNotEqualTo(event("shop", "order-8/placed").id());
        assertThat(event.id().version()).isEqualTo(5);
        assertThat(event.id().variant()).isEqualTo(2);
    }

    /** CloudEvents compares ids as texts, so they go out as they came. */
    @Test
    void aUuidInCapitalsIsTheSameUuidAndStaysAsItWasWritten() {
        String capitals = UUID_TEXT.toUpperCase(Locale.ROOT);

        assertThat(event("shop", capitals).id()).hasToString(UUID_TEXT);
        assertThat(event("shop", capitals).givenId()).isEqualTo(capitals);
        assertThat(event("shop", UUID_TEXT).givenId()).isEqualTo(UUID_TEXT);
        assertThat(event("shop", "order-7").givenId()).isEqualTo("order-7");
    }

    @Test
    void noSourceCanUseUpTheUuidsThatAreMadeOfTheIdsOfAnother() {
        UUID others = event("billing", "b-1").id();
        Event claiming = event("shop", others.toString());

        assertThat(claiming.id()).isEqualTo(EventIds.named("shop", others.toString()));
        assertThat(claiming.givenId()).isEqualTo(others.toString());
    }

    @Test
    void underItsSourceAnEventHasAnotherUuidAndIsOtherwiseTheSame() {
        Event event = event("shop", UUID_TEXT).underItsSource();

        assertThat(event.id()).isEqualTo(EventIds.named("shop", UUID_TEXT));
        assertThat(event.givenId()).isEqualTo(UUID_TEXT);
        assertThat(event.payload()).isEqualTo(event("shop", UUID_TEXT).payload());
        assertThat(event("shop", "b-1").underItsSource().givenId()).isEqualTo("b-1");
    }

    /** Java reads the first three, all as one and the same UUID: three events would have had one id. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "1-00000002-0003-0004-000000000000005",
                "000000001-0002-0003-0004-00000000005",
                "00000001-0002-0003-00004-00000000005",
                "zzzzzzzz-0002-0003-0004-000000000005"
            })
    void whatOnlyLooksLikeAUuidIsAnIdOfTheSourcesOwnMaking(String id) {
        assertThat(event("shop", id).sourceId()).isEqualTo(id);
    }

    @Test
    void theBorderBetweenSourceAndIdCounts() {
        assertThat(EventIds.named("ab", "c")).isNotEqualTo(EventIds.named("a", "bc"));
    }

    /** Whoever stored such an id must find it again with the next release. */
    @Test
    void theUuidOfAnIdIsTheSameInEveryRelease() {
        assertThat(EventIds.named("shop", "order-7")).hasToString("2cd05d94-f32b-5843-a85a-35eda5664ea6");
    }

    @Test
    void theLastIdThatWasGivenCounts() {
        Event.Builder builder = Event.builder().source("s").type("t").json("{}");
        assertThat(builder.id("own").id(UUID.fromString(UUID_TEXT)).build().sourceId())
                .isNull();
        assertThat(builder.id("own").build().sourceId()).isEqualTo("own");
        assertThat(builder.id("own").build().id()).isEqualTo(EventIds.named("s", "own"));
    }

    @Test
    void newIdsAreUuidsOfVersionSevenWithTheTimeInFront() {
        long before = System.currentTimeMillis();
        UUID id = EventIds.next();
        long after = System.currentTimeMillis();

        assertThat(id.version()).isEqualTo(7);
        assertThat(id.variant()).isEqualTo(2);
        // Ids of a burst may run ahead of the clock, by one millisecond for each 4,096 of them.
        assertThat(Instant.ofEpochMilli(id.getMostSignificantBits() >>> 16))
                .isBetween(Instant.ofEpochMilli(before), Instant.ofEpochMilli(after + 10_000));
    }

    @Test
    void newIdsAscend() {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            ids.add(EventIds.next().toString());
        }
        assertThat(ids).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void newIdsOfManyThreadsAreUniqueEvenWithoutTheirRandomHalf() throws Exception {
        int threads = 8;
        int each = 20_000;
        CyclicBarrier start = new CyclicBarrier(threads);
        Callable<List<Long>> draw = () -> {
            start.await();
            List<Long> drawn = new ArrayList<>(each);
            for (int i = 0; i < each; i++) {
                drawn.add(EventIds.next().getMostSignificantBits());
            }
            return drawn;
        };
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<List<Long>>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                running.add(pool.submit(draw));
            }
            Set<Long> all = new HashSet<>();
            for (Future<List<Long>> drawn : running) {
                all.addAll(drawn.get());
            }
            assertThat(all).hasSize(threads * each);
        } finally {
            pool.shutdownNow();
        }
    }

    private static Event event(String source, String id) {
        return Event.builder().source(source).type("t").json("{}").id(id).build();
    }
}
