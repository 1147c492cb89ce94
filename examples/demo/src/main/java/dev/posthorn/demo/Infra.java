package dev.posthorn.demo;

import dev.posthorn.embedded.kafka.EmbeddedKafka;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;

/** The command {@code posthorn infra}: servers for a trial, without Docker. */
@Command(
        name = "posthorn infra",
        sortOptions = false,
        description = {
            "Runs a PostgreSQL and a Kafka on 127.0.0.1 for a trial, with a database \"shop\" of a user \"shop\", and"
                    + " prints the URLs to paste into an application."
        },
        footer = {"", "Ctrl-C ends both. Anybody on this machine can log in: not for anything that matters."})
public final class Infra implements Callable<Integer> {

    @Option(
            names = "--postgres-port",
            paramLabel = "PORT",
            description = "Where PostgreSQL listens; 0 takes a free port (default: ${DEFAULT-VALUE}).")
    private int postgresPort = 5432;

    @Option(
            names = "--kafka-port",
            paramLabel = "PORT",
            description = "Where Kafka listens; 0 takes a free port (default: ${DEFAULT-VALUE}).")
    private int kafkaPort = 9092;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description =
                    "Where both keep their data, which stays there (default: a temporary directory, deleted at the"
                            + " end).")
    private @Nullable Path data;

    /** Read by picocli, which shows the page. */
    @SuppressWarnings("unused")
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this page.")
    private boolean help;

    private final Console console;

    private Infra(Console console) {
        this.console = console;
    }

    public static void main(String[] args) {
        System.exit(execute(Console.standard(), args));
    }

    static int execute(Console console, String... args) {
        return console.commandLine(new Infra(console)).execute(args);
    }

    @Override
    public Integer call() throws InterruptedException {
        StopSignal stop = StopSignal.install(console.err());
        try {
            requireFree("PostgreSQL", postgresPort, "--postgres-port");
            requireFree("Kafka", kafkaPort, "--kafka-port");
            if (data == null) {
                try (Workplace workplace = Workplace.open()) {
                    run(workplace.postgres(), workplace.kafka(), "Data is deleted at the end.", stop);
                }
            } else {
                Path kept = data.toAbsolutePath().normalize();
                run(kept.resolve("postgres"), kept.resolve("kafka"), "Data stays in " + kept + ".", stop);
            }
            return ExitCode.OK;
        } catch (RuntimeException e) {
            console.err().println("posthorn infra: " + e.getMessage());
            return ExitCode.SOFTWARE;
        }
    }

    private static void requireFree(String server, int port, String option) {
        if (port != 0 && !Child.isFree(port)) {
            throw new IllegalStateException("port " + port + " for " + server
                    + " is in use; stop whoever listens there, or choose another one with " + option
                    + " (0: any that is free)");
        }
    }

    private void run(Path postgresData, Path kafkaData, String ofTheData, StopSignal stop) throws InterruptedException {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                        .dataDirectory(postgresData)
                        .port(postgresPort)
                        .start();
                EmbeddedKafka kafka = EmbeddedKafka.builder()
                        .logDirectory(kafkaData)
                        .port(kafkaPort)
                        .start()) {
            TrialDatabase database = TrialDatabase.in(postgres);
            console.out().printf("""
                    A PostgreSQL and a Kafka are ready:

                      spring.datasource.url: %s
                      posthorn.kafka.bootstrap-servers: localhost:%d

                    %s Ctrl-C ends both.
                    """, database.jdbcUrl(), kafka.port(), ofTheData);
            stop.await();
            console.out().println("Ending both …");
        }
    }
}
