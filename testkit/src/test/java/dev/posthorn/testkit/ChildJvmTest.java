package dev.posthorn.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChildJvmTest {

    /** Says a few words and ends as it is told. */
    static final class Program {

        private Program() {}

        public static void main(String[] args) {
            System.out.println("not yet");
            System.out.println("ready 17");
            System.err.println("oh");
            System.exit(Integer.parseInt(args[0]));
        }
    }

    private static ProcessBuilder program(int exitCode) {
        return ChildJvm.of(Program.class, ChildJvm.small(32), List.of(Integer.toString(exitCode)));
    }

    @Test
    void howItEndedAndWhatItPrintedIsTold() throws Exception {
        assertThat(ChildJvm.run(program(3))).isEqualTo(new ChildJvm.Result(3, "not yet\nready 17\n", "oh\n"));
    }

    @Test
    void aLineIsWaitedForAndItsRestTold() throws IOException {
        Process process = program(0).start();
        assertThat(ChildJvm.awaitLine(process, "ready ")).isEqualTo("17");
        assertThatThrownBy(() -> ChildJvm.awaitLine(process, "ready ")).hasMessageContaining("ended before");
    }
}
