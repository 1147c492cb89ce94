package dev.posthorn.relay.budget;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DeliveriesTest {

    private final Deliveries deliveries = new Deliveries(10);
    private final List<String> given = new ArrayList<>();

    private void take(int some) {
        IntStream.range(0, some)
                .forEach(i -> assertThat(deliveries.take(0, null)).isTrue());
    }

    private boolean standInLine(int own, String who) {
        return !deliveries.take(own, () -> {
            given.add(who);
            return 0;
        });
    }

    @Test
    void oneThatHangsTakesNoMoreThanHalfOfTheSlots() {
        take(4);
        assertThat(deliveries.take(4, null)).isTrue();
        assertThat(deliveries.take(5, null)).isFalse();
        take(5);
        assertThat(deliveries.take(0, null)).as("of a lane that has none").isFalse();
    }

    @Test
    void whoWaitsIsGivenASlotInItsTurn() {
        take(10);
        assertThat(standInLine(0, "a")).isTrue();
        assertThat(standInLine(0, "b")).isTrue();
        deliveries.giveBack(1);
        assertThat(given).containsExactly("a");
        assertThat(deliveries.take(0, null)).as("the slot is taken").isFalse();
        deliveries.giveBack(1);
        assertThat(given).containsExactly("a", "b");
        assertThat(deliveries.areAwaited()).isFalse();
    }

    @Test
    void whatIsTriedTakesASlotFromNobody() {
        Slots hanging = new Slots(deliveries, () -> {});
        for (int i = 0; i < 1_000; i++) {
            assertThat(hanging.use(false)).isFalse();
        }
        assertThat(hanging.triesLeft(1_000)).isZero();
        assertThat(new Slots(deliveries, () -> {}).triesLeft(0))
                .as("the first of a lane")
                .isOne();
        take(10);
        hanging.giveBackAll();
        assertThat(deliveries.triesLeft()).isEqualTo(2);
        assertThat(deliveries.take(0, null)).isFalse();
    }

    @Test
    void slotsOfWhoHasEndedGoToTheNextHoweverManyThereAre() {
        take(10);
        for (int i = 0; i < 20_000; i++) {
            Slots ended = new Slots(deliveries, () -> {});
            assertThat(ended.isLeft(0)).isFalse();
            ended.end();
        }
        standInLine(0, "who is there");
        deliveries.giveBack(1);
        assertThat(given).containsExactly("who is there");
    }

    @Test
    void aSlotThatIsGivenIsUsedInTheNextStepOrPutDown() {
        List<String> signals = new ArrayList<>();
        take(10);
        Slots slots = new Slots(deliveries, () -> signals.add("given"));
        assertThat(slots.isLeft(0)).isFalse();
        assertThat(slots.areAwaited()).isTrue();
        deliveries.giveBack(1);
        assertThat(signals).hasSize(1);
        slots.takeGiven();
        assertThat(slots.use(true)).isTrue();
        slots.end(true);
        slots.putDown();
        take(1);
        assertThat(deliveries.take(0, null)).isFalse();
    }

    @Test
    void whoHasSomeUnderWayIsGivenNoneWhileHalfOfTheSlotsAreTaken() {
        take(10);
        standInLine(3, "one with three");
        standInLine(0, "one with none");
        deliveries.giveBack(5);
        assertThat(given).containsExactly("one with none");
        deliveries.giveBack(2);
        assertThat(given).containsExactly("one with none", "one with three");
    }

    @Test
    void whoWaitedIsGivenOneSlot() {
        take(10);
        standInLine(0, "a");
        deliveries.giveBack(2);
        deliveries.giveBack(2);
        assertThat(given).containsExactly("a");
    }
}
