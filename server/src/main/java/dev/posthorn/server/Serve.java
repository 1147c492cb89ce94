package dev.posthorn.server;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code posthorn serve}. */
@Command(
        name = "posthorn serve",
        description = "Runs the hub: takes events over REST and gRPC and delivers them to subscribers.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Everything else is a setting posthorn.*, given in posthorn.yaml where the hub is started, as an environment"
                    + " variable (POSTHORN_DATABASE_URL), or with --set. See docs/settings.md."
        })
public final class Serve implements Callable<Integer> {

    private static final List<String> OURS_AND_SPRINGS =
            List.of("posthorn.", "logging.", "management.", "server.", "spring.");

    @Option(names = "--http-port", paramLabel = "PORT", description = "where REST listens (default 8080)")
    private @Nullable Integer httpPort;

    @Option(names = "--grpc-port", paramLabel = "PORT", description = "where gRPC listens (default 9090)")
    private @Nullable Integer grpcPort;

    @Option(names = "--data", paramLabel = "DIR", description = "where data is kept (default ./data)")
    private @Nullable Path data;

    @Option(
            names = "--set",
            paramLabel = "NAME=VALUE",
            description = "any setting, such as posthorn.event-types=strict; may be repeated")
    private Map<String, String> others = new LinkedHashMap<>();

    public static void main(String[] arguments) {
        int code = new CommandLine(new Serve())
                // Whatever it was, Spring has said it already.
                .setExecutionExceptionHandler((error, line, parsed) -> 1)
                .execute(arguments);
        if (code != 0) {
            System.exit(code);
        }
    }

    @Override
    public Integer call() {
        for (String name : others.keySet()) {
            // Whatever begins otherwise is nobody's, and the hub would start without it.
            if (OURS_AND_SPRINGS.stream().noneMatch(name::startsWith)) {
                System.err.println("posthorn: --set " + name
                        + " is no setting; all begin with posthorn., such as posthorn.http.port");
                return 1;
            }
        }
        Map<String, Object> settings = new LinkedHashMap<>(others);
        put(settings, "posthorn.http.port", httpPort);
        put(settings, "posthorn.grpc.port", grpcPort);
        put(settings, "posthorn.data", data);
        Greeting.of(Hub.start(settings)).print(System.out);
        return 0;
    }

    private static void put(Map<String, Object> settings, String name, @Nullable Object value) {
        if (value != null) {
            settings.put(name, value);
        }
    }
}
