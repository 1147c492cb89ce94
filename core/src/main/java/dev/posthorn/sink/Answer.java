package dev.posthorn.sink;

/** Takes the outcome of one event, once, from any thread. Later calls are ignored. */
@FunctionalInterface
public interface Answer {

    void with(Outcome outcome);
}
