package dev.posthorn.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/** What the demo shows. On a terminal the status line is written over the last one. */
final class Screen {

    private static final String ERASE_LINE = "\r\033[K";

    private final PrintStream out;
    private final boolean terminal;
    private boolean statusShown;

    Screen(PrintStream out) {
        this.out = out;
        this.terminal = isTerminal();
    }

    /** System.console() would ask for a terminal to read from too, and since Java 22 answers without one. */
    private static boolean isTerminal() {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
        } catch (IOException e) {
            return false;
        }
    }

    void say(String format, Object... arguments) {
        if (statusShown && terminal) {
            out.println();
        }
        statusShown = false;
        out.println(String.format(Locale.ROOT, format, arguments));
    }

    void status(Ledger.Tally tally, double eventsPerSecond) {
        String line = String.format(
                Locale.ROOT,
                "recorded %,d  delivered %,d  backlog %,d  %,.0f events/s  latency p50 %.1f ms  p99 %.1f ms",
                tally.recorded(),
                tally.received(),
                tally.backlog(),
                eventsPerSecond,
                tally.recentP50(),
                tally.recentP99());
        if (terminal) {
            out.print(ERASE_LINE + line);
            out.flush();
        } else {
            out.println(line);
        }
        statusShown = true;
    }

    void summary(Ledger.Tally tally, Map<String, Long> deliveries, Verdict verdict) {
        say("");
        say("Summary");
        say(
                "  recorded      %,d events (%,d more transactions rolled back on purpose)",
                tally.recorded(), tally.rolledBack());
        say("  received      %,d", tally.received());
        say("  duplicates    %,d", tally.duplicates());
        say("  out of order  %,d", tally.outOfOrder());
        say(
                "  latency       p50 %.1f ms  p99 %.1f ms  max %.1f ms, commit to received",
                tally.p50(), tally.p99(), tally.max());
        deliveries.forEach((instance, delivered) -> say("  %-12s  %,d delivered", instance, delivered));
        verdict.notes().forEach(note -> say("Note: %s.", note));
        verdict.faults().forEach(fault -> say("FAILED: %s.", fault));
        if (verdict.isGood()) {
            say("OK: every recorded event was received, none out of order per key.");
        }
    }
}
