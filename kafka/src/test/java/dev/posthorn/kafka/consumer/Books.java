package dev.posthorn.kafka.consumer;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.embedded.kafka.EmbeddedKafka;
import dev.posthorn.event.Event;
import dev.posthorn.event.EventIds;
import dev.posthorn.inbox.Handler;
import dev.posthorn.kafka.OutboxDatabase;
import dev.posthorn.kafka.SteadyKafka;
import dev.posthorn.subscription.RetryPolicy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A topic of its own, and a database in which handlers write what they do, without any constraint that could hide a double. */
final class Books implements AutoCloseable {

    static final RetryPolicy QUICKLY = RetryPolicy.of(3, Duration.ofMillis(50)).jitter(0);

    private static final AtomicInteger COUNT = new AtomicInteger();

    private static final EmbeddedKafka KAFKA = SteadyKafka.shared();

    private final OutboxDatabase database = OutboxDatabase.create();
    private final int number = COUNT.incrementAndGet();
    private final String topic = "books-" + number;
    private final KafkaProducer<byte[], byte[]> producer;
    private final List<InboxConsumer> consumers = new ArrayList<>();

    Books(int partitions) throws SQLException {
        KAFKA.createTopic(topic, partitions);
        KAFKA.createTopic(topic + ".DLT", 1);
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrapServers(), "acks", "all"),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        try (Connection connection = database.dataSource().getConnection();
                var statement = connection.createStatement()) {
            statement.execute("CREATE TABLE entry (place bigserial, event_id uuid, key text, text text)");
        }
    }

    String topic() {
        return topic;
    }

    /** The consumer and so its group, which no other test has: it would wait for that one's members, the killed ones too. */
    String name() {
        return "billing-" + number;
    }

    String bootstrapServers() {
        return KAFKA.bootstrapServers();
    }

    OutboxDatabase database() {
        return database;
    }

    /** Sends an event of a key for each text, in order, and tells their ids. */
    List<UUID> publish(String key, String... texts) {
        List<UUID> ids = new ArrayList<>();
        for (String text : texts) {
            ids.add(EventIds.next());
            send(ids.get(ids.size() - 1), key, text);
        }
        return ids;
    }

    RecordMetadata send(UUID id, String key, String text) {
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, key.getBytes(UTF_8), text.getBytes(UTF_8));
        record.headers().add("ce_id", id.toString().getBytes(UTF_8));
        record.headers().add("ce_type", "order.placed".getBytes(UTF_8));
        record.headers().add("ce_source", "shop".getBytes(UTF_8));
        record.headers().add("traceparent", ("00-" + key).getBytes(UTF_8));
        return send(record);
    }

    RecordMetadata send(ProducerRecord<byte[], byte[]> record) {
        try {
            Future<RecordMetadata> sent = producer.send(record);
            return sent.get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Tries three times, quickly; keeps books of everything unless told otherwise. */
    InboxConsumer.Builder consumer(Handler handler) {
        return InboxConsumer.builder(bootstrapServers(), database.dataSource())
                .name(name())
                .topics(topic)
                .retry(QUICKLY)
                .ownRelay(false)
                .handler(handler);
    }

    /** Ended with the test. */
    InboxConsumer start(InboxConsumer.Builder builder) {
        InboxConsumer consumer = builder.build();
        consumers.add(consumer);
        consumer.start();
        return consumer;
    }

    static String text(Event event) {
        return new String(event.payload(), UTF_8);
    }

    static void enter(Connection connection, Event event) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO entry (event_id, key, text) VALUES (?, ?, ?)")) {
            insert.setObject(1, event.id());
            insert.setString(2, event.key());
            insert.setString(3, text(event));
            insert.executeUpdate();
        }
    }

    List<String> entries() {
        return database.query("SELECT text FROM entry ORDER BY place", row -> row.getString(1));
    }

    List<String> entries(String key) {
        return database.query(
                "SELECT text FROM entry WHERE key = '" + key + "' ORDER BY place", row -> row.getString(1));
    }

    /** The offset from which the group would go on in the only partition; -1 if none was committed. */
    long committed() throws ExecutionException, InterruptedException {
        try (var admin = KAFKA.admin()) {
            OffsetAndMetadata offset = admin.listConsumerGroupOffsets(name())
                    .partitionsToOffsetAndMetadata()
                    .get()
                    .get(new TopicPartition(topic, 0));
            return offset == null ? -1 : offset.offset();
        }
    }

    @Override
    public void close() {
        consumers.forEach(InboxConsumer::close);
        producer.close();
    }
}
