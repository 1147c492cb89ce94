package dev.posthorn.deadletter;

import dev.posthorn.audit.Act;
import dev.posthorn.audit.Actor;
import dev.posthorn.audit.Audit;
import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Gives many dead letters up at once. As with {@link Commands} it is the lanes' owners who do it, each in its own time;
 * what was asked for is in one transaction with its audit.
 */
public final class Discards {

    /** How many letters can be given up at once. */
    public static final int LARGEST = 1_000_000;

    /** Up to how many are told by their commands, so that somebody can wait for the answers. */
    public static final int AWAITED = ManyLetters.AWAITED;

    private static final ManyLetters LETTERS = new ManyLetters(
            "DISCARD", List.of("DISCARD", "PURGE"), "l.discarded_at IS NULL", "discarded", "discarded", LARGEST, 0);

    private final Queries queries;
    private final Runnable asked;

    public Discards(DataSource dataSource, SchemaName schema) {
        this(dataSource, schema, () -> {});
    }

    /**
     * The same in the process of a relay.
     *
     * @param asked called when it is committed, as with {@link Commands}
     */
    public Discards(DataSource dataSource, SchemaName schema, Runnable asked) {
        this.queries = new Queries(dataSource, schema);
        this.asked = asked;
    }

    /**
     * What was, or would be, asked for.
     *
     * @param discarding how many letters are given up
     * @param replaying how many are left out because they are being sent again
     * @param alreadyAsked how many are left out because somebody has asked for it already
     * @param commands what the lanes were asked; empty if that is more than {@link #AWAITED}, or nothing
     */
    public record Discard(long discarding, long replaying, long alreadyAsked, List<Long> commands) {

        public Discard {
            commands = List.copyOf(commands);
        }

        private static Discard of(ManyLetters.Asked asked) {
            return new Discard(asked.asking(), asked.replaying(), asked.alreadyAsked(), asked.commands());
        }

        /** All that were looked at. */
        public long matching() {
            return discarding + replaying + alreadyAsked;
        }
    }

    /**
     * How far the lanes have come.
     *
     * @param discarded how many letters are given up by now; the others had gone, or were being sent again
     */
    public record Progress(long open, long discarded) {}

    /** What {@link #discard} would do now; does nothing. */
    public Discard preview(DeadLetterQuery query) {
        return queries.run("counting what would be discarded", t -> Discard.of(LETTERS.preview(t, query)));
    }

    /** Asks for all open letters of the query to be discarded. */
    public Discard discard(DeadLetterQuery query, Actor by, String reason) {
        String why = Commands.discardReason(reason);
        Discard discard = queries.run("asking for a discard", t -> {
            ManyLetters.Asked chosen = LETTERS.ask(t, query, by.name(), why);
            if (chosen.asking() > 0) {
                Map<String, String> detail = ManyLetters.detail(query, chosen);
                Audit.write(t, by, new Act("dead-letter.discard", "dead-letter/*", detail, chosen.asking(), why));
            }
            return Discard.of(chosen);
        });
        asked.run();
        return discard;
    }

    /** What became of a discard of at most {@link #AWAITED} letters. */
    public Progress progress(Discard discard) {
        ManyLetters.Progress progress = queries.run("asking for answers", t -> LETTERS.progress(t, discard.commands()));
        return new Progress(progress.open(), progress.done());
    }

    /** The same once every lane has answered; what there is if that takes longer. */
    public Progress await(Discard discard, Duration atMost) {
        return Patience.await(atMost, () -> Optional.of(progress(discard)).filter(progress -> progress.open() == 0))
                .orElseGet(() -> progress(discard));
    }
}
