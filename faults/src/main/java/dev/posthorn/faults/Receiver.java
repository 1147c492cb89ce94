package dev.posthorn.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Where the relay processes deliver to. Notes every arrival in order and answers it a few milliseconds later, so that
 * events really are in flight.
 */
final class Receiver implements AutoCloseable {

    private static final int SLOWEST_ANSWER_MICROS = 5_000;

    private final ServerSocket server;
    private final ScheduledExecutorService answers = Executors.newScheduledThreadPool(1, Receiver::daemon);
    private final SplittableRandom random;
    private final Map<String, Ledger> ledgers = new HashMap<>();
    private final Map<String, Set<String>> inFlight = new HashMap<>();
    private final Map<String, String> lastFrom = new HashMap<>();
    private final Map<String, Integer> duplicatesAfter = new HashMap<>();
    private final Map<String, Integer> received = new HashMap<>();

    Receiver(long seed) throws IOException {
        this.random = new SplittableRandom(seed);
        this.server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        RelayProcess.SUBSCRIPTIONS.forEach(name -> ledgers.put(name, new Ledger(name)));
        daemon(this::acceptAll).start();
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "receiver");
        thread.setDaemon(true);
        return thread;
    }

    int port() {
        return server.getLocalPort();
    }

    private void acceptAll() {
        try {
            while (true) {
                Socket socket = server.accept();
                daemon(() -> receiveAll(socket)).start();
            }
        } catch (IOException closed) {
            // the run is over
        }
    }

    private void receiveAll(Socket socket) {
        try (socket) {
            BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
            String speaker = in.readLine();
            if (speaker == null) {
                return;
            }
            String instance = speaker.substring(0, speaker.indexOf(' '));
            String subscription = speaker.substring(speaker.indexOf(' ') + 1);
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String id = line.substring(0, 36);
                long delay = arrived(instance, subscription, id, line.substring(37));
                var unused = answers.schedule(
                        () -> answer(socket, instance, subscription, id), delay, TimeUnit.MICROSECONDS);
            }
        } catch (IOException killed) {
            // as intended
        }
    }

    private synchronized long arrived(String instance, String subscription, String id, String payload) {
        Change change = Change.of(UUID.fromString(id), payload.getBytes(UTF_8));
        ledger(subscription).note(change, again -> true);
        received.merge(instance, 1, Integer::sum);
        String before = lastFrom.put(subscription + id, instance);
        if (before != null) {
            duplicatesAfter.merge(subscription + " of " + before, 1, Integer::sum);
        }
        inFlight.computeIfAbsent(instance, i -> new HashSet<>()).add(subscription + id);
        notifyAll();
        return random.nextInt(SLOWEST_ANSWER_MICROS);
    }

    private synchronized void answer(Socket socket, String instance, String subscription, String id) {
        Set<String> unanswered = inFlight.get(instance);
        if (unanswered != null && unanswered.remove(subscription + id)) {
            try {
                OutputStream out = socket.getOutputStream();
                out.write((id + "\n").getBytes(UTF_8));
            } catch (IOException killed) {
                // as intended
            }
        }
    }

    private Ledger ledger(String subscription) {
        Ledger ledger = ledgers.get(subscription);
        if (ledger == null) {
            throw new IllegalStateException("nobody knows subscription " + subscription);
        }
        return ledger;
    }

    /** What is done to a process. */
    interface Strike {
        void at(String instance) throws IOException;
    }

    /** Which instance was struck, and how many of its events were in flight. */
    record Struck(String instance, int inFlight) {}

    /**
     * Strikes any one of the instances at a moment when it has events in flight; no answer leaves in between. Null if
     * none had any for that long.
     */
    synchronized @Nullable Struck strikeInFlight(List<String> instances, Duration patience, Strike strike)
            throws IOException, InterruptedException {
        long giveUpAt = System.nanoTime() + patience.toNanos();
        while (true) {
            List<String> busy =
                    instances.stream().filter(each -> inFlightOf(each) > 0).toList();
            if (!busy.isEmpty()) {
                String victim = busy.get(random.nextInt(busy.size()));
                strike.at(victim);
                return new Struck(victim, inFlightOf(victim));
            }
            long left = (giveUpAt - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return null;
            }
            wait(left);
        }
    }

    private int inFlightOf(String instance) {
        @Nullable Set<String> unanswered = inFlight.get(instance);
        return unanswered == null ? 0 : unanswered.size();
    }

    synchronized int receivedFrom(String instance) {
        return received.getOrDefault(instance, 0);
    }

    synchronized int distinct(String subscription) {
        return ledger(subscription).distinct();
    }

    /** Events that came again after this instance had sent them. */
    synchronized int duplicatesAfter(String subscription, String instance) {
        return duplicatesAfter.getOrDefault(subscription + " of " + instance, 0);
    }

    synchronized Ledger.Verdict verdict(String subscription, List<Change> committed) {
        return ledger(subscription).verdict(committed, change -> true);
    }

    @Override
    public void close() throws IOException {
        server.close();
        answers.shutdownNow();
    }
}
