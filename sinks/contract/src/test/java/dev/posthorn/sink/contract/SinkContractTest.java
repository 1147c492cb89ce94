package dev.posthorn.sink.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs the suite against sinks of which it is known whether they are good. */
class SinkContractTest {

    private static final int ONLY_WITH_ORDER = 2;
    private static final int ONLY_WITHOUT_ORDER = 1;

    /** A flaw that shows for a moment is not seen if the machine stands still just then. */
    private static final int TRIES = 5;

    @Test
    void aGoodSinkThatKeepsTheOrderPasses() {
        TestExecutionSummary summary = run(true, null, selectClass(MemorySinkContract.class));

        assertThat(summary.getFailures()).map(failure -> failure.getException()).isEmpty();
        assertThat(summary.getTestsSucceededCount()).isEqualTo(tests().size() - ONLY_WITHOUT_ORDER);
    }

    @Test
    void aGoodSinkThatKeepsNoOrderPasses() {
        TestExecutionSummary summary = run(false, null, selectClass(MemorySinkContract.class));

        assertThat(summary.getFailures()).map(failure -> failure.getException()).isEmpty();
        assertThat(summary.getTestsSucceededCount()).isEqualTo(tests().size() - ONLY_WITH_ORDER);
    }

    @ParameterizedTest
    @EnumSource
    void aFlawIsFound(Flaw flaw) {
        long failed = 0;
        for (int i = 0; i < TRIES && failed == 0; i++) {
            failed = run(flaw.keepsOrder(), flaw, selectMethod(MemorySinkContract.class, flaw.caughtBy()))
                    .getTestsFailedCount();
        }

        assertThat(failed).isEqualTo(1);
    }

    @Test
    void everyTestFindsSomething() {
        assertThat(Arrays.stream(Flaw.values()).map(Flaw::caughtBy)).containsAll(tests());
    }

    private static Set<String> tests() {
        return Stream.of(SinkContract.class.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Test.class))
                .map(method -> method.getName())
                .collect(Collectors.toSet());
    }

    private static TestExecutionSummary run(boolean keepsOrder, @Nullable Flaw flaw, DiscoverySelector selector) {
        MemorySinkContract.prepare(keepsOrder, flaw);
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selector)
                                // The thread knows which sink is meant.
                                .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
                                .build(),
                        listener);
        return listener.getSummary();
    }
}
