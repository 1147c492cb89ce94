package dev.posthorn.relay.postgres;

import dev.posthorn.relay.store.AttemptRecord;
import dev.posthorn.relay.store.Changes;
import dev.posthorn.relay.store.ItemChange;
import dev.posthorn.relay.store.LetterChange;
import dev.posthorn.relay.store.RowChange;
import dev.posthorn.sink.Outcome;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One event's changes in a settle, of which the database refuses something. */
public record Refused(long seq, Changes changes) {

    private static final String UNSAID = "(what was said could not be stored)";

    /** Null if they are no event's: an answer to a command. */
    public static @Nullable Refused of(Changes changes) {
        return Stream.of(
                        changes.rows.keySet().stream(),
                        changes.removedRows.stream(),
                        changes.letters.stream().map(LetterChange::seq),
                        changes.items.stream().map(ItemChange::seq),
                        changes.attempts.stream().map(AttemptRecord::seq))
                .flatMap(seqs -> seqs)
                .findFirst()
                .map(seq -> new Refused(seq, changes))
                .orElse(null);
    }

    /** The id as far as the changes tell it. */
    String id() {
        RowChange row = row();
        return row == null ? "(unknown)" : row.eventId().toString();
    }

    private @Nullable RowChange row() {
        return changes.rows.get(seq);
    }

    /** What has to be written, and nothing that was said about it: attempts are only of interest to people. */
    Changes withoutWords() {
        Changes bare = new Changes();
        changes.rows.forEach((s, row) -> bare.rows.put(s, withoutWords(row)));
        bare.removedRows.addAll(changes.removedRows);
        changes.letters.forEach(letter -> bare.letters.add(withoutWords(letter)));
        changes.items.forEach(item -> bare.items.add(withoutWords(item)));
        return bare;
    }

    private static RowChange withoutWords(RowChange row) {
        Outcome.Failure failure = row.failure();
        return failure == null ? row : row.withFailure(unsaid(failure));
    }

    private static LetterChange withoutWords(LetterChange letter) {
        if (letter instanceof LetterChange.Dead dead) {
            return new LetterChange.Dead(dead.seq(), dead.attempts(), unsaid(dead.failure()), dead.holdsKey());
        }
        return letter instanceof LetterChange.Returned returned
                ? new LetterChange.Returned(returned.seq(), returned.attempts(), unsaid(returned.failure()))
                : letter;
    }

    private static ItemChange withoutWords(ItemChange item) {
        return item instanceof ItemChange.Failed failed
                ? new ItemChange.Failed(failed.replayId(), failed.seq(), unsaid(failed.failure()))
                : item;
    }

    private static Outcome.Failure unsaid(Outcome.Failure failure) {
        return new Outcome.Retry(failure.errorClass(), UNSAID);
    }

    /** It waits for nothing any more, and the replays that it is in go on without it. */
    public Changes ended(Outcome.Failure failure) {
        Changes ended = new Changes();
        ended.removedRows.add(seq);
        replays().forEach(replay -> ended.items.add(new ItemChange.Failed(replay, seq, failure)));
        return ended;
    }

    private List<Long> replays() {
        RowChange row = row();
        Stream<Long> ofRow = row == null || row.replay() == null
                ? Stream.of()
                : Stream.of(row.replay().replayId());
        return Stream.concat(ofRow, changes.items.stream().map(ItemChange::replayId))
                .distinct()
                .toList();
    }

    /** Whether it was delivered once and is sent again from the log: it is no dead letter, whatever becomes of that. */
    public boolean isOfHistory() {
        RowChange row = row();
        boolean isLetter = row != null && (row.replay() == null || row.replay().deadLetterId() != null);
        return !replays().isEmpty() && !isLetter && changes.letters.isEmpty();
    }

    public int attempts() {
        RowChange row = row();
        if (row != null) {
            return row.attempts();
        }
        for (LetterChange letter : changes.letters) {
            if (letter instanceof LetterChange.Dead dead) {
                return dead.attempts();
            }
            if (letter instanceof LetterChange.Returned returned) {
                return returned.attempts();
            }
        }
        return changes.attempts.isEmpty() ? 0 : changes.attempts.get(0).number();
    }

    /** A letter that is there already goes on to hold its key, or not. */
    public boolean holdsKey() {
        RowChange row = row();
        boolean ofRow = row != null && row.key() != null && row.replay() == null && changes.doDeadHoldTheirKeys();
        return ofRow
                || changes.letters.stream()
                        .anyMatch(letter -> letter instanceof LetterChange.Dead dead && dead.holdsKey());
    }
}
