package dev.posthorn.faults.attacks;

import java.util.List;
import java.util.stream.Stream;

/**
 * What others noticed of an attack.
 *
 * @param livenessMillis the slowest answer
 * @param served how many of a hundred calls, of the valid publisher over REST and of the one over gRPC
 * @param p99Millis of the two
 * @param heap in MiB, at most; garbage counts until it is collected
 * @param resident in MiB, at most
 * @param got what the attack was answered
 * @param late who was not served in time
 * @param broken what should not have happened
 */
public record Figures(
        String attack,
        long livenessMillis,
        List<Double> served,
        List<Long> p99Millis,
        long heap,
        long resident,
        String got,
        List<String> late,
        List<String> broken) {

    /** The head of the table whose rows these are. */
    public static final String HEAD = """
            | Attack | Liveness, worst ms | Served, REST / gRPC % | p99, REST / gRPC ms | Heap max MB | Resident max MB | What the attack got |
            | --- | --- | --- | --- | --- | --- | --- |""";

    public Figures {
        served = List.copyOf(served);
        p99Millis = List.copyOf(p99Millis);
        late = List.copyOf(late);
        broken = List.copyOf(broken);
    }

    static Figures of(
            Attack attack, Round round, LivenessWatch liveness, ValidPublishers publishers, MemoryWatch memory) {
        return new Figures(
                attack.name(),
                liveness.worst().toMillis(),
                publishers.all().stream().map(Served::percent).toList(),
                publishers.all().stream().map(each -> each.p99().toMillis()).toList(),
                memory.heap(),
                memory.resident(),
                round.got().toString(),
                List.of(),
                List.of());
    }

    Figures with(List<String> whatIsLate, List<String> whatIsBroken) {
        return new Figures(attack, livenessMillis, served, p99Millis, heap, resident, got, whatIsLate, whatIsBroken);
    }

    /** All that speaks against the hub. */
    public List<String> faults() {
        return Stream.concat(broken.stream(), late.stream()).toList();
    }

    /** A row of the table. */
    public String row() {
        return "| `%s` | %d | %.1f / %.1f | %d / %d | %d | %d | %s |"
                .formatted(
                        attack,
                        livenessMillis,
                        served.get(0),
                        served.get(1),
                        p99Millis.get(0),
                        p99Millis.get(1),
                        heap,
                        resident,
                        got);
    }
}
