package dev.posthorn.benchmarks.subscriptions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What is waited for, and what is said when it does not come. */
class DeliveriesTest {

    private static final Duration NO_TIME = Duration.ZERO;

    private final Deliveries two = new Deliveries("two events", 10, 2, 3, Wish.EVERYBODY);

    @Test
    void allAreThereOnceEachOfThemCameToEverybody() {
        for (int subscription = 0; subscription < 3; subscription++) {
            two.received(10, subscription, 100 + subscription);
            two.received(11, subscription, 200 + subscription);
        }

        assertThatCode(() -> two.await(NO_TIME)).doesNotThrowAnyException();
        assertThat(two.firstAt()).isEqualTo(100);
        assertThat(two.lastAt()).isEqualTo(202);
        assertThat(two.eventOf(5)).isEqualTo(1);
        assertThat(two.at(5)).isEqualTo(202);
    }

    @Test
    void howManyAreMissingIsTold() {
        two.received(10, 0, 100);
        two.received(11, 0, 100);

        assertThatThrownBy(() -> two.await(NO_TIME)).hasMessage("two events: 4 of 6 deliveries are missing after 0 s");
    }

    @Test
    void theSameAgainToTheSameSubscriptionDoesNotCount() {
        for (int i = 0; i < 6; i++) {
            two.received(10, 0, 100);
        }

        assertThatThrownBy(() -> two.await(NO_TIME)).hasMessageContaining("5 of 6");
    }

    @Test
    void anEventOfAnotherPhaseDoesNotCount() {
        two.received(9, 0, 100);
        two.received(12, 0, 100);

        assertThatThrownBy(() -> two.await(NO_TIME)).hasMessageContaining("6 of 6");
    }

    @Test
    void oneThatComesToWhoDoesNotWantItIsAFault() {
        Deliveries one = new Deliveries("an event for s-1", 0, 1, 1, (event, subscription) -> subscription == 1);
        one.received(0, 1, 100);
        one.received(0, 2, 100);

        assertThatThrownBy(() -> one.await(NO_TIME)).hasMessageContaining("came to subscription 2");
    }
}
