package dev.posthorn.deadletter;

import dev.posthorn.audit.Act;
import dev.posthorn.audit.Actor;
import dev.posthorn.audit.Audit;
import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * Removes many dead letters for good, open and discarded ones alike. As with {@link Commands} it is the lanes' owners who
 * do it, each in its own time; what was asked for is in one transaction with its audit, which is all that is left of a
 * letter in the end: it names each of them.
 */
public final class Purges {

    /** How many letters can be purged at once: so many that the audit can name them. */
    public static final int LARGEST = 10_000;

    /** How many letters one entry of the audit names. */
    private static final int NAMED = 200;

    private static final ManyLetters LETTERS =
            new ManyLetters("PURGE", List.of("PURGE"), "true", "purged", "purged", LARGEST, LARGEST);

    private final Queries queries;
    private final Runnable asked;

    public Purges(DataSource dataSource, SchemaName schema) {
        this(dataSource, schema, () -> {});
    }

    /**
     * The same in the process of a relay.
     *
     * @param asked called when it is committed, as with {@link Commands}
     */
    public Purges(DataSource dataSource, SchemaName schema, Runnable asked) {
        this.queries = new Queries(dataSource, schema);
        this.asked = asked;
    }

    /**
     * What was, or would be, asked for.
     *
     * @param purging how many letters are removed
     * @param replaying how many are left out because they are being sent again
     * @param alreadyAsked how many are left out because somebody has asked for it already
     * @param commands what the lanes were asked; empty if that is more than {@link Discards#AWAITED}, or nothing
     */
    public record Purge(long purging, long replaying, long alreadyAsked, List<Long> commands) {

        public Purge {
            commands = List.copyOf(commands);
        }

        private static Purge of(ManyLetters.Asked asked) {
            return new Purge(asked.asking(), asked.replaying(), asked.alreadyAsked(), asked.commands());
        }

        /** All that were looked at. */
        public long matching() {
            return purging + replaying + alreadyAsked;
        }
    }

    /**
     * How far the lanes have come.
     *
     * @param purged how many letters are gone by now; the others had gone before, or were being sent again
     */
    public record Progress(long open, long purged) {}

    /** What {@link #purge} would do now; does nothing. */
    public Purge preview(DeadLetterQuery query) {
        return queries.run("counting what would be purged", t -> Purge.of(LETTERS.preview(t, query)));
    }

    /** Asks for all letters of the query to be purged: the open ones, unless its state says otherwise. */
    public Purge purge(DeadLetterQuery query, Actor by, String reason) {
        String why = Commands.purgeReason(reason);
        Purge purge = queries.run("asking for a purge", t -> {
            ManyLetters.Asked chosen = LETTERS.ask(t, query, by.name(), why);
            Map<String, String> detail = ManyLetters.detail(query, chosen);
            for (int from = 0; from < chosen.letters().size(); from += NAMED) {
                writeDown(t, by, why, detail, chosen, from);
            }
            return Purge.of(chosen);
        });
        asked.run();
        return purge;
    }

    /** One entry for some of them, which a page of the audit can hold. */
    private static void writeDown(
            Queries.Transaction transaction,
            Actor by,
            String reason,
            Map<String, String> common,
            ManyLetters.Asked chosen,
            int from)
            throws SQLException {
        int to = Math.min(from + NAMED, chosen.letters().size());
        Map<String, String> detail = new HashMap<>(common);
        detail.put(
                "deadLetters",
                chosen.letters().subList(from, to).stream().map(String::valueOf).collect(Collectors.joining(", ")));
        detail.put("eventIds", String.join(", ", chosen.events().subList(from, to)));
        Audit.write(transaction, by, new Act("dead-letter.purge", "dead-letter/*", detail, (long) to - from, reason));
    }

    /** What became of a purge of at most {@link Discards#AWAITED} letters. */
    public Progress progress(Purge purge) {
        ManyLetters.Progress progress = queries.run("asking for answers", t -> LETTERS.progress(t, purge.commands()));
        return new Progress(progress.open(), progress.done());
    }

    /** The same once every lane has answered; what there is if that takes longer. */
    public Progress await(Purge purge, Duration atMost) {
        return Patience.await(atMost, () -> Optional.of(progress(purge)).filter(progress -> progress.open() == 0))
                .orElseGet(() -> progress(purge));
    }
}
