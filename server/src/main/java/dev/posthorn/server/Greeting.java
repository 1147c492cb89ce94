package dev.posthorn.server;

import dev.posthorn.server.grpc.GrpcListener;
import dev.posthorn.server.settings.HubSettings;
import java.io.PrintStream;
import java.util.Objects;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** What the hub says when it has started: where it listens, where its data is, and what to try next. */
record Greeting(String rest, String grpc, String data, boolean keyNeeded) {

    private static final String TEXT = """
            Posthorn listens: REST on %1$s, gRPC on %2$s.
            %3$s
            Try:
              curl%4$s -X PUT %1$s/v1/subscriptions/hello -H 'Content-Type: application/json' -d '{"filter":{"types":["user.*"]},"sink":{"kind":"http","url":"http://127.0.0.1:9999/hook"}}'
              curl%4$s %1$s/v1/events -H 'Content-Type: application/json' -d '{"source":"me","type":"user.created","key":"1","data":{"name":"Ann"}}'
              curl%4$s %1$s/v1/events
            """;

    static Greeting of(ConfigurableApplicationContext context) {
        HubSettings settings = context.getBean(HubSettings.class);
        int http = Objects.requireNonNull(((WebServerApplicationContext) context).getWebServer())
                .getPort();
        return new Greeting(
                (settings.http().tls().isOn() ? "https://" : "http://")
                        + place(settings.http().address(), http),
                place(
                        settings.grpc().address(),
                        context.getBean(GrpcListener.class).port()),
                data(settings),
                settings.access().adminKey() != null);
    }

    private static String place(String address, int port) {
        return (address.contains(":") ? "[" + address + "]" : address) + ":" + port;
    }

    /** Never the whole URL of a database: it may hold a password. */
    private static String data(HubSettings settings) {
        return settings.database().url() == null
                ? "Data is in " + settings.data().toAbsolutePath().normalize() + ", on a PostgreSQL of its own."
                : "Data is in the PostgreSQL that posthorn.database.url names, in the schema "
                        + settings.database().schema() + ".";
    }

    void print(PrintStream out) {
        out.print(TEXT.formatted(rest, grpc, data, keyNeeded ? " -H \"Authorization: Bearer $KEY\"" : ""));
        out.flush();
    }
}
