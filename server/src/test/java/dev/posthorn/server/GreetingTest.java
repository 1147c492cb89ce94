package dev.posthorn.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GreetingTest {

    @Test
    void tellsTheRealPortAndNoSecret() {
        Map<String, String> settings =
                Map.of("posthorn.database.url", "jdbc:postgresql://127.0.0.1:1/none?password=swordfish");
        try (TestHub hub = TestHub.begin(settings)) {
            String text = printed(Greeting.of(hub.context()));
            assertThat(text).contains("REST on http://127.0.0.1:" + hub.httpPort(), "gRPC on 127.0.0.1:");
            assertThat(text).contains("curl http://127.0.0.1:" + hub.httpPort() + "/v1/events");
            assertThat(text).contains("the schema posthorn").doesNotContain("swordfish");
            assertThat(text.lines().filter(each -> each.strip().startsWith("curl")))
                    .hasSize(3);
        }
    }

    @Test
    void tellsWhereTheDataIsAndThatAKeyIsNeeded() {
        String text = printed(new Greeting("https://[::1]:1", "[::1]:2", "Data is in /somewhere.", true));
        assertThat(text)
                .contains("Data is in /somewhere.", "curl -H \"Authorization: Bearer $KEY\" https://[::1]:1/v1/events");
    }

    private static String printed(Greeting greeting) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        greeting.print(new PrintStream(out, true, UTF_8));
        return out.toString(UTF_8);
    }
}
