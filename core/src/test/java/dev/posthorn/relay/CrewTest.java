package dev.posthorn.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.log.SchemaName;
import dev.posthorn.log.Session;
import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.relay.front.Front;
import dev.posthorn.relay.lane.Lane;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Lanes are stepped when they have something to do, and cost nothing else. */
class CrewTest {

    private static final long HOUR = Duration.ofHours(1).toNanos();

    private final Instances instances = new Instances(RecordingSink.oneAtATime());
    private final List<Lane> stepped = new ArrayList<>();
    private final List<Lane> failed = new ArrayList<>();

    /** What each lane does in its next step. */
    private final Map<Lane, Runnable> acts = new HashMap<>();

    private final Map<Lane, Long> pauses = new HashMap<>();

    private boolean frontIsBroken;
    private int frontsFailed;

    private final Crew crew = new Crew(front(), some -> {}, instances.clock, new Stepping() {
        @Override
        public long step(Lane lane) {
            stepped.add(lane);
            Runnable act = acts.remove(lane);
            if (act != null) {
                act.run();
            }
            return pauses.getOrDefault(lane, HOUR);
        }

        @Override
        public void step(Front front) {
            if (frontIsBroken) {
                throw new IllegalStateException("a bug");
            }
            front.step();
        }

        @Override
        public void failed(Throwable bug) {
            frontsFailed++;
        }

        @Override
        public void failed(Lane lane, Throwable bug) {
            failed.add(lane);
        }
    });

    /** Nobody rides on it: these lanes belong to another crew. */
    private Front front() {
        return Worker.front(new Session(instances.database.dataSource(), SchemaName.DEFAULT), instances.clock);
    }

    private List<Lane> hired(int count) {
        List<Lane> lanes = instances.start("a", count).lanes();
        lanes.forEach(crew::add);
        var unused = crew.step();
        assertThat(stepped).containsExactlyElementsOf(lanes);
        stepped.clear();
        return lanes;
    }

    private List<Lane> step() {
        stepped.clear();
        var unused = crew.step();
        return List.copyOf(stepped);
    }

    @Test
    void signalledLanesAreSteppedOnceInTheOrderOfTheirSignals() {
        List<Lane> lanes = hired(3);
        assertThat(step()).isEmpty();
        lanes.get(2).wake();
        lanes.get(0).tend();
        lanes.get(2).order(lanes.get(2).orders().leaving());
        assertThat(step()).containsExactly(lanes.get(2), lanes.get(0));
        assertThat(step()).isEmpty();
    }

    @Test
    void aLaneIsSteppedWhenTheTimeHasComeThatItNamedLast() {
        List<Lane> lanes = hired(2);
        pauses.put(lanes.get(1), Duration.ofMillis(30).toNanos());
        lanes.get(1).wake();
        assertThat(step()).containsExactly(lanes.get(1));
        instances.clock.advance(Duration.ofMillis(29));
        assertThat(step()).isEmpty();
        assertThat(crew.step()).isEqualTo(Duration.ofMillis(1).toNanos());
        pauses.put(lanes.get(1), HOUR);
        instances.clock.advance(Duration.ofMillis(1));
        assertThat(step()).containsExactly(lanes.get(1));
        instances.clock.advance(Duration.ofMillis(30));
        assertThat(step()).as("it named another").isEmpty();
        assertThat(crew.step()).isEqualTo(Duration.ofSeconds(1).toNanos());
    }

    /** The step may have looked already at what the signal is about. */
    @Test
    void aLaneThatIsSignalledDuringItsStepIsSteppedAgain() {
        Lane lane = hired(1).get(0);
        acts.put(lane, lane::wake);
        lane.wake();
        stepped.clear();
        assertThat(crew.step()).as("at once").isZero();
        assertThat(stepped).as("others come first").hasSize(1);
        assertThat(step()).containsExactly(lane);
        assertThat(step()).isEmpty();
    }

    @Test
    void whoSignalsIsHeardByWhoeverNaps() {
        List<String> heard = new ArrayList<>();
        crew.onSignal(() -> heard.add("signal"));
        Lane lane = hired(1).get(0);
        heard.clear();
        lane.wake();
        lane.wake();
        assertThat(heard).as("the second says nothing new").hasSize(1);
    }

    /** Those ask the database, each for itself: a pass of many takes long. */
    @Test
    void whoRidesWaitsForOneOfTheOthersAtMost() {
        SteppedRelay relay = new Instances(RecordingSink.oneAtATime()).start("rider", 1);
        relay.run(10);
        Lane rider = relay.lanes().get(0);
        assertThat(rider.isRiding()).isTrue();
        List<Lane> others = hired(3);
        crew.add(rider);
        var unused = crew.step();
        others.forEach(Lane::wake);
        acts.put(others.get(0), rider::wake);
        assertThat(step()).containsExactly(others.get(0), rider, others.get(1), others.get(2));
    }

    @Test
    void aLaneWhoseStepFailsIsSteppedAgainInASecondAndKeepsNobodyBack() {
        List<Lane> lanes = hired(2);
        acts.put(lanes.get(0), () -> {
            throw new IllegalStateException("a bug");
        });
        lanes.forEach(Lane::wake);
        assertThat(step()).containsExactlyElementsOf(lanes);
        assertThat(failed).containsExactly(lanes.get(0));
        instances.clock.advance(Duration.ofSeconds(1));
        assertThat(step()).containsExactly(lanes.get(0));
    }

    @Test
    void aFrontWhoseStepFailsKeepsNoLaneBack() {
        List<Lane> lanes = hired(2);
        frontIsBroken = true;
        lanes.get(1).wake();
        assertThat(step()).containsExactly(lanes.get(1));
        assertThat(frontsFailed).isOne();
    }

    /** Nobody else would see that an answer is overdue, or that the lane must not send any more. */
    @Test
    void whileOneLaneSeesWhetherTheDatabaseIsBackTheOthersHearTheirAnswers() {
        instances.sink.hold();
        SteppedRelay relay = instances.start("a", 2);
        relay.run(3);
        IntStream.range(0, 20).forEach(i -> instances.database.record("k" + i));
        relay.run(3);
        assertThat(instances.sink.waiting()).hasSize(20);
        Crew away = new Crew(
                front(),
                some -> {
                    throw new PosthornException(ErrorCode.DATABASE, "away");
                },
                instances.clock,
                lane -> HOUR);
        relay.lanes().forEach(away::add);
        relay.close();
        instances.sink.answerAll();
        var unused = away.step();
        assertThat(relay.lanes().stream().map(lane -> lane.counters().delivered() > 0))
                .as("the one that tries was not really stepped")
                .containsExactlyInAnyOrder(false, true);
    }

    @Test
    void whileTheDatabaseIsAwayItIsTriedForAllAtOnceAndNotByEachInItsTime() {
        List<Lane> lanes = instances.start("a", 5).lanes();
        int[] tries = {0};
        Crew away = new Crew(
                front(),
                some -> {
                    tries[0]++;
                    throw new PosthornException(ErrorCode.DATABASE, "away");
                },
                instances.clock,
                lane -> {
                    tries[0]++;
                    return Duration.ofMillis(50).toNanos();
                });
        lanes.forEach(away::add);
        for (int i = 0; i < 1_000; i++) {
            var unused = away.step();
            instances.clock.advance(Duration.ofMillis(2));
        }
        assertThat(tries[0]).as("in two seconds, one for all and one by a lane").isBetween(20, 80);
    }

    /** What is read ahead for all of them would be too old when the last ones begin. */
    @Test
    void ofManyLanesSomeAtATimeAreLookedForRightBeforeTheyBegin() {
        List<Lane> lanes = instances.start("a", 130).lanes();
        List<String> order = new ArrayList<>();
        Crew own = new Crew(front(), some -> order.add("look for " + some.size()), instances.clock, new Stepping() {
            @Override
            public long step(Lane lane) {
                order.add("begin");
                return HOUR;
            }

            @Override
            public void step(Front front) {
                order.add("front");
            }
        });
        lanes.forEach(own::add);
        var unused = own.step();
        assertThat(order).startsWith("front", "look for 100", "front", "begin", "begin");
        assertThat(order.subList(103, 106)).containsExactly("look for 30", "front", "begin");
        assertThat(order).hasSize(130 + 5);
    }

    @Test
    void lanesBeginByThemselvesWhenReadingAheadEndsInAnErrorNobodyExpected() {
        List<Lane> lanes = instances.start("a", 2).lanes();
        List<Lane> begun = new ArrayList<>();
        Crew own = new Crew(
                front(),
                some -> {
                    throw new OutOfMemoryError("not really");
                },
                instances.clock,
                lane -> {
                    begun.add(lane);
                    return HOUR;
                });
        lanes.forEach(own::add);
        var unused = own.step();
        assertThat(begun).containsExactlyElementsOf(lanes);
    }

    @Test
    void anEndedLaneLeaves() {
        SteppedRelay relay = instances.start("a", 2);
        Crew own = new Crew(front(), some -> {}, instances.clock, Lane::step);
        relay.lanes().forEach(own::add);
        assertThat(own.load()).isEqualTo(2);
        relay.lanes().get(0).lose();
        var unused = own.step();
        assertThat(own.lanes()).containsExactly(relay.lanes().get(1));
        assertThat(own.load()).isEqualTo(1);
    }
}
