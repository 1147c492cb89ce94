package dev.posthorn.relay.lane;

import dev.posthorn.relay.store.Command;
import dev.posthorn.relay.store.DeadLetterState;
import dev.posthorn.relay.store.DeliveryRow;
import dev.posthorn.relay.store.LaneStore;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Carries out what people ask of a lane. What it does and what it answers are written by the same settle. To be called
 * only while nothing else waits to be written: then the rows and letters are the truth.
 */
final class CommandRunner {

    private static final int COMMANDS = 100;
    private static final String DEFERRED = "deferred";

    private final LaneStore store;
    private final Troubles troubles;
    private final RowsInHand rows;
    private final Dispatch dispatch;

    /** What is to be deferred when it is read: the command stays open until then, whoever owns the lane. */
    private final Map<Long, Command> unread = new HashMap<>();

    CommandRunner(LaneStore store, Troubles troubles, RowsInHand rows, Dispatch dispatch) {
        this.store = store;
        this.troubles = troubles;
        this.rows = rows;
        this.dispatch = dispatch;
    }

    /**
     * Carries out the open commands, but of those about one key only the first. True if that was all of them. One that has
     * to wait keeps only those about its own event waiting.
     */
    boolean carryOut() {
        Set<Object> touched = new HashSet<>();
        List<Command> open = store.commands(COMMANDS);
        boolean all = open.size() < COMMANDS;
        unread.clear();
        for (Command command : open) {
            Object subject = command.key() == null ? command.seq() : command.key();
            if (touched.contains(subject) || touched.contains(command.seq())) {
                all = false;
                continue;
            }
            String answer = carryOut(command);
            if (answer == null) {
                touched.add(command.seq());
            } else {
                touched.add(subject);
                troubles.answer(command, answer);
            }
        }
        return all;
    }

    /** Whether any is left to wait until its event is read. */
    boolean areUnread() {
        return !unread.isEmpty();
    }

    /** Whether somebody asked for the event, which is just read, to be deferred; then it is. */
    boolean defers(LaneEvent live) {
        Command command = unread.isEmpty() || !live.isLive() ? null : unread.remove(live.seq());
        if (command == null) {
            return false;
        }
        troubles.defer(live, Objects.requireNonNull(command.dueAt()));
        troubles.answer(command, DEFERRED);
        return true;
    }

    /** What happened; null if the command has to wait. */
    private @Nullable String carryOut(Command command) {
        return switch (command.kind()) {
            case RELEASE -> withOpenLetter(command, this::release);
            case DISCARD -> withOpenLetter(command, letter -> discard(letter, command));
            case PURGE -> withLetter(command, letter -> purge(letter, command));
            case DEFER -> defer(command, Objects.requireNonNull(command.dueAt()));
        };
    }

    private interface Act {
        String on(DeadLetterState letter);
    }

    private String withOpenLetter(Command command, Act act) {
        return withLetter(
                command,
                letter -> letter.discarded() ? "nothing to do: the dead letter was discarded" : act.on(letter));
    }

    private String withLetter(Command command, Act act) {
        DeadLetterState letter = store.letter(command.seq());
        if (letter == null) {
            return "nothing to do: there is no such dead letter any more";
        }
        // One whose replay was cancelled may still be on its way.
        return letter.replaying() || rows.isLoaded(letter.seq())
                ? "nothing to do: the dead letter is being replayed"
                : act.on(letter);
    }

    private String release(DeadLetterState letter) {
        if (!letter.holdsKey()) {
            return "nothing to do: the dead letter holds nothing back";
        }
        troubles.release(letter);
        return "the key goes on; the dead letter stays";
    }

    private String discard(DeadLetterState letter, Command command) {
        String reason = command.reason();
        troubles.discard(letter, command.requestedBy(), reason == null ? "" : reason);
        return "discarded";
    }

    private String purge(DeadLetterState letter, Command command) {
        String reason = command.reason();
        troubles.purge(letter, command.requestedBy(), reason == null ? "" : reason);
        return "purged";
    }

    private @Nullable String defer(Command command, Instant until) {
        long seq = command.seq();
        LaneEvent live = dispatch.unsettled().find(seq);
        if (live != null) {
            return deferLive(live, until);
        }
        if (rows.isLoaded(seq)) {
            return "too late: it is being sent";
        }
        DeliveryRow row = store.row(seq);
        if (row != null) {
            troubles.defer(row, until);
            return DEFERRED;
        }
        if (store.letter(seq) != null) {
            return "too late: it is a dead letter";
        }
        if (!store.isUnsettled(seq)) {
            return "too late: it was delivered, or the subscription does not want it";
        }
        unread.put(seq, command);
        return null;
    }

    private String deferLive(LaneEvent live, Instant until) {
        if (live.isInFlight()) {
            return "too late: it is being sent";
        }
        if (live.isDone()) {
            return "too late: it was delivered or has failed";
        }
        troubles.defer(live, until);
        return DEFERRED;
    }
}
