package dev.posthorn.benchmarks.console;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.benchmarks.harness.Benchmark;
import dev.posthorn.benchmarks.harness.Figures;
import dev.posthorn.benchmarks.testbed.Database;
import dev.posthorn.benchmarks.testbed.HubProcess;
import dev.posthorn.benchmarks.testbed.RestCalls;
import dev.posthorn.benchmarks.testbed.Server;
import dev.posthorn.testkit.LinuxProcess;
import dev.posthorn.testkit.Receiver;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** How long each call of the console's screens takes where there is much to look at, and what an open overview costs. */
@Command(
        name = "console",
        description = "Milliseconds of each call of the console's screens, and what an open overview costs a hub.")
public final class ConsoleCalls extends Benchmark {

    private static final String DATABASE = "console";

    /** What a call may take. */
    private static final double LIMIT_MILLIS = 300;

    private static final Set<Integer> GOOD = Set.of(200);

    @Option(names = "--events", description = "Events in the log (${DEFAULT-VALUE}).")
    private int events = 1_000_000;

    @Option(names = "--dead-letters", description = "Dead letters (${DEFAULT-VALUE}).")
    private int deadLetters = 100_000;

    @Option(names = "--subscriptions", description = "Subscriptions (${DEFAULT-VALUE}).")
    private int subscriptions = 1_000;

    @Option(names = "--rounds", description = "How often each call is made (${DEFAULT-VALUE}).")
    private int rounds = 15;

    @Option(names = "--watch", description = "For how many seconds an overview is open (${DEFAULT-VALUE}).")
    private int watch = 30;

    /** A call of a screen. */
    private record Call(String screen, String method, String path, String body) {

        static Call get(String screen, String path) {
            return new Call(screen, "GET", path, "");
        }

        String name() {
            return method + " " + path;
        }
    }

    /** How long it took, in milliseconds. */
    private record Took(Call call, double median, double most) {}

    @Override
    protected void measure() throws Exception {
        events = output.size(events, 5_000);
        deadLetters = output.size(deadLetters, 500);
        subscriptions = output.size(subscriptions, 20);
        rounds = output.size(rounds, 2);
        watch = output.size(watch, 1);
        try (Server server = Server.start();
                Receiver receiver = Receiver.start()) {
            Database database = server.create(DATABASE);
            try (HubProcess hub = HubProcess.start(server, DATABASE, List.of("-Xmx1g"))) {
                RestCalls calls = new RestCalls(hub.rest());
                seed(new Seeds(database, calls, receiver, subscriptions, output));
                database.comeToRest();
                List<Took> all = new ArrayList<>();
                for (Call call : calls(database)) {
                    all.add(time(calls, call));
                }
                report(all, openOverview(server, hub, calls));
            }
        }
    }

    private void seed(Seeds seeds) throws Exception {
        seeds.events(events);
        seeds.makeSubscriptions();
        seeds.work(output.size(2_000, 200));
        seeds.deadLetters(deadLetters);
        seeds.rollups(output.size(1_440, 60));
    }

    private static List<Call> calls(Database database) throws Exception {
        long letter = database.number("SELECT max(id) FROM posthorn.dead_letter");
        String event = newestEvent(database);
        return List.of(
                Call.get("all", "/v1/me"),
                Call.get("overview", "/v1/overview"),
                Call.get("overview", "/v1/overview/subscriptions?sort=trouble&limit=20"),
                Call.get("subscriptions", "/v1/overview/subscriptions?sort=trouble&limit=100"),
                Call.get("subscriptions", "/v1/overview/subscriptions?sort=rate&limit=100&search=07"),
                Call.get("subscriptions", "/v1/subscriptions/subscriber-0007"),
                Call.get("subscriptions", "/v1/subscriptions/subscriber-0007/series?period=24h"),
                Call.get("subscriptions", "/v1/subscriptions/subscriber-0007/attempts"),
                Call.get("subscriptions", "/v1/subscriptions/subscriber-0007/revisions"),
                Call.get("subscriptions", "/v1/status/counts?subscription=subscriber-0007"),
                new Call(
                        "subscriptions",
                        "POST",
                        "/v1/subscriptions/match",
                        "{\"filter\": {\"types\": [\"type.7\", \"order.*\"]}}"),
                new Call(
                        "subscriptions",
                        "POST",
                        "/v1/subscriptions/check",
                        "{\"name\": \"new\", \"sink\": {\"kind\": \"http\", \"url\": \"http://127.0.0.1:1/\"}}"),
                Call.get("events", "/v1/events"),
                Call.get("events", "/v1/events?type=order.*"),
                Call.get("events", "/v1/events?type=type.7&status=DELIVERED"),
                Call.get("events", "/v1/events?status=FAILED"),
                Call.get("events", "/v1/events?subscription=subscriber-0007"),
                Call.get("events", "/v1/events?key=nobody"),
                Call.get("events", "/v1/events?id=" + event),
                Call.get("events", "/v1/events/" + event + "?payload=text"),
                Call.get("dead letters", "/v1/dlt-messages/groups?trend=true"),
                Call.get("dead letters", "/v1/dlt-messages"),
                Call.get("dead letters", "/v1/dlt-messages?subscriberId=subscriber-0007&count=true"),
                Call.get("dead letters", "/v1/dlt-messages?errorMessage=cause%203"),
                Call.get("dead letters", "/v1/dlt-messages/" + letter + "?payload=text"),
                Call.get("replay", "/v1/replay"),
                new Call(
                        "replay",
                        "POST",
                        "/v1/replay",
                        "{\"filter\": {\"subscriberId\": \"subscriber-0007\"}, \"dryRun\": true}"),
                Call.get("guards", "/v1/guards"),
                Call.get("audit", "/v1/audit"),
                Call.get("keys", "/v1/keys"));
    }

    private static String newestEvent(Database database) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT id::text FROM posthorn.event ORDER BY seq DESC LIMIT 1")) {
            row.next();
            return row.getString(1);
        }
    }

    private Took time(RestCalls calls, Call call) throws Exception {
        double[] millis = new double[rounds];
        for (int i = -1; i < rounds; i++) {
            long begun = System.nanoTime();
            calls.require(GOOD, call.method(), call.path(), call.body().getBytes(UTF_8));
            if (i >= 0) {
                millis[i] = (System.nanoTime() - begun) / 1e6;
            }
        }
        Arrays.sort(millis);
        return new Took(call, millis[rounds / 2], millis[rounds - 1]);
    }

    /** What hub and server use in percent of a core: nobody looking, and with an overview open as the console opens it. */
    private record Open(double idlePercent, double openPercent) {}

    private Open openOverview(Server server, HubProcess hub, RestCalls calls) throws Exception {
        output.progress("an overview is open for %d s", watch);
        double idle = percent(server, hub, () -> TimeUnit.SECONDS.sleep(watch));
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest stream =
                HttpRequest.newBuilder(URI.create(hub.rest() + "/v1/stream")).build();
        try (InputStream messages =
                client.send(stream, HttpResponse.BodyHandlers.ofInputStream()).body()) {
            double open = percent(server, hub, () -> {
                for (int second = 0; second < watch; second += 5) {
                    calls.require(GOOD, "GET", "/v1/overview", new byte[0]);
                    calls.require(GOOD, "GET", "/v1/overview/subscriptions?limit=20", new byte[0]);
                    TimeUnit.SECONDS.sleep(Math.min(5, watch - second));
                }
            });
            output.progress("the stream told %,d bytes", messages.available());
            return new Open(idle, open);
        }
    }

    private interface Meanwhile {
        void run() throws Exception;
    }

    private static double percent(Server server, HubProcess hub, Meanwhile meanwhile) throws Exception {
        LinuxProcess database = new LinuxProcess(server.processId());
        double before = hub.cpuMicros() + micros(database.cpuOfTree());
        long begun = System.nanoTime();
        meanwhile.run();
        double used = hub.cpuMicros() + micros(database.cpuOfTree()) - before;
        return used / ((System.nanoTime() - begun) / 1e3) * 100;
    }

    private static double micros(Duration time) {
        return time.toNanos() / 1e3;
    }

    private void report(List<Took> all, Open open) throws Exception {
        double slowest = all.stream().mapToDouble(Took::median).max().orElseThrow();
        StringBuilder table = new StringBuilder();
        table.append(String.format(
                Locale.ROOT,
                "%,d events, %,d dead letters, %,d subscriptions; milliseconds, of %d calls each%n",
                events,
                deadLetters,
                subscriptions,
                rounds));
        Figures figures = new Figures().put("ratio", LIMIT_MILLIS / slowest).put("slowestMillis", slowest);
        for (Took each : all) {
            table.append(String.format(
                    Locale.ROOT,
                    "  %-14s %7.1f  at most %7.1f  %s%n",
                    each.call().screen(),
                    each.median(),
                    each.most(),
                    each.call().name()));
            figures.put(each.call().name(), each.median());
        }
        table.append(String.format(
                Locale.ROOT,
                "an open overview: %.2f %% of a core (%.2f %% nobody looking, %.2f %% with it)",
                open.openPercent() - open.idlePercent(),
                open.idlePercent(),
                open.openPercent()));
        figures.put("idlePercent", open.idlePercent()).put("openPercent", open.openPercent());
        output.result("console", figures, table.toString());
    }
}
