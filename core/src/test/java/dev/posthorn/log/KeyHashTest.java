package dev.posthorn.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KeyHashTest {

    private static final String HASHES = """
            SELECT posthorn.key_hash(key, id) FROM unnest(?::text[], ?::uuid[]) WITH ORDINALITY AS k (key, id, place)
             ORDER BY place
            """;

    private final Random random = new Random(7);

    @Test
    void javaAndPostgresqlAgreeOnEveryKey() throws SQLException {
        agree(TestDatabase.create());
    }

    @Test
    void javaAndTheOldestPostgresqlAgreeOnEveryKey() throws SQLException {
        agree(TestDatabase.createOnOldest());
    }

    private void agree(TestDatabase database) throws SQLException {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            keys.add(i % 50 == 0 ? null : key(i % 65));
        }
        List<UUID> ids = keys.stream()
                .map(key -> new UUID(random.nextLong(), random.nextLong()))
                .toList();
        List<Long> inJava = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            inJava.add(keys.get(i) == null ? KeyHash.of(ids.get(i).toString()) : KeyHash.of(keys.get(i)));
        }

        assertThat(keys).contains("", (String) null);
        assertThat(inJava).isEqualTo(inSql(database, keys, ids)).allMatch(hash -> hash >= 0);
        for (int i = 0; i < keys.size(); i++) {
            assertThat((long) KeyHash.lane(keys.get(i), ids.get(i), 7)).isEqualTo(inJava.get(i) % 7);
        }
    }

    @Test
    void lanesGetEvenSharesOfTheKeys() {
        for (int lanes : new int[] {2, 4, 7, 16, 64}) {
            int[] counts = new int[lanes];
            int each = 2_000;
            for (int i = 0; i < each * lanes; i++) {
                counts[KeyHash.lane("order-" + i, new UUID(0, i), lanes)]++;
            }
            // A fair draw stays within five standard deviations (about 45 each) nearly always.
            assertThat(IntStream.of(counts).boxed())
                    .allSatisfy(count -> assertThat(count).isBetween(each - 225, each + 225));
        }
    }

    @Test
    void unorderedEventsAreSpreadByTheirIds() {
        int[] counts = new int[8];
        for (int i = 0; i < 8_000; i++) {
            counts[KeyHash.lane(null, new UUID(random.nextLong(), random.nextLong()), 8)]++;
        }
        assertThat(IntStream.of(counts).boxed())
                .allSatisfy(count -> assertThat(count).isBetween(800, 1_200));
    }

    private static List<Long> inSql(TestDatabase database, List<String> keys, List<UUID> ids) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                PreparedStatement statement = connection.prepareStatement(HASHES)) {
            statement.setArray(1, connection.createArrayOf("text", keys.toArray()));
            statement.setArray(2, connection.createArrayOf("uuid", ids.toArray()));
            try (ResultSet rows = statement.executeQuery()) {
                List<Long> hashes = new ArrayList<>();
                while (rows.next()) {
                    hashes.add(rows.getLong(1));
                }
                return hashes;
            }
        }
    }

    /** A key of that many characters, of one to four bytes each. */
    private String key(int length) {
        StringBuilder key = new StringBuilder();
        for (int i = 0; i < length; i++) {
            key.appendCodePoint(
                    switch (random.nextInt(6)) {
                        case 0 -> 0xa1 + random.nextInt(0x500);
                        case 1 -> 0x3041 + random.nextInt(0x5000);
                        case 2 -> 0x1f300 + random.nextInt(0x300);
                        default -> '!' + random.nextInt(94);
                    });
        }
        return key.toString();
    }
}
