package dev.posthorn.faults.delivery;

import dev.posthorn.faults.harness.Change;
import dev.posthorn.faults.harness.Ledger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;

/** What a subscription's receiver got, from whom, and how much of it at once. Used by one thread at a time. */
public final class Account {

    private final String subscription;
    private final List<Change> taken = new ArrayList<>();
    private final Map<UUID, String> lastFrom = new HashMap<>();
    private final Map<String, Integer> duplicatesAfter = new HashMap<>();
    private final Set<UUID> toBeRepeated = new HashSet<>();
    private boolean settlesAreLost;
    private int provoked;
    private int keysAtOnce;
    private int keysDoubled;

    Account(String subscription) {
        this.subscription = subscription;
    }

    /**
     * @param sender the process, and until when: each of its lives may end with events in flight
     * @param beside what else this process has in progress here
     */
    void arrived(Arrival arrival, String sender, Collection<Arrival> beside) {
        Set<String> keys = new HashSet<>(Set.of(arrival.change().aggregate()));
        beside.forEach(each -> keys.add(each.change().aggregate()));
        keysAtOnce = Math.max(keysAtOnce, keys.size());
        if (beside.stream().anyMatch(arrival::isAnotherOfItsKey)) {
            keysDoubled++;
        }
        if (arrival.treatment().takes()) {
            take(arrival, sender);
        }
    }

    /** A repetition that the receiver itself provoked, or a settle that was lost, is nobody's fault, but only that one. */
    private void take(Arrival arrival, String sender) {
        UUID id = arrival.change().id();
        taken.add(arrival.change());
        String before = lastFrom.put(id, sender);
        if (toBeRepeated.remove(id)) {
            provoked++;
        } else if (before != null) {
            duplicatesAfter.merge(before, 1, Integer::sum);
        }
        if (arrival.treatment().provokesRepetition() || settlesAreLost) {
            toBeRepeated.add(id);
        }
    }

    /** It may come once more, because this machine was too busy to answer it in time. */
    void isAnsweredLate(Arrival arrival) {
        if (arrival.treatment().takes()) {
            toBeRepeated.add(arrival.change().id());
        }
    }

    /** From now on, or no longer: whatever is settled of what comes will not be known afterwards. */
    void settlesAreLost(boolean lost) {
        settlesAreLost = lost;
    }

    int distinct() {
        return lastFrom.size();
    }

    boolean has(UUID event) {
        return lastFrom.containsKey(event);
    }

    /** @param happened what of that which came is to be judged */
    Result result(List<Change> committed, Predicate<Change> happened) {
        Ledger ledger = new Ledger(subscription);
        taken.stream().filter(happened).forEach(change -> ledger.note(change, again -> true));
        int worst = duplicatesAfter.values().stream().max(Integer::compare).orElse(0);
        return new Result(ledger.verdict(committed, change -> true), worst, provoked, keysAtOnce, keysDoubled);
    }

    /**
     * What came of a subscription.
     *
     * @param worst the most duplicates that one process caused, struck or not; one that was thawed begins anew
     * @param provoked duplicates that the receiver caused, by taking an event and not saying so, or a failover, by
     *     forgetting that it was settled
     * @param keysAtOnce the most keys that one process had in progress at once
     * @param keysDoubled how often a process sent an event while another one of its key was in progress
     */
    public record Result(Ledger.Verdict verdict, int worst, int provoked, int keysAtOnce, int keysDoubled) {

        /** The duplicates that strikes have to account for. */
        public long unprovoked() {
            return verdict.repeated() - provoked;
        }

        public boolean isPipelined() {
            return verdict.name().equals(RelayProcess.PIPELINED);
        }

        public boolean isClean(int struck, int inFlightLimit) {
            return verdict.isClean()
                    && worst <= inFlightLimit
                    && unprovoked() <= (long) struck * inFlightLimit
                    && (isPipelined() || keysDoubled == 0);
        }

        @Override
        public String toString() {
            return verdict + "; " + provoked + " repetitions provoked, at most " + worst
                    + " duplicates of one process; up to " + keysAtOnce
                    + " keys of a process in progress at once"
                    + (isPipelined() ? "" : ", " + keysDoubled + " times two events of one key");
        }
    }
}
