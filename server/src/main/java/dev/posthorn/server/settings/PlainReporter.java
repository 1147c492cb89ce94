package dev.posthorn.server.settings;

import java.io.PrintStream;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalysisReporter;

/** Says why the hub does not start as a command says it: {@code posthorn: …}, without frames and stack traces. */
final class PlainReporter implements FailureAnalysisReporter {

    private final PrintStream out;

    PlainReporter() {
        this(System.err);
    }

    PlainReporter(PrintStream out) {
        this.out = out;
    }

    @Override
    public void report(FailureAnalysis analysis) {
        out.println("posthorn: " + analysis.getDescription().strip());
        if (analysis.getAction() != null) {
            out.println(analysis.getAction().strip());
        }
    }
}
