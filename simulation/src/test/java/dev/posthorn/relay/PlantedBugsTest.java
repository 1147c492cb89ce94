package dev.posthorn.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.log.Guard;
import dev.posthorn.log.Guards;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A simulation that finds nothing proves little: each of these mistakes it has to find, within so many seeds. */
@Tag("slow")
class PlantedBugsTest {

    @ParameterizedTest
    @CsvSource({
        "MARK_WITHOUT_HOLES, 100",
        "SETTLE_AFTER_ANSWER, 100",
        "ROWS_WITH_MARK, 100",
        "UNBLOCK_AFTER_COMMIT, 100",
        "BLOCKED_KEYS, 100",
        "SKIP_KNOWN, 500",
        "COMMON_STOP, 100",
        "STORED_FILTER, 200",
        "CARE, 200",
        "SETTLE_ONCE, 200",
        "BOUNDED_BEYOND_PERSISTED_MARK, 200",
        "EPOCH_FENCE, 200",
        "TRUST_OUTLASTS_SEND, 500",
        "STRAGGLERS, 100",
        "FROZEN_WINDOW, 100",
        "TRUST_FROM_START, 3000",
        "READS_END_WITH_SESSION, 200",
        "KNOWN_BY_ID, 3000",
        "RANDOM_EPOCHS, 3000",
        "TRUST_AS_STORED, 2000",
        "NEWEST_WISH, 100",
        "WISH_BY_REVISION, 200",
    })
    void isFound(Guard lifted, long seeds) {
        Simulation.Failure failure = new Simulation(Guards.without(lifted)).run(1, seeds, 1);
        assertThat(failure).as("what is found without " + lifted).isNotNull();
        System.out.println(failure + " --without " + lifted);
    }
}
