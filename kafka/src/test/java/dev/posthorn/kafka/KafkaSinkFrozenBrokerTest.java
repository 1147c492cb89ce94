package dev.posthorn.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.embedded.kafka.KafkaProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
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
            String servers = awaitReady(broker);
            OutboxDatabase database = OutboxDatabase.create();
            Load load = Load.on(database);
            KafkaSink sink = KafkaSink.builder(servers).build();
            try (RelayRun run = RelayRun.startImpatient(database, sink)) {
                run.awaitDelivered(1000);

                signal("STOP", broker);
                run.awaitOpened(3);
                signal("CONT", broker);

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
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        KafkaProcess.class.getName(),
                        directory.toString(),
                        "0",
                        "num.partitions=4",
                        "broker.session.timeout.ms=60000")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static String awaitReady(Process process) throws IOException {
        BufferedReader output = process.inputReader(UTF_8);
        String line = output.readLine();
        while (line != null && !line.startsWith("ready ")) {
            line = output.readLine();
        }
        assertThat(line).as("the broker's last line").isNotNull();
        return line.substring("ready ".length());
    }

    private static void signal(String signal, Process process) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }
}
