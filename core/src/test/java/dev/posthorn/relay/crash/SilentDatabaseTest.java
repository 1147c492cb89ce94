package dev.posthorn.relay.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import dev.posthorn.SilentProxy;
import dev.posthorn.TestDatabase;
import dev.posthorn.relay.Relay;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Connections to the database go silent, as when its host is gone, while it answers those who come anew. */
@Tag("slow")
class SilentDatabaseTest {

    private static final Duration LEASE = Duration.ofSeconds(6);

    private static final Duration LEASE_AND_SOME_SECONDS = LEASE.plusSeconds(6);

    @Test
    void deliveryGoesOnWithinALease() throws Exception {
        TestDatabase database = TestDatabase.create();
        RecordingSink sink = RecordingSink.oneAtATime();
        SilentProxy proxy = SilentProxy.to(database);
        Relay relay = start(database, proxy, sink);
        try {
            database.record("before");
            awaitReceived(sink, 1);
            proxy.fallSilent();
            database.record("after");
            awaitReceived(sink, 2);
            proxy.fallSilent();
            database.record("after it happened again");
            awaitReceived(sink, 3);
            assertThat(relay.lanes()).as("its lanes are its own still").hasSize(4);
        } finally {
            // First, so that nobody waits any more.
            proxy.close();
            relay.close();
        }
    }

    @Test
    void aRelayCanBeClosed() throws Exception {
        TestDatabase database = TestDatabase.create();
        RecordingSink sink = RecordingSink.oneAtATime();
        try (SilentProxy proxy = SilentProxy.to(database)) {
            Relay relay = start(database, proxy, sink);
            database.record("before");
            awaitReceived(sink, 1);
            proxy.fallSilent();
            CompletableFuture.runAsync(relay::close).get(3, TimeUnit.MINUTES);
        }
    }

    private static Relay start(TestDatabase database, SilentProxy proxy, RecordingSink sink) {
        return Relay.builder(proxy.dataSource(database))
                .subscribe(Subscription.to("test", sink)
                        .timeout(Duration.ofSeconds(1))
                        .build())
                .sessionTtl(LEASE)
                .start();
    }

    private static void awaitReceived(RecordingSink sink, int count) {
        assertThatCode(() -> await().atMost(LEASE_AND_SOME_SECONDS)
                        .until(() -> sink.received().size() == count))
                .doesNotThrowAnyException();
    }
}
