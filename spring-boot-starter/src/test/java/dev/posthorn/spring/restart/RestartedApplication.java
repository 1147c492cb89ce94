package dev.posthorn.spring.restart;

import dev.posthorn.spring.InboxListener;
import dev.posthorn.spring.OutboxEvent;
import java.time.Duration;
import java.util.Objects;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.devtools.restart.Restarter;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** A program that lets devtools restart it twice, as after a change of its classes, and looks at what is left over. */
@SpringBootApplication
public class RestartedApplication {

    /** Of the application's pool and of the relay's. */
    public static final int CONNECTIONS = 2 + 5;

    private static final int LIVES = 3;

    private final JdbcTemplate jdbc;
    private final TransactionTemplate transaction;
    private final ApplicationEventPublisher events;

    public RestartedApplication(JdbcTemplate jdbc, TransactionTemplate transaction, ApplicationEventPublisher events) {
        this.jdbc = jdbc;
        this.transaction = transaction;
        this.events = events;
    }

    public static void main(String[] arguments) {
        SpringApplication.run(RestartedApplication.class, arguments);
    }

    /** Its class is another one in every life. */
    @OutboxEvent(type = "begun", key = "life")
    record Begun(int life) {}

    @InboxListener(topics = "${topic}")
    void on(Begun begun) {
        jdbc.update(
                "INSERT INTO heard (life, by_class) VALUES (?, ?)", begun.life(), System.identityHashCode(getClass()));
    }

    /** On a thread of its own, which outlives the context that is closed by it. */
    @EventListener(ApplicationReadyEvent.class)
    void begin() {
        new Thread(this::live).start();
    }

    private void live() {
        // Of the JVM: whatever is static begins anew with every class loader.
        int life = Integer.getInteger("life", 0) + 1;
        System.setProperty("life", Integer.toString(life));
        transaction.executeWithoutResult(status -> events.publishEvent(new Begun(life)));
        Awaitility.await()
                .atMost(Duration.ofMinutes(2))
                .until(() -> jdbc.queryForObject("SELECT count(*) FROM heard", Integer.class) == life);
        if (life < LIVES) {
            Restarter.getInstance().restart();
        } else {
            awaitTheEndOfFormerLives();
            report();
            System.exit(0);
        }
    }

    /** A thread at its end and the server's side of a closed connection are seen for a moment longer. */
    private void awaitTheEndOfFormerLives() {
        try {
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> threads().allMatch(this::isOurs) && connections() <= CONNECTIONS);
        } catch (ConditionTimeoutException left) {
            // The report tells of them.
            return;
        }
    }

    private static Stream<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().startsWith("posthorn-"));
    }

    private boolean isOurs(Thread thread) {
        return thread.getContextClassLoader() == getClass().getClassLoader();
    }

    private int connections() {
        Integer count = jdbc.queryForObject("""
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND application_name = 'restarted'
                """, Integer.class);
        return Objects.requireNonNull(count);
    }

    private void report() {
        for (Thread each : threads().toList()) {
            jdbc.update("INSERT INTO thread (name, is_ours) VALUES (?, ?)", each.getName(), isOurs(each));
        }
        jdbc.update("INSERT INTO connections (count) VALUES (?)", connections());
    }
}
