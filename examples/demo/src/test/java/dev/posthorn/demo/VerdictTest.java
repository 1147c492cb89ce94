package dev.posthorn.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class VerdictTest {

    private static final Settings SETTINGS = new Settings(200, null, 2, 100, 4, null);
    private static final Map<String, Long> BOTH = Map.of("relay-1", 2L, "relay-2", 1L);

    private final Ledger ledger = new Ledger();
    private final UUID first = record();
    private final UUID second = record();
    private final UUID third = record();

    @Test
    void allReceivedInOrderIsGood() {
        receive(first, 1);
        receive(second, 2);
        receive(third, 3);

        assertThat(verdict().faults()).isEmpty();
        assertThat(ledger.isComplete()).isTrue();
    }

    @Test
    void anEventMayBeReceivedBeforeItsWriterHearsOfTheCommit() {
        UUID early = UUID.randomUUID();
        receive(first, 1);
        receive(second, 2);
        receive(third, 3);
        receive(early, 4);
        ledger.recorded(early, 0);

        assertThat(verdict().faults()).isEmpty();
    }

    @Test
    void aMissingEventIsAFault() {
        receive(first, 1);
        receive(third, 3);

        assertThat(verdict().faults()).containsExactly("1 recorded events were not received");
        assertThat(ledger.isComplete()).isFalse();
    }

    @Test
    void anEventThatComesAfterALaterOneOfItsKeyIsAFault() {
        receive(first, 1);
        receive(third, 3);
        receive(second, 2);

        assertThat(verdict().faults()).containsExactly("1 events were received out of order of their key");
    }

    @Test
    void otherKeysMayOvertake() {
        ledger.received(third, "customer-2", 3, 0);
        receive(first, 1);
        receive(second, 2);

        assertThat(verdict().faults()).isEmpty();
    }

    @Test
    void aDuplicateIsNotedAndNoFaultEvenIfLaterOnesCameBetween() {
        receive(first, 1);
        receive(second, 2);
        receive(third, 3);
        receive(second, 2);

        Verdict verdict = verdict();
        assertThat(verdict.faults()).isEmpty();
        assertThat(verdict.notes()).singleElement().asString().startsWith("1 events were received more than once");
    }

    @Test
    void anEventOfARolledBackTransactionIsAFault() {
        receive(first, 1);
        receive(second, 2);
        receive(third, 3);
        receive(UUID.randomUUID(), 4);

        assertThat(verdict().faults()).containsExactly("1 received events were never committed");
    }

    @Test
    void anIdleInstanceIsAFaultOnlyIfThereWasWorkForAll() {
        receive(first, 1);
        receive(second, 2);
        receive(third, 3);
        Map<String, Long> idle = Map.of("relay-1", 3L, "relay-2", 0L);

        assertThat(Verdict.of(ledger.tally(), idle, List.of(), SETTINGS).faults())
                .containsExactly("relay-2 delivered nothing (4 lanes and 100 keys for 2 relay processes)");
        Verdict oneLane = Verdict.of(ledger.tally(), idle, List.of(), new Settings(200, null, 2, 100, 1, null));
        assertThat(oneLane.isGood()).isTrue();
        assertThat(oneLane.notes()).hasSize(1);
    }

    @Test
    void troubleOnTheWayAndAnEmptyRunAreFaults() {
        Verdict verdict = Verdict.of(new Ledger().tally(), BOTH, List.of("relay-1 ended by itself"), SETTINGS);

        assertThat(verdict.faults())
                .containsExactly("relay-1 ended by itself", "nothing was recorded, so nothing was shown");
    }

    private UUID record() {
        UUID id = UUID.randomUUID();
        ledger.recorded(id, 0);
        return id;
    }

    private void receive(UUID id, long change) {
        ledger.received(id, "customer-1", change, 0);
    }

    private Verdict verdict() {
        return Verdict.of(ledger.tally(), BOTH, List.of(), SETTINGS);
    }
}
