package dev.posthorn.examples.plainjdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.embedded.kafka.EmbeddedKafka;
import dev.posthorn.testkit.FreshDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class PlainJdbcTest {

    @Test
    void everyPlacedOrderIsBookedOnce() throws SQLException {
        FreshDatabase shop = FreshDatabase.create();
        FreshDatabase books = FreshDatabase.create();
        try (EmbeddedKafka kafka = EmbeddedKafka.temporary();
                PlainJdbc example = new PlainJdbc(shop.dataSource(), books.dataSource(), kafka.bootstrapServers())) {
            example.place("o-1", 1999);
            example.place("o-2", 500);
            await().untilAsserted(
                            () -> assertThat(books.column("SELECT order_id || ' ' || cents FROM booking ORDER BY 1"))
                                    .containsExactly("o-1 1999", "o-2 500"));
        }
    }

    /** What the README promises. */
    @Test
    void itHasFewerThanAHundredLines() throws IOException {
        Path source = Path.of("src/main/java/dev/posthorn/examples/plainjdbc/PlainJdbc.java");
        assertThat(Files.readAllLines(source)).hasSizeLessThan(100);
    }
}
