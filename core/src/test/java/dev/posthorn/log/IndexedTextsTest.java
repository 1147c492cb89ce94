package dev.posthorn.log;

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

    private static final Map<String, Integer> LONGEST = Map.of(
            "subscription.name", 100, // Subscription
            "instance.id", 255 * CHARACTER, // Relay
            "inbox_entry.consumer", 255 * CHARACTER, // Inbox
            "audit.actor", 255 * CHARACTER, // Actor
            "audit.request_id", 255 * CHARACTER, // Actor
            "audit.action", 100, // of our own making
            "audit.target", 200, // a kind, and a name, a number or a UUID
            "dead_letter.error_class", 20, // ErrorClass
            "dead_letter.cause", 200 * CHARACTER); // Cause

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
