package dev.posthorn.kafka;

import dev.posthorn.sink.contract.Receiver;
import dev.posthorn.sink.contract.SinkContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class KafkaSinkContractTest extends SinkContract {

    private static KafkaBehindGate kafka;
    private static int topics;

    @BeforeAll
    static void startKafka() {
        kafka = new KafkaBehindGate();
    }

    @AfterAll
    static void stopKafka() {
        kafka.close();
    }

    @Override
    protected Receiver receiver() {
        return new KafkaReceiver(kafka, "contract-" + ++topics);
    }

    @Override
    protected Duration timeout() {
        return Duration.ofSeconds(1);
    }
}
