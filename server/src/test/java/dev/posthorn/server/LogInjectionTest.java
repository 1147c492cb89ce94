package dev.posthorn.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.OutputStreamAppender;
import java.util.Map;
import java.util.Spliterators;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Keys of events, what receivers say and names that somebody chose end in the log; each entry is one harmless line. */
class LogInjectionTest {

    @Test
    void nobodyWritesALineOfTheirOwnOrToTheTerminal() {
        try (TestHub hub = TestHub.start()) {
            assertThat(hub.rest().get("/actuator/health/liveness").status()).isEqualTo(200);
            String written =
                    written("key a\r\n2026-01-31 WARN forged\u2028b \u001b[2J\u009b31m \u202egnp.exe\u2066 c\td");
            assertThat(written.strip()).contains("key a", "forged", "c\td").doesNotContain("\n", "\r");
            assertThat(written.strip().codePoints().filter(c -> c != '\t'))
                    .noneMatch(
                            c -> Character.isISOControl(c) || Character.getType(c) == Character.FORMAT || c == 0x2028);
        }
    }

    /** As the hub's own appender lays it out. */
    private static String written(String message) {
        Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
        LoggingEvent event = new LoggingEvent("here", root, Level.WARN, "{}", null, new Object[] {message});
        event.setMDCPropertyMap(Map.of());
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(root.iteratorForAppenders(), 0), false)
                .filter(ConsoleAppender.class::isInstance)
                .map(each -> ((OutputStreamAppender<ILoggingEvent>) each).getEncoder())
                .map(each -> ((PatternLayoutEncoder) each).getLayout().doLayout(event))
                .findFirst()
                .orElseThrow();
    }
}
