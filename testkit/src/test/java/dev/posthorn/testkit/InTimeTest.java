package dev.posthorn.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class InTimeTest {

    @Test
    void aBoundThatHoldsInOneTryHolds() {
        Iterator<List<String>> tries =
                List.of(List.of("slow"), List.<String>of()).iterator();
        assertThatCode(() -> InTime.once(tries::next)).doesNotThrowAnyException();
        assertThat(tries).isExhausted();
    }

    @Test
    void whatIsLateEveryTimeIsToldOfEachTry() {
        Iterator<List<String>> tries =
                List.of(List.of("6 s"), List.of("7 s", "8 s"), List.of("9 s")).iterator();
        assertThatThrownBy(() -> InTime.once(tries::next))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("try 1: 6 s")
                .hasMessageContaining("try 2: 7 s; 8 s")
                .hasMessageContaining("try 3: 9 s");
    }

    @Test
    void whatIsNotAboutTimeIsNeverTriedAgain() {
        AtomicInteger tries = new AtomicInteger();
        assertThatThrownBy(() -> InTime.once(() -> {
                    tries.incrementAndGet();
                    throw new AssertionError("an event is lost");
                }))
                .hasMessage("an event is lost");
        assertThat(tries).hasValue(1);
    }
}
