package dev.posthorn.demo;

import java.io.PrintStream;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Turns Ctrl-C (and TERM and HUP) into a wish to end. By default the JVM would run all its exit hooks at once, and those
 * of the embedded server would take PostgreSQL away from the services that are still at work. A second
 * signal ends the program in that way.
 */
final class StopSignal {

    private static final int INTERRUPTED = 130;

    private final CountDownLatch asked = new CountDownLatch(1);
    private final PrintStream err;

    private StopSignal(PrintStream err) {
        this.err = err;
    }

    static StopSignal install(PrintStream err) {
        var stop = new StopSignal(err);
        List.of("INT", "TERM", "HUP").forEach(stop::handle);
        return stop;
    }

    /** By reflection: the JDK's only way to handle a signal lies in a package whose every use javac warns about. */
    private void handle(String name) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object ours = Proxy.newProxyInstance(
                    StopSignal.class.getClassLoader(),
                    new Class<?>[] {handler},
                    (proxy, method, arguments) -> answer(proxy, method, arguments));
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), ours);
        } catch (ReflectiveOperationException e) {
            err.println("Ctrl-C will end everything at once: this Java lets nobody handle signal " + name);
        }
    }

    private @Nullable Object answer(Object proxy, Method method, Object[] arguments) {
        return switch (method.getName()) {
            case "equals" -> proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            case "toString" -> "StopSignal";
            default -> {
                onSignal();
                yield null;
            }
        };
    }

    private void onSignal() {
        if (isAsked()) {
            System.exit(INTERRUPTED);
        }
        asked.countDown();
    }

    boolean isAsked() {
        return asked.getCount() == 0;
    }

    /** Waits until the end is asked for. */
    void await() throws InterruptedException {
        asked.await();
    }

    /** Waits that long; true if the end was asked for. */
    boolean await(Duration duration) throws InterruptedException {
        return asked.await(duration.toNanos(), TimeUnit.NANOSECONDS);
    }
}
