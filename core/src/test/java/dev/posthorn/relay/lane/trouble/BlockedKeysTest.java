package dev.posthorn.relay.lane.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.relay.store.LaneStore;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which keys a lane keeps in mind. */
class BlockedKeysTest {

    private final BlockedKeys keys = new BlockedKeys(2);

    @Test
    void onlySoManyAreKeptInMind() {
        for (int i = 0; i < 100; i++) {
            keys.change("k" + i, 1, 0, 0);
        }
        assertThat(keys.unknown(Stream.of("other"))).as("all are known").isEmpty();
        keys.leaveToStore(Set.of());
        assertThat(keys.areTooMany()).isFalse();
        assertThat(keys.size()).isEqualTo(100);
        assertThat(keys.unknown(Stream.iterate(0, i -> i < 100, i -> i + 1).map(i -> "k" + i)))
                .hasSize(98);
    }

    @Test
    void whatIsInHandOrNotWholeInTheStoreIsKept() {
        keys.change("read", 1, 0, 0);
        keys.change("loaded", 1, 0, 1);
        keys.change("released", 0, 0, 0);
        keys.change("held", 0, 1, 0);
        keys.change("waits", 1, 0, 0);
        keys.leaveToStore(Set.of("read"));
        assertThat(Stream.of("read", "loaded", "released")).allMatch(keys::contains);
        assertThat(Stream.of("held", "waits")).noneMatch(keys::contains);
        keys.found(List.of(new LaneStore.BlockedKey("held", 0, 1)));
        assertThat(keys.contains("held")).isTrue();
        assertThat(keys.size()).isEqualTo(5);
    }
}
