package dev.posthorn.faults;

import dev.posthorn.mutants.Hunt;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** A test that breaks things and finds nothing proves little: these have to notice what the relay would be without its rules. */
@Tag("slow")
class FaultMutantsTest {

    private static Hunt hunt;
    private static List<Hunt.Prey> prey;

    @BeforeAll
    static void beginTheHunt() throws IOException {
        hunt = new Hunt(List.of("faults"), List.of(), Duration.ofMinutes(30));
        prey = hunt.begin();
    }

    @AfterAll
    static void end() {
        hunt.close();
    }

    @TestFactory
    Stream<DynamicTest> isNoticed() {
        return prey.stream()
                .map(each -> DynamicTest.dynamicTest(
                        each.name(), () -> System.out.println(each.caught().get())));
    }
}
