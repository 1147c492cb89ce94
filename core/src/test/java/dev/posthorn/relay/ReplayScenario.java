package dev.posthorn.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.log.Guards;
import dev.posthorn.log.SchemaName;
import dev.posthorn.sink.Outcome;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;

/** A subscription with dead letters, and replays of them. */
class ReplayScenario {

    final RecordingSink sink = RecordingSink.oneAtATime();
    final Set<Long> bad = new HashSet<>();
    final Instances instances = new Instances(sink, Guards.ALL);

    ReplayScenario() {
        sink.answering(event -> bad.contains(event.seq()) ? new Outcome.Reject("bad") : Outcome.DELIVERED);
    }

    RetentionKeeper keeper() {
        return new RetentionKeeper(
                instances.database.dataSource(),
                SchemaName.DEFAULT,
                new Retention(Duration.ofDays(1), null, null, null, Duration.ofMinutes(1)),
                new RelayListener() {},
                Ticker.SYSTEM,
                Guards.ALL);
    }

    SteppedRelay startWithLetters(int letters, UnaryOperator<Subscription.Builder> settings) {
        SteppedRelay relay = instances.start("a", s -> settings.apply(s.lanes(2)));
        letters(relay, Collections.nCopies(letters, "x"));
        return relay;
    }

    /** Makes one dead letter of each key, with the seqs from 1 on. */
    void letters(SteppedRelay relay, List<String> keys) {
        LongStream.rangeClosed(1, keys.size()).forEach(bad::add);
        keys.forEach(instances.database::record);
        for (int i = 0; i < 100 && letters() < keys.size(); i++) {
            relay.run(5);
        }
        bad.clear();
        assertThat(letters()).isEqualTo(keys.size());
    }

    static List<String> keys(int count) {
        return LongStream.range(0, count).mapToObj(i -> "k" + i).toList();
    }

    /** A replay of all dead letters with these settings. */
    long replayAll(String settings) {
        return replay(settings, """
                SELECT seq, event_id, key, id FROM posthorn.dead_letter WHERE discarded_at IS NULL
                """);
    }

    long replayHistory() {
        return replay("", "SELECT seq, id AS event_id, key, NULL::bigint AS id FROM posthorn.event");
    }

    long replay(String settings, String items) {
        long replay = instances.database.number("""
                INSERT INTO posthorn.replay (selection, requested, requested_by) VALUES ('{}', 0, 'ops') RETURNING id
                """);
        instances.database.execute("""
                INSERT INTO posthorn.replay_item
                       (replay_id, subscription_id, seq, event_id, key_hash, dead_letter_id, canary, state)
                SELECT %1$d, 1, seq, event_id, posthorn.key_hash(key, event_id), id,
                       row_number() OVER (ORDER BY seq) <= 3, 'PENDING' FROM (%2$s) l;
                INSERT INTO posthorn.replay_subscription SELECT %1$d, 1, 'test', count(*) FROM posthorn.replay_item
                 WHERE replay_id = %1$d;
                UPDATE posthorn.replay SET requested = (SELECT count(*) FROM posthorn.replay_item WHERE replay_id = %1$d)
                 WHERE id = %1$d
                """.formatted(replay, items));
        if (!settings.isEmpty()) {
            instances.database.execute("UPDATE posthorn.replay SET " + settings + " WHERE id = " + replay);
        }
        return replay;
    }

    /** The state, what was asked for, and what became of it. */
    String accounts(long replay) {
        return instances.database.value("""
                SELECT state || ' ' || requested || ' = '
                       || (SELECT coalesce(sum(count), 0) FROM posthorn.replay_delivered WHERE replay_id = r.id)
                       || ' delivered'
                       || coalesce((SELECT string_agg(', ' || count || ' ' || state || coalesce(' ' || reason, ''), ''
                                                      ORDER BY state, reason)
                                      FROM (SELECT state, reason, count(*) FROM posthorn.replay_item
                                             WHERE replay_id = r.id GROUP BY state, reason) i), '')
                  FROM posthorn.replay r WHERE id =""" + " " + replay);
    }

    long delivered(long replay) {
        return instances.database.number(
                "SELECT coalesce(sum(count), 0) FROM posthorn.replay_delivered WHERE replay_id = " + replay);
    }

    long sum(long replay) {
        return delivered(replay)
                + instances.database.number("SELECT count(*) FROM posthorn.replay_item WHERE replay_id = " + replay);
    }

    String status(long seq) {
        return instances.database.value("SELECT status FROM posthorn.event_status WHERE seq = " + seq);
    }

    long letters() {
        return instances.database.number("SELECT count(*) FROM posthorn.dead_letter");
    }

    /** Longer than a lane takes to look at its replays. */
    void run(SteppedRelay relay) {
        instances.clock.advance(Duration.ofSeconds(1));
        relay.run(40);
    }
}
