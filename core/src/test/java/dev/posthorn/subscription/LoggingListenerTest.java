package dev.posthorn.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What an operator reads. */
class LoggingListenerTest {

    private final Logger logger = (Logger) LoggerFactory.getLogger(LoggingListener.class);
    private final ListAppender<ILoggingEvent> messages = new ListAppender<>();
    private final LoggingListener listener = new LoggingListener();
    private final RecordedEvent event = new RecordedEvent(
            7,
            Event.builder()
                    .source("shop")
                    .type("order.placed")
                    .key("4711")
                    .json("{}")
                    .build(),
            Instant.EPOCH);

    @BeforeEach
    void listen() {
        messages.start();
        logger.addAppender(messages);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(messages);
    }

    @Test
    void aDeadLetterIsNamedWithItsReasonAndTheRemedy() {
        die("billing", true);
        assertThat(told())
                .singleElement()
                .asString()
                .contains(
                        "billing",
                        event.event().id().toString(),
                        "order.placed",
                        "4711",
                        "5 attempts",
                        "server-error, status 500",
                        "Later events of its key wait",
                        "replay it, or discard it");
    }

    @Test
    void aFloodIsToldOncePerSubscription() {
        for (int i = 0; i < 1000; i++) {
            die("billing", false);
        }
        die("audit", false);
        assertThat(told()).hasSize(21).anyMatch(text -> text.contains("not told one by one"));
        assertThat(told()).last().asString().contains("audit");
    }

    private void die(String subscription, boolean holdsKey) {
        listener.deadLettered(
                subscription, event, 5, new Outcome.Retry(ErrorClass.SERVER_ERROR, "status 500"), holdsKey);
    }

    private List<String> told() {
        return messages.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }
}
