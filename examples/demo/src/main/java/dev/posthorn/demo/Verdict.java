package dev.posthorn.demo;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Whether the run kept Posthorn's promises.
 *
 * @param faults what was broken; empty means that all is well
 * @param notes what a reader might take for a fault and is none
 */
record Verdict(List<String> faults, List<String> notes) {

    Verdict {
        faults = List.copyOf(faults);
        notes = List.copyOf(notes);
    }

    /**
     * Judges figures taken after the consumer has read all there is, each instance's deliveries, and what went wrong on
     * the way.
     */
    static Verdict of(
            Ledger.Tally tally, Map<String, Long> deliveries, Collection<String> troubles, Settings settings) {
        List<String> faults = new ArrayList<>(troubles);
        List<String> notes = new ArrayList<>();
        fault(faults, tally.backlog(), "recorded events were not received");
        fault(faults, tally.neverCommitted(), "received events were never committed");
        fault(faults, tally.outOfOrder(), "events were received out of order of their key");
        if (tally.recorded() == 0) {
            faults.add("nothing was recorded, so nothing was shown");
        }
        if (tally.duplicates() > 0) {
            notes.add(
                    count(tally.duplicates()) + " events were received more than once, which an inbox makes harmless");
        }
        deliveries.forEach((instance, delivered) -> {
            if (delivered == 0) {
                idle(instance, settings, settings.everyInstanceHasWork() ? faults : notes);
            }
        });
        return new Verdict(faults, notes);
    }

    private static void fault(List<String> faults, long count, String what) {
        if (count > 0) {
            faults.add(count(count) + " " + what);
        }
    }

    private static void idle(String instance, Settings settings, List<String> to) {
        to.add("%s delivered nothing (%d lanes and %d keys for %d relay processes)"
                .formatted(instance, settings.lanes(), settings.keys(), settings.instances()));
    }

    private static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    boolean isGood() {
        return faults.isEmpty();
    }
}
