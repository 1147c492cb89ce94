package dev.posthorn.relay.lane;

import dev.posthorn.relay.budget.Tokens;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Chooses what is sent next of the backlog, as far as there are tokens. Whatever is not to be sent is sorted out on the way,
 * which takes no tokens. What is chosen has the turn of its key: the caller has to send it, or put it back.
 */
final class Chooser {

    private final Backlog backlog;
    private final Admission admission;
    private final Tokens tokens;

    Chooser(Backlog backlog, Admission admission, Tokens tokens) {
        this.backlog = backlog;
        this.admission = admission;
        this.tokens = tokens;
    }

    /** The next that is no replay and was not just tried in vain; of those that have failed only if they may go as well. */
    @Nullable
    LaneEvent next(boolean retriesToo) {
        LaneEvent next = backlog.pollReady();
        if (next == null) {
            return nextAdmitted(retriesToo);
        }
        if (next.needsToken() && tokens.lack()) {
            backlog.backToReady(next);
            return null;
        }
        return next;
    }

    private @Nullable LaneEvent nextAdmitted(boolean retriesToo) {
        ToSend toSend = backlog.toSend();
        for (LaneEvent next = toSend.poll(retriesToo); next != null; next = toSend.poll(retriesToo)) {
            boolean goes = !next.isSetAside() && !lacksTokenToCount(next) && admission.admits(next);
            if (tokens.areLacking() || (goes && lacksToken(next))) {
                toSend.addFirst(next);
                return null;
            }
            if (goes && backlog.takesTurn(next)) {
                return next;
            }
        }
        return null;
    }

    private boolean lacksTokenToCount(LaneEvent item) {
        return item.isSuspect() && tokens.lack();
    }

    private boolean lacksToken(LaneEvent item) {
        return tokens.areLimited() && item.needsToken() && backlog.isItsTurn(item) && tokens.lack();
    }

    /** The event that was tried in vain longest ago. */
    @Nullable
    LaneEvent nextTried() {
        LaneEvent next = tokens.lack() ? null : backlog.pollTried();
        return next != null && takes(next) ? next : null;
    }

    /** The next of a replay whose key has nothing else on its way: a live event need not wait behind more than one. */
    @Nullable
    LaneEvent nextReplay(Iterator<LaneEvent> waiting) {
        while (waiting.hasNext()) {
            LaneEvent next = waiting.next();
            if (backlog.isItsTurn(next)) {
                if (tokens.lack()) {
                    return null;
                }
                waiting.remove();
                if (takes(next)) {
                    return next;
                }
            }
        }
        return null;
    }

    /** The next of all. */
    @Nullable
    LaneEvent nextOfAll() {
        backlog.unstall();
        LaneEvent next = next(true);
        if (next == null) {
            next = nextTried();
        }
        return next == null ? nextReplay(backlog.replays().iterator()) : next;
    }

    /** Whether the event may be sent now and it is its turn. */
    boolean takes(LaneEvent item) {
        return admission.admits(item) && backlog.takesTurn(item);
    }
}
