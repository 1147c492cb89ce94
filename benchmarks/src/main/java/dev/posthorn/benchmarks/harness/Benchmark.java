package dev.posthorn.benchmarks.harness;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** A command that measures something and tells the result. */
@Command(mixinStandardHelpOptions = true)
public abstract class Benchmark implements Callable<Integer> {

    @Mixin
    protected final Output output = new Output();

    @Override
    public final Integer call() throws Exception {
        measure();
        return 0;
    }

    protected abstract void measure() throws Exception;
}
