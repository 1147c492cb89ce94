package dev.posthorn.mutants;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** What runs in a process of its own, with the classes of a mutant in front of the real ones: the tests that are named. */
final class TestRun implements TestExecutionListener {

    /** The first word of a line of the report, one for each test. */
    enum Verdict {
        /** By an assertion. */
        FAILED,
        PASSED,
        /** By anything else, which says nothing about the rule: the server may be away. */
        BROKEN
    }

    private final List<TestExecutionResult> results = new ArrayList<>();

    private TestRun() {}

    /** Takes the file for the report and the tests, as {@code dev.posthorn.SomeTest#aMethod}. */
    public static void main(String[] args) throws Exception {
        Path report = Path.of(args[0]);
        List<String> lines = new ArrayList<>();
        for (String test : List.of(args).subList(1, args.length)) {
            lines.add(run(test));
        }
        write(report, lines);
        // Whatever the test has left running.
        Runtime.getRuntime().exit(0);
    }

    private static void write(Path report, List<String> lines) throws IOException {
        Path part = report.resolveSibling(report.getFileName() + ".part");
        Files.write(part, lines);
        Files.move(part, report);
    }

    private static String run(String test) throws ClassNotFoundException {
        Class<?> type = Class.forName(test.substring(0, test.indexOf('#')));
        String name = test.substring(test.indexOf('#') + 1);
        // Those of a contract are inherited.
        List<Method> methods = ReflectionSupport.findMethods(
                type, method -> method.getName().equals(name), HierarchyTraversalMode.TOP_DOWN);
        if (methods.size() != 1) {
            return Verdict.BROKEN + " there are " + methods.size() + " tests of that name";
        }
        TestRun run = new TestRun();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectMethod(type, methods.get(0)))
                                .build(),
                        run);
        return run.verdict();
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        result.getThrowable().ifPresent(thrown -> thrown.printStackTrace(System.out));
        if (test.isTest() || result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
            results.add(result);
        }
    }

    private String verdict() {
        List<Throwable> thrown = results.stream()
                .flatMap(result -> result.getThrowable().stream())
                .toList();
        for (Throwable each : thrown) {
            if (!(each instanceof AssertionError)) {
                return Verdict.BROKEN + " " + firstLine(each);
            }
        }
        if (results.isEmpty()) {
            return Verdict.BROKEN + " no test was run";
        }
        return thrown.isEmpty() ? Verdict.PASSED.name() : Verdict.FAILED + " " + firstLine(thrown.get(0));
    }

    private static String firstLine(Throwable thrown) {
        return thrown.toString().strip().replaceAll("\\s+", " ");
    }
}
