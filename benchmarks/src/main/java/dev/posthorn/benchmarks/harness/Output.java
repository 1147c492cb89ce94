package dev.posthorn.benchmarks.harness;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What every benchmark is asked in the same way: where the figures go, and whether this is only a try. */
public final class Output {

    @Option(names = "--json", paramLabel = "FILE", description = "Also write the figures to this file, as JSON.")
    private @Nullable Path json;

    @Option(
            names = "--quick",
            description = "Small sizes, to see that the benchmark works; its figures mean nothing then.")
    private boolean quick;

    /** The size asked for, or a small one for a try. */
    public int size(int full, int small) {
        return quick ? Math.min(full, small) : full;
    }

    /** Tells what is going on, on standard error: standard output is for the result. */
    public void progress(String format, Object... values) {
        System.err.println(String.format(Locale.ROOT, format, values));
    }

    /**
     * Tells the result.
     *
     * @param ratio ours to the reference; with several forms, the smallest
     */
    public void result(String name, double ratio, Figures figures, String format, Object... values) throws IOException {
        result(name, new Figures().put("ratio", ratio).putAll(figures), String.format(Locale.ROOT, format, values));
    }

    /** Tells a result without a ratio, or with one among its figures. */
    public void result(String name, Figures figures, String text) throws IOException {
        System.out.println(name + ": " + text);
        if (json != null) {
            Figures all = new Figures().put("name", name).putAll(figures);
            Files.writeString(json, all.machine().json() + "\n", UTF_8);
        }
    }
}
