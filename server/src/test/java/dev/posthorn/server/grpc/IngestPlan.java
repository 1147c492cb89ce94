package dev.posthorn.server.grpc;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/** What one publisher is going to publish, in order. Of a hundred events five come again and one has another body. */
final class IngestPlan {

    /** Every so many events comes one that a publisher of the other protocol has too. */
    private static final int COMMON = 25;

    /** What is to become of an event. */
    enum Fate {
        RECORDED,
        DUPLICATE,
        REFUSED,
        /** Recorded or a duplicate, whichever publisher comes first. */
        COMMON
    }

    /**
     * An event to be published.
     *
     * @param id empty if the hub is to make one
     */
    record Planned(String id, String payload, Fate fate) {}

    private final String publisher;
    private final int number;
    private final Random random;
    private final List<Planned> known = new ArrayList<>();

    private IngestPlan(String publisher, int number) {
        this.publisher = publisher;
        this.number = number;
        this.random = new Random(publisher.hashCode() * 31L + number);
    }

    /**
     * @param number of the publisher; the one of the other protocol with the same number has common events with it
     */
    static List<Planned> of(String publisher, int number, int events) {
        IngestPlan plan = new IngestPlan(publisher, number);
        List<Planned> planned = new ArrayList<>();
        for (int i = 0; i < events; i++) {
            planned.add(i % COMMON == 0 ? plan.common(i) : plan.draw(i));
        }
        return planned;
    }

    private Planned common(int i) {
        return new Planned("common-" + number + "-" + i, "\"common " + i + "\"", Fate.COMMON);
    }

    private Planned draw(int i) {
        int kind = random.nextInt(100);
        String payload =
                "{\"from\": \"" + publisher + number + "\", \"n\": " + i + ", \"x\": \"" + "x".repeat(kind) + "\"}";
        if (kind < 6 && !known.isEmpty()) {
            Planned before = known.get(random.nextInt(known.size()));
            return kind == 0
                    ? new Planned(before.id(), payload, Fate.REFUSED)
                    : new Planned(before.id(), before.payload(), Fate.DUPLICATE);
        }
        Planned fresh = new Planned(id(kind, i), payload, Fate.RECORDED);
        if (!fresh.id().isEmpty()) {
            known.add(fresh);
        }
        return fresh;
    }

    /** None, a text or a UUID. */
    private String id(int kind, int i) {
        if (kind < 20) {
            return "";
        }
        return kind < 60 ? publisher + number + "-" + i : new UUID(random.nextLong(), random.nextLong()).toString();
    }

    static int count(List<Planned> planned, Fate fate) {
        return (int) planned.stream().filter(each -> each.fate() == fate).count();
    }
}
