package dev.posthorn.mutants;

import dev.posthorn.testkit.DatabaseServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every rule of the relay has a test that notices when it is gone; the promises that the simulation checks among them. */
@Tag("slow")
class MutantsTest {

    /** Only for what hangs: on a machine that is busy with other modules' tests one mutant has taken over three minutes. */
    private static final Duration HANGS = Duration.ofMinutes(30);

    private static Hunt hunt;
    private static Future<String> withoutMutant;

    @BeforeAll
    static void beginTheHunt() throws IOException {
        List<String> shared = List.of(DatabaseServer.newest().asJvmOption());
        hunt = new Hunt(List.of("core", "simulation"), shared, HANGS);
        withoutMutant = hunt.beginWithoutMutant();
    }

    @AfterAll
    static void end() {
        hunt.close();
    }

    @TestFactory
    Stream<DynamicTest> isNoticed() throws IOException {
        return hunt.begin().stream()
                .map(each -> DynamicTest.dynamicTest(
                        each.name(), () -> System.out.println(each.caught().get())));
    }

    @Test
    void theSameTestsPassWithoutAMutant() throws Exception {
        System.out.println(withoutMutant.get());
    }
}
