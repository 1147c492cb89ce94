package dev.posthorn.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That every benchmark runs and reports. How fast it is, is nothing that a test could say. */
@Tag("slow")
class BenchTest {

    @TempDir
    private Path directory;

    @Test
    void drainReportsBothRates() throws IOException {
        String json = run("drain");
        assertThat(number(json, "oursPerSecond")).isPositive();
        assertThat(number(json, "barePerSecond")).isPositive();
    }

    @Test
    void latencyReportsBothSidesAndTheOverhead() throws IOException {
        String json = run("latency");
        assertThat(number(json, "p99_9")).isPositive();
        assertThat(json).contains("\"oursMillis\"", "\"directMillis\"", "\"overheadMillis\"");
    }

    @Test
    void writeReportsBothRates() throws IOException {
        String json = run("write");
        assertThat(number(json, "oursPerSecond")).isPositive();
        assertThat(number(json, "plainPerSecond")).isPositive();
    }

    @Test
    void flatReportsRatesAndWhatAnEventCosts() throws IOException {
        String json = run("flat");
        assertThat(number(json, "historyRatio")).isPositive();
        assertThat(number(json, "openTransactionsRatio")).isPositive();
        assertThat(number(json, "rowsWrittenPerEvent")).isGreaterThanOrEqualTo(1);
        assertThat(number(json, "walBytesPerEvent")).isPositive();
        assertThat(json).contains("\"serverCpuMicrosPerEvent\"");
    }

    @Test
    void scaleReportsWhatMoreProcessesDeliver() throws IOException {
        String json = run("scale");
        assertThat(number(json, "twoProcesses")).isPositive();
        assertThat(number(json, "fourProcesses")).isPositive();
    }

    @Test
    void inboxReportsBothFormsWithAndWithoutIt() throws IOException {
        String json = run("inbox");
        assertThat(number(json, "batchWithPerSecond")).isPositive();
        assertThat(number(json, "batchWithoutPerSecond")).isPositive();
        assertThat(number(json, "singleRatio")).isPositive();
    }

    @Test
    void holdReportsBothRates() throws IOException {
        String json = run("hold");
        assertThat(number(json, "besideStuckKeyPerSecond")).isPositive();
        assertThat(number(json, "withoutPerSecond")).isPositive();
    }

    @Test
    void retryReportsBothRates() throws IOException {
        String json = run("retry");
        assertThat(number(json, "failingPerSecond")).isPositive();
        assertThat(number(json, "smoothPerSecond")).isPositive();
    }

    @Test
    void replayReportsRatesToBothSinksAndWhatLiveEventsNotice() throws IOException {
        String json = run("replay");
        assertThat(number(json, "replayPerSecond")).isPositive();
        assertThat(number(json, "drainPerSecond")).isPositive();
        assertThat(number(json, "freezeSeconds")).isPositive();
        assertThat(number(json, "p50Ratio")).isPositive();
        assertThat(number(json, "p99Ratio")).isPositive();
        assertThat(number(json, "replayedPerSecond")).isNotNegative();
        assertThat(json).contains("\"http\": {", "\"kafka\": {", "\"live\": {");
    }

    @Test
    void webhookReportsRatesAndWhatTheOthersNoticeOfAHangingReceiver() throws IOException {
        String json = run("webhook");
        assertThat(number(json, "oursPerSecond")).isPositive();
        assertThat(number(json, "loopPerSecond")).isPositive();
        assertThat(number(json, "chainPerSecond")).isPositive();
        assertThat(number(json, "throughputRatio")).isPositive();
        assertThat(number(json, "p99Ratio")).isPositive();
        assertThat(json).contains("\"crowd\": {\"throughputRatio\": ");
    }

    @Test
    void ingestReportsTheRatesOfBothWaysInAndOfTheBareInsert() throws IOException {
        String json = run("ingest");
        assertThat(number(json, "restPerSecond")).isPositive();
        assertThat(number(json, "grpcPerSecond")).isPositive();
        assertThat(number(json, "barePerSecond")).isPositive();
        assertThat(number(json, "grpcHubCpuMicrosPerEvent")).isPositive();
    }

    @Test
    void subscriptionsReportsWhatOneAndTwentyCostAHub() throws IOException {
        String json = run("subscriptions");
        assertThat(number(json, "referencePerSecond")).isPositive();
        String[] hubs = json.split("\"subscriptions\": ", -1);
        assertThat(hubs).hasSize(3);
        for (String hub : List.of(hubs[1], hubs[2])) {
            assertThat(number(hub, "idleCpuPercent"))
                    .isBetween(0.0, 100.0 * Runtime.getRuntime().availableProcessors());
            assertThat(number(hub, "threads")).isBetween(10.0, 500.0);
            assertThat(number(hub, "residentMiB")).isBetween(50.0, 4_000.0);
            assertThat(number(hub, "oneP99Millis")).isGreaterThanOrEqualTo(number(hub, "oneP50Millis"));
            assertThat(number(hub, "allLastMillis")).isPositive();
            assertThat(number(hub, "allPerSecond")).isPositive();
            assertThat(number(hub, "mixP99Millis")).isGreaterThanOrEqualTo(number(hub, "mixP50Millis"));
            assertThat(number(hub, "rowsPerEvent")).isGreaterThanOrEqualTo(1);
            assertThat(number(hub, "putsPerSecond")).isPositive();
            assertThat(number(hub, "putsPerSecondOfOne")).isPositive();
            assertThat(number(hub, "startAllSeconds")).isGreaterThanOrEqualTo(number(hub, "startSeconds"));
        }
    }

    @Test
    void consoleReportsWhatTheCallsOfItsScreensTake() throws IOException {
        String json = run("console");
        assertThat(number(json, "slowestMillis")).isPositive();
        assertThat(number(json, "GET /v1/overview")).isPositive();
        assertThat(number(json, "openPercent")).isPositive();
    }

    private String run(String name) throws IOException {
        Path file = directory.resolve(name + ".json");
        assertThat(Bench.run(name, "--quick", "--json", file.toString())).isZero();
        String json = Files.readString(file);
        assertThat(json).startsWith("{\"name\": \"" + name + "\"");
        assertThat(number(json, "ratio")).isPositive();
        return json;
    }

    /** The first number of this name. */
    private static double number(String json, String name) {
        Matcher found = Pattern.compile('"' + name + "\": (-?[0-9.]+)").matcher(json);
        assertThat(found.find()).as("%s in %s", name, json).isTrue();
        return Double.parseDouble(found.group(1));
    }
}
