package dev.posthorn.examples.plainjdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.embedded.kafka.EmbeddedKafka;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class PlainJdbcTest {

    @Test
    void everyPlacedOrderIsBookedOnce() throws SQLException {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.builder().start();
                EmbeddedKafka kafka = EmbeddedKafka.temporary()) {
            execute(postgres.dataSource(), "CREATE DATABASE shop");
            execute(postgres.dataSource(), "CREATE DATABASE books");
            DataSource books = postgres.dataSource("books");
            try (PlainJdbc example = new PlainJdbc(postgres.dataSource("shop"), books, kafka.bootstrapServers())) {
                example.place("o-1", 1999);
                example.place("o-2", 500);
                await().untilAsserted(() -> assertThat(bookings(books)).containsExactly("o-1 1999", "o-2 500"));
            }
        }
    }

    /** What the README promises. */
    @Test
    void itHasFewerThanAHundredLines() throws IOException {
        Path source = Path.of("src/main/java/dev/posthorn/examples/plainjdbc/PlainJdbc.java");
        assertThat(Files.readAllLines(source)).hasSizeLessThan(100);
    }

    private static void execute(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static List<String> bookings(DataSource books) throws SQLException {
        try (Connection connection = books.getConnection();
                var statement = connection.createStatement();
                var rows = statement.executeQuery("SELECT order_id || ' ' || cents FROM booking ORDER BY order_id")) {
            List<String> found = new ArrayList<>();
            while (rows.next()) {
                found.add(rows.getString(1));
            }
            return found;
        }
    }
}
