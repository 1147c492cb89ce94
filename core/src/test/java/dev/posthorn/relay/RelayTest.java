package dev.posthorn.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.TestDatabase;
import dev.posthorn.testing.RecordingSink;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RelayTest {

    private final TestDatabase database = TestDatabase.create();

    @Test
    void deliversWhatIsCommittedAndNothingTwiceAfterACleanStop() {
        RecordingSink sink = RecordingSink.oneAtATime();
        try (Relay relay = start(sink)) {
            for (int i = 0; i < 100; i++) {
                database.record("key-" + i % 7);
            }
            await().atMost(Duration.ofSeconds(10))
                    .untilAsserted(() -> assertThat(sink.received()).hasSize(100));
            assertThat(relay.lanes()).hasSize(4);
        }
        try (Relay again = start(sink)) {
            database.record("key-1");
            await().atMost(Duration.ofSeconds(10))
                    .untilAsserted(() -> assertThat(sink.received()).hasSize(101));
            assertThat(again.lanes()).hasSize(4);
        }
    }

    private Relay start(RecordingSink sink) {
        return Relay.builder(database.dataSource())
                .subscribe(Subscription.to("test", sink).build())
                .start();
    }
}
