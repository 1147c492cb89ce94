package dev.posthorn.demo;

import dev.posthorn.embedded.kafka.EmbeddedKafka;
import dev.posthorn.embedded.kafka.KafkaProcess;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.examples.billing.BillingApplication;
import dev.posthorn.examples.orders.OrdersApplication;
import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** One run of the demo, from the start of the servers to the verdict. */
final class DemoRun {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration FOREVER = Duration.ofDays(10_000);
    private static final Duration ALL_BOOKED = Duration.ofMinutes(5);
    private static final int QUIET_SECONDS = 3;
    private static final int PARTITIONS = 8;

    private final Settings settings;
    private final Screen screen;
    private final StopSignal stop;
    private final Queue<String> troubles = new ConcurrentLinkedQueue<>();
    private final int brokerPort;
    private final int ordersPort;
    private final int billingPort;

    DemoRun(Settings settings, Screen screen, StopSignal stop) {
        this.settings = settings;
        this.screen = screen;
        this.stop = stop;
        List<Integer> ports = Child.freePorts(3);
        this.brokerPort = ports.get(0);
        this.ordersPort = ports.get(1);
        this.billingPort = ports.get(2);
    }

    /** Runs it to its end; whether the books are right. */
    boolean run() throws InterruptedException {
        try (Workplace workplace = Workplace.open()) {
            boolean good = false;
            try {
                good = runIn(workplace);
            } finally {
                if (!good) {
                    workplace.keepLogs();
                    screen.say("The logs of the processes are in %s.", workplace.logs());
                }
            }
            return good;
        }
    }

    private boolean runIn(Workplace workplace) throws InterruptedException {
        screen.say("Starting PostgreSQL …");
        try (EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                        .dataDirectory(workplace.postgres())
                        .start();
                Child broker = broker(workplace);
                Child orders = service(OrdersApplication.class, Books.ORDERS, ordersPort, postgres, workplace);
                Child billing = service(BillingApplication.class, Books.BILLING, billingPort, postgres, workplace)) {
            List<Child> children = List.of(broker, orders, billing);
            createDatabases(postgres);
            startAll(broker, orders, billing);
            boolean good = orderAndJudge(children, postgres);
            // Together, and before the broker, for which they would look in vain.
            orders.askToEnd();
            billing.askToEnd();
            return good;
        }
    }

    private Child broker(Workplace workplace) {
        List<String> arguments = List.of(workplace.kafka().toString(), Integer.toString(brokerPort));
        String classPath = System.getProperty("java.class.path");
        return new Child(
                new Child.Program("broker", KafkaProcess.class, classPath, brokerPort, arguments, Map.of()),
                workplace.logs());
    }

    private Child service(Class<?> main, String name, int port, EmbeddedPostgres postgres, Workplace workplace) {
        Map<String, String> environment = Map.of(
                "SPRING_DATASOURCE_URL", postgres.jdbcUrl(name),
                "SPRING_DATASOURCE_USERNAME", postgres.user(),
                "SPRING_DATASOURCE_PASSWORD", postgres.password(),
                "POSTHORN_KAFKA_BOOTSTRAPSERVERS", "127.0.0.1:" + brokerPort,
                "SERVER_PORT", Integer.toString(port));
        return new Child(
                new Child.Program(name, main, classPathOf(main), port, List.of(), environment), workplace.logs());
    }

    /** Without the other service and the demo: each has settings of its own under the same name. */
    static String classPathOf(Class<?> service) {
        Set<Path> others = Stream.of(OrdersApplication.class, BillingApplication.class, Demo.class)
                .filter(each -> each != service)
                .map(DemoRun::placeOf)
                .collect(Collectors.toSet());
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !others.contains(Path.of(entry).toAbsolutePath()))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static Path placeOf(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException("the place of " + type + " is no file: " + e.getMessage(), e);
        }
    }

    private static void createDatabases(EmbeddedPostgres postgres) {
        try (Connection connection = postgres.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + Books.ORDERS);
            statement.execute("CREATE DATABASE " + Books.BILLING);
        } catch (SQLException e) {
            throw new IllegalStateException("cannot create the databases: " + e.getMessage(), e);
        }
    }

    private void startAll(Child broker, Child orders, Child billing) throws InterruptedException {
        screen.say("Starting Kafka …");
        broker.launch();
        broker.awaitUp();
        createTopic();
        screen.say("Starting orders and billing …");
        orders.launch();
        billing.launch();
        orders.awaitUp();
        billing.awaitUp();
    }

    private void createTopic() throws InterruptedException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", "127.0.0.1:" + brokerPort))) {
            EmbeddedKafka.createTopic(admin, new NewTopic("order.events", PARTITIONS, (short) 1));
        }
    }

    private boolean orderAndJudge(List<Child> children, EmbeddedPostgres postgres) throws InterruptedException {
        screen.say(
                "%d requests/s %s, seed %d …",
                settings.rate(),
                settings.duration() == null ? "until Ctrl-C" : "for " + seconds(settings.duration()),
                settings.seed());
        Customers customers = Customers.start(ordersPort, settings.rate(), settings.seed());
        Kills kills = Kills.start(settings.kills() ? children : List.of(), settings.seed(), screen, troubles::add);
        try {
            watch(children, customers, kills, postgres);
        } finally {
            customers.stop();
            kills.stop();
        }
        return judge(customers, kills, postgres);
    }

    private void watch(List<Child> children, Customers customers, Kills kills, EmbeddedPostgres postgres)
            throws InterruptedException {
        long startedAt = System.nanoTime();
        Duration duration = settings.duration() == null ? FOREVER : settings.duration();
        while (troubles.isEmpty() && (since(startedAt).compareTo(duration) < 0 || !kills.roundIsDone())) {
            if (stop.await(SECOND)) {
                return;
            }
            screen.status(
                    "%4d s  placed %,d  changed %,d  booked %,d  unanswered %,d  %s",
                    since(startedAt).toSeconds(),
                    customers.placed(),
                    customers.changed(),
                    Books.bookings(postgres),
                    customers.unanswered(),
                    states(children));
            children.forEach(child -> child.trouble().ifPresent(troubles::add));
        }
    }

    private static String states(List<Child> children) {
        return children.stream()
                .map(child -> child.name() + (child.isUp() ? " up" : " DOWN"))
                .collect(Collectors.joining("  "));
    }

    private static Duration since(long nanoTime) {
        return Duration.ofNanos(System.nanoTime() - nanoTime);
    }

    private static String seconds(Duration duration) {
        return duration.toMillis() % 1000 == 0 ? duration.toSeconds() + " s" : duration.toMillis() + " ms";
    }

    private boolean judge(Customers customers, Kills kills, EmbeddedPostgres postgres) throws InterruptedException {
        screen.say("No more orders; waiting until all are booked, %d s at most …", ALL_BOOKED.toSeconds());
        Verdict verdict = awaitVerdict(customers, postgres);
        screen.say("");
        screen.say("  placed      %,d orders", customers.placed());
        screen.say("  changed     %,d times", customers.changed());
        screen.say("  refused     %,d requests, by the database", customers.refused());
        screen.say("  unanswered  %,d requests", customers.unanswered());
        screen.say("  killed      %,d processes", kills.killed());
        screen.say("  booked      %,d events", Books.bookings(postgres));
        verdict.faults().forEach(fault -> screen.say("FAILED: %s.", fault));
        if (verdict.isGood()) {
            screen.say("OK: every order is booked with exactly its amount, every change once and in order.");
        }
        return verdict.isGood();
    }

    /** The books have to be right and stay so for a while: an event could still come again. */
    private Verdict awaitVerdict(Customers customers, EmbeddedPostgres postgres) throws InterruptedException {
        long startedAt = System.nanoTime();
        int quiet = 0;
        Verdict verdict;
        do {
            Thread.sleep(SECOND.toMillis());
            verdict = Verdict.of(Books.read(postgres), customers.acknowledged(), troubles);
            quiet = verdict.isGood() ? quiet + 1 : 0;
        } while (troubles.isEmpty() && quiet < QUIET_SECONDS && since(startedAt).compareTo(ALL_BOOKED) < 0);
        return verdict;
    }
}
