package dev.posthorn.log;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.TestDatabase;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A row whose texts are longer than an index takes cannot be written. So of every text in an index it stands here how
 * long it can become; a text that has no such limit is indexed by its hash.
 */
class IndexedTextsTest {

    /** What is left of the 2,704 bytes of a btree row with a few numbers, times and ids beside the texts. */
    private static final int ROOM = 2_600;

    /** In UTF-8 no character of a Java string takes more. */
    private static final int CHARACTER = 3;

    private static final String TEXTS = """
            SELECT string_agg(i.indexrelid::regclass || ' ' || t.relname || '.' || a.attname, ',')
              FROM pg_index i
              JOIN pg_class t ON t.oid = i.indrelid AND t.relnamespace = 'posthorn'::regnamespace AND NOT t.relispartition
             CROSS JOIN LATERAL unnest(i.indkey) AS k (number)
              JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
             WHERE a.atttypid IN ('text'::regtype, 'jsonb'::regtype, 'bytea'::regtype, 'varchar'::regtype)
            """;

    private static final Map<String, Integer> LONGEST = Map.ofEntries(
            entry("subscription.name", 100), // Subscription
            entry("instance.id", 255 * CHARACTER), // Relay
            entry("retention.asker", 255 * CHARACTER), // Relay
            entry("inbox_entry.consumer", 255 * CHARACTER), // Inbox
            entry("inbox_retention.consumer", 255 * CHARACTER), // Inbox
            entry("consumer_partition.consumer", 255 * CHARACTER), // Inbox
            entry("consumer_partition.topic", 249), // Kafka
            entry("consumer_attempt.consumer", 255 * CHARACTER), // Inbox
            entry("consumer_attempt.topic", 249), // Kafka
            entry("audit.actor", 255 * CHARACTER), // Actor
            entry("audit.request_id", 255 * CHARACTER), // Actor
            entry("audit.action", 100), // of our own making
            entry("audit.target", 200), // a kind, and a name, a number or a UUID
            entry("delivery.state", 20), // DeliveryState
            entry("dead_letter.error_class", 20), // ErrorClass
            entry("dead_letter.cause", 200 * CHARACTER)); // Cause

    @Test
    void noIndexHoldsATextThatCouldBeTooLongForIt() {
        Map<String, Integer> bytes = new TreeMap<>();
        Stream.of(TestDatabase.create().value(TEXTS).split(",")).forEach(text -> {
            String column = text.substring(text.indexOf(' ') + 1);
            Integer longest = LONGEST.get(column.replace("_note", ""));
            assertThat(longest).as("how long " + text + " can become").isNotNull();
            bytes.merge(text.substring(0, text.indexOf(' ')), longest, Integer::sum);
        });
        assertThat(bytes)
                .isNotEmpty()
                .allSatisfy((index, sum) -> assertThat(sum).as(index).isLessThan(ROOM));
    }
}
