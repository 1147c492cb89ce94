package dev.posthorn.testkit;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LinuxProcessTest {

    private final LinuxProcess self = new LinuxProcess(ProcessHandle.current().pid());

    @Test
    void whatAChildUsedCountsWhileItRunsAndWhenItHasEnded() throws IOException, InterruptedException {
        Duration before = self.cpuOfTree();
        Process child =
                new ProcessBuilder("sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; read end").start();
        LinuxProcess childAlone = new LinuxProcess(child.pid());
        Duration used = Duration.ZERO;
        long giveUpAt = System.nanoTime() + SECONDS.toNanos(30);
        while (used.toMillis() < 50 && System.nanoTime() < giveUpAt) {
            used = childAlone.cpuOfTree();
        }

        assertThat(used).isGreaterThanOrEqualTo(Duration.ofMillis(50));
        assertThat(self.cpuOfTree().minus(before)).isGreaterThanOrEqualTo(used);
        child.getOutputStream().close();
        assertThat(child.waitFor(30, SECONDS)).isTrue();
        assertThat(self.cpuOfTree().minus(before)).isGreaterThanOrEqualTo(used);
    }

    @Test
    void memoryAndThreadsAreThoseOfTheProcess() throws IOException {
        assertThat(self.threads()).isGreaterThan(5);
        assertThat(self.residentBytes()).isGreaterThan(16L << 20);
    }
}
