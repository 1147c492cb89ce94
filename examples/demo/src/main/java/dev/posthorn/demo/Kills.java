package dev.posthorn.demo;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Kills the children one after the other and starts each again; in every round each of them once. */
final class Kills {

    private static final int ALIVE_MILLIS = 3000;
    private static final int DEAD_MILLIS = 1000;

    private final List<Child> victims;
    private final Random chance;
    private final Screen screen;
    private final Consumer<String> trouble;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "kills");
    private volatile int killed;

    private Kills(List<Child> victims, long seed, Screen screen, Consumer<String> trouble) {
        this.victims = new ArrayList<>(victims);
        this.chance = new Random(seed);
        this.screen = screen;
        this.trouble = trouble;
    }

    static Kills start(List<Child> victims, long seed, Screen screen, Consumer<String> trouble) {
        var kills = new Kills(victims, seed, screen, trouble);
        kills.thread.start();
        return kills;
    }

    /** Whether each was killed at least once, and is back. */
    boolean roundIsDone() {
        return killed >= victims.size();
    }

    int killed() {
        return killed;
    }

    /** Waits until the last one that was killed is back. */
    void stop() throws InterruptedException {
        stop.countDown();
        thread.join();
    }

    private void run() {
        try {
            while (stop.getCount() > 0 && !victims.isEmpty()) {
                Collections.shuffle(victims, chance);
                killEach();
            }
        } catch (RuntimeException e) {
            trouble.accept(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void killEach() throws InterruptedException {
        for (Child victim : victims) {
            if (pause(ALIVE_MILLIS)) {
                return;
            }
            killAndRestart(victim);
        }
    }

    /** Only this thread writes the number. */
    @SuppressWarnings("NonAtomicVolatileUpdate")
    private void killAndRestart(Child victim) throws InterruptedException {
        victim.kill();
        screen.say("Killed %s.", victim.name());
        long killedAt = System.nanoTime();
        pause(DEAD_MILLIS);
        victim.launch();
        victim.awaitUp();
        screen.say("%s is up again after %.1f s.", victim.name(), (System.nanoTime() - killedAt) / 1e9);
        killed++;
    }

    /** About that long, half as much more at most; true if it is time to stop. */
    private boolean pause(int millis) throws InterruptedException {
        return stop.await(millis + chance.nextInt(millis / 2), TimeUnit.MILLISECONDS);
    }
}
