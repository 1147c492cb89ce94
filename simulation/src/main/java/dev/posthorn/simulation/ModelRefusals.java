package dev.posthorn.simulation;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.relay.postgres.Refused;
import dev.posthorn.relay.store.Changes;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.LetterChange;
import dev.posthorn.relay.store.Settled;
import dev.posthorn.relay.store.Settlement;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** What a settle comes to where the database refuses delivery rows of some events: these are set aside. */
final class ModelRefusals {

    private static final Outcome.Failure REFUSED = new Outcome.Reject(ErrorClass.UNSTORABLE, "refused by the database");

    private ModelRefusals() {}

    /** @param settlement what is really written */
    record Written(Settlement settlement, Settled settled) {}

    static Written of(ModelDatabase database, LaneGrant grant, Settlement asked) {
        if (!isAnyRefused(database, asked.changes().rows.keySet())) {
            return new Written(asked, Settled.DONE);
        }
        List<Changes> written = new ArrayList<>();
        List<Settled.SetAside> setAside = new ArrayList<>();
        for (Changes each : asked.changes().apart()) {
            Refused refused = each.rows.isEmpty() ? null : Refused.of(each);
            if (refused == null || !database.refuses.test(refused.seq())) {
                written.add(each);
                continue;
            }
            Changes instead = refused.ended(REFUSED);
            if (!refused.isOfHistory()) {
                instead.letters.add(letter(database, grant, refused));
            }
            setAside.add(setAside(database, refused));
            written.add(instead);
        }
        return new Written(with(asked, Changes.together(written)), new Settled(true, setAside));
    }

    private static boolean isAnyRefused(ModelDatabase database, Set<Long> seqs) {
        for (long seq : seqs) {
            if (database.refuses.test(seq)) {
                return true;
            }
        }
        return false;
    }

    private static Settled.SetAside setAside(ModelDatabase database, Refused refused) {
        RecordedEvent letter =
                refused.isOfHistory() ? null : Objects.requireNonNull(database.log.get(refused.seq())).recorded;
        return new Settled.SetAside(refused.seq(), letter, refused.attempts(), REFUSED, refused.holdsKey());
    }

    private static LetterChange letter(ModelDatabase database, LaneGrant grant, Refused refused) {
        boolean isThere = database.letters(grant.subscriptionId()).containsKey(refused.seq());
        return isThere
                ? new LetterChange.Returned(refused.seq(), refused.attempts(), REFUSED)
                : new LetterChange.Dead(refused.seq(), refused.attempts(), REFUSED, refused.holdsKey());
    }

    private static Settlement with(Settlement asked, Changes changes) {
        return new Settlement(
                asked.former(),
                asked.turn(),
                asked.mark(),
                asked.high(),
                asked.readSeq(),
                asked.parkedFor(),
                asked.undisturbed(),
                asked.receiptCount(),
                asked.gauge(),
                changes);
    }
}
