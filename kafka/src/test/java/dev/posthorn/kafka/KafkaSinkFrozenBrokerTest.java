package dev.posthorn.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.embedded.kafka.KafkaProcess;
import dev.posthorn.testkit.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class KafkaSinkFrozenBrokerTest {

    @TempDir
    private Path directory;

    @Test
    void everythingArrivesInOrderThoughTheBrokerFallsSilentUnderLoad() throws Exception {
        Process broker = startBroker();
        try {
            String servers = ChildJvm.awaitLine(broker, "ready ");
            OutboxDatabase database = OutboxDatabase.create();
            Load load = Load.on(database);
            KafkaSink sink = KafkaSink.builder(servers).build();
            try (RelayRun run = RelayRun.startImpatient(database, sink)) {
                run.awaitDelivered(1000);

                ChildJvm.signal("STOP", broker);
                run.awaitOpened(3);
                ChildJvm.signal("CONT", broker);

                int recorded = load.end();
                run.awaitDelivered(recorded);
                assertThat(TopicContent.firstNumbers(servers, "order.events"))
                        .isEqualTo(IntStream.range(0, recorded).boxed().toList());
                assertThat(run.overtaken()).isZero();
            }
        } finally {
            broker.destroyForcibly().waitFor();
        }
    }

    private Process startBroker() throws IOException {
        return ChildJvm.of(
                        KafkaProcess.class,
                        ChildJvm.small(512),
                        List.of(directory.toString(), "0", "num.partitions=4", "broker.session.timeout.ms=60000"))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
