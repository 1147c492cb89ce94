package dev.posthorn.relay.store;

import dev.posthorn.log.Mark;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How a lane stands in the store: all that its owner has to know before it reads.
 *
 * @param readSeq the greatest seq that any owner ever read
 * @param rowSeq the greatest seq that ever got a row or a dead letter
 * @param turn that of the last settle, or of the move by which a front took the lane on or off
 * @param parkedFor the change of generation for which it stands still, as far as others know
 * @param takeovers how often the lane changed hands by force since it last worked undisturbed
 * @param denialReason why the receiver refused everything, as far as the last owner knew; null if it did not
 * @param gaugeCalm whether its gauge says that nothing is the matter with it, as far as the last owner knew
 * @param leased for how long nobody else can take it over; not positive if somebody may
 * @param reads how many reads at the tail there had been on the connection when it was read, and the mark was older than
 *     any that came later; null if that is to be taken for now
 * @param calm there is nothing but the log to look at: no row, no dead letter of the subscription that holds its key, no
 *     open command, no replay that runs. Rows and letters of the lane stay so until its owner writes one; of commands and
 *     replays it is told.
 */
public record StoredLane(
        Mark mark,
        long readSeq,
        long rowSeq,
        long turn,
        @Nullable UUID parkedFor,
        int takeovers,
        @Nullable String denialReason,
        boolean gaugeCalm,
        Duration leased,
        @Nullable Long reads,
        boolean calm) {

    /** The same, known for so long, and since so many reads. */
    public StoredLane aged(Duration age, long readsThen) {
        return new StoredLane(
                mark,
                readSeq,
                rowSeq,
                turn,
                parkedFor,
                takeovers,
                denialReason,
                gaugeCalm,
                leased.minus(age),
                readsThen,
                calm);
    }
}
