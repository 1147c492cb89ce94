package dev.posthorn.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.embedded.kafka.EmbeddedKafka;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.examples.billing.BillingApplication;
import dev.posthorn.examples.orders.OrdersApplication;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The two services as somebody runs them who has little: two connections each, and orders processed ahead of time. */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class ServicesTest {

    private static final int CUSTOMERS = 4;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    private Path temporary;

    private final EmbeddedPostgres postgres = EmbeddedPostgres.temporary();
    private final EmbeddedKafka kafka = EmbeddedKafka.temporary();
    private final HttpClient http = HttpClient.newHttpClient();
    private final List<Integer> ports = Child.freePorts(2);

    /** What customers were told is placed. */
    private final Set<String> placed = ConcurrentHashMap.newKeySet();

    @BeforeEach
    void prepare() throws SQLException {
        kafka.createTopic("order.events", 2);
        try (Connection connection = postgres.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + Books.ORDERS);
            statement.execute("CREATE DATABASE " + Books.BILLING);
        }
    }

    @AfterEach
    void end() {
        kafka.close();
        postgres.close();
    }

    @Test
    void processedAheadOfTimeAndEndedAmidRequestsTheyLoseNothing() throws Exception {
        String plain = DemoRun.classPathOf(OrdersApplication.class);
        String processed = processAheadOfTime(plain) + File.pathSeparator + plain;
        try (Child billing = billing()) {
            try (Child orders = orders(processed, Map.of("JAVA_TOOL_OPTIONS", "-Dspring.aot.enabled=true"))) {
                billing.launch();
                orders.launch();
                orders.awaitUp();
                billing.awaitUp();
                place();
                await().atMost(PATIENCE).until(() -> booked() == 1);
                List<Thread> customers =
                        Stream.generate(this::customer).limit(CUSTOMERS).toList();
                await().atMost(PATIENCE).until(() -> placed.size() > 50);
                orders.askToEnd();
                for (Thread customer : customers) {
                    customer.join();
                }
            }
            assertThat(temporary.resolve("orders.log"))
                    .content()
                    .contains("Starting AOT-processed OrdersApplication")
                    .as("it has come to its end by itself")
                    .contains("HikariPool-1 - Shutdown completed")
                    .doesNotContain(" ERROR ");
            Set<String> inTheLog = rows("SELECT key FROM posthorn.event WHERE type = 'order.placed'");
            assertThat(inTheLog).isEqualTo(rows("SELECT id FROM placed_order")).containsAll(placed);

            try (Child next = orders(plain, Map.of())) {
                next.launch();
                next.awaitUp();
                await().atMost(PATIENCE).until(() -> booked() == inTheLog.size());
            }
        }
    }

    /** As the goal process-aot of Spring Boot's plug-in does it; returns the folders with what came of it. */
    private String processAheadOfTime(String classPath) throws Exception {
        Path sources = temporary.resolve("aot/sources");
        Path resources = temporary.resolve("aot/resources");
        Path classes = temporary.resolve("aot/classes");
        Process processor = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classPath,
                        "org.springframework.boot.SpringApplicationAotProcessor",
                        OrdersApplication.class.getName(),
                        sources.toString(),
                        resources.toString(),
                        classes.toString(),
                        "dev.posthorn",
                        "orders")
                .redirectErrorStream(true)
                .redirectOutput(temporary.resolve("aot.log").toFile())
                .start();
        assertThat(processor.waitFor())
                .as("%s", Files.readString(temporary.resolve("aot.log")))
                .isZero();
        try (Stream<Path> files = Files.walk(sources)) {
            Stream<String> options = Stream.of(
                    "-proc:none", "-nowarn", "-cp", classes + File.pathSeparator + classPath, "-d", classes.toString());
            assertThat(ToolProvider.getSystemJavaCompiler()
                            .run(
                                    null,
                                    null,
                                    null,
                                    Stream.concat(
                                                    options,
                                                    files.filter(Files::isRegularFile)
                                                            .map(Path::toString))
                                            .toArray(String[]::new)))
                    .isZero();
        }
        return classes + File.pathSeparator + resources;
    }

    private Child orders(String classPath, Map<String, String> environment) {
        return child(new Child.Program(
                Books.ORDERS,
                OrdersApplication.class,
                classPath,
                ports.get(0),
                arguments(Books.ORDERS, 0),
                environment));
    }

    private Child billing() {
        return child(new Child.Program(
                Books.BILLING,
                BillingApplication.class,
                DemoRun.classPathOf(BillingApplication.class),
                ports.get(1),
                arguments(Books.BILLING, 1),
                Map.of()));
    }

    private Child child(Child.Program program) {
        return new Child(program, temporary);
    }

    private List<String> arguments(String database, int port) {
        return List.of(
                "--server.port=" + ports.get(port),
                "--spring.datasource.url=" + postgres.jdbcUrl(database),
                "--spring.datasource.username=" + postgres.user(),
                "--spring.datasource.password=" + postgres.password(),
                "--spring.datasource.hikari.maximum-pool-size=2",
                "--posthorn.kafka.bootstrap-servers=" + kafka.bootstrapServers());
    }

    /** Places orders until the service is gone. */
    private Thread customer() {
        Thread customer = new Thread(() -> {
            try {
                while (true) {
                    place();
                }
            } catch (IOException | InterruptedException gone) {
                Thread.currentThread().interrupt();
            }
        });
        customer.start();
        return customer;
    }

    private void place() throws IOException, InterruptedException {
        HttpResponse<Void> answer = http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + ports.get(0) + "/orders"))
                        .header("Content-Type", "application/json")
                        .timeout(Duration.ofSeconds(40))
                        .POST(HttpRequest.BodyPublishers.ofString("{\"customer\":\"Ada\",\"amount\":7}"))
                        .build(),
                HttpResponse.BodyHandlers.discarding());
        if (answer.statusCode() == 201) {
            placed.add(answer.headers().firstValue("Location").orElseThrow().replace("/orders/", ""));
        }
    }

    private int booked() throws SQLException {
        return rows(Books.BILLING, "SELECT DISTINCT order_id FROM entry").size();
    }

    private Set<String> rows(String query) throws SQLException {
        return rows(Books.ORDERS, query);
    }

    private Set<String> rows(String database, String query) throws SQLException {
        Set<String> found = new TreeSet<>();
        try (Connection connection = postgres.dataSource(database).getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                found.add(rows.getString(1));
            }
        }
        return found;
    }
}
