package dev.posthorn.spring.restart;

import dev.posthorn.spring.InboxListener;
import dev.posthorn.spring.OutboxEvent;
import java.time.Duration;
import org.awaitility.Awaitility;
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
                .atMost(Duration.ofSeconds(60))
                .until(() -> jdbc.queryForObject("SELECT count(*) FROM heard", Integer.class) == life);
        if (life < LIVES) {
            Restarter.getInstance().restart();
        } else {
            report();
            System.exit(0);
        }
    }

    private void report() {
        Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().startsWith("posthorn-"))
                .forEach(each -> jdbc.update(
                        "INSERT INTO thread (name, is_ours) VALUES (?, ?)",
                        each.getName(),
                        each.getContextClassLoader() == getClass().getClassLoader()));
        jdbc.update("""
                INSERT INTO connections (count)
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND application_name = 'restarted'
                """);
    }
}
