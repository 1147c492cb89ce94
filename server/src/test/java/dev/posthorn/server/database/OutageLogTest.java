package dev.posthorn.server.database;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.error.PosthornException;
import dev.posthorn.server.TestHub;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class OutageLogTest {

    private static final Pattern AGAIN = Pattern.compile("The database answers again, after (\\d+) s");

    private final ListAppender<ILoggingEvent> messages = new ListAppender<>();
    private final AtomicLong now = new AtomicLong();

    @AfterEach
    void detach() {
        root().detachAppender(messages);
    }

    @Test
    void tellsThatItGoesNowAndThenThatItIsAwayAndThatItIsBack() {
        attach();
        OutageLog log = new OutageLog(now::get);
        log.answers();
        for (int second = 0; second < 300; second++) {
            log.away(failure("refused"));
            log.away(failure("refused"));
            now.addAndGet(Duration.ofSeconds(1).toNanos());
        }
        log.answers();
        log.answers();
        assertThat(texts())
                .containsExactly(
                        "The database does not answer: refused. Calls that need it get 503 and nothing is delivered; the"
                                + " hub goes on by itself when it is back",
                        "The database has not answered for 10 s: refused",
                        "The database has not answered for 30 s: refused",
                        "The database has not answered for 70 s: refused",
                        "The database has not answered for 150 s: refused",
                        "The database answers again, after 300 s");
    }

    @Test
    void anotherReasonIsToldSoonButNotAtOnce() {
        attach();
        OutageLog log = new OutageLog(now::get);
        for (int second = 0; second < 100; second++) {
            log.away(failure(second < 40 ? "refused" : "starting up"));
            now.addAndGet(Duration.ofSeconds(1).toNanos());
        }
        assertThat(texts().stream().skip(1))
                .containsExactly(
                        "The database has not answered for 10 s: refused",
                        "The database has not answered for 30 s: refused",
                        "The database has not answered for 40 s: starting up");
    }

    /** The pool wrote two lines a second. */
    @Test
    void aHubWhoseDatabaseIsAwayWritesFewLines(@TempDir Path directory) {
        try (EmbeddedPostgres postgres =
                        EmbeddedPostgres.builder().dataDirectory(directory).start();
                TestHub hub = TestHub.begin(Map.of(
                        "posthorn.database.url", postgres.jdbcUrl(),
                        "posthorn.database.user", postgres.user(),
                        "posthorn.database.password", postgres.password(),
                        "posthorn.database.connect-timeout", "1s"))) {
            await().atMost(120, SECONDS).until(() -> hub.bean(Changes.class).isRead());
            attach();
            postgres.stop();
            await().atMost(120, SECONDS)
                    .until(() -> texts().stream().anyMatch(each -> each.contains("has not answered")));
            postgres.start();
            await().atMost(120, SECONDS).until(() -> texts().stream().anyMatch(AGAIN.asPredicate()));
            assertThat(texts()).hasSizeLessThan(7 + secondsAway() / 10);
        }
    }

    /** There is a reminder every ten seconds at most, and a busy machine needs a while to start a server. */
    private int secondsAway() {
        return texts().stream()
                .map(AGAIN::matcher)
                .filter(Matcher::find)
                .mapToInt(each -> Integer.parseInt(each.group(1)))
                .max()
                .orElseThrow();
    }

    private void attach() {
        // It is read while others write to it.
        messages.list = new CopyOnWriteArrayList<>();
        messages.start();
        root().addAppender(messages);
    }

    private List<String> texts() {
        return List.copyOf(messages.list).stream()
                .filter(each -> each.getLevel().isGreaterOrEqual(Level.INFO))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    private static Logger root() {
        return (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
    }

    private static RuntimeException failure(String reason) {
        SQLException pool = new SQLException("not available after " + System.nanoTime());
        pool.initCause(new SQLException(reason));
        return PosthornException.database("looking", pool);
    }
}
