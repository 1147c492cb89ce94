package dev.posthorn.faults.attacks;

import dev.posthorn.faults.harness.Crew;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;

/**
 * Attacks a hub in one way after the other, while somebody asks for its liveness, two publishers go on publishing, and its
 * memory is looked at. After each attack everything that was acknowledged must be in the log, once.
 */
public final class Attacks implements AutoCloseable {

    /** What is loaded and compiled with the first calls is no matter of attacks. */
    private static final Duration WARM_UP = Duration.ofSeconds(3);

    private static final List<Attack> ALL = List.of(
            new Nobody(),
            SlowConnections.bodies(),
            SlowConnections.headers(),
            SlowConnections.idle(),
            SlowConnections.idleGrpc(),
            new UnreadEchoes(),
            new BegunMessages(),
            new CountlessFields(),
            new Resets(),
            new HangingGuard(),
            new NewNames(),
            new MaskedReplies(),
            new CostlyPattern(),
            new Flood());

    private final Duration slowestLiveness;
    private final AttackedHub hub;

    /**
     * @param slowestLiveness what breaks the run if liveness takes longer
     */
    public Attacks(Duration slowestLiveness) throws Exception {
        this.slowestLiveness = slowestLiveness;
        this.hub = new AttackedHub();
        go(new Nobody(), WARM_UP);
    }

    public static List<String> names() {
        return ALL.stream().map(Attack::name).toList();
    }

    /** For the list in {@code --help}. */
    public static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return names().iterator();
        }
    }

    /** A line for each attack that tells what it does. */
    public static String described() {
        StringBuilder text = new StringBuilder();
        ALL.forEach(attack -> text.append("  %-17s %s%n".formatted(attack.name(), attack.sentence())));
        return text.toString();
    }

    /**
     * Runs attacks, in their own order.
     *
     * @param names of the attacks to run
     * @param time for each
     * @param each told as soon as an attack is over
     */
    public List<Figures> run(List<String> names, Duration time, Consumer<Figures> each) throws Exception {
        List<Figures> all = new ArrayList<>();
        for (Attack attack : ALL) {
            if (names.contains(attack.name())) {
                Figures figures = go(attack, time);
                each.accept(figures);
                all.add(figures);
            }
        }
        return all;
    }

    private Figures go(Attack attack, Duration time) throws Exception {
        attack.prepare(hub);
        Round round = Round.of(hub, time);
        LivenessWatch liveness = new LivenessWatch();
        ValidPublishers publishers = new ValidPublishers();
        MemoryWatch memory = new MemoryWatch();
        Crew others = new Crew();
        others.start("liveness-new", () -> liveness.askOnNewConnections(round));
        others.start("liveness-kept", () -> liveness.askOnOneConnection(round));
        others.start("valid-rest", () -> publishers.publishByRest(round));
        others.start("valid-grpc", () -> publishers.publishByGrpc(round));
        others.start("memory", () -> memory.look(round));
        List<String> broken = new ArrayList<>();
        try {
            attack.run(round);
        } catch (IOException | IllegalStateException e) {
            broken.add("the attack itself failed: " + e);
        }
        others.join();
        broken.addAll(aftermath(round));
        List<String> late = new ArrayList<>(liveness.late(slowestLiveness));
        late.addAll(publishers.late(attack.leastServed()));
        return Figures.of(attack, round, liveness, publishers, memory).with(late, broken);
    }

    private List<String> aftermath(Round round) throws Exception {
        List<String> broken = new ArrayList<>();
        if (!hub.isAlive()) {
            broken.add("the hub died; its log:\n" + hub.log());
            hub.start();
        }
        if (hub.log().contains("OutOfMemoryError")) {
            broken.add("the hub ran out of memory");
        }
        Acknowledgements.Verdict verdict = round.acknowledged().compare(hub.database());
        if (verdict.lost() + verdict.doubled() > 0) {
            broken.add("of " + round.acknowledged().count() + " acknowledged events " + verdict.lost()
                    + " are lost, and there are " + verdict.doubled() + " rows too many");
        }
        return broken;
    }

    @Override
    public void close() throws IOException {
        hub.close();
    }
}
