package dev.posthorn.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.demo.Books.Entry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class VerdictTest {

    private final UUID order = UUID.randomUUID();
    private final Map<UUID, Long> orders = new HashMap<>(Map.of(order, 150L));
    private final List<Entry> entries = new ArrayList<>();
    private final Map<UUID, List<Long>> acknowledged = new HashMap<>(Map.of(order, List.of(100L, 150L)));

    @Test
    void anOrderAndItsChangeBookedOnceAreRight() {
        book(UUID.randomUUID(), 100, 100);
        book(UUID.randomUUID(), 50, 150);

        assertThat(faults()).isEmpty();
    }

    @Test
    void aChangeWhoseAcknowledgementWasLostMayBeBooked() {
        book(UUID.randomUUID(), 100, 100);
        book(UUID.randomUUID(), -30, 70);
        book(UUID.randomUUID(), 80, 150);

        assertThat(faults()).isEmpty();
    }

    @Test
    void anEventThatIsBookedTwiceIsAFault() {
        UUID placed = UUID.randomUUID();
        book(placed, 100, 100);
        book(placed, 100, 100);
        book(UUID.randomUUID(), 50, 150);

        assertThat(faults())
                .anyMatch(fault -> fault.startsWith("1 events are not booked exactly once"))
                .anyMatch(fault -> fault.startsWith("1 orders are booked with another amount"));
    }

    @Test
    void changesInTheWrongOrderAreAFaultEvenIfTheSumIsRight() {
        book(UUID.randomUUID(), 50, 150);
        book(UUID.randomUUID(), 100, 100);

        assertThat(faults())
                .anyMatch(fault -> fault.startsWith("1 orders have changes booked out of order"))
                .noneMatch(fault -> fault.contains("another amount"));
    }

    @Test
    void aMissingChangeIsAFault() {
        book(UUID.randomUUID(), 100, 100);

        assertThat(faults())
                .anyMatch(fault -> fault.startsWith("1 orders are booked with another amount"))
                .anyMatch(fault -> fault.startsWith("1 orders lack a change"));
    }

    @Test
    void anOrderThatIsNotBookedIsAFaultEvenIfItWasNeverAcknowledged() {
        acknowledged.clear();

        assertThat(faults()).containsExactly("1 orders are not booked, such as " + order);
    }

    @Test
    void aBookedOrderThatDoesNotExistIsAFault() {
        book(UUID.randomUUID(), 150, 150);
        acknowledged.clear();
        orders.clear();
        orders.put(UUID.randomUUID(), 1L);

        assertThat(faults()).contains("1 orders are booked that do not exist, such as " + order);
    }

    @Test
    void anAcknowledgedOrderThatIsGoneIsAFault() {
        UUID lost = UUID.randomUUID();
        acknowledged.put(lost, List.of(1L));
        book(UUID.randomUUID(), 100, 100);
        book(UUID.randomUUID(), 50, 150);

        assertThat(faults()).contains("1 acknowledged orders are not in the database, such as " + lost);
    }

    @Test
    void aBookingThatDoesNotSumToZeroIsAFault() {
        UUID placed = UUID.randomUUID();
        entries.add(new Entry(placed, order, "customer a", 150, 150));
        entries.add(new Entry(placed, order, "revenue", -149, 150));
        acknowledged.clear();

        assertThat(faults()).containsExactly("1 bookings do not sum to zero, such as " + placed);
    }

    @Test
    void troubleOnTheWayAndAnEmptyRunAreFaults() {
        Verdict verdict = Verdict.of(new Books(Map.of(), List.of()), Map.of(), List.of("orders ended by itself"));

        assertThat(verdict.faults())
                .containsExactly("orders ended by itself", "nothing was ordered, so nothing was shown");
    }

    private void book(UUID event, long amount, long orderAmount) {
        entries.add(new Entry(event, order, "customer a", amount, orderAmount));
        entries.add(new Entry(event, order, "revenue", -amount, orderAmount));
    }

    private List<String> faults() {
        return Verdict.of(new Books(orders, entries), acknowledged, List.of()).faults();
    }
}
