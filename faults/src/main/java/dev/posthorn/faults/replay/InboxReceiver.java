package dev.posthorn.faults.replay;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.faults.harness.Change;
import dev.posthorn.faults.harness.Crew;
import dev.posthorn.faults.harness.Database;
import dev.posthorn.faults.harness.Ledger;
import dev.posthorn.faults.harness.ReceivedRequest;
import dev.posthorn.inbox.Claim;
import dev.posthorn.inbox.Inbox;
import dev.posthorn.inbox.InboxEntry;
import dev.posthorn.log.KeyHash;
import dev.posthorn.testkit.Listener;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Where the relays deliver to. It takes everything, and answers when its inbox has the event: what is fresh there has an
 * effect. Whatever waits is claimed in one transaction.
 */
final class InboxReceiver implements AutoCloseable {

    private static final String REPLAY = "posthorn-replay";
    private static final String CONSUMER = "receiver";

    private final Database database;
    private final Inbox inbox = Inbox.create();
    private final BlockingQueue<Waiting> waiting = new LinkedBlockingQueue<>();
    private final Crew crew = new Crew();
    private final Listener listener;
    private final List<Came> came = new ArrayList<>();
    private final Map<Long, Ledger> ledgers = new HashMap<>();
    private final Map<UUID, String> lastFrom = new HashMap<>();
    private final Map<String, Integer> duplicatesAfter = new HashMap<>();
    private final Map<UUID, Integer> effects = new HashMap<>();

    @SuppressWarnings("ArrayRecordComponent") // Nobody compares two.
    private record Waiting(UUID id, byte[] digest, CountDownLatch claimed) {}

    InboxReceiver(Database database) throws IOException {
        this.database = database;
        this.listener = ReceivedRequest.listen(this::take);
        crew.start("inbox", this::claimAll);
    }

    int port() {
        return listener.port();
    }

    private void take(ReceivedRequest request) throws IOException {
        note(request);
        claim(request.change());
        request.take();
    }

    private synchronized void note(ReceivedRequest request) {
        Change change = request.change();
        String instance = request.instance();
        String mark = request.headerOrNull(REPLAY);
        long replay = mark == null ? Came.LIVE : Long.parseLong(mark);
        int lane = KeyHash.lane(change.aggregate(), change.id(), ReplayingRelay.LANES);
        came.add(new Came(System.nanoTime(), replay, lane, instance));
        ledger(replay).note(change, again -> true);
        String before = lastFrom.put(change.id(), instance);
        if (before != null) {
            duplicatesAfter.merge(before, 1, Integer::sum);
        }
    }

    private void claim(Change change) throws IOException {
        byte[] digest = (change.aggregate() + " " + change.counter()).getBytes(UTF_8);
        Waiting mine = new Waiting(change.id(), digest, new CountDownLatch(1));
        waiting.add(mine);
        try {
            mine.claimed().await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private void claimAll() throws SQLException, InterruptedException {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            while (true) {
                List<Waiting> some = new ArrayList<>(List.of(waiting.take()));
                waiting.drainTo(some);
                List<InboxEntry> entries = some.stream()
                        .map(each -> new InboxEntry(each.id(), each.digest()))
                        .toList();
                List<Claim> claims = inbox.claim(connection, CONSUMER, entries);
                connection.commit();
                count(some, claims);
            }
        }
    }

    private synchronized void count(List<Waiting> some, List<Claim> claims) {
        for (int i = 0; i < some.size(); i++) {
            if (claims.get(i) == Claim.FRESH) {
                effects.merge(some.get(i).id(), 1, Integer::sum);
            }
            some.get(i).claimed().countDown();
        }
    }

    private Ledger ledger(long replay) {
        return ledgers.computeIfAbsent(
                replay, id -> new Ledger(id == Came.LIVE ? "live events" : "events of replay " + id));
    }

    /** How many different events came by a replay, or live. */
    synchronized int distinct(long replay) {
        return ledger(replay).distinct();
    }

    synchronized Ledger.Verdict verdict(long replay, List<Change> expected) {
        return ledger(replay).verdict(expected, change -> true);
    }

    /** Of each process, how often something that it had sent came again. */
    synchronized Map<String, Integer> duplicates() {
        return Map.copyOf(duplicatesAfter);
    }

    /** How many of these had no effect, or more than one. */
    synchronized long wrongInEffect(List<Change> expected) {
        return expected.stream()
                .filter(change -> effects.getOrDefault(change.id(), 0) != 1)
                .count();
    }

    /** How many events had an effect though none of these says so. */
    synchronized long effectsBeside(List<Change> expected) {
        Set<UUID> others = new HashSet<>(effects.keySet());
        expected.forEach(change -> others.remove(change.id()));
        return others.size();
    }

    /** Whatever has come so far, in order. */
    synchronized List<Came> came() {
        return List.copyOf(came);
    }

    /** Throws if events can no longer be claimed. */
    void check() {
        crew.check();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
